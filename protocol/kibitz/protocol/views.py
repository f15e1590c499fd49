"""The shapes that several messages share: events, views, seats, policies, layouts."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from .limits import MAX_INTEGER, MAX_NAME, MAX_ROOM

Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
RoomId = Annotated[str, Meta(min_length=1, max_length=MAX_ROOM)]
Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
Mode = Literal["solo", "coop"]
Role = Literal["player", "spectator"]
Visibility = Literal["public", "unlisted", "private"]
Status = Literal["open", "won", "resigned"]
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
]


class Policy(Struct, frozen=True, kw_only=True):
    """What the room allows; fixed when it is created."""

    undo: bool = True
    save: bool = True
    cheat: bool = False
    hints: bool = True
    say: bool = True


class Seat(Struct, frozen=True, omit_defaults=True):
    """One seat: its number from 1 and who has it; no ``id``: it is free."""

    seat: int
    id: str | None = None
    name: str | None = None


class BoardView(Struct, frozen=True):
    """One board as a viewer may see it.

    ``piles`` maps each pile's name to its cells, bottom to top: ``Qh`` face up, ``??`` face down
    and unknown, ``Qh-`` face down but known.
    """

    piles: dict[str, list[str]]
    status: Status
    moves: int
    score: int
    counters: dict[str, int]


class View(Struct, frozen=True):
    """A room's position as a viewer may see it."""

    game: str
    options: dict[str, str]
    mode: Mode
    boards: list[BoardView]
    seats: list[Seat]
    status: Status
    policy: Policy


class Opened(Struct, frozen=True, omit_defaults=True):
    """What a finished game lays open: the start, and where it came from."""

    start: dict[str, list[str]]
    counters: dict[str, int]
    seed: str
    deal: str | None = None


class Origin(Struct, frozen=True):
    """Where a forked game began: the room and the number of its event."""

    room: RoomId
    seq: int


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
        text: The comment. ms: Time the game took (``won``). result: How it ended (``ended``).
        game, options, mode, seats, policy, started: What was created; ``started`` is Unix ms.
        origin: The position that the room was forked from, if that was public (``created``).
        opened: The deal, laid open (``ended``).

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


class LayoutPlace(Struct, frozen=True):
    """How to draw one pile: its kind and where it stands (column and row from 0)."""

    pile: str
    kind: Literal["stock", "waste", "foundation", "fan", "row-cell"]
    column: int
    row: int


class Action(Struct, frozen=True):
    """A move that names no pile, and a word for its button."""

    move: str
    label: str


class GameInfo(Struct, frozen=True):
    """What a client needs to draw a game: no rules.

    ``actions`` are the commands that are no drag from pile to pile, in the order of the menu.
    """

    title: str
    options: dict[str, str]
    layout: list[LayoutPlace]
    help: str
    actions: list[Action] = []


class RoomInfo(Struct, frozen=True, kw_only=True):
    """A room in the lobby.

    ``players`` are display names; ``started`` is Unix ms.
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
