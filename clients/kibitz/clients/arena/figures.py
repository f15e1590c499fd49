"""What counts are worth: intervals and tests. All intervals are of 95 %."""

import math
from collections.abc import Sequence
from statistics import mean, stdev

from msgspec import Struct

Z = 1.959964
"""Standard errors to each side."""


class Estimate(Struct, frozen=True):
    """A number, and between which it is believed to be."""

    value: float
    low: float
    high: float


DIGITS = 9
"""Of a bound, behind the point: what is beyond comes from the arithmetic."""


def _estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, round(low, DIGITS), round(high, DIGITS))


def share(hits: int, of: int) -> Estimate:
    """A share, with Wilson's interval (Wilson 1927)."""
    value = hits / of
    middle = (value + Z * Z / (2 * of)) / (1 + Z * Z / of)
    reach = Z / (1 + Z * Z / of) * math.sqrt(value * (1 - value) / of + (Z / (2 * of)) ** 2)
    return _estimate(value, max(0.0, middle - reach), min(1.0, middle + reach))


def difference(only_first: int, only_second: int, of: int) -> Estimate:
    """By how much the first wins more often, on the same deals.

    The interval is Wald's with one added to each count (Bonett and Price 2012).

    Args:
        only_first: Deals that only the first has won.
        only_second: Deals that only the second has won.
        of: All deals.

    """
    first, second = (only_first + 1) / (of + 2), (only_second + 1) / (of + 2)
    middle = first - second
    reach = Z * math.sqrt((first + second - middle * middle) / (of + 2))
    return _estimate(
        (only_first - only_second) / of, max(-1.0, middle - reach), min(1.0, middle + reach)
    )


def by_chance(only_first: int, only_second: int) -> float:
    """How likely such a difference, or a greater one, is between equals: McNemar's exact test.

    Two-sided, from the deals that one of them has won (McNemar 1947).
    """
    of = only_first + only_second
    least = min(only_first, only_second)
    at_most: int = sum(math.comb(of, count) for count in range(least + 1))
    return min(1.0, 2 * at_most / (1 << of))


def average(values: Sequence[float]) -> Estimate:
    """A mean with its normal interval; of one value that value."""
    middle = mean(values)
    reach = Z * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return _estimate(middle, middle - reach, middle + reach)


def percentile(values: Sequence[float], percent: float) -> float:
    """The least of the values that so many percent of them do not exceed; 0 of none."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)] if ranked else 0.0
