"""What servers tell each other beside the log: told once, kept nowhere.

Promises: who tells does not wait, and what is told by one is heard in order. Never: a word of it
that nobody heard is told again.
"""

import asyncio
import contextlib
from collections.abc import Callable

from nats.aio.msg import Msg

from ..log import LogFailure
from .connection import NotSent, Unknown
from .link import Link


class NatsChannel:
    """A subject that all servers of a deployment listen to."""

    def __init__(self, link: Link, subject: str, name: str) -> None:
        self.name = name
        self._link = link
        self._subject = subject
        self._telling: set[asyncio.Task[None]] = set()

    def tell(self, said: bytes) -> None:
        """Tell all servers; see :class:`..log.Channel`."""
        task = asyncio.create_task(self._tell(said))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self, said: bytes) -> None:
        with contextlib.suppress(NotSent, Unknown, LogFailure):
            await self._link.tell(self._subject, said)

    async def listen(self, hear: Callable[[bytes], None]) -> None:
        """Hear what is told; see :class:`..log.Channel`."""

        async def heard(message: Msg) -> None:
            hear(message.data)

        try:
            await self._link.listen(self._subject, heard)
        except (NotSent, Unknown) as error:
            raise LogFailure(str(error)) from error

    async def close(self) -> None:
        """Wait for what has been told."""
        if self._telling:
            await asyncio.wait(self._telling)
