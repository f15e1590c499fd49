"""The shapes that several messages share: events, views, seats, policies, layouts."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from .limits import (
    MAX_BEAT,
    MAX_INTEGER,
    MAX_NAME,
    MAX_NONCE,
    MAX_PACE,
    MAX_ROOM,
    MAX_SPEED,
    MIN_BEAT,
    MIN_SPEED,
)

Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
RoomId = Annotated[str, Meta(min_length=1, max_length=MAX_ROOM)]
Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
END = r"(?!\n)$"
"""The end of a text in a pattern: a line feed may not stand behind it either."""
Digest = Annotated[str, Meta(pattern=f"^[0-9a-f]{{64}}{END}")]
"""32 bytes, hex."""
Nonce = Annotated[str, Meta(pattern=f"^[A-Za-z0-9_-]{{1,{MAX_NONCE}}}{END}")]
Opening = tuple[int, str, str, list[str]]
"""What proves one item of a start: its position, the item, its salt, the path to the root."""
Mode = Literal["solo", "coop", "race", "replay"]
Role = Literal["player", "spectator"]
Visibility = Literal["public", "unlisted", "private"]
Status = Literal["open", "won", "resigned", "timeout", "empty", "closed"]
"""How a board or a room stands; ``empty``: a board of a race in which nobody sat down; ``closed``:
by an operator, before the game had ended, so that its cards stay as they lie."""
Strategy = Literal["strong", "fast", "greedy"]
"""How a bot of the server's plays, the best first."""
Pace = Annotated[int, Meta(ge=0, le=MAX_PACE)]
UNENDED: frozenset[Status] = frozenset({"open", "closed"})
"""How a room stands whose cards have not been laid open."""
Kind = Literal[
    "created",
    "joined",
    "left",
    "move",
    "undo",
    "redo",
    "restart",
    "say",
    "saved",
    "cheated",
    "stuck",
    "won",
    "resigned",
    "ended",
    "ready",
    "unready",
    "countdown",
    "started",
    "dealt",
    "timeout",
    "hidden",
    "comments",
    "rematch",
    "control",
    "closed",
]


class Policy(Struct, frozen=True, kw_only=True):
    """What the room allows; fixed when it is created.

    Attributes:
        undo, save, cheat, hints, say: What those who are in it may do.
        advice: Players are told what a strong bot would play.
        casual: They are told whether the game can still be won, as far as they can know it.
        masked: Of a race: those without a seat see no board before the last one is done.
        delay: Those without a seat see everything so many seconds later.

    """

    undo: bool = True
    save: bool = True
    cheat: bool = False
    hints: bool = True
    say: bool = True
    advice: bool | UnsetType = UNSET
    casual: bool | UnsetType = UNSET
    masked: bool | UnsetType = UNSET
    delay: int | UnsetType = UNSET


class Bot(Struct, frozen=True):
    """A bot of the server's, as everybody may know it.

    Attributes:
        strategy: How it plays.
        pace: The least time from one of its moves to the next, ms.

    """

    strategy: Strategy
    pace: Pace


class Seat(Struct, frozen=True, omit_defaults=True):
    """One seat: its number from 1 and who has it; no ``id``: it is free.

    ``bot`` is there where a bot of the server's sits.
    """

    seat: int
    id: str | None = None
    name: str | None = None
    bot: Bot | None = None


class BoardView(Struct, frozen=True):
    """One board as a viewer may see it.

    ``piles`` maps each pile's name to its cells, bottom to top: ``Qh`` face up, ``??`` face down
    and unknown, ``Qh-`` face down but known. A board that this viewer may not see is ``hidden``:
    it has no piles and no counters. ``ms`` is the time it took, of a board of a race that is done.
    """

    piles: dict[str, list[str]]
    status: Status
    moves: int
    score: int
    counters: dict[str, int]
    hidden: bool | UnsetType = UNSET
    ms: int | UnsetType = UNSET


