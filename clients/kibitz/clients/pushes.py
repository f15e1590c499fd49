"""What a server tells without being asked, in the order in which it came."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

from kibitz.protocol.replies import (
    Error,
    LobbyRoom,
    Notice,
    Position,
    Presence,
    Searching,
    Thought,
    TvRoom,
)
from kibitz.protocol.views import Event


@dataclass(frozen=True, slots=True)
class Link:
    """The connection broke, or there is a new one (``up``); ``going``: the server said so."""

    up: bool
    going: bool = False


Push = (
    Event | Presence | Thought | LobbyRoom | TvRoom | Searching | Notice | Position | Error | Link
)
"""A position is a fresh start of its room; an error says that its room is followed no longer."""


class Pushes(AsyncIterator[Push]):
    """What comes from the moment this was made until the talk is over."""

    def __init__(self) -> None:
        self._pushes: deque[Push] = deque()
        self._end: Exception | None = None
        self._more = asyncio.Event()

    async def __anext__(self) -> Push:
        await self.ready()
        return self._pushes.popleft()

    async def ready(self) -> None:
        """Wait until something is there.

        Raises:
            StopAsyncIteration: We have ended the talk, and nothing is left.
            Exception: Something else has; nothing is left.

        """
        while not self._pushes:
            if self._end is not None:
                raise self._end
            self._more.clear()
            await self._more.wait()

    def waiting(self) -> list[Push]:
        """Take what is there already, without waiting."""
        pushes = list(self._pushes)
        self._pushes.clear()
        return pushes

    def put(self, push: Push) -> None:
        """One more."""
        self._pushes.append(push)
        self._more.set()

    def finish(self, end: Exception | None) -> None:
        """Nothing comes any more: because of ``end``, or because we wanted it so."""
        self._end = end or StopAsyncIteration()
        self._more.set()
