"""What a client may ask, one declared type a request.

``i`` is an integer (good for this connection) or a string that names the request for good:
repeated with the same string by the same identity it is answered again and not done twice.
"""

from typing import Annotated

from msgspec import Meta, field

from .advice import Advise as Advise
from .advice import Finish as Finish
from .asking import (
    BoardIndex,
    Day,
    OptionValue,
    Password,
    Pile,
    Subject,
    Text32,
)
from .asking import (
    InRoom as InRoom,
)
from .asking import (
    PolicyWish as PolicyWish,
)
from .asking import (
    RequestBase as RequestBase,
)
from .bots import SeatBot as SeatBot
from .bots import Think as Think
from .limits import (
    MAX_AFTER,
    MAX_CARDS,
    MAX_COUNTDOWN,
    MAX_EVENTS,
    MAX_INTEGER,
    MAX_INVITE,
    MAX_KEY,
    MAX_LIMIT,
    MAX_LIST,
    MAX_MOVE,
    MAX_OPTIONS,
    MAX_RACERS,
    MAX_REASON,
    MAX_SAVE,
    MAX_SAY,
    MAX_TERM,
    MAX_TOKEN,
    MIN_LIMIT,
)
from .operating import NEEDS, Act
from .views import (
    Control,
    Count,
    Digest,
    Name,
    Nonce,
    Role,
    RoomId,
    Status,
    Visibility,
)


class Hello(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="hello"):
    """The first message: who is there; ``token`` brings back an identity."""

    name: Name | None = None
    token: Annotated[str, Meta(min_length=1, max_length=MAX_TOKEN)] | None = None


class Ping(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="ping"):
    """Is anybody there, and how far are my rooms."""


class Pledge(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="pledge"):
    """Fix the secret of a room that this connection is going to create."""


class Create(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="create"):
    """A new room: from a deal number, a save text, or a fresh secret shuffle.

    ``save`` may be a position that another program wrote, too. ``countdown`` and ``limit`` are
    seconds, ``begins`` is Unix ms; all three are about races. ``daily`` is the deal of the day.
    ``nonce`` is mixed into the secret from which the deck follows: a fresh one, or the one for
    which ``pledge`` stands. ``winnable``: deals are drawn until a line that wins is found.
    """

    game: Text32
    options: Annotated[dict[Text32, OptionValue], Meta(max_length=MAX_OPTIONS)] = field(
        default_factory=dict
    )
    mode: Text32 = "solo"
    seats: Annotated[int, Meta(ge=1, le=MAX_RACERS)] | None = None
    deal: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    save: Annotated[str, Meta(max_length=MAX_SAVE)] | None = None
    visibility: Visibility = "public"
    password: Password | None = None
    policy: PolicyWish = PolicyWish()
    countdown: Annotated[int, Meta(ge=0, le=MAX_COUNTDOWN)] | None = None
    limit: Annotated[int, Meta(ge=MIN_LIMIT, le=MAX_LIMIT)] | None = None
    begins: Count | None = None
    daily: bool = False
    seat: bool = True
    nonce: Nonce | None = None
    pledge: Digest | None = None
    winnable: bool = False


class Fork(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="fork"):
    """A new room that begins with the position after event ``at``, or with the deal.

    Of a finished game, or of one's own live one where the room allows undo. As public as the
    room it comes from, or unlisted; from a live game always unlisted.
    """

    at: Annotated[int, Meta(ge=1, le=MAX_INTEGER)] | None = None
    board: BoardIndex = None
    unlisted: bool = False
    seat: bool = True


class Rematch(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="rematch"):
    """Go on with the next deal: a new room with the same seats, once the game has ended."""


class Present(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="present"):
    """A new replay room: shows a finished game to many, the asker at the controls."""

    unlisted: bool = False


class Daily(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="daily"):
    """The table of a day: of today, if ``date`` is absent."""

    game: Text32
    date: Day | None = None


class Join(
    InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="join", rename={"from_": "from"}
):
    """Follow a room, or take a seat in it; ``from`` and ``hash`` resume.

    A room that is closed wants a ``password`` or an ``invite`` of those who have no seat there.
    """

    role: Role = "spectator"
    password: Password | None = None
    invite: Annotated[str, Meta(max_length=MAX_INVITE)] | None = None
    from_: Count | None = None
    hash: Text32 | None = None


