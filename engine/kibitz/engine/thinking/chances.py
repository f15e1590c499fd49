"""Whether a game can still be won, as far as somebody can tell who has watched it.

Worlds are imagined that may be the real one, and a solver that sees all cards looks at each. Where
so few cards are unknown that all worlds can be looked at, something is proved: lost, if every one
of them is. Promises: the answer follows from what was seen, from chance and from the time there is,
never from a card that was not. Never: a clock of its own.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from ..game import Game
from ..solving import Verdict
from ..solving.courses import Patience
from ..table import Table
from .knowledge import Knowledge

MOST_WORLDS = 24
"""Worlds that are looked at; where there are no more than these, all of them."""
PARTS = 6
"""One world gets so much of the time, or more where there are fewer."""


@dataclass(frozen=True, slots=True)
class Chances:
    """What was found.

    Attributes:
        worlds: How many were looked at.
        winnable, lost: In how many of them a win was found, and that there is none.
        all: Whether these are all worlds that there may be.

    """

    worlds: int
    winnable: int
    lost: int
    all: bool

    @property
    def proved(self) -> Verdict:
        """What is so whatever lies hidden; a win may still take luck to find."""
        if self.all and self.winnable == self.worlds:
            return Verdict.WIN
        return Verdict.LOST if self.all and self.lost == self.worlds else Verdict.UNKNOWN


def chances(game: Game, seen: Table, rng: Random, patience: Patience) -> Chances:
    """How many of the worlds that may be can be won.

    Args:
        game: The rules.
        seen: The table, cards that were never seen unknown.
        rng: What chooses worlds.
        patience: For all of them; the last one may take a little longer.

    """
    knowledge = Knowledge(game)
    knowledge.look(seen)
    there_are = math.factorial(knowledge.hidden)
    worlds = knowledge.worlds() if there_are <= MOST_WORLDS else _imagined(knowledge, rng)
    found, end = list[Verdict](), patience.clock() + patience.seconds
    each = replace(patience, seconds=patience.seconds / min(PARTS, there_are))
    for world in worlds:
        found.append(each.answer(game, world).verdict)
        if patience.clock() > end or patience.stopped():
            break
    return Chances(
        len(found),
        found.count(Verdict.WIN),
        found.count(Verdict.LOST),
        len(found) == there_are <= MOST_WORLDS,
    )


def _imagined(knowledge: Knowledge, rng: Random) -> Iterator[Table]:
    for _ in range(MOST_WORLDS):
        yield knowledge.imagine(rng)
