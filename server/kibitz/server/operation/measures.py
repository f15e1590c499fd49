"""Numbers that are counted all the time and looked at seldom: plain integers, no lock.

Promises: to count costs less than a microsecond. Each is counted by one thread; whoever reads
meanwhile may see the last value not yet, and never a wrong sum for ever. Never: a clock.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds for how long something took."""
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Upper bounds for how many there were."""


class Distribution:
    """How values are spread over buckets."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        """Values up to each bound and above the one before; the last: above all of them."""
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


@dataclass(slots=True)
class Meter:
    """What a log counts.

    Attributes:
        waiting: Appends that are handed over and not answered.
        failures: Appends and other writes that could not be done.
        failing: Whether nothing could be written when it was tried last.
        records: Records in a commit.
        seconds: How long a commit took.

    """

    waiting: int = 0
    failures: int = 0
    failing: bool = False
    records: Distribution = field(default_factory=lambda: Distribution(SIZES))
    seconds: Distribution = field(default_factory=lambda: Distribution(SECONDS))
