"""Appends on their way: a queue for each room, one message of each under way.

Promises: what is handed over is stored in the order of the calls; what waits while a message is
under way goes together in the next one, as far as it lies densely; what builds upon what was
refused or lost is refused. Those who wait are told in the order of the calls, over all rooms,
but nobody waits for a room that is in trouble. Never: two messages of one room under way, which
could overtake each other; an answer before it is certain.
"""

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

import structlog
from msgspec import Struct, field

from kibitz.protocol.views import RoomInfo

from ...operation.measures import Meter
from ..log import AWAY, Conflict, GoneBack, LogFailure, Undecided, failure
from ..record import UNREADABLE, Record
from .connection import NotSent, Unknown
from .form import Part, split, write_append
from .health import Health
from .putting import DEADLINE_SECONDS, MAX_PAUSE_SECONDS, Overtaken, Putting
from .reading import Unwritable
from .records import NEW, Head, Records, unreadable
from .streams import Space

MAX_TOGETHER_BYTES = 64 * 1024
"""What waits goes into one message until it has so many bytes of records."""
TROUBLE_SECONDS = 3.0
"""When a message could not be decided for so long, the log is said to be failing."""


log = structlog.get_logger("kibitz.log")


class Append(Struct, eq=False):
    """What was handed over, and how it went."""

    done: asyncio.Future[None]
    room: str
    expected: int
    records: Sequence[Record]
    info: RoomInfo
    error: Exception | None = None
    decided: bool = False

    @property
    def last(self) -> int:
        """The number of the last event."""
        return self.records[-1].last


class _Line(Struct, eq=False):
    """The appends of one room."""

    waiting: deque[Append] = field(default_factory=deque)
    lost: list[Append] = field(default_factory=list)
    """What was refused or lost, until those who wait have heard of it."""
    work: asyncio.Task[None] | None = None
    in_trouble: bool = False