class Invite(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="invite"):
    """The key with which others come into a closed room, in a role; for its players."""

    role: Role = "spectator"


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


class Tv(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="tv"):
    """Push which room is most worth watching whenever that changes, or stop it."""

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
    board: BoardIndex = None

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
    """Give the game up; it ends and its cards are opened.

    Of a race that has not begun: whoever made it calls it off, while nobody else but bots sits
    there. The room is closed.
    """

    expect: Count | None = None


class Say(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="say"):
    """A comment, part of the log."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_SAY)]


class Ready(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="ready"):
    """Be ready to start the race, or no longer."""

    on: bool = True


class Comments(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="comments"):
    """Let a room take comments, or none; its players may."""

    on: bool


class Steer(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="control"):
    """Say where a replay room is; whoever has its seat may."""

    control: Control


class Moves(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="moves"):
    """The legal moves, best first."""

    board: BoardIndex = None


class Save(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="save"):
    """The save text of the whole position, or its text in the format of another program."""

    board: BoardIndex = None
    format: Text32 | None = None


class Cheat(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="cheat"):
    """All cards open, where the room allows it."""


class History(
    InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="history", rename={"from_": "from"}
):
    """Past events from number ``from`` on, as this viewer may see them.

    ``open``: with every card named, of a game that has ended. ``proofs``: with the openings of
    the cards that these events name.
    """

    from_: Annotated[int, Meta(ge=1, le=MAX_INTEGER)] = 1
    to: Count | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_EVENTS)] = 100
    open: bool = False
    proofs: bool = False


class ViewAt(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="view"):
    """The position after event ``at``."""

    at: Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
    board: BoardIndex = None


class Replay(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="replay"):
    """Play a replay text or a save text by the rules: its events, in no room."""

    text: Annotated[str, Meta(max_length=MAX_SAVE)]


class Admin(RequestBase, frozen=True, kw_only=True, omit_defaults=True, tag="admin"):
    """An order of an operator: with his ``key``, or of an identity with the role ``admin``.

    ``seconds``: for how long; ``reason``: what those are told who are meant; ``force``: even if
    that shuts out the operator himself. A list goes on with ``after``.
    """

    act: Act
    key: Annotated[str, Meta(max_length=MAX_KEY)] | None = None
    room: RoomId | None = None
    id: Subject | None = None
    address: Subject | None = None
    seconds: Annotated[int, Meta(ge=1, le=MAX_TERM)] | None = None
    reason: Annotated[str, Meta(max_length=MAX_REASON)] | None = None
    text: Annotated[str, Meta(min_length=1, max_length=MAX_SAY)] | None = None
    status: Status | None = None
    force: bool = False
    after: Annotated[str, Meta(max_length=MAX_AFTER)] | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_LIST)] = 50

    def __post_init__(self) -> None:
        """Check that the order says whom or what it is about.

        Raises:
            ValueError: It does not.

        """
        for name in NEEDS.get(self.act, ()):
            if getattr(self, name) is None:
                raise ValueError(f"`{self.act}` needs `{name}`")
        if self.act in ("ban", "unban") and (self.id is None) is (self.address is None):
            raise ValueError(f"`{self.act}` needs `id` or `address`")

    def __repr__(self) -> str:
        """Without the key, which stands in no log."""
        return f"Admin(act={self.act!r})"


Change = Move | Undo | Redo | Restart | Resign | Ready | Comments | Steer | Say
"""Requests that turn a wish of somebody in the room into one record of the log."""

Request = (
    Hello
    | Ping
    | Pledge
    | Create
    | Fork
    | Rematch
    | Present
    | Daily
    | Join
    | Invite
    | Leave
    | Rooms
    | Lobby
    | Tv
    | Move
    | Undo
    | Redo
    | Restart
    | Resign
    | Ready
    | SeatBot
    | Think
    | Comments
    | Steer
    | Say
    | Moves
    | Advise
    | Finish
    | Save
    | Cheat
    | History
    | ViewAt
    | Replay
    | Admin
)
