"""Whose messages are taken up in which turn of the loop: those of one address by turns.

Promises: however many connections come from one address and however much they send, a turn has a
few of their requests, and each of them gets on. Never: look at what is asked.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable

AT_ONCE = 32
"""Requests of one address in a turn, after which everybody else has his turn."""
Work = Callable[[int], None]
"""Takes up at most so many requests."""


class Share:
    """Those who wait, by where they come from."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[Work]] = {}
        self._begun = False

    def are_waiting(self, place: Hashable) -> bool:
        """Whether somebody from there waits for his turn."""
        return place in self._waiting

    def later(self, place: Hashable, work: Work) -> None:
        """Have something of somebody taken up, in a turn to come."""
        self._waiting.setdefault(place, deque()).append(work)
        if not self._begun:
            self._begun = True
            asyncio.get_running_loop().call_soon(self._take)

    def _take(self) -> None:
        self._begun = False
        for place, waiting in list(self._waiting.items()):
            now = [waiting.popleft() for _ in range(min(len(waiting), AT_ONCE))]
            if not waiting:
                del self._waiting[place]
            for work in now:
                work(max(1, AT_ONCE // len(now)))
        if self._waiting and not self._begun:
            self._begun = True
            asyncio.get_running_loop().call_soon(self._take)
