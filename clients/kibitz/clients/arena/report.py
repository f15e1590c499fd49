"""What came of a contest: each strategy alone, and each two of them on the same deals."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from msgspec import Struct

from .contest import Contest, Row, by_bot
from .figures import Estimate, average, by_chance, difference, percentile, share


class Standing(Struct, frozen=True, kw_only=True):
    """One strategy.

    Attributes:
        won: Games won.
        wins: Their share.
        score: Cards where they belong, of one game.
        median_ms, p95_ms: How long a choice took.

    """

    bot: str
    games: int
    outcomes: dict[str, int]
    won: int
    wins: Estimate
    score: Estimate
    median_ms: float
    p95_ms: float


def failed(standing: Standing) -> str:
    """What is said behind what a strategy has won, if it has failed."""
    count = standing.outcomes.get("failed", 0)
    return f", failed {count} of {standing.games}" if count else ""


class Pair(Struct, frozen=True, kw_only=True):
    """Two strategies on the same deals.

    Attributes:
        only_first, only_second: Deals that only one of them has won.
        wins: By how much the first wins more often.
        by_chance: How likely that is between equals (McNemar's exact test).
        score: By how many cards the first comes farther in a game.

    """

    first: str
    second: str
    only_first: int
    only_second: int
    wins: Estimate
    by_chance: float
    score: Estimate


class Report(Struct, frozen=True, kw_only=True):
    """All of it; ``version`` is kibitz's."""

    version: str
    date: str
    contest: Contest
    standings: list[Standing]
    pairs: list[Pair]
    rows: list[Row]


def report(contest: Contest, rows: Sequence[Row], version: str, date: str) -> Report:
    """What came of it, from every strategy's row of every deal."""
    games = by_bot(contest, rows)
    return Report(
        version=version,
        date=date,
        contest=contest,
        standings=[_standing(bot, games[bot]) for bot in contest.bots],
        pairs=[_pair(games[first], games[second]) for first, second in combinations(games, 2)],
        rows=list(rows),
    )


def _standing(bot: str, rows: list[Row]) -> Standing:
    won = sum(row.outcome == "won" for row in rows)
    thought = [ms for row in rows for ms in row.thought]
    return Standing(
        bot=bot,
        games=len(rows),
        outcomes=dict(sorted(Counter(row.outcome for row in rows).items())),
        won=won,
        wins=share(won, len(rows)),
        score=average([row.score for row in rows]),
        median_ms=percentile(thought, 50),
        p95_ms=percentile(thought, 95),
    )


def _pair(first: list[Row], second: list[Row]) -> Pair:
    both = [
        (one.outcome == "won", other.outcome == "won")
        for one, other in zip(first, second, strict=True)
    ]
    only = both.count((True, False)), both.count((False, True))
    apart = [one.score - other.score for one, other in zip(first, second, strict=True)]
    return Pair(
        first=first[0].bot,
        second=second[0].bot,
        only_first=only[0],
        only_second=only[1],
        wins=difference(*only, len(both)),
        by_chance=by_chance(*only),
        score=average(apart),
    )
