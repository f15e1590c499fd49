"""The log on one SQLite file: WAL, ``synchronous=FULL``, one writer thread, group commit.

Promises: appends of one turn of the loop, and those that arrive while a commit is under way, share
the next one; a future is answered only after the commit. One process a file: a lock on it, held by
the kernel, refuses a second one at once, by whatever name it comes, and is gone after kill -9.
Reading has a thread and a connection of its own.
"""

import asyncio
import contextlib
import fcntl
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

from .log import Conflict, Feed, LogFailure
from .record import Record, read_info, read_record, write_info, write_record
from .storage.schema import MAGIC, UnreadableFile, migrate, version_of

MAX_GROUP = 512
"""A commit that has so many appends waits for no more of them."""
CACHE_KIB = 65536
"""The writer's page cache: every room has a page of its own at the end of its records."""
WAL_PAGES = 10_000
"""So many pages of 4 KiB are in the WAL before they are copied to the file: in the meantime the
same pages are written again and again, and copied once."""

T = TypeVar("T")
_Row = tuple[str, int, bytes]

_RECORD = "insert into record values (?, ?, ?)"
_ROOM = (
    "insert into room (id, last, info) values (?, ?, ?)"
    " on conflict (id) do update set last = excluded.last, info = excluded.info"
)


class FileInUse(Exception):
    """Another process has the file open; the message says which."""


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
        self._loop = asyncio.get_running_loop()
        self._lock = _lock(self.path)
        try:
            self._writer_db = self._connect()
            migrate(self._writer_db, self.path)
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
        self._queue: queue.SimpleQueue[list[_Append] | None] = queue.SimpleQueue()
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
            done.set_exception(LogFailure("the log is closed"))
            return done
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

    async def rooms(self) -> list[RoomInfo]:
        """Every room; see :class:`.log.EventLog`."""
        return await self._fetch(read_info, "select info from room order by number")

    async def secret(self, name: str, fresh: bytes) -> bytes:
        """A secret, kept; see :class:`.log.EventLog`."""
        if self._closed:
            raise LogFailure("the log is closed")

        def keep() -> bytes:
            insert = "insert into secret values (?, ?) on conflict (name) do nothing"
            with contextlib.closing(self._connect()) as db:
                db.execute(insert, (name, fresh))
                (value,) = db.execute("select value from secret where name = ?", (name,)).fetchone()
                return bytes(value)

        try:
            return await self._loop.run_in_executor(self._reader, keep)
        except sqlite3.Error as error:
            raise LogFailure(str(error)) from error

    async def _fetch(self, read: Callable[[bytes], T], query: str, *values: str | int) -> list[T]:
        """What the rows of one column say, read in the reader's thread."""

        def fetch() -> list[T]:
            return [read(stored) for (stored,) in self._reader_db.execute(query, values)]

        return await self._loop.run_in_executor(self._reader, fetch)

    async def close(self) -> None:
        """Commit what was accepted, then close the file and give up the lock."""
        if self._closed:
            return
        self._closed = True
        self._hand_over()
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        self._reader.shutdown()
        self._reader_db.close()
        self._writer_db.close()
        os.close(self._lock)

    def _write(self) -> None:
        """Commit groups until told to stop (the writer thread)."""
        running = True
        while running:
            group: list[_Append] = []
            turn = self._queue.get()
            while turn is not None:
                group += turn
                if len(group) >= MAX_GROUP or self._queue.empty():
                    break
                turn = self._queue.get()
            running = turn is not None
            if group:
                self._commit(group)
                self._loop.call_soon_threadsafe(self._settle, group)

    def _commit(self, group: list[_Append]) -> None:
        """Write what fits and note of each append how it went."""
        try:
            self._writer_db.execute("begin immediate")
            records, rooms = self._rows(group)
            self._writer_db.executemany(_RECORD, records)
            self._writer_db.executemany(_ROOM, rooms)
            self._writer_db.execute("commit")
        except Exception as error:  # whatever it is: those who wait are answered, the thread lives
            with contextlib.suppress(sqlite3.Error):
                self._writer_db.execute("rollback")
            for append in group:
                self._heads.pop(append.room, None)
                append.error = LogFailure(str(error))
            if not isinstance(error, sqlite3.Error) and len(group) > 1:  # it is the fault of some
                for append in group:
                    self._commit([append])
            return
        self._heads.update((room, last) for room, last, _ in rooms)

    def _rows(self, group: list[_Append]) -> tuple[list[_Row], list[_Row]]:
        """What is to be written of a group: records, and once a room its entry."""
        records: list[_Row] = []
        latest: dict[str, _Append] = {}
        for append in group:
            room = append.room
            head = latest[room].last if room in latest else self._head(room)
            lost = append.behind is not None and append.behind.error is not None
            if lost or head != append.expected:
                append.error = Conflict(append.expected, head)
                continue
            append.error = None
            latest[room] = append
            records += [(room, record.last, write_record(record)) for record in append.records]
        rooms = [(room, append.last, write_info(append.info)) for room, append in latest.items()]
        return records, rooms

    def _head(self, room: str) -> int:
        head = self._heads.get(room)
        if head is None:
            row = self._writer_db.execute("select last from room where id = ?", (room,)).fetchone()
            head = row[0] if row else 0
        return head

    def _settle(self, group: list[_Append]) -> None:
        """Tell those who wait how it went (on the loop)."""
        lost: list[_Append] = []
        followed = self._feed.followed
        for append in group:
            append.behind = None
            if append.error is not None:
                lost.append(append)
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


def _lock(path: Path) -> int:
    """Take the file for this process, whatever name it goes by.

    The lock is on the file itself, so links to it do not get round it; the kernel gives it back
    when the process ends. The ``.lock`` file beside it only says who has it.
    """
    owner = path.with_name(path.name + ".lock")
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.pread(lock, len(MAGIC), 0) not in (b"", MAGIC):
            raise UnreadableFile(f"{path} is not a kibitz database")
        if os.fstat(lock).st_nlink > 1:  # what is not in the file yet lies beside one name only
            raise UnreadableFile(f"{path} has more than one name (hard links): keep one")
        owner.write_text(f"{os.getpid()}\n")
    except BlockingIOError:
        os.close(lock)
        pid = owner.read_text(errors="replace").strip()[:20] if owner.exists() else "unknown"
        raise FileInUse(f"{path} is in use by another kibitz process (pid {pid})") from None
    except OSError as error:
        os.close(lock)
        raise UnreadableFile(f"{owner}: {error.strerror}") from error
    except UnreadableFile:
        os.close(lock)
        raise
    return lock
