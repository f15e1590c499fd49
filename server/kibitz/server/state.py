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
from kibitz.protocol.replies import Info
from kibitz.protocol.views import BoardView, Event, Mode, Policy, Seat, Status, View, Visibility

from .record import Record, Secret

Seen = Callable[[Table], Table]
"""What a viewer sees of a table."""


@dataclass(slots=True)
class Position:
    """One board of the room and how it stands."""

    board: Board
    status: Status = "open"
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """A command that was done.

    Attributes:
        last: Number of its last event.
        kind: The kind of its first event.
        said: The move or the comment in that.
        drag: Of a move that carried cards first: from which pile, to which, how many.

    """

    last: int
    kind: str
    said: str | None
    drag: Drag | None


class RoomState:
    """Everything a room is, at one event number."""

    def __init__(self, record: Record) -> None:
        """Begin with the record that created the room."""
        created = record.events[0]
        assert created.kind == "created", "a room begins with created"
        assert created.game and created.options is not None and created.fx is not UNSET
        assert created.policy and created.mode and created.seats
        assert created.started is not None
        self.game: Game = GAMES[created.game].with_options(created.options)
        self.text: Text = TEXTS[created.game]
        self.mode: Mode = created.mode
        self.policy: Policy = created.policy
        self.started = created.started
        self.secret = record.secret or Secret(seed="")
        self.visibility: Visibility = record.visibility or "public"  # type: ignore[assignment]
        self.seats = [Seat(number) for number in range(1, created.seats + 1)]
        start = fold([read_fact(fact) for fact in created.fx])
        self.positions = [Position(Board(start))]
        self.status: Status = "open"
        self.seq = 0
        self.at = 0
        self.last_at: dict[str, int] = {}
        """When each identity last did something that was written down, ms."""
        self.answered: dict[tuple[str, str], Done] = {}
        """Every command named for good, by identity and ``i``."""
        self.apply(record)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.status != "open"

    @property
    def info(self) -> Info:
        """What stays the same about the room."""
        return Info(
            mode=self.mode, visibility=self.visibility, started=self.started, policy=self.policy
        )

    def apply(self, record: Record) -> None:
        """Let a record happen."""
        for event in record.events:
            self.apply_event(event)
        if record.by is not None and record.i is not None:
            self.answered[record.by, record.i] = _done(record)

    def apply_event(self, event: Event) -> None:
        """Let one event happen; it must be the next."""
        assert event.seq == self.seq + 1, f"event {event.seq} after {self.seq}"
        self.seq, self.at = event.seq, event.at
        if event.by is not None:
            self.last_at[event.by] = event.at
        position = self.positions[event.board]
        if event.kind in KINDS and event.fx is not UNSET:
            position.board.apply(event.kind, [read_fact(fact) for fact in event.fx])
            position.stuck = position.stuck and event.kind == "move"
        elif event.kind == "joined" and event.seat:
            self.seats[event.seat - 1] = Seat(event.seat, event.by, event.name)
        elif event.kind == "left" and event.seat:
            self.seats[event.seat - 1] = Seat(event.seat)
        elif event.kind == "stuck":
            position.stuck = True
        elif event.kind in ("won", "resigned"):
            position.status = event.kind
        elif event.kind == "ended" and event.result:
            self.status = event.result

    def seat_of(self, identity: str) -> Seat | None:
        """The seat an identity has."""
        return next((seat for seat in self.seats if seat.id == identity), None)

    def view(self) -> View:
        """The position as everybody may see it: open once the game has ended."""
        return self._view(lambda table: table if self.over else redact_table(table))

    def open_view(self) -> View:
        """The position with every card named: for ``cheat`` and nothing else."""
        return self._view(lambda table: table)

    def _view(self, seen: Seen) -> View:
        boards = [self._board(position, seen) for position in self.positions]
        return View(
            game=self.game.name,
            options=dict(self.game.options),
            mode=self.mode,
            boards=boards,
            seats=list(self.seats),
            status=self.status,
            policy=self.policy,
        )

    def _board(self, position: Position, seen: Seen) -> BoardView:
        table = position.board.table
        return BoardView(
            piles=write_piles(seen(table)),
            status=position.status,
            moves=position.board.moves,
            score=self.game.score(table),
            counters=dict(table.counters),
        )


def _done(record: Record) -> Done:
    first = record.events[0]
    drag = None
    if first.kind == "move" and first.fx is not UNSET:
        fact = read_fact(first.fx[0])
        drag = Drag(fact.source, fact.target, len(fact.cells)) if isinstance(fact, Moved) else None
    return Done(record.last, first.kind, first.move or first.text, drag)


def state_at(records: Sequence[Record], seq: int) -> RoomState:
    """A room as it was after event ``seq``, at least 1."""
    first, *rest = records
    state = RoomState(replace(first, events=first.events[:seq]))
    for event in (event for record in rest for event in record.events):
        if event.seq > seq:
            break
        state.apply_event(event)
    return state
