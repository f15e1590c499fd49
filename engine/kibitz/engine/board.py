"""One board in play: where it started, how it lies, what can be taken back.

Promises: the history of a board follows from the facts alone, in order, so a board rebuilt from
a log written by any version ends where the first one did. Taking back is a change like any other:
``undo`` and ``redo`` hand out facts to be recorded, and nothing is ever shuffled twice.
Never: rules, time, who did it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .cards import DECK
from .table import UNKNOWN, Cell, Counted, Fact, Moved, Set, Table, Turned, fold, fold_back, lay

Kind = Literal["move", "undo", "redo", "restart"]
KINDS: tuple[Kind, ...] = ("move", "undo", "redo", "restart")


@dataclass(frozen=True, slots=True)
class Change:
    """What was done once: the facts, the facts that take them back, the moves made before."""

    facts: tuple[Fact, ...]
    inverse: tuple[Fact, ...]
    moves_before: int
    moves_after: int


Stack = tuple[Change, "Stack"] | None
"""Changes, the last one first: a value, so that a copy of a board costs nothing."""


class Board:
    """A board that changes by recorded facts only."""

    def __init__(self, start: Table) -> None:
        self.start = start
        self.table = start
        self.moves = 0
        """Moves on the line that led here: a move taken back does not count."""
        self.seen = _open(lay(start))
        """The codes of all cards that ever lay face up here, what was taken back included."""
        self._done: Stack = None
        self._undone: Stack = None

    def copy(self) -> "Board":
        """A board that stands as this one does and goes its own way."""
        board = Board(self.start)
        board.table, board.moves, board.seen = self.table, self.moves, self.seen
        board._done, board._undone = self._done, self._undone
        return board

    def remembered(self) -> Table:
        """The table as somebody knows it who has seen all of it and forgets nothing.

        A card that lies face down and never lay open is unknown, unless it is the only one of a
        whole pack: which one that is follows from the others.
        """
        cells = [cell for pile in self.table.piles.values() for cell in pile]
        hidden = sum(cell.known.code not in self.seen for cell in cells)
        if hidden == 0 or (hidden == 1 and len(cells) == len(DECK)):
            return self.table

        def known(cell: Cell) -> Cell:
            return cell if cell.known.code in self.seen else UNKNOWN

        piles = {name: tuple(map(known, pile)) for name, pile in self.table.piles.items()}
        return Table(piles, self.table.counters)

    def way_back(self, most: int) -> list[tuple[Fact, ...]]:
        """The facts that take the last changes back, the last one first; so many at most."""
        found, done = list[tuple[Fact, ...]](), self._done
        while done is not None and len(found) < most:
            change, done = done
            found.append(change.inverse)
        return found

    def to_undo(self) -> tuple[Fact, ...] | None:
        """The facts that take the last change back; ``None`` if there is none."""
        return self._done[0].inverse if self._done else None

    def to_redo(self) -> tuple[Fact, ...] | None:
        """The facts of the change taken back last; ``None`` if there is none."""
        return self._undone[0].facts if self._undone else None

    def to_restart(self) -> tuple[Fact, ...]:
        """The facts that lay out the start again."""
        gone = [name for name in self.table.counters if name not in self.start.counters]
        return (*lay(self.start), *(Counted(name, None) for name in gone))

    def moves_after(self, kind: Kind) -> int:
        """What :attr:`moves` will be after such a change."""
        match kind:
            case "move":
                return self.moves + 1
            case "undo":
                return self._done[0].moves_before if self._done else self.moves
            case "redo":
                return self._undone[0].moves_after if self._undone else self.moves
            case "restart":
                return 0

    def apply(self, kind: Kind, facts: Iterable[Fact]) -> None:
        """Let recorded facts happen."""
        facts = tuple(facts)
        if not (shown := _open(facts)) <= self.seen:
            self.seen |= shown
        match kind:
            case "undo":
                assert self._done, "there was something to undo"
                change, self._done = self._done
                self._undone = (change, self._undone)
                self.table, self.moves = fold(facts, self.table), change.moves_before
            case "redo":
                assert self._undone, "there was something to redo"
                change, self._undone = self._undone
                self._done = (change, self._done)
                self.table, self.moves = fold(facts, self.table), change.moves_after
            case "move" | "restart":
                moves = self.moves_after(kind)
                self.table, inverse = fold_back(facts, self.table)
                self._undone = None
                self._done = (Change(facts, inverse, self.moves, moves), self._done)
                self.moves = moves


def _open(facts: Iterable[Fact]) -> frozenset[str]:
    """The codes of the cards that facts show face up."""
    shown: list[Cell] = []
    for fact in facts:
        if isinstance(fact, Moved | Set):
            shown += fact.cells
        elif isinstance(fact, Turned):
            shown.append(fact.cell)
    return frozenset([cell.text for cell in shown if cell.up])
