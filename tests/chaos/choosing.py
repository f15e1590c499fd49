"""Who chooses the moves of a player: a strategy of ours, which gives up after a while.

Those that think do so in a process beside, so that nobody who plays in this one falls silent
meanwhile. Never: a choice that does not follow from the seed and from what was seen.
"""

import asyncio
import contextlib
import inspect
import multiprocessing
import os
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from random import Random

from kibitz.clients.abreast import end_with_parent
from kibitz.clients.bots import STRATEGIES, Strategy
from kibitz.engine.games import GAMES
from kibitz.protocol.views import BoardView

SWIFT: Mapping[str, float] = {"greedy": 1.0, "random": 1.0}
"""What plays how often, where nobody thinks."""
SHARES: Mapping[str, float] = {"greedy": 0.45, "random": 0.44, "fast": 0.1, "strong": 0.01}
THINKING = ("fast", "strong")
MOST = {"fast": (5, 10, 20, 40), "strong": (5, 10, 20)}
"""After how many moves those give up who take long for one."""
USUALLY = (5, 10, 10, 20, 40, 100)
NICE = 5
"""How far those who think give way to those who play."""


class Chooser:
    """One player's strategy, in one game."""

    def __init__(self, name: str, choose: Strategy, most: int) -> None:
        self.name = name
        self.chosen: list[str] = []
        """What it chose, in order, and was not void."""
        self.asked = 0
        """How often it has chosen."""
        self._choose = choose
        self._most = most

    async def __call__(self, view: BoardView, legal: list[str]) -> str | None:
        """One of the legal moves, or ``None``: it gives up."""
        del self.chosen[view.moves :]  # a choice is void if the room went on before it was made
        if len(self.chosen) >= self._most:
            return None
        self.asked += 1
        choice = self._choose(view, legal)
        move = await choice if inspect.isawaitable(choice) else choice
        if move is not None:
            self.chosen.append(move)
        return move


class Thoughts:
    """Where is thought for all players of a process: in one beside, begun when it is needed."""

    def __init__(self, shares: Mapping[str, float]) -> None:
        """Nobody thinks yet.

        Args:
            shares: How often each strategy plays.

        """
        self._shares = shares
        self._pool: ProcessPoolExecutor | None = None
        self._made = 0

    def chooser(self, game: str, rng: Random) -> Chooser:
        """Somebody who plays one game, by chance."""
        (name,) = rng.choices(list(self._shares), weights=list(self._shares.values()))
        return Chooser(name, self._strategy(name, game, rng), rng.choice(MOST.get(name, USUALLY)))

    def _strategy(self, name: str, game: str, rng: Random) -> Strategy:
        if name not in THINKING:
            return STRATEGIES[name](GAMES[game], rng)
        self._made += 1
        what = self._made, name, game, rng.random()

        async def think(view: BoardView, legal: list[str]) -> str | None:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._beside(), _think, what, view, legal)

        return think

    def _beside(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, context, _begin)
        return self._pool

    def end(self) -> None:
        """End the process, when it has come to the end of one thought."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


@contextlib.asynccontextmanager
async def thoughts(shares: Mapping[str, float]) -> AsyncIterator[Thoughts]:
    """A place to think; nothing of it is left afterwards."""
    made = Thoughts(shares)
    try:
        yield made
    finally:
        await asyncio.to_thread(made.end)


# In the process beside

_strategies: dict[int, Strategy] = {}


def _begin() -> None:
    os.nice(NICE)
    end_with_parent()


def _think(what: tuple[int, str, str, float], view: BoardView, legal: list[str]) -> str | None:
    number, name, game, chance = what
    if number not in _strategies:
        _strategies[number] = STRATEGIES[name](GAMES[game], Random(chance))
    move = _strategies[number](view, legal)
    assert move is None or isinstance(move, str)
    return move
