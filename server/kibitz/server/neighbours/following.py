"""Rooms in memory hear what other servers write.

Promises: as long as a room is in memory it is told every record that the log gets, once at least;
where the log has gone back behind it, that is told, and nothing more.
Where nobody else writes the log, nothing is done.
"""

import asyncio
from collections.abc import Callable

import structlog

from ..log.log import EventLog, GoneBack
from ..room.room import Room

AGAIN_SECONDS = 1.0
"""When it is tried again to follow a room, if something went wrong."""

log = structlog.get_logger("kibitz.following")


class Following:
    """Who listens to the log for each room."""

    def __init__(self, log_: EventLog) -> None:
        self._log = log_
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.on_gone_back: Callable[[str, GoneBack], object] = lambda id_, error: None
        """Told of a room whose latest the log has no longer."""

    def __len__(self) -> int:
        return len(self._tasks)

    def begin(self, room: Room) -> None:
        """Let a room hear what happens from now on."""
        if self._log.channel is not None:
            self._tasks[room.id] = asyncio.create_task(self._follow(room))

    def end(self, id_: str) -> None:
        """It is in memory no longer."""
        if task := self._tasks.pop(id_, None):
            task.cancel()

    async def close(self) -> None:
        """Let go of all of them."""
        tasks, self._tasks = self._tasks, {}
        for task in tasks.values():
            task.cancel()
        if tasks:
            await asyncio.wait(tasks.values())

    async def _follow(self, room: Room) -> None:
        while True:
            try:
                async for record in self._log.follow(room.id, room.seq):
                    room.hear([record])
            except GoneBack as error:
                self.on_gone_back(room.id, error)
                return
            except Exception as error:
                log.error("not followed", room=room.id, exc_info=error)
            await asyncio.sleep(AGAIN_SECONDS)
