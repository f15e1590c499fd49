"""Montana, where all cards lie open but the next shuffle: searched deal by deal.

Each deal is searched for a win; where none is found, the way to most cards in place is gone, and
what is left is shuffled. Promises: at most one search between two shuffles, as long as nobody else
moves; repeatable.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from random import Random

from ..game import NO_CHANCE, Move, Shuffle
from ..games.montana.rules import SHUFFLES, Montana
from ..solving.answers import Budget
from ..solving.montana import SETTLED, farthest
from ..table import Pile, Table, fold
from .weighing import worth_of


class Planner:
    """Plays one game."""

    def __init__(
        self,
        game: Montana,
        nodes: int,
        rng: Random,
        breathe: Callable[[], object] = lambda: None,
    ) -> None:
        """Nothing has been seen yet.

        Args:
            game: The rules.
            nodes: Positions that one search looks at.
            rng: Where all chance comes from.
            breathe: Called now and then while it searches.

        """
        self._game = game
        self._nodes = nodes
        self._rng = rng
        self._breathe = breathe
        self._plan: list[Move] = []
        self._expected: Mapping[str, Pile] | None = None
        self.values: Mapping[Move, float] = {}
        """How far the way found gets, of its next move; of a shuffle nothing. 1 + FAR: it wins."""
        self._worth = 0.0

    def recall(self, met: Iterable[Table]) -> None:
        """Nothing to know: no position comes again between two shuffles."""

    def choose(self, seen: Table) -> Move | None:
        """A move; ``None``: nothing leads any farther."""
        self.values = {}
        if seen.piles != self._expected:
            self._search(seen)
        if self._plan:
            move = self._plan.pop()
            self.values = {move: self._worth}
            self._expected = self._after(seen, move).piles
            return move
        self._expected = None
        return Shuffle() if seen.counters[SHUFFLES] else None

    def _search(self, seen: Table) -> None:
        seed = self._rng.getrandbits(64)
        way = farthest(seen, Budget(self._nodes, self._go_on), seed)
        self._plan = list(way)[::-1]
        end = reduce(self._after, way, seen)
        self._worth = worth_of(self._game.is_won(end), self._game.score(end), SETTLED)

    def _go_on(self) -> bool:
        self._breathe()
        return False

    def _after(self, table: Table, move: Move) -> Table:
        return fold(self._game.effect(table, move, NO_CHANCE), table)
