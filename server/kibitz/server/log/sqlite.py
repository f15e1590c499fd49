"""The log on one SQLite file: WAL, ``synchronous=FULL``, one writer thread, group commit.

Promises: appends of one turn of the loop, and those that arrive while a commit is under way, share
the next one; a future is answered only after the commit. One process a file: a lock on it, held by
the kernel, refuses a second one at once, by whatever name it comes, and is gone after kill -9.
Reading has a thread and a connection of its own, and so has reading much: it rests in between, and
nobody who reads little waits for that.
"""

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TypeVar

from kibitz.protocol.views import RoomInfo

from ..operation.measures import Meter
from ..pace import Gently
from ..storage import statements
from ..storage.locking import lock
from ..storage.schema import UnreadableFile, migrate, version_of
from .log import Feed, LogFailure, failure
from .record import UNREADABLE, Record, read_info, read_record
from .writer import Append, Removal, Writer

MAX_NUMBER = 2**63 - 1
AT_ONCE = 200
"""Rows that are read without leaving the loop its turn: two milliseconds."""

T = TypeVar("T")


class SqliteLog:
    """Records in a file. Make it inside a running event loop."""

    def __init__(self, path: str | Path) -> None:
        """Open the file, make it if it is not there.

        Raises:
            FileInUse: Another process has it.
            UnreadableFile: It is something else.

        """
        try:
            self.path = Path(path).resolve()
        except (OSError, RuntimeError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise UnreadableFile(f"{path}: {why}") from error
        self.meter = Meter()
        self.channel = None
        self._loop = asyncio.get_running_loop()
        self._lock = lock(self.path)
        try:
            self._writer_db = self._connect()
            migrate(self._writer_db, self.path)
            self._reader_db = self._connect()
            self._long_reader_db = self._connect()
            self._writer = Writer(self._writer_db, self.meter, self._settle)
        except sqlite3.Error as error:
            os.close(self._lock)
            raise UnreadableFile(f"{self.path}: {error}") from error
        except UnreadableFile:
            os.close(self._lock)
            raise
        self._feed = Feed()
        self._turn: list[Append] = []
        """What was handed over in this turn of the loop."""
        self._latest: dict[str, Append] = {}
        """Of every room the latest append of which nobody was told yet how it went."""
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="kibitz-log-reader")
        self._long_reader = ThreadPoolExecutor(1, thread_name_prefix="kibitz-log-long-reader")
        self._gently = Gently(time.monotonic)
        self._closed = False

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            version_of(db, self.path)  # before anything is changed
        except BaseException:
            db.close()
            raise
        db.execute("pragma journal_mode=wal")
        db.execute("pragma synchronous=full")
        return db

    def append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> asyncio.Future[None]:
        """Hand records over; see :class:`.log.EventLog`."""
        done: asyncio.Future[None] = self._loop.create_future()
        if self._closed:
            self.meter.failures += 1
            self.meter.failing = True
            done.set_exception(LogFailure("the log is closed"))
            return done
        self.meter.waiting += 1
        behind = self._latest.get(room)
        append = Append(done, room, expected, records[-1].last, records, info, behind)
        self._latest[room] = append
        if not self._turn:
            self._loop.call_soon(self._hand_over)
        self._turn.append(append)
        return done

    def _hand_over(self) -> None:
        """Give the writer what came in this turn, in one piece."""
        if self._turn:
            self._writer.put(self._turn)
            self._turn = []

    async def read(self, room: str, after: int = 0, limit: int | None = None) -> list[Record]:
        """The records with later events; see :class:`.log.EventLog`."""
        query = "select data from record where room = ? and last > ? order by last limit ?"
        most = -1 if limit is None else limit
        return await self._fetch(read_record, query, room, after, most)

    def follow(self, room: str, after: int = 0) -> AsyncIterator[Record]:
        """What is there, then what comes; see :class:`.log.EventLog`."""
        return self._feed.follow(self, room, after)

    async def rooms(self, before: str | None = None, limit: int | None = None) -> list[RoomInfo]:
        """Every room; see :class:`.log.EventLog`."""
        bound = "?1" if before is None else f"({statements.NUMBER})"
        query = f"select info from room where number < {bound} order by number desc limit ?2"
        most = -1 if limit is None else limit
        newest = await self._fetch(read_info, query, MAX_NUMBER if before is None else before, most)
        return newest[::-1]

    async def put_away(self, room: str, expected: int, kept: bytes) -> None:
        """Put a room away; see :class:`.log.EventLog`."""
        if self._closed:
            raise LogFailure("the log is closed")
        done: asyncio.Future[None] = self._loop.create_future()
        self._hand_over()
        self._writer.put(Removal(done, room, expected, kept))
        await done

    async def find_away(self, room: str) -> tuple[RoomInfo, bytes] | None:
        """What is kept; see :class:`.log.EventLog`."""
        query = "select {} from archive where id = ?"
        for info in await self._fetch(read_info, query.format("info"), room):
            (kept,) = await self._fetch(bytes, query.format("data"), room)
            return info, kept
        return None

    async def days_away(self) -> list[RoomInfo]:
        """Those for deals of the day; see :class:`.log.EventLog`."""
        return await self._fetch(read_info, "select info from archive where daily is not null")

    async def secret(self, name: str, fresh: bytes) -> bytes:
        """A secret, kept; see :class:`.log.EventLog`."""

        def keep() -> bytes:
            insert = "insert into secret values (?, ?) on conflict (name) do nothing"
            with contextlib.closing(self._connect()) as db:
                db.execute(insert, (name, fresh))
                (value,) = db.execute("select value from secret where name = ?", (name,)).fetchone()
                return bytes(value)

        return await self._beside(keep)

    async def keep(self, name: str, value: bytes | None) -> None:
        """Keep a value, or forget it; see :class:`.log.EventLog`."""

        def keep() -> None:
            with contextlib.closing(self._connect()) as db:
                if value is None:
                    db.execute("delete from kept where name = ?", (name,))
                else:
                    db.execute("insert or replace into kept values (?, ?)", (name, value))

        await self._beside(keep)

    async def kept(self, prefix: str = "") -> dict[str, bytes]:
        """What is kept; see :class:`.log.EventLog`."""
        query = "select name, value from kept where substr(name, 1, ?) = ? order by name"

        def fetch() -> dict[str, bytes]:
            return dict(self._reader_db.execute(query, (len(prefix), prefix)).fetchall())

        return await self._beside(fetch)

    async def _beside(self, work: Callable[[], T], thread: ThreadPoolExecutor | None = None) -> T:
        """Work in the reader's thread if no other is named, beside the records.

        Raises:
            LogFailure: It failed, or the log is closed.

        """
        if self._closed:
            raise LogFailure("the log is closed")
        try:
            return await self._loop.run_in_executor(thread or self._reader, work)
        except (sqlite3.Error, UnreadableFile, *UNREADABLE) as error:
            self.meter.failures += 1
            raise failure(error) from error

    async def _fetch(
        self, read: Callable[[bytes], T], query: str, *values: str | int | None
    ) -> list[T]:
        """What the rows of one column say, read in the reader's thread or, if many, the other."""

        def fetch() -> list[T] | None:
            with contextlib.closing(self._reader_db.execute(query, values)) as rows:
                few = [read(stored) for (stored,) in islice(rows, AT_ONCE)]
                return few if next(rows, None) is None else None

        def fetch_many() -> list[T]:  # from the start: in between rows may have gone
            with contextlib.closing(self._long_reader_db.execute(query, values)) as rows:
                first = [read(stored) for (stored,) in islice(rows, AT_ONCE)]
                return first + [read(stored) for (stored,) in self._gently(rows)]

        if (few := await self._beside(fetch)) is not None:
            return few
        return await self._beside(fetch_many, self._long_reader)

    async def time_ms(self) -> int | None:
        """There is no other clock; see :class:`.log.EventLog`."""
        return None

    async def close(self) -> None:
        """Commit what was accepted, then close the file and give up the lock."""
        if self._closed:
            return
        self._closed = True
        self._hand_over()
        await self._writer.close()
        for thread in (self._reader, self._long_reader):
            await asyncio.to_thread(thread.shutdown, cancel_futures=True)
        self._reader_db.close()
        self._long_reader_db.close()
        self._writer_db.close()
        os.close(self._lock)

    def _settle(self, group: list[Append]) -> None:
        """Tell those who wait how it went (on the loop)."""
        self.meter.waiting -= len(group)
        lost: list[Append] = []
        followed = self._feed.followed
        for append in group:
            append.behind = None
            if append.error is not None:
                lost.append(append)
                self.meter.failures += isinstance(append.error, LogFailure)
                if not append.done.done():
                    append.done.set_exception(append.error)
                continue
            if self._latest.get(append.room) is append:
                del self._latest[append.room]
            if append.room in followed:
                for record in append.records:
                    self._feed.publish(append.room, record)
            if not append.done.done():
                append.done.set_result(None)
        if lost:  # until those who wait have heard of it, nothing may build upon it
            self._loop.call_soon(self._forget, lost)

    def _forget(self, lost: list[Append]) -> None:
        for append in lost:
            if self._latest.get(append.room) is append:
                del self._latest[append.room]
