"""What a client may ask, one declared type a request.

``i`` is an integer (good for this connection) or a string that names the request for good:
repeated with the same string by the same identity it is answered again and not done twice.
"""

from typing import Annotated

from msgspec import Meta, Struct

from .limits import (
    MAX_CARDS,
    MAX_EVENTS,
    MAX_ID,
    MAX_INTEGER,
    MAX_LIST,
    MAX_MOVE,
    MAX_OPTIONS,
    MAX_PASSWORD,
    MAX_PILE,
    MAX_SAVE,
    MAX_SAY,
    MAX_SEATS,
    MAX_TOKEN,
)
from .views import Count, Name, Role, RoomId, Status, Visibility

RequestId = (
    Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
    | Annotated[str, Meta(min_length=1, max_length=MAX_ID)]
    | None
)
Pile = Annotated[str, Meta(min_length=1, max_length=MAX_PILE)]
Text32 = Annotated[str, Meta(max_length=32)]
Password = Annotated[str, Meta(max_length=MAX_PASSWORD)]


class RequestBase(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="t"):
    """What every request may carry."""

    i: RequestId = None


class InRoom(RequestBase, frozen=True, kw_only=True, omit_defaults=True):
    """A request about one room."""

    room: RoomId


class Hello(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="hello"):
    """The first message: who is there; ``token`` brings back an identity."""

    name: Name | None = None
    token: Annotated[str, Meta(min_length=1, max_length=MAX_TOKEN)] | None = None


class Ping(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="ping"):
    """Is anybody there, and how far are my rooms."""


class PolicyWish(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the new room shall allow; what is not named gets its default."""

    undo: bool | None = None
    save: bool | None = None
    cheat: bool | None = None
    hints: bool | None = None
    say: bool | None = None
    delay: Annotated[int, Meta(ge=0, le=86_400)] = 0


OptionValue = Annotated[str, Meta(max_length=32)] | bool | Annotated[int, Meta(ge=0, le=999)]


class Create(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="create"):
    """A new room: from a deal number, a save text, or a fresh secret shuffle."""

    game: Text32
    options: Annotated[dict[Text32, OptionValue], Meta(max_length=MAX_OPTIONS)] = {}
    mode: Text32 = "solo"
    seats: Annotated[int, Meta(ge=1, le=MAX_SEATS)] | None = None
    deal: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    save: Annotated[str, Meta(max_length=MAX_SAVE)] | None = None
    visibility: Visibility = "public"
    password: Password | None = None
    policy: PolicyWish = PolicyWish()
    seat: bool = True


class Fork(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="fork"):
    """A new room that begins with the position after event ``at`` of a finished game.

    As public as the room it comes from, or unlisted.
    """

    at: Annotated[int, Meta(ge=1, le=MAX_INTEGER)] = 1
    unlisted: bool = False
    seat: bool = True


class Join(
    InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="join", rename={"from_": "from"}
):
    """Follow a room, or take a seat in it; ``from`` and ``hash`` resume."""

    role: Role = "spectator"
    password: Password | None = None
    from_: Count | None = None
    hash: Text32 | None = None


class Leave(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="leave"):
    """Follow a room no longer; a player gives up his seat."""


class Rooms(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="rooms"):
    """List public rooms, newest first."""

    game: Text32 | None = None
    status: Status | None = None
    after: RoomId | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_LIST)] = 50


class Lobby(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="lobby"):
    """Push changes of public rooms, or stop it."""

    on: bool = True


class Move(
    InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="move", rename={"from_": "from"}
):
    """Make a move; ``expect`` is the head the client saw.

    Either ``move`` says it in the game's own notation, or it is a drag: the last ``cards`` cards
    (1 if it is absent) of the pile ``from`` are dropped on the pile ``to``.
    """

    move: Annotated[str, Meta(max_length=MAX_MOVE)] | None = None
    from_: Pile | None = None
    to: Pile | None = None
    cards: Annotated[int, Meta(ge=1, le=MAX_CARDS)] | None = None
    expect: Count | None = None
    board: Annotated[int, Meta(ge=0, le=0)] = 0

    def __post_init__(self) -> None:
        """Check that it is one or the other.

        Raises:
            ValueError: It is both, neither or half of one.

        """
        if self.move is None and (self.from_ is None or self.to is None):
            raise ValueError("a move has `move`, or `from` and `to`")
        if self.move is not None and (self.from_, self.to, self.cards) != (None, None, None):
            raise ValueError("a move has `move`, or `from` and `to`, not both")


class Undo(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="undo"):
    """Take the last change back."""

    expect: Count | None = None


class Redo(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="redo"):
    """Do again what was taken back last."""

    expect: Count | None = None


class Restart(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="restart"):
    """Lay out the start again."""

    expect: Count | None = None


class Resign(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="resign"):
    """Give the game up; it ends and its cards are opened."""

    expect: Count | None = None


class Say(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="say"):
    """A comment, part of the log."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_SAY)]


class Moves(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="moves"):
    """The legal moves, best first."""


class Save(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="save"):
    """The save text of the whole position."""


class Cheat(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="cheat"):
    """All cards open, where the room allows it."""


class History(
    InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="history", rename={"from_": "from"}
):
    """Past events from number ``from`` on, as this viewer may see them.

    ``open``: with every card named, of a game that has ended.
    """

    from_: Annotated[int, Meta(ge=1, le=MAX_INTEGER)] = 1
    to: Count | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_EVENTS)] = 100
    open: bool = False


class ViewAt(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="view"):
    """The position after event ``at``."""

    at: Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
    board: Annotated[int, Meta(ge=0, le=0)] = 0


class Replay(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="replay"):
    """Play a replay text or a save text by the rules: its events, in no room."""

    text: Annotated[str, Meta(max_length=MAX_SAVE)]


Change = Move | Undo | Redo | Restart | Resign | Say
"""Requests that a seated player's or viewer's wish turns into one record of the log."""

Request = (
    Hello
    | Ping
    | Create
    | Fork
    | Join
    | Leave
    | Rooms
    | Lobby
    | Move
    | Undo
    | Redo
    | Restart
    | Resign
    | Say
    | Moves
    | Save
    | Cheat
    | History
    | ViewAt
    | Replay
)
