"""What is new in rooms, as it is stored: heard from the stream, which says everything once at most.

Promises: whoever follows a room sees every record once and in order. What is heard is checked by
its numbers; a gap, a new connection, or something newer that a sweep finds, and the stream is
read. Never: a consumer for a room; an ear where records are handed in, which would hear of those
that are refused.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from msgspec import Struct
from nats.aio.msg import Msg

from ...operation.measures import Meter
from ..log import AWAY, LogFailure
from ..record import UNREADABLE, Record
from .connection import Closed, NotSent, Unknown
from .form import AWAY_NUMBER, COMMAND, LAST, SECRET, Foreign, number_in, read_append
from .link import Link, headers_of
from .reading import Source
from .records import PAUSE_SECONDS, Head, Records, head_of
from .streams import Space

RECHECK_SECONDS = (0.05, 0.2, 0.8)
"""After it began to listen, whoever follows looks again: other servers may hear of it late."""
READS_TOGETHER = 50
"""So many rooms are read at once: thousands may want it at one moment, as when the connection is
made again, and what all of them ask for at once comes to none of them in time."""
SWEEP_SECONDS = 5.0
"""Between two times that rooms that are followed are looked after, whatever is heard of them."""
SWEPT = 1000
"""So many of them each time: it costs as much if nothing happens."""


class _Follower(Struct, eq=False):
    """Who follows a room, as far as he has come; ``None`` in his news: look what there is."""

    room: str
    after: int
    news: asyncio.Queue[Msg | None]
    in_doubt: bool = False
    """Whether there is such a ``None`` already: one is enough, however long an outage lasts."""
    tail: Head | None = None
    """The message as far as which he has come, where that is known."""
    lost: bool = False
    """Whether that may not be there any more."""

    def doubt(self) -> None:
        """Something may have been missed."""
        if not self.in_doubt:
            self.in_doubt = True
            self.news.put_nowait(None)


class Live:
    """Everybody in this process who follows rooms."""

    def __init__(
        self, link: Link, source: Source, records: Records, space: Space, meter: Meter
    ) -> None:
        self._link = link
        self._source = source
        self._records = records
        self._space = space
        self._meter = meter
        self._reads = asyncio.Semaphore(READS_TOGETHER)
        self._followers: set[_Follower] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._sweep = asyncio.create_task(self._look_after())

    def in_doubt(self) -> None:
        """Something may have been missed."""
        for follower in self._followers:
            follower.doubt()

    async def end(self) -> None:
        """When the link is closed: let all who follow hear of it."""
        self._sweep.cancel()
        await asyncio.wait([self._sweep, *self._ending])
        self.in_doubt()

    async def follow(self, room: str, after: int) -> AsyncIterator[Record]:
        """Listen first, read next, then go live."""
        follower = _Follower(room, after, asyncio.Queue())
        self._followers.add(follower)
        self._meter.followed = len(self._followers)
        stop: Callable[[], Awaitable[None]] | None = None
        try:
            async with self._reads:
                stop = await self._listen(follower)
            checks = list(RECHECK_SECONDS)
            while True:
                if follower.lost:
                    follower.lost = False
                    await self._records.check(room, follower.after, follower.tail)
                async with self._reads:
                    records = await self._records.read(room, follower.after, None, patient=True)
                for record in records:
                    follower.after = record.last
                    yield record
                known = self._records.known(room)
                if known is not None and known.last == follower.after:
                    follower.tail = known
                while (heard := await self._heard(follower, checks)) is not None:
                    for record in heard:
                        follower.after = record.last
                        yield record
        finally:
            self._followers.discard(follower)
            self._meter.followed = len(self._followers)
            if stop is not None:
                task = asyncio.create_task(_call(stop))
                self._ending.add(task)
                task.add_done_callback(self._ending.discard)

    async def _listen(self, follower: _Follower) -> Callable[[], Awaitable[None]]:
        async def heard(message: Msg) -> None:
            follower.news.put_nowait(message)

        while True:
            try:
                return await self._link.listen(self._space.live(follower.room), heard)
            except Closed as error:
                raise LogFailure(str(error)) from error
            except (NotSent, Unknown):
                await asyncio.sleep(PAUSE_SECONDS)

    async def _heard(self, follower: _Follower, checks: list[float]) -> list[Record] | None:
        """The next new records; ``None``: look what there is."""
        try:
            async with asyncio.timeout(checks[0] if checks else None):
                message = await follower.news.get()
        except TimeoutError:
            del checks[0]
            return None
        if message is None:
            follower.in_doubt = False
            self._meter.catch_ups += 1
            return None
        headers = headers_of(message)
        if AWAY_NUMBER in headers or SECRET in headers:
            return None
        try:
            number = number_in(headers, "Nats-Sequence")
            head = Head(number_in(headers, LAST), number, headers.get(COMMAND, ""))
            records = read_append(message.data, headers)
        except UNREADABLE:
            return None  # reading says what is wrong
        if records[-1].last != head.last:
            return None
        new = [record for record in records if record.last > follower.after]
        if not new and follower.tail is not None and number > follower.tail.number:
            follower.lost = True  # or else somebody else has said it
            return None
        self._records.saw(follower.room, head)
        if not new:
            return new
        if new[0].first == follower.after + 1:
            follower.tail = head
            return new
        self._meter.gaps += 1
        self._meter.catch_ups += 1
        return None

    async def _look_after(self) -> None:
        """See again and again whether anything has been missed."""
        rooms: list[str] = []
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            rooms = rooms or sorted({self._space.room(each.room) for each in self._followers})
            some, rooms = rooms[:SWEPT], rooms[SWEPT:]
            try:
                found = await self._source.lasts(self._space.rooms, some)
            except (NotSent, Unknown):
                continue
            for follower in self._followers:
                try:
                    head = head_of(found.get(self._space.room(follower.room)))
                except Foreign:
                    continue  # whoever reads or writes the room says so
                same, tail = head.last == follower.after, follower.tail
                other = same and tail is not None and tail.command != head.command
                lost = AWAY < head.last < follower.after or other
                if lost or head.last > follower.after:
                    follower.lost |= lost
                    follower.doubt()


async def _call(stop: Callable[[], Awaitable[None]]) -> None:
    await stop()
