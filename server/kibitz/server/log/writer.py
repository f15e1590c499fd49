"""The thread that writes: groups of appends, each in one commit, in the order in which they came.

Promises: of every append it is noted how it went before anybody is told; whatever happens, the
thread lives. When nothing is to be written for a while it gives back the memory of the pages that
it knew. Never: anything of a future, which is the loop's.
"""

import asyncio
import contextlib
import ctypes
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence

from msgspec import Struct

from kibitz.protocol.views import RoomInfo

from ..operation.measures import Meter
from ..storage import probe, statements
from .log import AWAY, Conflict, failure
from .record import Record, read_info, write_info, write_record

MAX_GROUP = 512
"""A commit that has so many appends waits for no more of them."""
CACHE_KIB = 65536
"""The page cache: every room has a page of its own at the end of its records."""
WAL_PAGES = 10_000
"""So many pages of 4 KiB are in the WAL before they are copied to the file, each of them once."""
MAX_HEADS = 4096
"""Rooms whose last number the writer knows by heart."""
IDLE_SECONDS = 2.0
"""After so long without anything to write, the pages that are known are forgotten."""

_Row = tuple[str, int, bytes]


class Append(Struct, eq=False):
    """What was handed over: the loop makes it, the writer says in ``error`` how it went.

    ``behind`` is the append of the same room before it, if nobody was told yet how that one went.
    """

    done: asyncio.Future[None]
    room: str
    expected: int
    last: int
    records: Sequence[Record]
    info: RoomInfo
    behind: "Append | None"
    error: Exception | None = None


class Removal(Struct, eq=False):
    """A room that is to be put away."""

    done: asyncio.Future[None]
    room: str
    expected: int
    kept: bytes
    error: Exception | None = None

    def settle(self) -> None:
        """Tell who waits how it went (on the loop)."""
        if self.done.done():
            return
        if self.error is not None:
            self.done.set_exception(self.error)
        else:
            self.done.set_result(None)


class Writer:
    """One thread, and the connection that is its own."""

    def __init__(
        self, db: sqlite3.Connection, meter: Meter, written: Callable[[list[Append]], object]
    ) -> None:
        """Begin; ``written`` is told of every group, on the running loop."""
        self._db = db
        self._meter = meter
        self._written = written
        self._loop = asyncio.get_running_loop()
        self._heads: dict[str, int] = {}
        self._queue: queue.SimpleQueue[list[Append] | Removal | None] = queue.SimpleQueue()
        (self._next_number,) = db.execute(statements.NEXT_NUMBER).fetchone()
        db.execute(f"pragma cache_size={-CACHE_KIB}")
        db.execute(f"pragma wal_autocheckpoint={WAL_PAGES}")
        self._thread = threading.Thread(target=self._write, name="kibitz-log-writer", daemon=True)
        self._thread.start()

    def put(self, what: list[Append] | Removal) -> None:
        """Something to be written; returns at once."""
        self._queue.put(what)

    async def close(self) -> None:
        """Write what was put, and end."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _write(self) -> None:
        """Commit groups until told to stop."""
        while (turn := self._next()) is not None:
            group: list[Append] = []
            while isinstance(turn, list):
                group += turn
                if len(group) >= MAX_GROUP or self._queue.empty():
                    break
                turn = self._queue.get()
            if group:
                self._commit(group)
                self._loop.call_soon_threadsafe(self._written, group)
            if isinstance(turn, Removal):
                self._remove(turn)
                self._loop.call_soon_threadsafe(turn.settle)
            if turn is None:
                return
            del turn, group

    def _next(self) -> list[Append] | Removal | None:
        """Wait for what comes next; meanwhile see whether a disk that failed is well again."""
        wait: float | None = IDLE_SECONDS
        while True:
            try:
                return self._queue.get(timeout=probe.SECONDS if self._meter.failing else wait)
            except queue.Empty:
                if self._meter.failing:
                    self._meter.failing = not probe.can_write(self._db)
                elif wait:
                    wait = None
                    with contextlib.suppress(sqlite3.Error):
                        self._db.execute("pragma shrink_memory")
                    _trim()

    def _commit(self, group: list[Append]) -> None:
        """Write what fits and note of each append how it went."""
        begun = self._loop.time()
        try:
            self._db.execute("begin immediate")
            records, latest, fresh = self._rows(group)
            self._db.executemany(statements.RECORD, records)
            for number, room in enumerate(fresh, self._next_number):
                append = latest[room]
                row = (number, room, append.last, write_info(append.info))
                self._db.execute(statements.NEW_ROOM, row)
            rooms = (
                (a.last, write_info(a.info), a.room) for a in latest.values() if a.room not in fresh
            )
            self._db.executemany(statements.ROOM, rooms)
            self._db.execute("commit")
        except Exception as error:  # whatever it is: those who wait are answered, the thread lives
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("rollback")
            for append in group:
                self._heads.pop(append.room, None)
                append.error = failure(error)
            self._meter.failing |= probe.is_of_the_disk(error)
            if not isinstance(error, sqlite3.Error) and len(group) > 1:  # it is the fault of some
                for append in group:
                    self._commit([append])
            return
        if records:
            self._meter.failing = False
        self._meter.records.observe(len(records))
        self._meter.seconds.observe(self._loop.time() - begun)
        self._next_number += len(fresh)
        if len(self._heads) > MAX_HEADS:  # they are read again when they are asked for
            self._heads.clear()
        self._heads.update((room, append.last) for room, append in latest.items())

    def _rows(self, group: list[Append]) -> tuple[list[_Row], dict[str, Append], dict[str, None]]:
        """What is to be written of a group: records, the last append of each room, new rooms."""
        records: list[_Row] = []
        latest: dict[str, Append] = {}
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
            row = self._db.execute(statements.HEAD, (room,)).fetchone()
            head = row[0] if row else 0
        return head

    def _remove(self, removal: Removal) -> None:
        """Put a room away (the writer thread)."""
        db, room = self._db, removal.room
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


def _trim() -> None:
    """Give the kernel what is free; glibc keeps it for the thread that had it."""
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