class Race(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a race stands.

    Attributes:
        countdown: Seconds between the agreement to start and the start.
        limit: Seconds that a racer has.
        begins: When the boards are released, ms since the room's creation; absent: not agreed yet.
        started: When they were.
        ready: The seats whose racers are ready, in ascending order.

    """

    countdown: int
    limit: int
    begins: int | None = None
    started: int | None = None
    ready: list[int] = []


class Series(Struct, frozen=True):
    """Games one after the other with the same seats.

    ``number`` counts from 1, ``tally`` says for each seat how many games before this one it won.
    """

    first: RoomId
    number: int
    tally: list[int]


class Control(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a replay room is: at event ``at`` of the recorded game when this was said.

    Attributes:
        at: Number of an event of the recorded game.
        playing: Whether it goes on by itself from there.
        speed: How fast, in percent: 100 is as it happened.
        beat: Milliseconds from each event to the next, instead of the recorded times.

    """

    at: Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
    playing: bool = False
    speed: Annotated[int, Meta(ge=MIN_SPEED, le=MAX_SPEED)] = 100
    beat: Annotated[int, Meta(ge=MIN_BEAT, le=MAX_BEAT)] | None = None


class Standing(Struct, frozen=True, omit_defaults=True):
    """One row of the table of a race; ``place`` counts from 1, equals share one."""

    place: int
    seat: int
    name: str
    id: str
    status: Status
    moves: int
    score: int
    ms: int | None = None


class Recorded(Struct, frozen=True):
    """What a replay room shows: the room of the recorded game, its last event, and the control.

    ``since`` is when the control was said, ms since the replay room's creation.
    """

    room: RoomId
    seq: int
    control: Control
    since: int


class View(Struct, frozen=True):
    """A room's position as a viewer may see it; ``comments`` is there where they are off.

    ``winnable`` is there if the deal was known to be so when the room was made.
    """

    game: str
    options: dict[str, str]
    mode: Mode
    boards: list[BoardView]
    seats: list[Seat]
    status: Status
    policy: Policy
    race: Race | UnsetType = UNSET
    series: Series | UnsetType = UNSET
    recorded: Recorded | UnsetType = UNSET
    comments: bool | UnsetType = UNSET
    daily: str | UnsetType = UNSET
    next: RoomId | UnsetType = UNSET
    winnable: bool | UnsetType = UNSET


class Fair(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a room has committed itself to before its first move (:mod:`.fairness`).

    Attributes:
        root: The root of the tree over all cards of the start and the seeds of shuffles.
        pledge: What stands for the server's secret.
        nonce: What the player added to it; of a winnable deal with ``.`` and the draw behind it.
        loaded: Whether the start is a position that was given, no deal.
        numbered: Whether it is that of a deal number that was asked for, no shuffle by the seed.

    """

    root: str
    pledge: str
    nonce: str | None = None
    loaded: bool = False
    numbered: bool = False


class Opened(Struct, frozen=True, omit_defaults=True):
    """What a finished game lays open: the start, and where it came from."""

    start: dict[str, list[str]]
    counters: dict[str, int]
    seed: str
    deal: str | None = None
    secret: str | None = None


class Origin(Struct, frozen=True):
    """Where a forked game began, or what a replay room shows: the room and an event's number."""

    room: RoomId
    seq: int
    board: int | UnsetType = UNSET


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="t", tag="event"):
    """One numbered fact of a room's history, as a viewer may see it.

    Attributes:
        room: The room's id.
        seq: 1, 2, 3, ... without holes.
        at: Milliseconds since the room was created.
        by: The identity that caused it; absent where the server did.
        kind: What happened; it says which of the keys below are there.
        board: Index of the board, absent for the first.
        move: The canonical text (``move``, and what ``undo`` and ``redo`` are about).
        fx: Facts about cards on piles; applied to the view before they give the view after.
        moves: Moves on the line so far. score: Cards where they belong, after the event.
        name: Display name (``joined``, ``say``). seat: The seat taken or given up.
        bot: Who sat down is a bot of the server's (``joined``).
        text: The comment, or why (``closed``). ms: Time the game took (``won``).
        result: How it ended (``ended``).
        game, options, mode, seats, policy, started: What was created; ``started`` is Unix ms.
        origin: The position that the room was forked from, if that was public (``created``).
        opened: The deal, laid open (``ended``).
        fair: What the room has committed itself to (``created``).
        countdown, limit: Seconds, of a race (``created``).
        begins: When a race begins, ms since the room's creation (``created``, ``countdown``).
        boards: Of a race: facts that lay out each board, whatever was known of it (``ended``).
        results: Of a race: the table (``ended``).
        series, daily: The series, the day whose deal it is (``created``).
        winnable: That a line which wins was found before it was dealt (``created``).
        next: The room where the series goes on (``rematch``).
        on: Whether comments are taken from now on (``comments``).
        control: Where a replay room is (``created``, ``control``).
        salt: 16 bytes, hex: of an event that not everybody may see at once.
        commit: What stands for such an event in the chain of hashes (``hidden``), 32 bytes, hex.

    """

    room: str = ""
    seq: int
    at: int
    by: str | None = None
    kind: Kind
    board: int = 0
    move: str | None = None
    fx: list[list[Any]] | UnsetType = UNSET
    moves: int | UnsetType = UNSET
    score: int | UnsetType = UNSET
    name: str | None = None
    seat: int | None = None
    bot: Bot | None = None
    text: str | None = None
    ms: int | None = None
    result: Status | None = None
    game: str | None = None
    options: dict[str, str] | None = None
    mode: Mode | None = None
    seats: int | None = None
    policy: Policy | None = None
    started: int | None = None
    origin: Origin | None = None
    opened: Opened | None = None
    countdown: int | None = None
    limit: int | None = None
    begins: int | None = None
    boards: list[list[list[Any]]] | None = None
    results: list[Standing] | None = None
    series: Series | None = None
    daily: str | None = None
    next: RoomId | None = None
    on: bool | None = None
    control: Control | None = None
    salt: str | None = None
    commit: str | None = None
    fair: Fair | None = None
    winnable: bool | None = None


class RoomInfo(Struct, frozen=True, kw_only=True):
    """A room in the lobby.

    Attributes:
        players: Display names.
        started: When it was created, Unix ms. updated: When its last event was.
        waiting: Of a race: it has not begun, and seats may be taken.
        due: When something happens by itself (a start, the end of the time), Unix ms.
        daily: The day whose deal it is. owner: Who created it, of such a room.
        moves, ms: Moves on the line and, of a finished game, the time it took.
        masked, delay: As in the policy.
        password: It takes one to come in.
        winnable: Its deal was known to be so.

    """

    id: str
    game: str
    mode: Mode
    players: list[str]
    seats: int
    spectators: int
    seq: int
    score: int
    status: Status
    started: int
    visibility: Visibility
    updated: int | UnsetType = UNSET
    waiting: bool | UnsetType = UNSET
    due: int | UnsetType = UNSET
    daily: str | UnsetType = UNSET
    owner: str | UnsetType = UNSET
    moves: int | UnsetType = UNSET
    ms: int | UnsetType = UNSET
    masked: bool | UnsetType = UNSET
    delay: int | UnsetType = UNSET
    password: bool | UnsetType = UNSET
    winnable: bool | UnsetType = UNSET
