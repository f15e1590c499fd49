"""A room as somebody sees it who looks on: boards that change event by event, one of them drawn.

Promises: the same whether the events come live, from the history or one by one from a replay; so
it can lag behind the room and be drawn at every step. Never: output, sockets, a clock.
"""

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Self

from msgspec import UNSET

from kibitz.engine.games import TEXTS
from kibitz.engine.notation import read_fact, read_table
from kibitz.engine.table import UP, Table, fold
from kibitz.engine.text import Text
from kibitz.protocol.course import Course, Line
from kibitz.protocol.mirror import FOR_ALL, Mirror
from kibitz.protocol.views import Event, Status, View

ON_A_BOARD = frozenset({"move", "undo", "redo", "restart", "stuck", "hidden"})
"""Kinds of events that are about one board and nothing else."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One board as it is seen; ``hidden``: not at all."""

    table: Table = field(default_factory=Table)
    moves: int = 0
    score: int = 0
    hidden: bool = False


class Scene:
    """One room; ``board`` is the index of the one that is drawn."""

    def __init__(self, room: str, game: str, board: int = 0) -> None:
        """An empty table: where the history of every room begins."""
        self.room = room
        self.game = game
        self.board = board
        self.seq = 0
        self.boards: tuple[Seen, ...] = (Seen(),)
        self.course = Course(seats=(), lines=(Line(),))
        self.spectators = 0
        self.opened = False
        """Whether every known card is drawn face up before the end, too."""
        self.now: int | None = None
        """The time in the room, ms since its creation, for what counts down; who draws says it."""
        self.names: dict[str, str] = {}
        """Display names of those who have been seen here, by identity."""

    @classmethod
    def of(cls, mirror: Mirror) -> Self:
        """The room as it is now, and in it the board of whoever looks."""
        view = mirror.view
        scene = cls(mirror.room, view.game, mirror.own)
        scene.reset(view, mirror.seq)
        return scene

    @property
    def text(self) -> Text:
        """The words of the game."""
        return TEXTS[self.game]

    @property
    def status(self) -> Status:
        """How the room stands."""
        return self.course.status

    @property
    def over(self) -> bool:
        """Whether the game has ended, on every board."""
        return self.status != "open"

    @property
    def seen(self) -> Seen:
        """The board that is drawn."""
        return self.boards[self.board] if self.board < len(self.boards) else Seen()

    @property
    def table(self) -> Table:
        """The cards of the board that is drawn."""
        return self.seen.table

    @property
    def dark(self) -> bool:
        """Whether there is nothing to draw: no cards yet, or not for these eyes."""
        return not self.table.piles

    @property
    def shown(self) -> Table:
        """The table as it is drawn: once the game has ended, with every known card face up."""
        if not (self.over or self.opened):
            return self.table
        piles = self.table.piles.items()
        opened = {name: tuple([UP[c.card] if c.card else c for c in pile]) for name, pile in piles}
        return Table(opened, self.table.counters)

    def put(self, table: Table, moves: int = 0, score: int = 0, status: Status = "open") -> None:
        """Show a position of a room with one board."""
        self.boards = (Seen(table, moves, score),)
        if status != self.course.status:
            self.course = dataclasses.replace(self.course, status=status)

    def reset(self, view: View, seq: int) -> None:
        """Show a whole position."""
        self.names |= {seat.id: seat.name for seat in view.seats if seat.id and seat.name}
        self.boards = tuple(
            Seen(read_table(b.piles, b.counters), b.moves, b.score, b.hidden is True)
            for b in view.boards
        )
        self.course, self.seq = Course.of_view(view), seq

    def apply(self, event: Event) -> bool:
        """Let an event happen, if it is a new one; whether the board is to be drawn anew."""
        if event.seq <= self.seq:
            return False
        self.seq = event.seq
        if event.by and event.name:
            self.names[event.by] = event.name
        if event.kind == "created":
            self.course = Course.of_created(event)
            self.boards = (Seen(),) * len(self.course.lines)
        else:
            self.course = self.course.after(event)
        about = {*range(len(self.boards))} if event.kind in FOR_ALL else {event.board}
        self.boards = tuple(
            _after(seen, event) if index in about else seen
            for index, seen in enumerate(self.boards)
        )
        if event.kind == "ended" and event.boards is not None:
            pairs = zip(self.boards, event.boards, strict=True)
            self.boards = tuple(
                Seen(_laid(facts, Table()), seen.moves, seen.score) for seen, facts in pairs
            )
            return True
        return self.board in about and event.fx is not UNSET and bool(event.fx)

    def is_about(self, event: Event) -> bool:
        """Whether an event matters to who looks at the board that is drawn."""
        return event.kind not in ON_A_BOARD or event.board == self.board


def _after(seen: Seen, event: Event) -> Seen:
    table = seen.table
    if event.fx is not UNSET and not seen.hidden:
        table = _laid(event.fx, table)
    moves = seen.moves if event.moves is UNSET else event.moves
    score = seen.score if event.score is UNSET else event.score
    return Seen(table, moves, score, seen.hidden)


def _laid(facts: list[list[Any]], table: Table) -> Table:
    return fold([read_fact(fact) for fact in facts], table)
