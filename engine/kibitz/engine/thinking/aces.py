"""What is preferred in Aces Up, and games played on so, very often and very fast.

Discard what is beaten. Into a gap goes the card under which lies one that would be beaten or
would beat another; then an ace from the longest column; then the highest card of the longest one.
Then deal. Cards are numbers here, sixteen to a suit, the ace above the king.
"""

from random import Random

from ..game import Draw, Move, Transfer
from ..games.aces_up.rules import COLUMNS, FOUNDATION, STOCK
from ..solving.aces import NUMBERS, SUIT
from ..table import Table
from .preferring import Way

GONE = 48
"""The cards that are discarded in a game that is won."""
FOUR = range(len(COLUMNS))
DEAL = -1
Step = tuple[int, int]
"""From which column, and to which; itself: discarded. ``DEAL``: a deal."""


class Preferences:
    """How Aces Up is played on."""

    def begin(self, table: Table, rng: Random) -> "Playout":
        """A playout of a table that names all cards."""
        return Playout(table, rng)

    is_free = False

    def is_sure(self, table: Table, move: Move) -> bool:
        """None is: what is discarded might have beaten another one."""
        return False

    def first(self, table: Table, rng: Random) -> Way | None:
        """The move with which a playout begins; ``None``: there is nothing to be done."""
        step = Playout(table, rng).step()
        return None if step is None else (0, as_move(step))


def as_move(step: Step) -> Move:
    """A step of a playout as a move of the game."""
    source, target = step
    if source == DEAL:
        return Draw()
    return Transfer(COLUMNS[source], FOUNDATION if source == target else COLUMNS[target])


class Playout:
    """One game from a table on; the table names all cards."""

    __slots__ = ("_columns", "_rng", "_stock", "home")

    def __init__(self, table: Table, rng: Random) -> None:
        """Nothing is played yet."""
        piles = table.piles
        self._columns = [[NUMBERS[cell.known.code] for cell in piles[pile]] for pile in COLUMNS]
        self._stock = [NUMBERS[cell.known.code] for cell in piles[STOCK]]
        self.home = len(piles[FOUNDATION])
        """How many cards are discarded."""
        self._rng = rng

    def run(self) -> bool:
        """Play to the end; whether it is won."""
        while self.step() is not None:
            pass
        return self.home == GONE

    def step(self) -> Step | None:
        """Make one move; ``None``: it is over."""
        if self.home == GONE:
            return None
        columns = self._columns
        best: dict[int, int] = {}
        for column in columns:
            if column and column[-1] > best.get(column[-1] // SUIT, 0):
                best[column[-1] // SUIT] = column[-1]
        for number, column in enumerate(columns):
            if column and column[-1] < best[column[-1] // SUIT]:
                column.pop()
                self.home += 1
                return number, number
        if [] in columns and (source := self._to_gap(best)) is not None:
            target = columns.index([])
            columns[target].append(columns[source].pop())
            return source, target
        if not self._stock:
            return None
        for column in columns[: len(self._stock)]:
            column.append(self._stock.pop())
        return DEAL, DEAL

    def _to_gap(self, best: dict[int, int]) -> int | None:
        """The column whose last card goes into a gap; ``None``: none had better."""
        found, most = None, 0.0
        for number in FOUR:
            column = self._columns[number]
            if len(column) < 2:
                continue
            top, below = column[-1], column[-2]
            other = top if below // SUIT == top // SUIT else best.get(below // SUIT, 0)
            worth = 0.1 * len(column) + 0.01 * (top % SUIT) + 0.001 * self._rng.random()
            if other:  # one of the two beats the other
                worth += 2.0
            if top % SUIT == SUIT - 2:
                worth += 1.0
            if worth > most:
                found, most = number, worth
        return found
