"""What happens by itself: the starts and ends of races, what is shown late.

Promises: a room is woken when it is due, within milliseconds, also after the wall clock was set
and after a restart (its entry in the log says when); an entry that is older than what is known
changes nothing. A room that is not there is given up. Never: decide what happens then.
"""

import asyncio
import heapq
from collections.abc import Awaitable, Callable

import structlog

from kibitz.protocol.codes import ErrorCode, Refused

from ..world import World

LONGEST_SLEEP = 0.5
"""Seconds until the wall clock is looked at again, in case it was set."""
AGAIN_MS = 1000
"""When a room is woken again if it could not do what was due."""

log = structlog.get_logger("kibitz.clock")


class Clock:
    """Wakes rooms."""

    def __init__(self, world: World, wake: Callable[[str], Awaitable[None]]) -> None:
        self._world = world
        self._wake = wake
        self._due: dict[str, int] = {}
        self._seqs: dict[str, int] = {}
        """Of rooms that are due, the number of an event behind which that is known."""
        self._heap: list[tuple[int, str]] = []
        self._sooner = asyncio.Event()

    def set(self, room: str, due: int | None, seq: int = 0) -> None:
        """Wake a room at this time, Unix ms, and no longer at another; ``None``: not at all.

        ``seq`` is a number that its last event has at least.
        """
        known, before = self._due.pop(room, None), self._seqs.pop(room, 0)
        if due is not None:
            self._due[room], self._seqs[room] = due, max(before, seq)
            if due != known:
                heapq.heappush(self._heap, (due, room))
                self._sooner.set()

    def learn(self, room: str, due: int | None, seq: int) -> None:
        """The same by what was read somewhere: if a later event is known, nothing changes."""
        if seq >= self._seqs.get(room, 0):
            self.set(room, due, seq)

    def due(self, room: str) -> int | None:
        """When a room is woken next, Unix ms."""
        return self._due.get(room)

    async def run(self) -> None:
        """Wake rooms for ever."""
        while True:
            self._sooner.clear()
            await asyncio.gather(*map(self._woken, self._pop()))
            try:
                async with asyncio.timeout(self._sleep()):
                    await self._sooner.wait()
            except TimeoutError:
                pass

    async def _woken(self, room: str) -> None:
        try:
            await self._wake(room)
        except Exception as error:
            if isinstance(error, Refused) and error.code == ErrorCode.NO_ROOM:
                log.warning("nothing to wake", room=room)
                return
            log.error("not woken", room=room, exc_info=error)
            self.set(room, self._world.now_ms() + AGAIN_MS)

    def _pop(self) -> list[str]:
        """The rooms that are due."""
        now, due = self._world.now_ms(), []
        while self._heap and self._heap[0][0] <= now:
            when, room = heapq.heappop(self._heap)
            if self._due.get(room) == when:
                del self._due[room], self._seqs[room]
                due.append(room)
        return due

    def _sleep(self) -> float:
        """Seconds until the next one."""
        if not self._heap:
            return LONGEST_SLEEP
        return min(LONGEST_SLEEP, max(0.0, (self._heap[0][0] - self._world.now_ms()) / 1000))
