"""One way to get somebody who plays well, for all games."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Protocol

from ..game import Game, Move
from ..games.aces_up.rules import AcesUp
from ..games.columns import Columns
from ..games.klondike.rules import Klondike
from ..games.montana.rules import Montana
from ..table import Table
from . import aces, klondikes
from .montana import Planner
from .sampling import Sampler


class Strength(StrEnum):
    """How long is thought about a move."""

    FAST = "fast"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Effort:
    """What is spent on one choice.

    Attributes:
        worlds: How many worlds are imagined, where cards are hidden.
        content: If what is preferred wins in so many of them, the first, nothing else is tried;
            0: all is tried.
        nodes: How many positions are looked at, where all lie open.

    """

    worlds: int
    content: int
    nodes: int


class Policy(Protocol):
    """Somebody who plays one game, from the first look to the last."""

    @property
    def values(self) -> Mapping[Move, float]:
        """What was thought of the moves last, where they were weighed: the larger, the better."""
        ...

    def recall(self, met: Iterable[Table]) -> None:
        """Know that these positions were there before, so that none of them is sought again."""
        ...

    def choose(self, seen: Table) -> Move | None:
        """A move on a table as everybody sees it; ``None``: nothing leads any farther.

        Face-down cards that it names count as seen before.
        """
        ...


EFFORTS = {
    Strength.FAST: Effort(worlds=5, content=3, nodes=3_000),
    Strength.STRONG: Effort(worlds=20, content=0, nodes=100_000),
}
MORE = {
    ("thumb-and-pouch", Strength.FAST): 8,
    ("aces-up", Strength.FAST): 45,
    ("aces-up", Strength.STRONG): 300,
    ("klondike-single", Strength.FAST): 9,
    ("klondike-single", Strength.STRONG): 60,
}
"""Worlds of games that are played out so much faster."""


def policy(
    game: Game, strength: Strength, rng: Random, breathe: Callable[[], object] = lambda: None
) -> Policy:
    """Somebody who plays a game.

    Args:
        game: The rules.
        strength: How long is thought about a move.
        rng: Where all chance comes from; the same gives the same game.
        breathe: Called often while it thinks, several times a millisecond.

    Raises:
        TypeError: Nobody plays this game.

    """
    effort = EFFORTS[strength]
    worlds = MORE.get((game.name, strength), effort.worlds)
    match game:
        case Columns() | Klondike():
            return Sampler(game, klondikes.Preferences(game), worlds, rng, effort.content, breathe)
        case AcesUp():
            return Sampler(game, aces.Preferences(), worlds, rng, effort.content, breathe)
        case Montana():
            return Planner(game, effort.nodes, rng, breathe)
        case _:
            raise TypeError(f"nobody plays {game.name}")
