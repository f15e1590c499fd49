"""How the server comes to its end: nobody new, what is under way answered, everybody sent away.

Promises: it takes no longer than it may, whatever clients do or leave undone; what was read is
answered before its connection closes; clients are told when to come back, each at another time,
so that thousands do not come in one moment; told twice, it waits for nobody. Never: the log.
"""

import asyncio
from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import Protocol

from websockets.asyncio.server import Server, ServerConnection
from websockets.http11 import Response
from websockets.protocol import State

from kibitz.protocol.codes import CloseCode

from ..web.pages import TEXT, page

RETRY_MS = 1000
"""When the first may come back after the server went away; all add jitter of their own."""
RETURNS_PER_SECOND = 1000
"""So many are asked to come back in a second."""
MAX_SPREAD_MS = 30_000
ANSWERING = 0.4
"""The part of the time that answers under way may take."""
RESERVE = 0.2
"""The part of it that is kept for the log, at most ``RESERVE_SECONDS``."""
RESERVE_SECONDS = 1.0
PAGE_SECONDS = 2.0
"""How long pages under way may take when all connections are gone."""
CUT_SECONDS = 0.1
"""How long those who are cut off may take to be gone."""
LOOK_SECONDS = 0.02
"""How often it is looked whether something is done."""


class Guest(Protocol):
    """What is needed of a connection."""

    @property
    def socket(self) -> ServerConnection:
        """Our end of it."""
        ...

    @property
    def is_busy(self) -> bool:
        """Whether something that was read is not answered."""
        ...

    def finish(self) -> None:
        """Read nothing more."""
        ...

    def close_soon(self, code: int, reason: str) -> None:
        """Close without waiting for it."""
        ...


class Drain:
    """The end of one server."""

    def __init__(self, seconds: float, guests: Collection[Guest]) -> None:
        """Nothing has begun.

        Args:
            seconds: How long all of it may take, the log included.
            guests: Every connection there is at any time.

        """
        self._seconds = seconds
        self._guests = guests
        self._hurried = asyncio.Event()
        self._deadline = 0.0
        self.begun = False

    def begin(self) -> None:
        """Count the time from now on."""
        self.begun = True
        self._deadline = asyncio.get_running_loop().time() + self._seconds

    def hurry(self) -> None:
        """Wait for nobody any more."""
        self._hurried.set()

    @property
    def left(self) -> float:
        """Seconds until it is over."""
        return max(0.0, self._deadline - asyncio.get_running_loop().time())

    async def send_away(self, server: Server) -> int:
        """Let everybody finish and go; how many had to be cut off."""
        last = self._deadline - min(RESERVE * self._seconds, RESERVE_SECONDS)
        for guest in list(self._guests):
            guest.finish()
        answered = self._deadline - (1 - ANSWERING) * self._seconds
        await self._until(lambda: not any(guest.is_busy for guest in self._guests), answered)
        everybody = list(self._guests)
        for number, guest in enumerate(everybody):
            guest.close_soon(CloseCode.GOING_AWAY, _reason(number, len(everybody)))
        await self._until(lambda: not self._guests, last)
        server.close(code=CloseCode.GOING_AWAY, reason=_reason(0, 1))
        pages = min(last, asyncio.get_running_loop().time() + PAGE_SECONDS)
        await self._until(lambda: not any(map(_is_answered, server.all_connections)), pages)
        if self._hurried.is_set():
            await asyncio.sleep(LOOK_SECONDS)  # the closes leave
        asking = [each for each in server.all_connections if _is_answered(each)]
        cut = len(asking) + len(self._guests)
        for connection in [*server.all_connections, *(guest.socket for guest in self._guests)]:
            connection.transport.abort()
        over = asyncio.get_running_loop().time() + CUT_SECONDS
        self._hurried.clear()
        await self._until(lambda: not self._guests and not server.all_connections, over)
        return cut

    async def _until(self, done: Callable[[], bool], last: float) -> None:
        """Wait until something is so, or it is too late, or there is hurry."""
        loop = asyncio.get_running_loop()
        while not done() and not self._hurried.is_set() and loop.time() < last:
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._hurried.wait()
            except TimeoutError:
                pass


def _is_answered(connection: ServerConnection) -> bool:
    """Whether somebody has asked for something: who has said nothing is waited for no longer."""
    return connection.protocol.state is not State.CONNECTING or connection.request is not None


def _reason(number: int, everybody: int) -> str:
    """What one of so many is told."""
    spread = min(max(1.0, everybody / RETURNS_PER_SECOND) * 1000, MAX_SPREAD_MS)
    return f"going away; retry_ms={RETRY_MS + round(spread * number / everybody)}"


def going_away() -> Response:
    """What a new connection is answered."""
    response = page(b"the server is going down\n", TEXT, HTTPStatus.SERVICE_UNAVAILABLE)
    response.headers["Retry-After"] = "2"
    return response
