"""The strategies that think: what the engine's policies choose, in a game's notation."""

import os
import time
from random import Random

from kibitz.engine.game import Game
from kibitz.engine.games import TEXTS
from kibitz.engine.notation import read_table
from kibitz.engine.thinking import Strength, breathing, policy
from kibitz.protocol.views import BoardView

LET_OTHERS = getattr(os, "sched_yield", int)
"""Offers the processor to whoever waits for it, where that can be."""


class Thinker:
    """A strategy, for one game from its start to its end; it lets others go first, often."""

    def __init__(self, game: Game, strength: Strength, rng: Random) -> None:
        """Nothing has been seen yet; see :func:`kibitz.engine.thinking.policy`."""
        self._policy = policy(game, strength, rng, breathing(time.monotonic, LET_OTHERS))
        self._text = TEXTS[game.name]

    def __call__(self, view: BoardView, legal: list[str]) -> str | None:
        """A move; ``None``: nothing leads any farther."""
        move = self._policy.choose(read_table(view.piles, view.counters))
        return None if move is None else self._text.write(move)

    def explain(self) -> dict[str, float]:
        """What was thought of the moves last, the best first: 1.3 is a win in all worlds."""
        values = sorted(self._policy.values.items(), key=lambda item: -item[1])
        return {self._text.write(move): round(value, 3) for move, value in values}
