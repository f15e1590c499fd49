"""An operator of a running server, and orders."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from servers import Running, running_server
from talk import Plain, Talk, talking

KEY = "correct horse battery staple"


class Operator:
    """A connection that has the key."""

    def __init__(self, talk: Talk, running: Running | None = None) -> None:
        self.talk = talk
        self._running = running

    async def order(self, act: str, **fields: Any) -> Plain:
        """An order that must be carried out; other servers hear of it now, not within a second."""
        done = await self.talk.ok("admin", key=KEY, act=act, **fields)
        if self._running:
            await self._running.abreast()
        return done

    async def refused(self, code: str, act: str, **fields: Any) -> Plain:
        """An order that must be refused for this reason."""
        return await self.talk.refused(code, "admin", key=KEY, act=act, **fields)


@contextlib.asynccontextmanager
async def operated(**options: Any) -> AsyncIterator[tuple[Running, Operator]]:
    """A server with a key, and its operator."""
    async with (
        running_server(admin_key=KEY, **options) as running,
        talking(running.url, name="Op") as talk,
    ):
        yield running, Operator(talk, running)
