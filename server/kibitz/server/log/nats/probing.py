"""Whether anything can be written, seen by writing where it is decided what happened.

Promises: whoever is idle knows within some seconds that the log fails, and whoever it failed that
it does not any more. What is written is no record and takes the place of the one before it: it
costs nothing that lasts. Never: waited for without an end.
"""

import asyncio
import time

import msgspec

from .connection import NoResponder, NotSent, Unknown
from .form import ROLLUP
from .health import Health
from .link import Link
from .reading import Source, gone
from .streams import Space

PROBE_SECONDS = 1.0
"""Between two times that it is seen whether there is anything to find out."""
IDLE_SECONDS = 5.0
"""If nothing was stored for so long, nobody knows whether anything can be."""
PATIENCE_SECONDS = 3.0
"""So long it may fail before it is said: others may be choosing who leads."""
PAUSE_SECONDS = 0.25


class Probing:
    """Who tries."""

    def __init__(self, link: Link, source: Source, space: Space, health: Health) -> None:
        self._link = link
        self._source = source
        self._space = space
        self._health = health

    async def run(self) -> None:
        """See to it, for ever."""
        while True:
            await asyncio.sleep(PROBE_SECONDS)
            idle = time.monotonic() - self._health.written > IDLE_SECONDS
            if idle or self._health.failing or not self._health.connected:
                await self._see()

    async def _see(self) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while (why_not := await self.once()) is not None:
            if self._health.failing or time.monotonic() > end:
                self._health.fails(why_not)
                return
            await asyncio.sleep(PAUSE_SECONDS)
        self._health.writes()

    async def once(self) -> str | None:
        """Write something that is nothing; why that cannot be done."""
        try:
            answer = msgspec.json.decode(await self._link.ask(self._space.probe, b"", ROLLUP))
        except NoResponder as error:
            rooms = self._space.rooms
            return gone(rooms) if await self._source.lacks(rooms) else str(error)
        except (NotSent, Unknown, msgspec.DecodeError) as error:
            return str(error)
        problem = answer.get("error")
        return None if problem is None else str(problem.get("description"))
