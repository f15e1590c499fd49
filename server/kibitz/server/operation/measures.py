"""Numbers that are counted all the time and looked at seldom: plain integers, no lock.

Promises: to count costs less than a microsecond. Each is counted by one thread; whoever reads
meanwhile may see the last value not yet, and never a wrong sum for ever. Never: a clock.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
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
        connected: Whether whoever stores it all can be reached; a file always can.
        disconnects: How often he could not be any more.
        conflicts: Appends refused because somebody else had written to the room.
        retries: Messages sent once more because they were not known to be stored.
        unknowns: Messages of which it was not known for a while what became of them.
        followed: Rooms that are listened to, once for each who follows.
        gaps: Times that what was heard of a room did not fit what was heard before.
        catch_ups: Times that a room was read again because something may have been missed.
        clock_offset: Seconds by which the clock of whoever stores it is ahead of the machine's.

    """

    waiting: int = 0
    failures: int = 0
    failing: bool = False
    records: Distribution = field(default_factory=lambda: Distribution(SIZES))
    seconds: Distribution = field(default_factory=lambda: Distribution(SECONDS))
    connected: bool = True
    disconnects: int = 0
    conflicts: int = 0
    retries: int = 0
    unknowns: int = 0
    followed: int = 0
    gaps: int = 0
    catch_ups: int = 0
    clock_offset: float = 0.0
