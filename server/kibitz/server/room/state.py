"""A room as its events have made it: pure, rebuilt from the log at any time, never written to.

``apply`` is the only way anything changes. It takes full events (every card named) and knows no
rules: a log written by an older version gives the position it gave then.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from kibitz.engine.board import KINDS, Board
from kibitz.engine.drags import Drag
from kibitz.engine.game import Game
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.notation import read_fact, write_piles
from kibitz.engine.table import Moved, Table, fold, redact_table
from kibitz.engine.text import Text
from kibitz.protocol.course import Course
from kibitz.protocol.fairness import Tree, items_of
from kibitz.protocol.replies import Info
from kibitz.protocol.views import (
    UNENDED,
    BoardView,
    Bot,
    Event,
    Mode,
    Origin,
    Policy,
    Seat,
    Status,
    View,
    Visibility,
)

from ..log.record import Record, Secret
from .audience import EVERYTHING, NOTHING, Audience

MAX_ANSWERED = 1024
"""Commands of one identity that are known by their names: many more than can be on their way."""
Seen = Callable[[Table], Table]
"""What a viewer sees of a table."""


@dataclass(slots=True)
class Position:
    """One board of the room: how it lies, its score, the number of the last event about it."""

    board: Board
    score: int = 0
    stuck: bool = False
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """A command that was done.

    Attributes:
        last: Number of its last event.
        kind: The kind of its first event.
        said: The move or the comment in that, what was set, the bot that came, or the seat that
            somebody left or on which he gave up.
        drag: Of a move that carried cards first: from which pile, to which, how many.

    """

    last: int
    kind: str
    said: str | int | Bot | None
    drag: Drag | None


class RoomState:
    """Everything a room is, at one event number."""

    def __init__(self, record: Record) -> None:
        """Begin with the record that created the room."""
        created = record.events[0]
        assert created.kind == "created", "a room begins with created"
        assert created.game and created.options is not None
        assert created.policy and created.mode and created.seats
        assert created.started is not None
        self.game: Game = GAMES[created.game].with_options(created.options)
        self.text: Text = TEXTS[created.game]
        self.mode: Mode = created.mode
        self.policy: Policy = created.policy
        self.started = created.started
        self.owner = created.by
        """Who created it."""
        self.origin: Origin | None = created.origin
        self.scheduled = created.begins
        """When a race begins, if that was arranged from the first, ms since the creation."""
        self.secret = record.secret or Secret(seed="")
        self.fair = created.fair
        """What it has committed itself to; older rooms, and replay rooms, have to nothing."""
        self.visibility: Visibility = record.visibility or "public"  # type: ignore[assignment]
        self.course = Course.of_created(created)
        self.start = Table() if created.fx is UNSET else fold(map(read_fact, created.fx))
        """What was dealt; the boards of a race have it from their start on."""
        released = self.course.is_released()
        laid = self.start if released else Table()
        score = self.game.score(laid) if released and self.course.lines else 0
        self.positions = [Position(Board(laid), score) for _ in self.course.lines]
        self.seq = 0
        self.at = 0
        self.dealt = 1
        """Number of the event with which the cards lay there."""
        self.last_at: dict[str, int] = {}
        """When each identity last did something that was written down, ms."""
        self.answered: dict[str, dict[str, Done]] = {}
        """The newest commands named for good, of each identity, by ``i``."""
        self.opened: dict[str, int] = {}
        """Of a race: the number of the event with which an identity came to see every board."""
        self.apply(record)

    @property
    def seats(self) -> Sequence[Seat]:
        """Who sits where."""
        return self.course.seats

    @property
    def status(self) -> Status:
        """How the room stands."""
        return self.course.status

    @property
    def over(self) -> bool:
        """Whether nothing can be played any more."""
        return self.course.status != "open"

    @property
    def ended(self) -> bool:
        """Whether the game has ended, so that its cards are open; not of a room that was closed."""
        return self.course.ended

    @property
    def closed(self) -> bool:
        """Whether it lets in only those who have a seat or show something."""
        return self.visibility == "private" or self.secret.password is not None

    @property
    def info(self) -> Info:
        """What stays the same about the room."""
        return Info(
            mode=self.mode,
            visibility=self.visibility,
            started=self.started,
            policy=self.policy,
            fair=self.fair or UNSET,
        )

    def tree(self) -> Tree | None:
        """The commitments to the start with all that opens them, hidden cards too.

        Made anew whenever somebody asks for openings: it is small work, and seldom.
        """
        if self.fair is None or self.secret.secret is None:
            return None
        items = items_of(self.game, self.start, bytes.fromhex(self.secret.seed))
        return Tree(items, bytes.fromhex(self.secret.secret), self.fair.nonce or "")

    def copy(self) -> "RoomState":
        """The same room at the same number, to go on from.

        It does not know what each identity did when, was answered, or came to see: whatever is
        decided on a copy must not ask for that.
        """
        state = RoomState.__new__(RoomState)
        vars(state).update(vars(self))
        state.positions = [
            Position(each.board.copy(), each.score, each.stuck, each.seq) for each in self.positions
        ]
        state.last_at, state.answered, state.opened = {}, {}, {}
        return state

    def apply(self, record: Record) -> None:
        """Let a record happen."""
        for event in record.events:
            self.apply_event(event)
        if record.by is not None and record.i is not None:
            mine = self.answered.setdefault(record.by, {})
            mine[record.i] = _done(record)
            if len(mine) > MAX_ANSWERED:
                del mine[next(iter(mine))]

    def apply_event(self, event: Event) -> None:
        """Let one event happen; it must be the next."""
        assert event.seq == self.seq + 1, f"event {event.seq} after {self.seq}"
        self.seq, self.at = event.seq, event.at
        if event.by is not None:
            self.last_at[event.by] = event.at
        if event.kind not in KINDS:
            self.course = self.course.after(event)
        elif event.fx is not UNSET:
            position = self.positions[event.board]
            position.board.apply(event.kind, map(read_fact, event.fx))
            position.stuck = position.stuck and event.kind == "move"
            position.score = position.score if event.score is UNSET else event.score
            position.seq = event.seq
        if event.kind == "stuck":
            self.positions[event.board].stuck = True
        elif event.kind == "started":
            score = 0 if event.score is UNSET else event.score
            self.positions = [Position(each.board, score) for each in self.positions]
        elif event.kind == "dealt":
            self.dealt = self.seq
            for position in self.positions:
                position.board, position.seq = Board(self.start), self.seq
        elif event.kind in ("won", "resigned") and self.positions:
            self.positions[event.board].seq = event.seq
            self._see_all(event)

    def _see_all(self, event: Event) -> None:
        who = self.seats[event.board].id if self.mode == "race" else None
        if who is not None:
            self.opened[who] = event.seq

    def seat_of(self, identity: str) -> Seat | None:
        """The seat an identity has."""
        for seat in self.course.seats:
            if seat.id == identity:
                return seat
        return None

    def board_of(self, identity: str) -> int:
        """Index of the board of somebody: his own in a race, or else the first."""
        seat = self.seat_of(identity) if self.mode == "race" else None
        return seat.seat - 1 if seat else 0

    def audience(self, identity: str | None) -> Audience:
        """What somebody may see of the boards of this room."""
        if self.mode != "race" or self.ended:
            return EVERYTHING
        seat = self.seat_of(identity) if identity is not None else None
        if seat is None:
            return NOTHING if self.policy.masked else EVERYTHING
        still = self.course.lines[seat.seat - 1].status in UNENDED
        return Audience(board=seat.seat - 1) if still else EVERYTHING

    def view(self, audience: Audience = EVERYTHING) -> View:
        """The position as an audience may see it: open once the game has ended."""
        return self._view(lambda table: table if self.ended else redact_table(table), audience)

    def open_view(self) -> View:
        """The position with every card named: for ``cheat`` and nothing else."""
        return self._view(lambda table: table, EVERYTHING)

    def _view(self, seen: Seen, audience: Audience) -> View:
        view = View(
            game=self.game.name,
            options=dict(self.game.options),
            mode=self.mode,
            boards=[self._board(index, seen, audience) for index in range(len(self.positions))],
            seats=[],
            status=self.status,
            policy=self.policy,
        )
        return self.course.shown_in(view)

    def _board(self, index: int, seen: Seen, audience: Audience) -> BoardView:
        board, line = self.positions[index].board, self.course.lines[index]
        visible = audience.sees(index)
        return BoardView(
            piles=write_piles(seen(board.table)) if visible else {},
            status=line.status,
            moves=board.moves,
            score=self.positions[index].score,
            counters=dict(board.table.counters) if visible else {},
            hidden=UNSET if visible else True,
            ms=line.ms,
        )


def _done(record: Record) -> Done:
    first = record.events[0]
    drag = None
    if first.kind == "move" and first.fx is not UNSET:
        fact = read_fact(first.fx[0])
        drag = Drag(fact.source, fact.target, len(fact.cells)) if isinstance(fact, Moved) else None
    return Done(record.last, first.kind, _said(first), drag)


def _said(event: Event) -> str | int | Bot | None:
    match event.kind:
        case "comments" | "control":
            return str(event.on if event.control is None else event.control)
        case "joined" if event.bot is not None:
            return event.bot
        case "left":
            return event.seat
        case "resigned":
            return (event.board or 0) + 1
        case _:
            return event.move or event.text


def state_at(records: Sequence[Record], seq: int, since: RoomState | None = None) -> RoomState:
    """A room as it was after event ``seq``, at least 1.

    Args:
        records: The room's records from the first on, or, with ``since``, those behind it.
        seq: The number.
        since: The room at an earlier number, or at that one; it is not changed.

    """
    if since is None:
        first, *records = records
        since = RoomState(replace(first, events=first.events[:seq]))
    else:
        since = since.copy()
    for event in (event for record in records for event in record.events):
        if event.seq > seq:
            break
        if event.seq > since.seq:
            since.apply_event(event)
    return since
