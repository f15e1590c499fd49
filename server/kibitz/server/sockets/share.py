"""Whose messages are taken up in which turn of the loop: those of one address by turns.

Promises: however many connections come from one address and however much they send, a turn has a
few of their requests, or half a millisecond of them, and then a few turns have none; each
connection gets on. Never: look at what is asked.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Hashable

work_clock = time.perf_counter
AT_ONCE = 16
"""Requests of one address in a turn, after which everybody else has his turn."""
AT_ONCE_SECONDS = 0.0005
"""After so much time of them, other connections from there wait for a later turn."""
REST_SECONDS = 0.001
"""How long an address rests that had as much as it may have in a turn."""
LONG_REQUEST = 5
"""A request that is not answered at once counts as so many."""
Work = Callable[[int], int]
"""Takes up about so many requests, and says how many they count as."""


class Share:
    """Those who wait, by where they come from."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[Work]] = {}
        self._resting: set[Hashable] = set()
        self._begun = False

    def are_waiting(self, place: Hashable) -> bool:
        """Whether somebody from there waits for his turn."""
        return place in self._waiting

    def later(self, place: Hashable, work: Work) -> None:
        """Have something of somebody taken up, in a turn to come."""
        self._waiting.setdefault(place, deque()).append(work)
        if place not in self._resting:
            self._take_soon()

    def _take_soon(self) -> None:
        if not self._begun:
            self._begun = True
            asyncio.get_running_loop().call_soon(self._take)

    def _take(self) -> None:
        self._begun = False
        for place in [place for place in self._waiting if place not in self._resting]:
            waiting = self._waiting[place]
            had_all = self._take_some(waiting)
            if had_all and isinstance(place, str):
                self._resting.add(place)
                asyncio.get_running_loop().call_later(REST_SECONDS, self._rested, place)
            elif waiting:
                self._take_soon()
            if not waiting:
                del self._waiting[place]

    def _take_some(self, waiting: deque[Work]) -> bool:
        """One turn of one address; whether it had as much as it may.

        Whoever goes on asking waits behind the others from there.
        """
        those, taken = min(len(waiting), AT_ONCE), 0
        until = work_clock() + AT_ONCE_SECONDS
        for _ in range(those):
            taken += waiting.popleft()(AT_ONCE // those)
            if taken >= AT_ONCE or work_clock() > until:
                return True
        return False

    def _rested(self, place: Hashable) -> None:
        self._resting.discard(place)
        if place in self._waiting:
            self._take_soon()
