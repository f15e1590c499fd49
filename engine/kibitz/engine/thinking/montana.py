"""Montana, where all cards lie open but the next shuffle: searched deal by deal.

Each deal is searched for a win; where none is found, the way to most cards in place is gone, and
what is left is shuffled. Promises: at most one search between two shuffles, as long as nobody else
moves; repeatable.
"""

from collections.abc import Iterable, Mapping
from random import Random

from ..game import Move, Shuffle
from ..games.montana.rules import SHUFFLES, Montana
from ..solving.answers import Budget
from ..solving.montana import farthest
from ..table import Pile, Table, fold


class Planner:
    """Plays one game."""

    def __init__(self, game: Montana, nodes: int, rng: Random) -> None:
        """Nothing has been seen yet.

        Args:
            game: The rules.
            nodes: Positions that one search looks at.
            rng: Where all chance comes from.

        """
        self._game = game
        self._nodes = nodes
        self._rng = rng
        self._plan: list[Move] = []
        self._expected: Mapping[str, Pile] | None = None
        self.values: Mapping[Move, float] = {}
        """Nothing: moves are not weighed one by one."""

    def recall(self, met: Iterable[Table]) -> None:
        """Nothing to know: no position comes again between two shuffles."""

    def choose(self, seen: Table) -> Move | None:
        """A move; ``None``: nothing leads any farther."""
        if seen.piles != self._expected:
            seed = self._rng.getrandbits(64)
            self._plan = list(farthest(seen, Budget(self._nodes), seed))[::-1]
        if self._plan:
            move = self._plan.pop()
            facts = self._game.effect(seen, move, self._rng)
            self._expected = fold(facts, seen).piles
            return move
        self._expected = None
        return Shuffle() if seen.counters[SHUFFLES] else None
