"""All rooms in order of creation: an index that says which there may be, and what they say.

Promises: a room is in the index before it has its first records, so that none is missed; whether
it is there at all, and its entry, is what its own last message says. What the index has is read
once and then only what is new. Of what nobody of ours has written a line is said, and no more.
"""

import asyncio
from bisect import bisect_left, insort
from collections.abc import Callable

import structlog

from kibitz.protocol.views import RoomInfo

from ..record import UNREADABLE
from .form import AWAY_NUMBER, number_in, read_entry
from .putting import Overtaken, Putting
from .reading import SUBJECTS, Found, Source
from .records import Records
from .streams import Space, name_of

log = structlog.get_logger("kibitz.log")


class Lobby:
    """The index as far as this process has read it."""

    def __init__(self, source: Source, putting: Putting, records: Records, space: Space) -> None:
        self._source = source
        self._putting = putting
        self._records = records
        self._space = space
        self._numbers: list[int] = []
        """In order of creation."""
        self._rooms: dict[int, str] = {}
        self._number: dict[str, int] = {}
        self._read = 0
        """All up to this number of the stream has been read."""
        self._reading = asyncio.Lock()

    async def register(self, room: str, command: str, in_trouble: Callable[[], None]) -> None:
        """Let the index say that there may be such a room.

        Args:
            room: The room.
            command: A name that no other message has.
            in_trouble: Is called each time that it has to be tried again.

        Raises:
            LogFailure: It does not, for certain.

        """
        entry = self._space.entry(room)
        try:
            number = await self._putting.put(
                *(self._space.lobby, entry, b"", {}),
                expected=0,
                command=command,
                in_trouble=in_trouble,
            )
        except Overtaken:
            return
        self._add(number, room)

    def _add(self, number: int, room: str) -> None:
        if number not in self._rooms:
            insort(self._numbers, number)
            self._rooms[number], self._number[room] = room, number

    def drop(self, room: str) -> None:
        """Forget a room that has been put away."""
        if (number := self._number.pop(room, None)) is not None:
            del self._rooms[number]
            del self._numbers[bisect_left(self._numbers, number)]

    async def number(self, room: str) -> int | None:
        """The number of a room in order of creation, whether or not it has been put away.

        Raises:
            NotSent, Unknown: Nobody can say for now.

        """
        await self._refresh()
        if (number := self._number.get(room)) is not None:
            return number
        last = await self._source.last(self._space.rooms, self._space.room(room))
        return (
            number_in(last.headers, AWAY_NUMBER) if last and AWAY_NUMBER in last.headers else None
        )

    async def _refresh(self) -> None:
        """Read what is new."""
        async with self._reading:
            pages = self._source.pages(self._space.lobby, self._space.every_room, self._read + 1)
            async for page in pages:
                for found in page:
                    if (room := name_of(found.subject)) is not None:
                        self._add(found.number, room)
                    else:
                        log.warning("foreign", stream=self._space.lobby, number=found.number)
                    self._read = found.number

    async def rooms(self, before: str | None, limit: int | None) -> list[RoomInfo]:
        """The entries of rooms that have not been put away, in order of creation.

        Raises:
            NotSent, Unknown: Nobody can say for now.

        """
        await self._refresh()
        end = len(self._numbers)
        if before is not None:
            number = await self.number(before)
            end = 0 if number is None else bisect_left(self._numbers, number)
        left = self._numbers[:end]
        newest: list[RoomInfo] = []
        while left and (limit is None or len(newest) < limit):
            count = SUBJECTS if limit is None else min(SUBJECTS, limit - len(newest))
            some = [self._rooms[number] for number in left[-count:] if number in self._rooms]
            del left[-count:]
            newest += reversed(await self._entries(some))
        return newest[::-1]

    async def _entries(self, rooms: list[str]) -> list[RoomInfo]:
        """The entries of those that are there."""
        subjects = [self._space.room(room) for room in rooms]
        found = await self._source.lasts(self._space.rooms, subjects)
        entries = []
        for room, subject in zip(rooms, subjects, strict=True):
            last = await self._newest(room, found.get(subject))
            if last is None:
                continue
            if AWAY_NUMBER in last.headers:
                self.drop(room)
                continue
            entries += self._entry(last)
        return entries

    def _entry(self, last: Found) -> list[RoomInfo]:
        """The entry in a room's last message; none in one that cannot be read, which is said."""
        try:
            return [read_entry(last.body, last.headers)]
        except UNREADABLE:
            log.warning("foreign", stream=self._space.rooms, number=last.number)
            return []

    async def _newest(self, room: str, found: Found | None) -> Found | None:
        """A room's last message, from the leader if the replica is behind what is known."""
        known = self._records.known(room)
        if known is None or known.number <= (found.number if found else 0):
            return found
        return await self._source.last(self._space.rooms, self._space.room(room))

    async def days_away(self) -> list[RoomInfo]:
        """The entries of rooms for deals of the day that have been put away.

        Raises:
            NotSent, Unknown: Nobody can say for now.

        """
        rooms = [
            room
            async for page in self._source.pages(self._space.lobby, self._space.every_day, 1)
            for found in page
            if (room := name_of(found.subject)) is not None
        ]
        subjects = [self._space.room(room) for room in rooms]
        lasts = await self._source.lasts(self._space.rooms, subjects)
        found = [await self._newest(r, lasts.get(s)) for r, s in zip(rooms, subjects, strict=True)]
        return [
            entry
            for last in found
            if last is not None and AWAY_NUMBER in last.headers
            for entry in self._entry(last)
        ]
