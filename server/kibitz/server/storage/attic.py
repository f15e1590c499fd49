"""Rooms in which nothing has happened for long are put away: their replay texts take their place.

Promises: one after the other, beside the loop and with pauses; whoever plays waits for none of it.
A room is put away whole or not at all. Never: one in which somebody is, or that something is still
due in.
"""

import asyncio

import structlog

from kibitz.protocol.codes import Refused
from kibitz.protocol.views import RoomInfo

from ..lobby.rooms import Rooms
from ..log.log import EventLog
from ..room.past import Past
from ..room.room import Room
from ..visitor import checked_board
from ..world import World
from .kept import Kept, write_kept

DAY_MS = 86_400_000
PAGE = 200
"""Entries that are looked at in one go: a few milliseconds in the thread of the log's reader."""
PAUSE_SECONDS = 0.2
"""Between two of them, and between two rooms that are put away."""
ROUND_SECONDS = 3600.0
"""Between two times that all rooms are gone through."""

log = structlog.get_logger("kibitz.attic")


class Attic:
    """Where rooms are put away."""

    def __init__(self, log_: EventLog, rooms: Rooms, past: Past, world: World, days: int) -> None:
        """Rooms are kept as they are for so many days."""
        self._log = log_
        self._rooms = rooms
        self._past = past
        self._world = world
        self._days = days

    async def run(self) -> None:
        """Go through all rooms for ever."""
        while True:
            try:
                if count := await self.tidy():
                    log.info("archived", rooms=count)
            except Exception as error:  # it is tried again with the next round
                log.error("not archived", exc_info=error)
            await asyncio.sleep(ROUND_SECONDS)

    async def tidy(self, pause: float = PAUSE_SECONDS) -> int:
        """Put away what is old enough; how many rooms that were.

        Raises:
            LogFailure: The log could not write; nothing is lost.

        """
        count, cursor = 0, None
        while infos := await self._log.rooms(cursor, PAGE):
            cursor = infos[0].id
            for info in infos:
                if self._is_old(info) and await self._rooms.put_away(info.id, self._pack):
                    count += 1
                    await asyncio.sleep(pause)
            await asyncio.sleep(pause)
        return count

    def _is_old(self, info: RoomInfo) -> bool:
        now = self._world.now_ms()
        last = max(info.updated or info.started, info.due or 0)
        return last + (info.delay or 0) * 1000 + self._days * DAY_MS <= now

    async def _pack(self, room: Room) -> bytes | None:
        """What is to be kept of a room; ``None``: it is not to be put away yet."""
        stage, state = room.people.public_stage(), room.state
        arranged = state.started + (state.scheduled or 0) > self._world.now_ms()
        if stage is None or not room.idle or room.due is not None or arranged:
            return None
        texts = []
        for board in range(len(stage.state.positions)):
            try:
                checked_board(stage.state, board, stage.state.audience(None))
            except Refused:
                texts.append("")
                continue
            texts.append((await self._past.replay_text(room, stage, board)).decode())
        readers = None
        if state.closed:
            readers = [id_ for id_ in (*(seat.id for seat in state.seats), state.owner) if id_]
        return await asyncio.to_thread(write_kept, Kept(texts, readers))
