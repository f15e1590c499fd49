"""A token bucket: so many requests a second, a burst of so many, and when to come back."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second, and so many at once."""

    per_second: float
    burst: float

    def __str__(self) -> str:
        return f"{self.per_second:g}:{self.burst:g}"


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


def rate_of(text: str | Rate) -> Rate:
    """A rate as command lines have it: ``5``, or ``5:20`` with a burst of 20.

    Raises:
        ValueError: It is none.

    """
    if isinstance(text, Rate):  # a default
        return text
    per_second, _, burst = text.partition(":")
    rate = Rate(float(per_second), float(burst or max(1.0, float(per_second))))
    if not (0 < rate.per_second < float("inf") and 1 <= rate.burst < float("inf")):
        raise ValueError(f"{text}: so many a second, and a burst of at least 1")
    return rate
