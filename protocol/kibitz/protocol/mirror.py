"""A room as a client holds it: the view, kept up to date by the events alone.

Promises: applies every event once and in order, knows no game and no rules, and notices a gap
instead of guessing. After every event it equals the server's view for the same viewer.
"""

from collections.abc import Iterable

from msgspec import UNSET
from msgspec.structs import replace

from kibitz.engine.notation import read_fact, read_table, write_piles
from kibitz.engine.table import Table, fold

from .hashing import chain
from .replies import Joined, Position
from .views import BoardView, Event, Seat, Status, View


class Gap(Exception):
    """An event is missing: ask again with ``from`` and ``hash``."""


class Mirror:
    """One room, followed."""

    seq: int
    """Number of the last event applied."""
    tables: list[Table]
    """The boards' tables, as this viewer may see them."""
    seats: list[Seat]
    status: Status
    _hash: bytes

    def __init__(self, joined: Joined) -> None:
        """Start from the answer to ``join`` or ``create``, which must carry a view."""
        assert joined.view is not None, "the first answer to join carries a view"
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
        boards = [
            replace(board, piles=write_piles(table), counters=dict(table.counters))
            for board, table in zip(self._boards, self.tables, strict=True)
        ]
        return replace(self._view, boards=boards, seats=list(self.seats), status=self.status)

    @property
    def board(self) -> BoardView:
        """The first board as it is now."""
        return self.view.boards[0]

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
        if event.fx is not UNSET:
            facts = [read_fact(plain) for plain in event.fx]
            self.tables[event.board] = fold(facts, self.tables[event.board])
        self._count(event)
        match event.kind:
            case "joined" if event.seat is not None:
                self.seats[event.seat - 1] = Seat(event.seat, event.by, event.name)
            case "left" if event.seat is not None:
                self.seats[event.seat - 1] = Seat(event.seat)
            case "won" | "resigned":
                board = self._boards[event.board]
                self._boards[event.board] = replace(board, status=event.kind)
            case "ended" if event.result is not None:
                self.status = event.result
        return True

    def _count(self, event: Event) -> None:
        board = self._boards[event.board]
        moves = board.moves if event.moves is UNSET else event.moves
        score = board.score if event.score is UNSET else event.score
        self._boards[event.board] = replace(board, moves=moves, score=score)

    def _take(self, view: View, seq: int, hash_: str) -> None:
        self._view = view
        self._boards = list(view.boards)
        self.tables = [read_table(b.piles, b.counters) for b in view.boards]
        self.seats = list(view.seats)
        self.status = view.status
        self.seq = seq
        self._hash = bytes.fromhex(hash_)
