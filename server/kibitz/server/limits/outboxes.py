"""What waits to be read, of all who come from one address together.

Promises: who reads nothing is cut off before what waits for his like is too much, those first for
whom most waits. Never: look at those who read.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol

from .account import Account


class Slow(Protocol):
    """Somebody for whom bytes may wait."""

    @property
    def account(self) -> Account:
        """What is counted of him."""
        ...

    @property
    def waiting(self) -> int:
        """Bytes that wait for him to read, if they are many."""
        ...

    def cut(self) -> None:
        """End the connection and let go of what waits."""
        ...


def cut_slow(everybody: Iterable[Slow], most: int) -> int:
    """Cut off who must be, so that at most so many bytes wait for an address; how many were."""
    slow: defaultdict[str, list[tuple[int, Slow]]] = defaultdict(list)
    for one in everybody:
        if (waiting := one.waiting) and (place := one.account.place):
            slow[place].append((waiting, one))
    cut = 0
    for those in slow.values():
        total = sum(waiting for waiting, _ in those)
        those.sort(key=lambda known: known[0])
        while total > most:
            waiting, one = those.pop()
            total -= waiting
            one.cut()
            cut += 1
    return cut
