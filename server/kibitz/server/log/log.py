"""The event log: the one place where it is decided what happened.

A room is a dense sequence of events 1, 2, 3, ..., stored as records. ``append`` names the number
it expects the room to be at; whoever comes second gets :exc:`Conflict`, catches up and decides
once more. When what ``append`` returns is done, the records survive kill -9. Every implementation
passes the same contract test (``tests/contracts``).

A room that is put away has no records any more: in their place lie a few bytes that say how it
went. Nothing can be written to it, and its id is never given to another one.
"""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

from kibitz.protocol.views import RoomInfo

from ..operation.measures import Meter
from .record import Record

AWAY = -1
"""The head of a room that has been put away: nothing lies densely behind it."""


class Conflict(Exception):
    """The room is not at the expected number; nothing was written."""

    def __init__(self, expected: int, head: int) -> None:
        super().__init__(f"expected event {expected} to be the last, it is {head}")
        self.expected = expected
        self.head = head


class LogFailure(Exception):
    """The log could not write (disk full, read-only, closed): nothing was written."""

    told = "that could not be written or read; nothing changed, you may try again"
    """What whoever asked for it is told."""


class Undecided(LogFailure):
    """Nothing can be written for now, and nobody can say whether this was before: it may be there.

    Whoever writes behind the same event finds out: he is granted it, or gets :exc:`Conflict`.
    """

    told = "nobody knows yet whether that was written; if it was, it will be shown"


class GoneBack(LogFailure):
    """The log has no longer what a room in memory has: an old copy of it, or none, lies there."""

    told = "the log has lost the latest of this room; come again and see what it has"

    def __init__(self, seq: int, head: int) -> None:
        super().__init__(f"event {seq} is not the one that it was; the log has {head}")
        self.head = head


class UnusableLog(Exception):
    """The log cannot be opened: its servers are out of reach, too old, or not set up for it."""


class Channel(Protocol):
    """What servers on the same log tell each other by; it may be lost."""

    name: str
    """What this server is called there, like no other."""

    def tell(self, said: bytes) -> None:
        """Tell all of them something, without waiting; who tells it may hear it, too."""
        ...

    async def listen(self, hear: Callable[[bytes], None]) -> None:
        """Hear what is told from now on.

        Raises:
            LogFailure: It cannot be heard.

        """
        ...


class EventLog(Protocol):
    """What the server needs of a log."""

    meter: Meter
    """What it counts."""

    @property
    def channel(self) -> Channel | None:
        """To the other servers that write it; ``None``: there are none."""
        ...

    def append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> asyncio.Future[None]:
        """Hand over records that lie densely behind event ``expected``: all are written or none.

        The order of the calls is the order of the log, whether or not somebody waits. What builds
        upon records that turn out to be refused or lost is refused as well: nobody needs to wait
        for one append before the next.

        Args:
            room: The room's id; it is made by its first records.
            expected: The number of its last event so far, 0 of a new room.
            records: One or more, in order; the first one's first event is ``expected + 1``.
            info: The room's entry in the lobby after the last one.

        Returns:
            A future that is done when the records are durable, or with :exc:`Conflict` if the
            room's last event is another than ``expected``, or :exc:`LogFailure` if they could not
            be written, or :exc:`Undecided`. Cancelling it changes nothing but for who waits.

        """
        ...

    async def read(self, room: str, after: int = 0, limit: int | None = None) -> list[Record]:
        """The records with events later than ``after``, in order; at most ``limit`` of them."""
        ...

    def follow(self, room: str, after: int = 0) -> AsyncIterator[Record]:
        """What :meth:`read` gives, then every new record, without gap or duplicate.

        Raises:
            GoneBack: What was given is there no longer.

        """
        ...

    async def rooms(self, before: str | None = None, limit: int | None = None) -> list[RoomInfo]:
        """The last ``info`` of every room that has not been put away, in order of creation.

        Args:
            before: Only those made before this room; of an unknown one, none.
            limit: At most so many, the newest of them.

        """
        ...

    async def put_away(self, room: str, expected: int, kept: bytes) -> None:
        """Keep these bytes and its last ``info`` of a room, and no record: all of it or nothing.

        Raises:
            Conflict: Its last event is another than ``expected``; or it has none, or no longer.
            LogFailure: It could not be written.

        """
        ...

    async def find_away(self, room: str) -> tuple[RoomInfo, bytes] | None:
        """What is kept of a room that has been put away; ``None`` of any other."""
        ...

    async def days_away(self) -> list[RoomInfo]:
        """The ``info`` of the rooms for deals of the day that have been put away."""
        ...

    async def secret(self, name: str, fresh: bytes) -> bytes:
        """A secret of this deployment: the one kept under this name, or else ``fresh``, kept.

        Raises:
            LogFailure: It could not be written.

        """
        ...

    async def keep(self, name: str, value: bytes | None) -> None:
        """Keep a value under a name, in place of what was there; ``None``: forget it.

        Raises:
            LogFailure: It could not be written; what was there is there still.

        """
        ...

    async def kept(self, prefix: str = "") -> dict[str, bytes]:
        """What is kept under names that begin so, in the order of the names.

        Raises:
            LogFailure: It could not be read.

        """
        ...

    async def time_ms(self) -> int | None:
        """What time it is for whoever stores it, Unix ms; ``None``: he has no clock but ours.

        Raises:
            LogFailure: He does not say.

        """
        ...

    async def close(self) -> None:
        """Write what was accepted and let go of everything."""
        ...


def failure(error: Exception) -> LogFailure:
    """Why something could not be written, in the system's words or none: others quote it."""
    system = isinstance(error, (OSError, sqlite3.Error))
    return LogFailure(str(error) if system else type(error).__name__)


class Feed:
    """Live records of one process, for logs whose writers are all in it."""

    def __init__(self) -> None:
        self._queues: defaultdict[str, set[asyncio.Queue[Record]]] = defaultdict(set)
        self.followed = self._queues.keys()
        """The rooms that anybody follows, at any time."""

    def publish(self, room: str, record: Record) -> None:
        """Hand a durable record to everybody who follows the room."""
        for queue in self._queues.get(room, ()):
            queue.put_nowait(record)

    async def follow(self, log: EventLog, room: str, after: int) -> AsyncIterator[Record]:
        """Subscribe first, read next, then go live: what comes twice is told by its number."""
        queue: asyncio.Queue[Record] = asyncio.Queue()
        self._queues[room].add(queue)
        try:
            for record in await log.read(room, after):
                yield record
                after = record.last
            while True:
                record = await queue.get()
                if record.last > after:
                    yield record
                    after = record.last
        finally:
            self._queues[room].discard(queue)
            if not self._queues[room]:
                del self._queues[room]
