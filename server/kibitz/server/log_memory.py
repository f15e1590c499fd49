"""A log that forgets at exit: for tests, demonstrations and ``--memory``."""

from collections.abc import AsyncIterator

from kibitz.protocol.views import RoomInfo

from .log import Conflict, Feed
from .record import Record, read_record, write_record


class MemoryLog:
    """Records in lists, in their stored form, so that nothing can be changed afterwards."""

    def __init__(self) -> None:
        self._records: dict[str, list[tuple[int, bytes]]] = {}
        self._infos: dict[str, RoomInfo] = {}
        self._secrets: dict[str, bytes] = {}
        self._feed = Feed()

    async def append(self, room: str, expected: int, record: Record, info: RoomInfo) -> None:
        """Add a record; see :class:`.log.EventLog`."""
        records = self._records.get(room, [])
        head = records[-1][0] if records else 0
        if head != expected:
            raise Conflict(expected, head)
        self._records.setdefault(room, records).append((record.last, write_record(record)))
        self._infos[room] = info
        self._feed.publish(room, record)

    async def read(self, room: str, after: int = 0, limit: int | None = None) -> list[Record]:
        """The records with later events; see :class:`.log.EventLog`."""
        stored = [data for last, data in self._records.get(room, []) if last > after]
        return [read_record(data) for data in stored[:limit]]

    def follow(self, room: str, after: int = 0) -> AsyncIterator[Record]:
        """What is there, then what comes; see :class:`.log.EventLog`."""
        return self._feed.follow(self, room, after)

    async def rooms(self) -> list[RoomInfo]:
        """Every room; see :class:`.log.EventLog`."""
        return list(self._infos.values())

    async def secret(self, name: str, fresh: bytes) -> bytes:
        """A secret, kept; see :class:`.log.EventLog`."""
        return self._secrets.setdefault(name, fresh)

    async def close(self) -> None:
        """Nothing to do."""
