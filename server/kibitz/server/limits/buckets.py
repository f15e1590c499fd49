"""Token buckets, one for each of many keys: how long somebody has to wait for his next token.

Of a bucket nothing is kept but the moment at which it will be full again. Promises: a full bucket
is forgotten; never more than so many are kept, however many keys there are, and those that are
forgotten then lack the least. Never: a clock of its own.
"""

from collections.abc import Hashable
from math import ceil

from .rates import Rate

MOST = 8192
"""Buckets kept of one kind."""
SLACK = 1e-6
"""Seconds that a token may be early: sums of fractions are not exact."""


class Buckets:
    """The buckets of one rate."""

    __slots__ = ("_depth", "_each", "_full_at", "_most")

    def __init__(self, rate: Rate, most: int = MOST) -> None:
        self._each = 1 / rate.per_second
        self._depth = (rate.burst - 1) * self._each + SLACK
        self._most = most
        self._full_at: dict[Hashable, float] = {}

    def __len__(self) -> int:
        return len(self._full_at)

    def wait(self, key: Hashable, now: float) -> float:
        """Seconds until there is a token; not more than 0: there is one now."""
        return self._full_at.get(key, now) - now - self._depth

    def charge(self, key: Hashable, tokens: float, now: float) -> None:
        """Take tokens, more than there are if need be: then the next one takes longer to come."""
        full_at = self._full_at.get(key)
        if full_at is None or full_at < now:
            full_at = now
            if len(self._full_at) >= self._most:
                self._make_room(now)
        self._full_at[key] = full_at + tokens * self._each

    def take(self, key: Hashable, now: float) -> int:
        """Take a token: 0, or the milliseconds after which there is one."""
        wait = self.wait(key, now)
        if wait > 0:
            return milliseconds(wait)
        self.charge(key, 1, now)
        return 0

    def reserve(self, key: Hashable, most: float, now: float) -> float | None:
        """Take the next token that comes: the seconds until then; ``None``: more than ``most``."""
        wait = max(0.0, self.wait(key, now))
        if wait > most:
            return None
        self.charge(key, 1, now)
        return wait

    def forget(self, now: float) -> None:
        """Forget what is full again."""
        self._full_at = {key: at for key, at in self._full_at.items() if at > now}

    def _make_room(self, now: float) -> None:
        self.forget(now)
        if len(self._full_at) >= self._most:
            lacking_most = sorted(self._full_at.items(), key=lambda kept: kept[1])
            self._full_at = dict(lacking_most[len(lacking_most) // 2 :])


def milliseconds(wait: float) -> int:
    """A wait after which there is a token, in whole milliseconds."""
    return max(1, ceil(wait * 1000))
