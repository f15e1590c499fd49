"""A token bucket: so many requests a second, a burst of so many, and when to come back."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second, and so many at once."""

    per_second: float
    burst: float


class Throttle:
    """Counts what somebody may still ask."""

    def __init__(self, rate: Rate, monotonic: Callable[[], float]) -> None:
        self._rate = rate
        self._monotonic = monotonic
        self._tokens = rate.burst
        self._at = monotonic()

    def wait_ms(self) -> int:
        """Take a token: 0, or the milliseconds after which there is one again."""
        now = self._monotonic()
        self._tokens = min(
            self._rate.burst, self._tokens + (now - self._at) * self._rate.per_second
        )
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0
        return max(1, round((1 - self._tokens) / self._rate.per_second * 1000))

    def charge(self, price: float) -> None:
        """Take so many more for what was let in: whoever asks for much waits longer afterwards."""
        self._tokens -= price
