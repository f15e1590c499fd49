"""What a server says: answers carry the request's ``i``, pushes carry none."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .asking import Advised, RequestId
from .codes import ErrorCode
from .games import GameInfo
from .operating import Act, AdminRoom, Ban, Person
from .views import (
    Event,
    Fair,
    Mode,
    Opening,
    Policy,
    Role,
    RoomInfo,
    Status,
    View,
    Visibility,
)


class AnswerBase(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="t"):
    """What every answer carries."""

    i: RequestId = None


class You(Struct, frozen=True):
    """The identity of this connection: ``id`` is public."""

    id: str
    name: str


class Welcome(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="welcome"):
    """The answer to ``hello``; hand ``token`` over nowhere but to this server.

    ``expires``: when the connection is closed unless a ``hello`` with a fresh token comes before,
    Unix ms. ``roles``: what this identity may do, if that is not what a guest may.
    """

    you: You
    token: str
    server: str
    now: int
    games: dict[str, GameInfo]
    limits: dict[str, int]
    expires: int | None = None
    roles: list[str] | None = None


class Pong(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="pong"):
    """``now`` in Unix ms; the head of every room this connection follows."""

    now: int
    heads: dict[str, tuple[int, str]]


class Info(Struct, frozen=True, kw_only=True):
    """What stays the same about a room."""

    mode: Mode
    visibility: Visibility
    started: int
    policy: Policy
    fair: Fair | UnsetType = UNSET


class Pledged(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="pledged"):
    """What stands for the secret that is kept for this connection: SHA-256, hex."""

    pledge: str


class Joined(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="joined"):
    """In the room: either ``view`` at ``seq``, or the ``events`` that were missed up to it."""

    room: str
    role: Role
    seat: int | None = None
    board: int | None = None
    seq: int
    hash: str
    info: Info
    view: View | None = None
    events: list[Event] | None = None
    fork: bool = False
    already: bool = False


class Invited(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="invited"):
    """The key to a closed room: ``invite`` of a ``join``, in this role or a lesser one."""

    room: str
    role: Role
    invite: str


class Ok(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="ok"):
    """Done; after a change, the event's number and the hash there. It is durable."""

    room: str | None = None
    seq: int | None = None
    hash: str | None = None


class RoomList(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="rooms"):
    """A page of rooms; ``next`` is the ``after`` of the following page."""

    rooms: list[RoomInfo]
    next: str | None = None


class MoveList(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="moves"):
    """The legal moves at ``seq``, and whether something can be taken back or done again.

    ``drags`` says of each move what it is on the table, ``[from, to, cards]``; ``null``: no drag.
    """

    room: str
    seq: int
    moves: list[str]
    drags: list[tuple[str, str, int] | None] | UnsetType = UNSET
    undo: bool | UnsetType = UNSET
    redo: bool | UnsetType = UNSET


class Advice(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="advice"):
    """What was asked of the position at ``seq``; with ``retry_ms`` it is not known yet: ask again.

    Attributes:
        what: What was asked.
        move: What the bot would play; absent: it sees nothing that leads anywhere new.
        drag: What that is on the table, ``[from, to, cards]``; absent: no drag.
        worlds: In how many ways the hidden cards may lie that were looked at.
        winnable, lost: How many of these a solver that sees them can win, and has shown to be lost.
        proved: What is so however the hidden cards lie; absent: that is not known.

    """

    room: str
    seq: int
    what: Advised
    retry_ms: int | None = None
    move: str | None = None
    drag: tuple[str, str, int] | None = None
    worlds: int | None = None
    winnable: int | None = None
    lost: int | None = None
    proved: Literal["win", "lost"] | None = None


class Finishing(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="finish"):
    """The moves that win the position at ``seq``; none: it does not play itself."""

    room: str
    seq: int
    moves: list[str]


class Saved(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="saved"):
    """The save text."""

    room: str
    text: str


class Position(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="view"):
    """A position: the answer to ``view`` and ``cheat``; without ``i`` a fresh start after a lag."""

    room: str
    seq: int
    hash: str
    view: View


