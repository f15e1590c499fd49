"""Time and chance as the server is given them; only ``__main__`` and tests make them."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class World:
    """Where time and chance come from.

    Attributes:
        now_ms: Wall-clock time, Unix milliseconds.
        monotonic: Seconds that never run backwards, for measuring and for limits.
        random_bytes: So many unpredictable bytes.

    """

    now_ms: Callable[[], int]
    monotonic: Callable[[], float]
    random_bytes: Callable[[int], bytes]
