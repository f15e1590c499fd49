"""A wall clock that nobody can set by an hour under our feet.

Promises: it runs forwards, faster or slower than time only by a little, until it shows what the
wall clock shows: a race lasts as long as it should, whatever happens to the clock of the machine.
Only a clock that is wrong by more than a day is taken to have been set right, and believed at once.
Never: decide what time is for.
"""

from collections.abc import Callable

SLEW = 0.1
"""How much faster or slower it runs while it is off: an hour is made good in ten."""
CLOSE_MS = 50
"""Milliseconds by which two clocks may differ that are read one after the other."""
FAR_MS = 86_400_000
"""What is off by more is no jump of a clock that was right."""


class Steady:
    """The clock."""

    def __init__(self, wall_ms: Callable[[], int], seconds: Callable[[], float]) -> None:
        """Begin at the wall clock's time.

        Args:
            wall_ms: Unix milliseconds as the machine has them, which may be set at any time.
            seconds: Seconds that nobody sets.

        """
        self._wall_ms = wall_ms
        self._seconds = seconds
        self._at = seconds()
        self._shown = float(wall_ms())

    def now_ms(self) -> int:
        """Unix milliseconds."""
        at = self._seconds()
        passed, self._at = max(0.0, (at - self._at) * 1000), at
        off = self._wall_ms() - (self._shown + passed)
        if abs(off) > FAR_MS:
            passed += off
        elif abs(off) > CLOSE_MS:
            passed += max(-passed * SLEW, min(passed * SLEW, off))
        self._shown += passed
        return int(self._shown)
