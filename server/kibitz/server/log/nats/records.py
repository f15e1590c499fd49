"""The records of rooms: what was stored, joined with what is secret; where rooms stand.

Promises: what is read is dense, and has all that this process knows to be there, whichever replica
answers. Where a room stands is known by heart of those used last; it may be old, which does no
harm: an append that builds upon it is refused by the stream, and then it is asked for.
"""

import asyncio
import contextlib
import time
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import AsyncIterator
from itertools import pairwise

import structlog
from msgspec import Struct

from ..log import AWAY, GoneBack, LogFailure, failure
from ..record import UNREADABLE, Record
from .connection import Closed, NotSent, Unknown
from .form import AWAY_NUMBER, COMMAND, LAST, SECRET, Foreign, number_in, read_append
from .reading import BATCH, Found, Source
from .streams import Space

MAX_HEADS = 4096
"""Rooms of which it is known by heart where they stand."""
MAX_MARKS = 64
"""Places in a room that are known, from where its later records can be read."""
READ_SECONDS = 10.0
"""What could not be read within so long is said to be unreadable."""
DOUBT_SECONDS = 1.0
"""If no replica has what is known for so long, the leader is asked whether it is so."""
GONE_SECONDS = 2.0
"""What was stored and is not there for so long is gone: who leads since just now may be behind."""
PAUSE_SECONDS = 0.05
"""Before what failed, or what a replica did not have yet, is asked for again."""


log = structlog.get_logger("kibitz.log")


class Head(Struct, frozen=True):
    """Where a room stands: its last event, and of the message that has it number and command."""

    last: int
    number: int
    command: str = ""


NEW = Head(0, 0)


class _Known(Struct):
    head: Head
    marks: list[tuple[int, int]]
    """Some events that are the last of a message, and its number."""


def head_of(found: Found | None) -> Head:
    """Where a room stands by its last message.

    Raises:
        Foreign: It is none of ours.

    """
    if found is None:
        return NEW
    if AWAY_NUMBER in found.headers:
        return Head(AWAY, found.number)
    return Head(number_in(found.headers, LAST), found.number, found.headers.get(COMMAND, ""))


def unreadable(room: str, error: Exception) -> LogFailure:
    """What is said of a room that has something in the log that cannot be read; and tell it."""
    log.error("unreadable", room=room, exc_info=error)
    return LogFailure(f"the log has something of this room that is no record ({failure(error)})")


