"""The search in Klondikes.

It goes down the most promising way first, knows again where it has been, turns back where there
is no hope, and begins anew with other preferences when a try has become too long. ``None`` is
said only by a try that has come to its end.
"""

from random import Random

from ..answers import Budget
from .homes import FULL
from .hopeless import Hopeless
from .positions import Layout, Position, Step
from .ways import Ways

FIRST_TRY = 200
"""Positions of the first try."""
GROWTH = 1.15
"""How much longer each try may be than the one before."""
UNREST = 3.0
"""How far preferences are changed by chance after the first try."""


class Search:
    """One search, over as many tries as it takes."""

    def __init__(self, layout: Layout, start: Position, budget: Budget, seed: int) -> None:
        """Nothing is looked at yet."""
        self._layout = layout
        self._start = start
        self._budget = budget
        self._rng = Random(seed)
        self._ways = Ways(layout)
        self._hopeless = Hopeless(layout.shelf)
        self._lost: set[Position] = set()

    def run(self) -> list[Step] | None:
        """The steps to a win; ``None``: there are none.

        Raises:
            Enough: Neither is known.

        """
        most, unrest = float(FIRST_TRY), 0.0
        while True:
            found, whole = self._try(int(most), unrest)
            if found is not None or whole:
                return found
            most, unrest = most * GROWTH, UNREST

    def _try(self, most: int, unrest: float) -> tuple[list[Step] | None, bool]:
        """The steps, if they were found; whether everything has been tried."""
        steps: list[Step] = []
        here = self._layout.settled(self._start, steps)
        if here[2] == FULL:
            return steps, True
        if self._hopeless(here):
            return None, True
        seen = {here}
        path = [(here, steps, self._todo(here, unrest))]
        while path:
            here, _, todo = path[-1]
            if not todo:
                path.pop()
                continue
            steps = []
            then = self._then(here, todo.pop(), steps)
            if then in seen or then in self._lost:
                continue
            seen.add(then)
            self._budget.spend()
            if then[2] == FULL:
                return [step for _, made, _ in path for step in made] + steps, True
            if self._hopeless(then):
                self._lost.add(then)
            elif len(seen) > most:
                return None, False
            else:
                path.append((then, steps, self._todo(then, unrest)))
        return None, True

    def _todo(self, here: Position, unrest: float) -> list[tuple[Step, ...]]:
        """Everything that can be done, the best last."""
        ways = list(self._ways(here))
        if unrest:
            ways = [(cost + unrest * self._rng.random(), steps) for cost, steps in ways]
        ways.sort(reverse=True)
        return [steps for _, steps in ways]

    def _then(self, here: Position, todo: tuple[Step, ...], steps: list[Step]) -> Position:
        """The position after some steps and what follows of itself; ``steps`` gets them all."""
        for step in todo:
            here = self._layout.after(here, step)
        steps += todo
        return self._layout.settled(here, steps)
