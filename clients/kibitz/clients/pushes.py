"""What a server tells without being asked, in the order in which it came."""

import asyncio
from collections.abc import AsyncIterator

from kibitz.protocol.replies import Error, LobbyRoom, Position, Presence
from kibitz.protocol.views import Event

Push = Event | Presence | LobbyRoom | Position | Error
"""What comes unasked. A position is a fresh start of its room; an error tells that a room could
not be followed any longer."""


class Pushes(AsyncIterator[Push]):
    """What comes unasked, from the moment this was made until the talk is over."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Push | Exception | None] = asyncio.Queue()

    async def __anext__(self) -> Push:
        return self._taken(await self._queue.get())

    def waiting(self) -> list[Push]:
        """What is there already, without waiting; the end stays for ``async for``."""
        pushes: list[Push] = []
        while not self._queue.empty():
            push = self._queue.get_nowait()
            if push is None or isinstance(push, Exception):
                self._queue.put_nowait(push)
                break
            pushes.append(push)
        return pushes

    def put(self, push: Push | Exception | None) -> None:
        """One more; ``None`` or an exception is the last."""
        self._queue.put_nowait(push)

    def _taken(self, push: Push | Exception | None) -> Push:
        if push is None or isinstance(push, Exception):
            self._queue.put_nowait(push)
            raise StopAsyncIteration if push is None else push
        return push
