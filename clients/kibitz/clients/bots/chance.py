"""The strategy that plays any legal move: what every other one has to beat."""

from collections.abc import Callable
from random import Random

from kibitz.protocol.views import BoardView


def chance(rng: Random) -> Callable[[BoardView, list[str]], str | None]:
    """A strategy that draws its moves from ``rng``; it gives up when there is none."""

    def choose(view: BoardView, legal: list[str]) -> str | None:
        return rng.choice(legal) if legal else None

    return choose
