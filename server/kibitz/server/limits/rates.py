"""So many a second, and so many at once."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second, and so many at once."""

    per_second: float
    burst: float

    def __str__(self) -> str:
        return f"{self.per_second:g}:{self.burst:g}"


def rate_of(text: str | Rate) -> Rate:
    """A rate as command lines have it: ``5``, or ``5:20`` with a burst of 20.

    Raises:
        ValueError: It is none.

    """
    if isinstance(text, Rate):  # a default
        return text
    per_second, _, burst = text.partition(":")
    try:
        rate = Rate(float(per_second), float(burst or max(1.0, float(per_second))))
    except ValueError:
        raise ValueError(f"{text} is no rate: they look like 5, or 5:20") from None
    if not (0 < rate.per_second < float("inf") and 1 <= rate.burst < float("inf")):
        raise ValueError(f"{text}: so many a second, and a burst of at least 1")
    return rate
