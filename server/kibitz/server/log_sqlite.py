"""The log on one SQLite file: WAL, ``synchronous=FULL``, one writer thread, group commit.

Promises: appends of one turn of the loop, and those that arrive while a commit is under way, share
the next one; a future is answered only after the commit. One process a file: a lock on it, held by
the kernel, refuses a second one at once, by whatever name it comes, and is gone after kill -9.
Reading has a thread and a connection of its own.
"""

import asyncio
import contextlib
import os
import queue
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from kibitz.protocol.views import RoomInfo

from .log import AWAY, Conflict, Feed, LogFailure, failure
from .operation.measures import Meter
from .record import UNREADABLE, Record, read_info, read_record, write_info, write_record
from .storage import probe, statements
from .storage.locking import lock
from .storage.schema import UnreadableFile, migrate, version_of

MAX_GROUP = 512
"""A commit that has so many appends waits for no more of them."""
CACHE_KIB = 65536
"""The writer's page cache: every room has a page of its own at the end of its records."""
WAL_PAGES = 10_000
"""So many pages of 4 KiB are in the WAL before they are copied to the file, each of them once."""
MAX_HEADS = 4096
"""Rooms whose last number the writer knows by heart."""
MAX_NUMBER = 2**63 - 1

T = TypeVar("T")
_Row = tuple[str, int, bytes]


class _Append(Struct, eq=False):
    """What was handed over: the loop makes it, the writer says in ``error`` how it went.

    ``behind`` is the append of the same room before it, if nobody was told yet how that one went.
    """

    done: asyncio.Future[None]
    room: str
    expected: int
    last: int
    records: Sequence[Record]
    info: RoomInfo
    behind: "_Append | None"
    error: Exception | None = None


