"""A room as a client holds it: the view, kept up to date by the events alone.

Promises: applies every event once and in order, knows no game and no rules, and notices a gap
instead of guessing. After every event it equals the server's view for the same viewer.
"""

from collections.abc import Iterable

from msgspec import UNSET
from msgspec.structs import replace

from kibitz.engine.notation import read_fact, read_table, write_piles
from kibitz.engine.table import Table, fold

from .course import Course
from .hashing import chain
from .replies import Joined, Position
from .views import BoardView, Event, Seat, Status, View

FOR_ALL = ("started", "dealt")
"""Kinds of events that are about every board of a race."""


class Gap(Exception):
    """An event is missing: ask again with ``from`` and ``hash``."""


class Mirror:
    """One room, followed."""

    seq: int
    """Number of the last event applied."""
    tables: list[Table]
    """The boards' tables, as this viewer may see them; without piles where he may not."""
    course: Course
    """How the room stands, all but the cards."""
    _view: View
    _boards: list[BoardView]
    _hash: bytes

    def __init__(self, joined: Joined) -> None:
        """Start from the answer to ``join`` or ``create``.

        Raises:
            ValueError: It carries no view, or one that cannot be.

        """
        if joined.view is None:
            raise ValueError("the first answer to join carries a view")
        self.room = joined.room
        self.role = joined.role
        self.seat = joined.seat
        self.info = joined.info
        self._take(joined.view, joined.seq, joined.hash)

    @property
    def hash(self) -> str:
        """The hash after the last event, hex."""
        return self._hash.hex()

    @property
    def view(self) -> View:
        """The view as it is now."""
        boards = [self._board(index) for index in range(len(self._boards))]
        return self.course.shown_in(replace(self._view, boards=boards))

    def _board(self, index: int) -> BoardView:
        line, table = self.course.lines[index], self.tables[index]
        return replace(
            self._boards[index],
            piles=write_piles(table),
            counters=dict(table.counters),
            status=line.status,
            ms=line.ms,
        )

    @property
    def own(self) -> int:
        """Index of this viewer's board: his own in a race, or else the first."""
        return self.seat - 1 if self.course.race and self.seat else 0

    @property
    def board(self) -> BoardView:
        """The board of this viewer as it is now."""
        return self._board(self.own)

    @property
    def seats(self) -> list[Seat]:
        """Who sits where."""
        return list(self.course.seats)

    @property
    def status(self) -> Status:
        """How the room stands."""
        return self.course.status

    def rejoin(self, joined: Joined) -> list[Event]:
        """Go on after a new ``joined``; the events that were missed, now applied."""
        self.role, self.seat = joined.role, joined.seat
        if joined.view is not None:
            self._take(joined.view, joined.seq, joined.hash)
            return []
        return self.apply_all(joined.events or [])

    def reset(self, position: Position) -> None:
        """Go on from a fresh view: what a spectator gets who was too slow for the events."""
        self._take(position.view, position.seq, position.hash)

    def apply_all(self, events: Iterable[Event]) -> list[Event]:
        """Apply several events; those that were new."""
        return [event for event in events if self.apply(event)]

    def apply(self, event: Event) -> bool:
        """Let one event happen; ``False`` if it had already.

        Raises:
            Gap: The event is not the next one.

        """
        if event.seq <= self.seq:
            return False
        if event.seq != self.seq + 1:
            raise Gap(f"event {event.seq} came after {self.seq}")
        self.seq = event.seq
        self._hash = chain(self._hash, event)
        self.course = self.course.after(event)
        about = range(len(self._boards)) if event.kind in FOR_ALL else [event.board]
        for index in about:
            if index < len(self._boards):
                self._count(event, index)
                self._deal(event, index)
        if event.kind == "ended" and event.boards is not None:
            self.tables = [fold(map(read_fact, facts)) for facts in event.boards]
            self._boards = [replace(board, hidden=UNSET) for board in self._boards]
        return True

    def _deal(self, event: Event, index: int) -> None:
        if event.fx is not UNSET and not self._boards[index].hidden:
            facts = [read_fact(plain) for plain in event.fx]
            self.tables[index] = fold(facts, self.tables[index])

    def _count(self, event: Event, index: int) -> None:
        board = self._boards[index]
        moves = board.moves if event.moves is UNSET else event.moves
        score = board.score if event.score is UNSET else event.score
        self._boards[index] = replace(board, moves=moves, score=score)

    def _take(self, view: View, seq: int, hash_: str) -> None:
        self._view = view
        self._boards = list(view.boards)
        self.tables = [read_table(b.piles, b.counters) for b in view.boards]
        self.course = Course.of_view(view)
        self.seq = seq
        self._hash = bytes.fromhex(hash_)