class EventList(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="history"):
    """Past events; ``next`` is the ``from`` of the following page.

    ``openings`` are those of the cards that these events name, where they were asked for and the
    room has committed itself.
    """

    room: str
    events: list[Event]
    next: int | None = None
    openings: list[Opening] | UnsetType = UNSET


class Replayed(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="replayed"):
    """A text, played: its events as a spectator would have seen them, and with every card named.

    ``fault`` says why reading ended before the end of the text, if it did.
    """

    game: str
    options: dict[str, str]
    events: list[Event]
    open: list[Event]
    fault: str | None = None


class DailyRow(Struct, frozen=True, omit_defaults=True):
    """One row of a day's table; ``room`` is there once the day is over."""

    place: int
    name: str
    id: str
    status: Status
    score: int
    moves: int
    ms: int | None = None
    room: str | None = None


class DailyTable(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="daily"):
    """A day's deal of a game and how everybody did; ``until`` is when the day is over, Unix ms.

    The rows are the best ones and one's own; ``total`` is how many there are.
    """

    game: str
    date: str
    until: int
    rows: list[DailyRow]
    total: int = 0


class Administered(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="administered"):
    """An order of an operator has been carried out; what he asked for.

    ``count`` is how many connections it was about at once, on the server that was asked;
    ``elsewhere`` says that others of the same rooms, if there are any, do it too, within a second;
    ``next`` is the ``after`` of the following page.
    """

    act: Act
    rooms: list[AdminRoom] | None = None
    people: list[Person] | None = None
    bans: list[Ban] | None = None
    count: int | None = None
    elsewhere: bool = False
    next: str | None = None


class Error(AnswerBase, frozen=True, kw_only=True, omit_defaults=True, tag="error"):
    """Refused, and why; ``message`` is for people.

    ``limit`` names what there is too much of, ``retry_ms`` says when to come back.
    """

    code: ErrorCode
    message: str
    room: str | None = None
    seq: int | None = None
    retry_ms: int | None = None
    limit: str | None = None


class Presence(Struct, frozen=True, kw_only=True, tag_field="t", tag="presence"):
    """Push: who is here now. ``players`` are the seats whose player is connected."""

    room: str
    spectators: int
    players: list[int]


class Thought(Struct, frozen=True, kw_only=True, tag_field="t", tag="thought"):
    """Push: what the player of a board thinks of its moves at event ``seq``, the best first."""

    room: str
    board: int
    seq: int
    moves: list[tuple[str, float]]


class LobbyRoom(Struct, frozen=True, kw_only=True, tag_field="t", tag="lobby"):
    """Push: a public room as it is now."""

    room: RoomInfo


class TvRoom(Struct, frozen=True, kw_only=True, tag_field="t", tag="tv"):
    """Push: the room most worth watching now; ``None``: there is none."""

    room: RoomInfo | None


class Searching(Struct, frozen=True, kw_only=True, tag_field="t", tag="searching"):
    """Push: a winnable deal is looked for, for a ``create`` or ``rematch`` of this connection.

    ``deals``: how many have been drawn so far.
    """

    deals: int


class Notice(Struct, frozen=True, kw_only=True, tag_field="t", tag="notice"):
    """Push: what the operator of the server has to say to everybody."""

    text: str


Answer = (
    Welcome
    | Pong
    | Pledged
    | Joined
    | Invited
    | Ok
    | RoomList
    | MoveList
    | Advice
    | Finishing
    | Saved
    | Position
    | EventList
    | Replayed
    | DailyTable
    | Administered
    | Error
)
Push = Event | Presence | Thought | LobbyRoom | TvRoom | Searching | Notice
Reply = (
    Welcome
    | Pong
    | Pledged
    | Joined
    | Invited
    | Ok
    | RoomList
    | MoveList
    | Advice
    | Finishing
    | Saved
    | Position
    | EventList
    | Replayed
    | DailyTable
    | Administered
    | Error
    | Event
    | Presence
    | Thought
    | LobbyRoom
    | TvRoom
    | Searching
    | Notice
)