class Appending:
    """All appends of this process."""

    def __init__(
        self,
        records: Records,
        putting: Putting,
        space: Space,
        meter: Meter,
        health: Health,
        node: str,
        register: Callable[[str, Callable[[], None]], Awaitable[None]],
    ) -> None:
        """``register`` is waited for before a room's first records are stored.

        It is given the room, and what to call each time that it has to be tried again.
        """
        self._records = records
        self._putting = putting
        self._space = space
        self._meter = meter
        self._health = health
        self._node = node
        self._register = register
        self._numbers = itertools.count(1)
        self._lines: dict[str, _Line] = {}
        self._order: deque[Append] = deque()
        """All that nobody was told about, in the order of the calls."""

    def command(self) -> str:
        """A name for a message that no other has."""
        return f"{self._node}-{next(self._numbers)}"

    def add(self, append: Append) -> None:
        """Something to be stored; returns at once."""
        self._meter.waiting += 1
        line = self._lines.setdefault(append.room, _Line())
        line.waiting.append(append)
        if not line.in_trouble:
            self._order.append(append)
        if line.work is None:
            line.work = asyncio.create_task(self._work(append.room, line))

    async def quiet(self, room: str) -> None:
        """Wait until nothing of a room is under way."""
        while (line := self._lines.get(room)) and line.work is not None:
            await asyncio.wait([line.work])

    async def end(self, seconds: float) -> None:
        """Wait for what is under way, so long; of the rest nobody knows what will become of it."""
        work = [line.work for line in self._lines.values() if line.work is not None]
        if not work:
            return
        _, late = await asyncio.wait(work, timeout=seconds)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)
        for line in self._lines.values():
            for append in line.waiting:
                append.done.cancel()
        for append in self._order:
            if append.decided:
                self._tell_one(append)

    async def _work(self, room: str, line: _Line) -> None:
        try:
            while line.waiting:
                first = line.waiting[0]
                try:
                    await self._store_next(room, line)
                except Exception as error:  # a mistake of ours: nobody waits for ever for it
                    log.exception("not decided", room=room)
                    if line.waiting and line.waiting[0] is first:
                        first.done.cancel()
                        self._decide(line, [first], failure(error))
        finally:
            line.work = None
            self._let_go(room, line)

    def _let_go(self, room: str, line: _Line) -> None:
        if line.work is None and not line.waiting and not line.lost:
            self._lines.pop(room, None)

    async def _store_next(self, room: str, line: _Line) -> None:
        """Store what is next in line, or refuse it."""
        first = line.waiting[0]
        try:
            head = await self._head(room, line, first.expected)
            if any(lost.last == first.expected for lost in line.lost):
                raise Conflict(first.expected, head.last)
            if head.last != first.expected or head.last == AWAY:
                raise Conflict(first.expected, head.last)
            group, stored, parts = self._together(line)
        except (Conflict, LogFailure) as error:
            self._decide(line, [first], error)
            return
        except UNREADABLE as error:
            self._decide(line, [first], unreadable(room, error))
            return
        except Exception as error:  # whatever it is: nothing was written, and others go on
            self._decide(line, [first], failure(error))
            return
        try:
            stored_at = await self._store(room, line, head, group[-1], stored, parts)
        except Overtaken:
            try:
                now = await self._overtaken(room, line)
            except UNREADABLE as error:  # whoever came before is nobody of ours
                self._decide(line, group, unreadable(room, error))
                return
            if now.last == head.last and now.command != head.command:
                self._decide(line, group, GoneBack(head.last, now.last))
                return
            for append in group:
                self._decide(line, [append], Conflict(append.expected, now.last))
        except LogFailure as error:
            self._decide(line, group, error)
        except Exception as error:  # whatever it is: nobody knows, and those who wait are told so
            for append in group:
                append.done.cancel()
            self._decide(line, group, failure(error))
        else:
            self._records.saw(room, stored_at)
            self._decide(line, group, None)

    async def _head(self, room: str, line: _Line, expected: int) -> Head:
        """Where the room stands: from memory as far as that decides anything."""
        known = self._records.known(room) or (NEW if expected == 0 else None)
        if known is not None and (known.last >= expected or known.last == AWAY):
            return known
        return await self._asked(room, line)

    async def _asked(self, room: str, line: _Line, *, trusted: bool = False) -> Head:
        """Where the room stands, as the leader says; ``trusted``: whatever was known.

        Raises:
            LogFailure: Nobody has said so for long, and nothing was written.

        """
        end = time.monotonic() + DEADLINE_SECONDS
        while True:
            try:
                return await self._records.head(room, trusted=trusted)
            except (NotSent, Unknown) as error:
                self._health.words = str(error)
                if time.monotonic() > end:
                    raise LogFailure(str(error)) from error
            self._trouble(line, end - DEADLINE_SECONDS)
            await asyncio.sleep(MAX_PAUSE_SECONDS / 4)

    async def _overtaken(self, room: str, line: _Line) -> Head:
        """Where the room stands now that somebody else was faster; known for certain or by heart.

        It is refused in any case: whoever hears of it reads.

        Raises:
            Foreign: It is nobody of ours.

        """
        try:
            return await self._asked(room, line, trusted=True)
        except LogFailure:
            return self._records.known(room) or NEW

    def _together(self, line: _Line) -> tuple[list[Append], list[bytes], list[Part]]:
        """What goes into one message: appends, their records, what of them is secret.

        Raises:
            LogFailure: The first of them cannot be stored.

        """
        group: list[Append] = []
        stored: list[bytes] = []
        parts: list[Part] = []
        size = 0
        for append in line.waiting:
            if group and (append.expected != group[-1].last or size > MAX_TOGETHER_BYTES):
                break
            try:
                some, secret = split(append.records)
            except ValueError as error:
                if group:
                    break
                raise failure(error) from error
            if group and secret:
                break
            group.append(append)
            stored += some
            parts += secret
            size += sum(map(len, some))
        return group, stored, parts

    async def _store(
        self,
        room: str,
        line: _Line,
        head: Head,
        last: Append,
        stored: list[bytes],
        parts: list[Part],
    ) -> Head:
        """Store one message and what has to be there before it; where the room stands then."""
        begun, command = time.monotonic(), self.command()
        message = write_append(stored, parts, last.info, last.last)

        def in_trouble() -> None:
            self._trouble(line, begun)

        await self._prepare(room, head, command, message.secret, in_trouble)
        number = await self._putting.put(
            *(self._space.rooms, self._space.room(room), message.body, message.headers),
            expected=head.number,
            command=command,
            in_trouble=in_trouble,
        )
        self._health.writes()
        self._meter.records.observe(len(stored))
        self._meter.seconds.observe(time.monotonic() - begun)
        return Head(last.last, number, command)

    async def _prepare(
        self,
        room: str,
        head: Head,
        command: str,
        secret: bytes | None,
        in_trouble: Callable[[], None],
    ) -> None:
        """Store what has to be there before a message.

        Raises:
            LogFailure: It is not for certain there, and the message has not been sent.

        """
        before: list[Awaitable[object]] = []
        if head is NEW:
            before.append(self._register(room, in_trouble))
        if secret is not None:
            part = self._putting.put(
                *(self._space.secrets, self._space.seed(room, command), secret, {}),
                expected=0,
                command=command,
                in_trouble=in_trouble,
            )
            before.append(part)
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                await asyncio.gather(*before)
        except Undecided as error:
            raise LogFailure(str(error)) from error
        except TimeoutError:
            raise LogFailure("the NATS servers do not answer") from None

    def _trouble(self, line: _Line, since: float) -> None:
        """A room is in trouble: it is told in an order of its own, and others are before it."""
        if time.monotonic() - since > TROUBLE_SECONDS:
            self._health.fails()
        if not line.in_trouble:
            line.in_trouble = True
            room, order = line.waiting[0].room, self._order
            self._order = deque(append for append in order if append.room != room)
            for append in order:
                if append.room == room and append.decided:
                    self._tell_one(append)
            self._tell()

    def _decide(self, line: _Line, group: Sequence[Append], error: Exception | None) -> None:
        """Note how it went with those who are first in line; tell those whose turn it is."""
        for append in group:
            line.waiting.popleft()
            append.error, append.decided = error, True
            if error is not None:
                line.lost.append(append)
            if line.in_trouble:
                self._tell_one(append)
        if isinstance(error, Conflict):
            self._meter.conflicts += len(group)
        if isinstance(error, LogFailure):
            self._meter.failures += len(group)
            if line.in_trouble or isinstance(error, Unwritable):
                self._health.fails(str(error))  # else it is the fault of what was handed over
        if not line.waiting:
            line.in_trouble = False
        self._tell()

    def _tell(self) -> None:
        while self._order and self._order[0].decided:
            self._tell_one(self._order.popleft())

    def _tell_one(self, append: Append) -> None:
        self._meter.waiting -= 1
        if append.error is not None:
            asyncio.get_running_loop().call_soon(self._forget, append)
        if append.done.done():
            return
        if append.error is not None:
            append.done.set_exception(append.error)
        else:
            append.done.set_result(None)

    def _forget(self, append: Append) -> None:
        """Those who wait have heard of it: what comes now does not build upon it."""
        if line := self._lines.get(append.room):
            line.lost.remove(append)
            self._let_go(append.room, line)
