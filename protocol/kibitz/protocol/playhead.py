"""Where a replay is: the number of the event of the recorded game that is to be seen now.

Promises: follows from the control and the time alone, so that all who look are in step, however
late they came; while it plays it never goes back. Never: a clock, cards.
"""

from bisect import bisect_right
from collections.abc import Sequence

from .views import Recorded

PERCENT = 100
"""The speed of a game as it happened."""


def position_at(recorded: Recorded, times: Sequence[int], now: int) -> int:
    """The number of the event that is to be seen.

    Args:
        recorded: What is shown and the last control.
        times: When each event of the recorded game happened, ``times[n - 1]`` for event n, in ms.
        now: The time on the clock of ``recorded.since``, in ms.

    """
    control, last = recorded.control, min(recorded.seq, len(times))
    at = min(control.at, last)
    if not control.playing or at < 1:
        return at
    passed = max(now - recorded.since, 0)
    if control.beat is not None:
        return min(at + passed // control.beat, last)
    reached = times[at - 1] + passed * control.speed // PERCENT
    return max(at, bisect_right(times, reached, hi=last))


def due_at(recorded: Recorded, times: Sequence[int], number: int) -> int | None:
    """When the event of that number is first to be seen, ms on the same clock.

    ``None``: never, because nothing plays or there is no such event.
    """
    control, last = recorded.control, min(recorded.seq, len(times))
    if not control.playing or not control.at < number <= last:
        return None
    if control.beat is not None:
        return recorded.since + (number - control.at) * control.beat
    ahead = max(times[number - 1] - times[control.at - 1], 0)
    return recorded.since - (-ahead * PERCENT // control.speed)