class _Removal(Struct, eq=False):
    """A room that is to be put away."""

    done: asyncio.Future[None]
    room: str
    expected: int
    kept: bytes
    error: Exception | None = None


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
            raise UnreadableFile(f"{path}: {error}") from error
        self.meter = Meter()
        self._loop = asyncio.get_running_loop()
        self._lock = lock(self.path)
        try:
            self._writer_db = self._connect()
            migrate(self._writer_db, self.path)
            (self._next_number,) = self._writer_db.execute(statements.NEXT_NUMBER).fetchone()
            self._writer_db.execute(f"pragma cache_size={-CACHE_KIB}")
            self._writer_db.execute(f"pragma wal_autocheckpoint={WAL_PAGES}")
            self._reader_db = self._connect()
        except sqlite3.Error as error:
            os.close(self._lock)
            raise UnreadableFile(f"{self.path}: {error}") from error
        except UnreadableFile:
            os.close(self._lock)
            raise
        self._heads: dict[str, int] = {}
        self._feed = Feed()
        self._turn: list[_Append] = []
        """What was handed over in this turn of the loop."""
        self._latest: dict[str, _Append] = {}
        """Of every room the latest append of which nobody was told yet how it went."""
        self._queue: queue.SimpleQueue[list[_Append] | _Removal | None] = queue.SimpleQueue()
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="kibitz-log-reader")
        self._writer = threading.Thread(target=self._write, name="kibitz-log-writer", daemon=True)
        self._closed = False
        self._writer.start()

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
        append = _Append(done, room, expected, records[-1].last, records, info, behind)
        self._latest[room] = append
        if not self._turn:
            self._loop.call_soon(self._hand_over)
        self._turn.append(append)
        return done

    def _hand_over(self) -> None:
        """Give the writer what came in this turn, in one piece."""
        if self._turn:
            self._queue.put(self._turn)
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
        self._queue.put(_Removal(done, room, expected, kept))
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

    async def _beside(self, work: Callable[[], T]) -> T:
        """Work in the reader's thread, beside the records.

        Raises:
            LogFailure: It failed, or the log is closed.

        """
        if self._closed:
            raise LogFailure("the log is closed")
        try:
            return await self._loop.run_in_executor(self._reader, work)
        except (sqlite3.Error, *UNREADABLE) as error:
            self.meter.failures += 1
            raise failure(error) from error

    async def _fetch(
        self, read: Callable[[bytes], T], query: str, *values: str | int | None
    ) -> list[T]:
        """What the rows of one column say, read in the reader's thread."""

        def fetch() -> list[T]:
            return [read(stored) for (stored,) in self._reader_db.execute(query, values)]

        return await self._beside(fetch)

    async def close(self) -> None:
        """Commit what was accepted, then close the file and give up the lock."""
        if self._closed:
            return
        self._closed = True
        self._hand_over()
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._reader.shutdown, cancel_futures=True)
        self._reader_db.close()
        self._writer_db.close()
        os.close(self._lock)

    def _write(self) -> None:
        """Commit groups until told to stop (the writer thread)."""
        running = True
        while running:
            group: list[_Append] = []
            try:
                turn = self._queue.get(timeout=probe.SECONDS if self.meter.failing else None)
            except queue.Empty:
                self.meter.failing = not probe.can_write(self._writer_db)
                continue
            while isinstance(turn, list):
                group += turn
                if len(group) >= MAX_GROUP or self._queue.empty():
                    break
                turn = self._queue.get()
            running = turn is not None
            if group:
                self._commit(group)
                self._loop.call_soon_threadsafe(self._settle, group)
            if isinstance(turn, _Removal):
                self._remove(turn)
                self._loop.call_soon_threadsafe(_settle_removal, turn)

    def _commit(self, group: list[_Append]) -> None:
        """Write what fits and note of each append how it went."""
        begun = self._loop.time()
        try:
            self._writer_db.execute("begin immediate")
            records, latest, fresh = self._rows(group)
            self._writer_db.executemany(statements.RECORD, records)
            for number, room in enumerate(fresh, self._next_number):
                append = latest[room]
                row = (number, room, append.last, write_info(append.info))
                self._writer_db.execute(statements.NEW_ROOM, row)
            rooms = (
                (a.last, write_info(a.info), a.room) for a in latest.values() if a.room not in fresh
            )
            self._writer_db.executemany(statements.ROOM, rooms)
            self._writer_db.execute("commit")
        except Exception as error:  # whatever it is: those who wait are answered, the thread lives
            with contextlib.suppress(sqlite3.Error):
                self._writer_db.execute("rollback")
            for append in group:
                self._heads.pop(append.room, None)
                append.error = failure(error)
            self.meter.failing |= probe.is_of_the_disk(error)
            if not isinstance(error, sqlite3.Error) and len(group) > 1:  # it is the fault of some
                for append in group:
                    self._commit([append])
            return
        if records:
            self.meter.failing = False
        self.meter.records.observe(len(records))
        self.meter.seconds.observe(self._loop.time() - begun)
        self._next_number += len(fresh)
        if len(self._heads) > MAX_HEADS:  # they are read again when they are asked for
            self._heads.clear()
        self._heads.update((room, append.last) for room, append in latest.items())

    def _rows(self, group: list[_Append]) -> tuple[list[_Row], dict[str, _Append], dict[str, None]]:
        """What is to be written of a group: records, the last append of each room, new rooms."""
        records: list[_Row] = []
        latest: dict[str, _Append] = {}
        fresh: dict[str, None] = {}
        for append in group:
            room = append.room
            head = latest[room].last if room in latest else self._head(room)
            lost = append.behind is not None and append.behind.error is not None
            if lost or head != append.expected or head == AWAY:
                append.error = Conflict(append.expected, head)
                continue
            append.error = None
            if head == 0:
                fresh[room] = None
            latest[room] = append
            records += [(room, record.last, write_record(record)) for record in append.records]
        return records, latest, fresh

    def _head(self, room: str) -> int:
        head = self._heads.get(room)
        if head is None:
            row = self._writer_db.execute(statements.HEAD, (room,)).fetchone()
            head = row[0] if row else 0
        return head

    def _remove(self, removal: _Removal) -> None:
        """Put a room away (the writer thread)."""
        db, room = self._writer_db, removal.room
        try:
            db.execute("begin immediate")
            row = db.execute("select last, info from room where id = ?", (room,)).fetchone()
            if row is None or row[0] != removal.expected:
                raise Conflict(removal.expected, row[0] if row else AWAY)
            daily = read_info(row[1]).daily or None
            db.execute(statements.PUT_AWAY, (daily, removal.kept, room))
            db.execute("delete from record where room = ?", (room,))
            db.execute("delete from room where id = ?", (room,))
            db.execute("commit")
        except Exception as error:
            with contextlib.suppress(sqlite3.Error):
                db.execute("rollback")
            removal.error = error if isinstance(error, Conflict) else failure(error)
        self._heads.pop(room, None)

    def _settle(self, group: list[_Append]) -> None:
        """Tell those who wait how it went (on the loop)."""
        self.meter.waiting -= len(group)
        lost: list[_Append] = []
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

    def _forget(self, lost: list[_Append]) -> None:
        for append in lost:
            if self._latest.get(append.room) is append:
                del self._latest[append.room]


def _settle_removal(removal: _Removal) -> None:
    """Tell who waits how it went (on the loop)."""
    if removal.done.done():
        return
    if removal.error is not None:
        removal.done.set_exception(removal.error)
    else:
        removal.done.set_result(None)
