"""Strategies: what to play, seeing what everybody may see.

A strategy is a function of a board and its legal moves; what it returns is played, ``None`` gives
the game up. A maker makes one for a game, so that it may remember what it has seen. Never: hidden
cards, a server.
"""

from collections.abc import Awaitable, Callable, Mapping
from random import Random

from kibitz.engine.game import Game
from kibitz.engine.thinking import Strength
from kibitz.protocol.views import BoardView

from .chance import chance
from .greedy import Greedy
from .thinker import Thinker

Strategy = Callable[[BoardView, list[str]], str | Awaitable[str | None] | None]
"""Chooses one of the legal moves, best first, or ``None``; may be asynchronous.

If it has a method ``explain``, that says what it thought of the moves when it chose last: a value
for each, a larger one being better.
"""

Maker = Callable[[Game, Random], Strategy]
"""Makes a strategy for one game: its rules with their options, and where all chance comes from."""

STRATEGIES: Mapping[str, Maker] = {
    "strong": lambda game, rng: Thinker(game, Strength.STRONG, rng),
    "fast": lambda game, rng: Thinker(game, Strength.FAST, rng),
    "greedy": lambda game, rng: Greedy(game),
    "random": lambda game, rng: chance(rng),
}
