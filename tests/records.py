"""Records of rooms that nobody plays, for logs to keep."""

from collections.abc import AsyncIterator

from server.storage.files import entry as info

from kibitz.protocol.views import Event
from kibitz.server.log.log import EventLog
from kibitz.server.log.record import Record


def record(first: int, count: int = 1, **more: str) -> Record:
    events = [Event(seq=first + n, at=first, kind="say", text="x") for n in range(count)]
    return Record(events=events, **more)  # type: ignore[arg-type]


async def add(log: EventLog, room: str, expected: int, count: int = 1) -> Record:
    made = record(expected + 1, count)
    await log.append(room, expected, [made], info(room, made.last))
    return made


async def first_of(log: EventLog, room: str, count: int) -> AsyncIterator[tuple[Record, int]]:
    """So many records that a follower sees."""
    seen = 0
    async for each in log.follow(room):
        seen += 1
        yield each, seen
        if seen == count:
            return
