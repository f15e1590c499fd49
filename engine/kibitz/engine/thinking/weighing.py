"""Which of some ways does best in worlds that may be the real one, if that can be told.

One way is the usual one. It is gone unless another does better, world for world, by more than
chance would have it; the fewer worlds, the more that takes. Promises: as many worlds as were
asked for at most. Never: rules, chance of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from math import inf, sqrt
from statistics import fmean, stdev

from .preferring import Way

FAR = 0.3
"""What bringing all cards home but for one is worth, where a win is 1."""
FEWEST = 5
"""Worlds after which a way that is behind may be left out."""
BEHIND, AHEAD = 2.0, 1.0
"""Standard errors by which a way must be behind to be left out, or ahead to be gone."""
DOUBT = 0.5
"""In one world more, which nobody has seen, another way is behind by this share of what it was ever
ahead: three worlds that happen to agree prove little."""

Trial = Callable[[Way], float]
"""What a way is worth in one world."""


def worth_of(won: bool, home: int, cards: int) -> float:
    """What an end is worth, 0 to 1 + ``FAR``: won or not, and so many of the cards brought home."""
    return won + FAR * home / cards


def weigh(
    usual: Way, options: Iterable[Way], worlds: Iterable[Trial], content: int
) -> tuple[Way, Mapping[Way, Sequence[float]]]:
    """The best way, and what each that was tried is worth, world for world.

    Args:
        usual: One of the options.
        options: The ways.
        worlds: All that may be tried.
        content: Worlds that the usual way alone is tried in; does it win them all, it is gone.

    """
    rest = iter(worlds)
    first = list(islice(rest, content))
    worth = {usual: [trial(usual) for trial in first]}
    if first and min(worth[usual]) >= 1:
        return usual, worth
    others = [way for way in options if way != usual]
    worth |= {way: [trial(way) for trial in first] for way in others}
    for tried, trial in enumerate(rest, len(first) + 1):
        for way in (usual, *others):
            worth[way].append(trial(way))
        if tried >= FEWEST:
            others = [way for way in others if ahead(worth[way], worth[usual], BEHIND) > 0]
        if not others:
            break
    gain = {usual: 0.0}
    gain |= {way: gained(worth[way], worth[usual]) for way in others}
    return max(gain, key=gain.__getitem__), worth


def gained(worth: Sequence[float], usual: Sequence[float]) -> float:
    """By how much one way is ahead for sure, if it is. The fewer worlds, the more doubt."""
    apart = _apart(worth, usual)
    return _mean([*apart, -DOUBT * max(0.0, *apart)], -AHEAD)


def ahead(worth: Sequence[float], usual: Sequence[float], errors: float) -> float:
    """By how much one way is ahead of another in the same worlds, and so many standard errors."""
    return _mean(_apart(worth, usual), errors)


def _apart(worth: Sequence[float], usual: Sequence[float]) -> list[float]:
    return [one - other for one, other in zip(worth, usual, strict=False)]


def _mean(apart: Sequence[float], errors: float) -> float:
    spread = stdev(apart) / sqrt(len(apart)) if len(apart) > 1 else inf
    return fmean(apart) + errors * spread
