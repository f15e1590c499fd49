"""Many deals, each solved in a process of its own, and what share of them can be won."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES
from kibitz.engine.solving import Verdict
from kibitz.engine.solving.courses import Patience

from ..abreast import abreast
from ..arena.figures import Estimate, percentile, share


class Question(Struct, frozen=True, kw_only=True):
    """What is asked of every deal.

    Attributes:
        game: The name of a game.
        options: Its options.
        seconds: The time for each, by the clock of the processor.
        nodes: The positions for each; ``None``: no limit.

    """

    game: str
    options: dict[str, str]
    seconds: float
    nodes: int | None = None


class Found(Struct, frozen=True, kw_only=True):
    """What was found of a deal: ``win`` with so many moves, ``lost`` or ``unknown``."""

    deal: str
    verdict: str
    moves: int
    nodes: int
    seconds: float


class Tally(Struct, frozen=True, kw_only=True):
    """What was found of all of them.

    Attributes:
        at_least: The share that is known to be winnable.
        at_most: The share that is not known to be lost.

    """

    deals: int
    win: int
    lost: int
    unknown: int
    at_least: Estimate
    at_most: Estimate
    median_seconds: float
    p95_seconds: float


def run(question: Question, deals: Sequence[str], jobs: int) -> Iterator[Found]:
    """Solve them, so many at a time, in their order."""
    return abreast(partial(find, question), deals, jobs)


def find(question: Question, deal: str) -> Found:
    """Solve one."""
    game = GAMES[question.game].with_options(question.options)
    began = time.process_time()
    patience = Patience(time.process_time, question.seconds, question.nodes)
    answer = patience.answer(game, game.deal(deck_of(deal)))
    return Found(
        deal=deal,
        verdict=answer.verdict.value,
        moves=len(answer.line),
        nodes=answer.nodes,
        seconds=round(time.process_time() - began, 3),
    )


def tally(found: Sequence[Found]) -> Tally:
    """Count them."""
    counts = Counter(each.verdict for each in found)
    win, lost = counts[Verdict.WIN.value], counts[Verdict.LOST.value]
    seconds = [each.seconds for each in found]
    return Tally(
        deals=len(found),
        win=win,
        lost=lost,
        unknown=len(found) - win - lost,
        at_least=share(win, len(found)),
        at_most=share(len(found) - lost, len(found)),
        median_seconds=percentile(seconds, 50),
        p95_seconds=percentile(seconds, 95),
    )