class Records:
    """The records of all rooms."""

    def __init__(self, source: Source, space: Space) -> None:
        self._source = source
        self._space = space
        self._known: OrderedDict[str, _Known] = OrderedDict()

    def known(self, room: str) -> Head | None:
        """Where a room stood when this process saw it last, if it still knows."""
        found = self._known.get(room)
        return found.head if found else None

    def saw(self, room: str, head: Head) -> None:
        """Remember where a room stands; what is older than what is known changes nothing."""
        known = self._known.get(room)
        if known is None:
            self._known[room] = known = _Known(head, [])
            if len(self._known) > MAX_HEADS:
                self._known.popitem(last=False)
        elif head.number > known.head.number:
            known.head = head
        self._known.move_to_end(room)
        if head.last == AWAY:
            known.marks.clear()
            return
        mark = head.last, head.number
        place = bisect_left(known.marks, mark)
        if known.marks[place : place + 1] != [mark]:
            before, behind = known.marks[place - 1 : place], known.marks[place : place + 1]
            places = [*before, mark, *behind]
            if any(m >= n or a >= b for (m, a), (n, b) in pairwise(places)):
                known.head, known.marks = head, []  # it has gone back: none of them may be so
                place = 0
            known.marks.insert(place, mark)
            if len(known.marks) > MAX_MARKS:
                del known.marks[1:-1:2]

    async def head(self, room: str, *, trusted: bool = False) -> Head:
        """Where a room stands, as the leader says.

        Args:
            room: The room.
            trusted: Whether he is believed if he knows of less than we do: somebody may have told
                us what is not so, or all is gone.

        Raises:
            NotSent, Unknown: Nobody can say for now.

        """
        before = self.known(room)
        head = head_of(await self._source.last(self._space.rooms, self._space.room(room)))
        known = self.known(room)
        if trusted and known is not None and known == before and head.number < known.number:
            del self._known[room]
        if head is not NEW:
            self.saw(room, head)
        return head

    async def check(self, room: str, after: int, tail: Head | None) -> None:
        """See that what somebody has of a room is there.

        Args:
            room: The room.
            after: The number of the last event that he has.
            tail: The message that has it, if he knows.

        Raises:
            GoneBack: It is not.

        """
        end = time.monotonic() + GONE_SECONDS
        while True:
            try:
                number = tail.number if tail else 1
                subject = self._space.room(room)
                found = await self._source.next(self._space.rooms, subject, number)
                head = head_of(await self._source.last(self._space.rooms, subject))
            except (NotSent, Unknown, LogFailure, *UNREADABLE):
                return  # nobody can say: it is looked after again
            if head.last == AWAY or (head.last >= after and (tail is None or _is(found, tail))):
                return
            if time.monotonic() > end:
                self._known.pop(room, None)
                raise GoneBack(after, head.last)
            await asyncio.sleep(PAUSE_SECONDS)

    async def read(
        self, room: str, after: int, limit: int | None, *, patient: bool = False
    ) -> list[Record]:
        """The records with events later than ``after``.

        Args:
            room: The room.
            after: The number of an event.
            limit: At most so many.
            patient: Whether to wait for as long as the servers cannot be reached.

        Raises:
            LogFailure: They could not be read.

        """
        end = time.monotonic() + READ_SECONDS
        doubt = time.monotonic() + DOUBT_SECONDS
        while True:
            try:
                if (records := await self._read(room, after, limit)) is not None:
                    return records
                why = "a replica is behind"
                if time.monotonic() > doubt:
                    await self.head(room, trusted=True)
                    doubt = time.monotonic() + DOUBT_SECONDS
            except Closed as error:
                raise LogFailure(str(error)) from error
            except (NotSent, Unknown) as error:
                why = str(error)
            except UNREADABLE as error:
                raise unreadable(room, error) from error
            if not patient and time.monotonic() > end:
                raise LogFailure(why)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _read(self, room: str, after: int, limit: int | None) -> list[Record] | None:
        """The records; ``None``: there are others that this replica does not have."""
        known = self._known.get(room)
        needed = known.head if known else NEW
        last, number = self._mark(room, after)
        records: list[Record] = []
        batch = BATCH if limit is None else min(BATCH, limit + 1)
        pages = self._source.pages(
            self._space.rooms, self._space.room(room), number + 1, max(1, batch)
        )
        async with contextlib.aclosing(pages):
            async for message in _each(pages):
                head = head_of(message)
                self.saw(room, head)
                if head.last == AWAY:
                    return []
                number = message.number
                for record in await self.opened(room, message):
                    if record.first != last + 1:
                        return None
                    last = record.last
                    if last > after:
                        records.append(record)
                if limit is not None and len(records) >= limit:
                    return records[:limit]
        if number == 0 and after == 0 and room not in self._known:
            return [] if await self.head(room) is NEW else None  # a replica may not have it yet
        return records if number >= needed.number else None

    def _mark(self, room: str, after: int) -> tuple[int, int]:
        """The latest place that is known and not behind an event."""
        known = self._known.get(room)
        if known is None:
            return 0, 0
        place = bisect_right(known.marks, after, key=lambda mark: mark[0])
        return known.marks[place - 1] if place else (0, 0)

    async def opened(self, room: str, message: Found) -> list[Record]:
        """The records of a message, joined with what is secret.

        Raises:
            NotSent, Unknown: Nobody can say for now.
            LogFailure: The secret part is not there.

        """
        secret = None
        if SECRET in message.headers:
            if COMMAND not in message.headers:
                raise Foreign("a secret part of no command")
            seed = self._space.seed(room, message.headers[COMMAND])
            part = await self._source.last(self._space.secrets, seed)
            if part is None:
                raise LogFailure(f"the secret part of room {room} is missing")
            secret = part.body
        return read_append(message.body, message.headers, secret)


def _is(found: Found | None, tail: Head) -> bool:
    return found is not None and found.headers.get(COMMAND, "") == tail.command


async def _each(pages: AsyncIterator[list[Found]]) -> AsyncIterator[Found]:
    async for page in pages:
        for message in page:
            yield message
