"""A log that forgets at exit: for tests, demonstrations and ``--memory``."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from kibitz.protocol.views import RoomInfo

from ..operation.measures import Meter
from .log import AWAY, Conflict, Feed, failure
from .record import Record, read_record, write_record


class MemoryLog:
    """Records in lists, in their stored form, so that nothing can be changed afterwards."""

    def __init__(self) -> None:
        self.meter = Meter()
        self.channel = None
        self._records: dict[str, list[tuple[int, bytes]]] = {}
        self._infos: dict[str, RoomInfo] = {}
        self._secrets: dict[str, bytes] = {}
        self._kept: dict[str, bytes] = {}
        self._away: dict[str, tuple[RoomInfo, bytes]] = {}
        self._order: list[str] = []
        """Every room there has been, in order of creation."""
        self._refused: dict[str, int] = {}
        """What would have been a room's last event, had it not been refused; until it is read."""
        self._feed = Feed()

    def append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> asyncio.Future[None]:
        """Add records; see :class:`.log.EventLog`."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        stored = self._records.get(room, [])
        head = AWAY if room in self._away else stored[-1][0] if stored else 0
        if head != expected or head == AWAY or self._refused.get(room) == expected:
            self._refused[room] = records[-1].last
            done.set_exception(Conflict(expected, head))
            return done
        try:
            added = [(record.last, write_record(record)) for record in records]
        except ValueError as error:
            self._refused[room] = records[-1].last
            self.meter.failures += 1
            done.set_exception(failure(error))
            return done
        if not stored:
            self._order.append(room)
        self._records.setdefault(room, stored).extend(added)
        self._infos[room] = info
        for record in records:
            self._feed.publish(room, record)
        done.set_result(None)
        return done

    async def read(self, room: str, after: int = 0, limit: int | None = None) -> list[Record]:
        """The records with later events; see :class:`.log.EventLog`."""
        self._refused.pop(room, None)
        stored = [data for last, data in self._records.get(room, []) if last > after]
        return [read_record(data) for data in stored[:limit]]

    def follow(self, room: str, after: int = 0) -> AsyncIterator[Record]:
        """What is there, then what comes; see :class:`.log.EventLog`."""
        return self._feed.follow(self, room, after)

    async def rooms(self, before: str | None = None, limit: int | None = None) -> list[RoomInfo]:
        """Every room; see :class:`.log.EventLog`."""
        end = len(self._order)
        if before is not None:
            end = self._order.index(before) if before in self._order else 0
        infos = [self._infos[room] for room in self._order[:end] if room in self._infos]
        return infos if limit is None else infos[max(0, len(infos) - limit) :]

    async def put_away(self, room: str, expected: int, kept: bytes) -> None:
        """Put a room away; see :class:`.log.EventLog`."""
        stored = self._records.get(room)
        head = stored[-1][0] if stored else AWAY
        if head != expected or head == AWAY:
            raise Conflict(expected, head)
        self._away[room] = self._infos.pop(room), kept
        del self._records[room]

    async def find_away(self, room: str) -> tuple[RoomInfo, bytes] | None:
        """What is kept; see :class:`.log.EventLog`."""
        return self._away.get(room)

    async def days_away(self) -> list[RoomInfo]:
        """Those for deals of the day; see :class:`.log.EventLog`."""
        return [info for info, _ in self._away.values() if info.daily]

    async def secret(self, name: str, fresh: bytes) -> bytes:
        """A secret, kept; see :class:`.log.EventLog`."""
        return self._secrets.setdefault(name, fresh)

    async def keep(self, name: str, value: bytes | None) -> None:
        """Keep a value, or forget it; see :class:`.log.EventLog`."""
        if value is None:
            self._kept.pop(name, None)
        else:
            self._kept[name] = value

    async def kept(self, prefix: str = "") -> dict[str, bytes]:
        """What is kept; see :class:`.log.EventLog`."""
        return {name: self._kept[name] for name in sorted(self._kept) if name.startswith(prefix)}

    async def time_ms(self) -> int | None:
        """There is no other clock; see :class:`.log.EventLog`."""
        return None

    async def close(self) -> None:
        """Nothing to do."""
