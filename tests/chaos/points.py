"""Where a server process dies: at one crossing of one named place of its own code.

Runs in the server process only, before it serves; the product has no hooks for it. A place that
has another name by now is an error, so that the list stays true.
"""

import inspect
import os
import signal
import sqlite3
import threading
import time
import types
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from importlib import import_module
from typing import Any, Literal

from kibitz.server import app
from kibitz.server.log import writer

Cross = Callable[[], None]
"""Called when the place is passed; the last time it does not return."""
When = Literal["before", "after", "awaits"]

TICK_SECONDS = 0.05
SMALL_WAL = 20
"""Pages: it is copied to the file again and again."""


@dataclass(frozen=True)
class Point:
    """A place, by name.

    Attributes:
        at: ``module:function`` or ``module:Class.method`` of ``kibitz.server``; else a special one.
        when: Before it, after it, or at one of the moments at which it waits.
        most: It dies at one of the first so many crossings.

    """

    at: str
    when: When
    most: int

    @property
    def name(self) -> str:
        """How it is called in tables."""
        return f"{self.when} {self.at}"


def _both(at: str, most: int) -> list[Point]:
    return [Point(at, "before", most), Point(at, "after", most)]


POINTS = [
    Point("connection:Connection.receive", "before", 100),
    *_both("room.writing:Writing._decide_some", 50),
    *_both("log.sqlite:SqliteLog.append", 50),
    *_both("log.sqlite:SqliteLog._hand_over", 40),
    *_both("sql:begin", 30),
    Point("sql:insert into record", "before", 30),
    Point("sql:in the middle of the records", "before", 15),
    *_both("sql:insert into room", 4),
    *_both("sql:update room", 30),
    *_both("sql:commit", 30),
    *_both("log.sqlite:SqliteLog._settle", 30),
    *_both("room.room:Room.happen", 50),
    Point("connection:Connection._reply", "before", 100),
    *_both("sockets.socket:Socket.flush", 50),
    *_both("sockets.turn:Turn._end", 50),
    Point("slice:in the middle", "before", 30),
    *_both("lobby.rooms:Rooms.sweep", 3),
    Point("lobby.rooms:Rooms.create", "awaits", 6),
    *_both("lobby.rooms:Rooms._add", 4),
    Point("lobby.rooms:Rooms._adopt", "before", 4),
    Point("lobby.rooms:Rooms._read", "awaits", 4),
    Point("answers:Answers.answer", "awaits", 20),
    Point("answers:Answers._come_in", "awaits", 8),
    *_both("room.room:Room.sit", 4),
    Point("room.room:Room.stand_up", "awaits", 2),
    *_both("room.room:Room.wake", 2),
    Point("room.room:Room.wake", "awaits", 2),
    Point("lobby.rooms:Rooms.rematch", "awaits", 2),
    *_both("room.room:Room.go_on", 2),
    Point("answers:Answers._fork", "before", 2),
    Point("answers:Answers._fork", "awaits", 3),
    Point("lobby.rooms:Rooms.open", "awaits", 2),
    Point("lobby.rooms:Rooms.open", "after", 1),
    Point("clock:any moment", "before", 200),
]
"""Every one of them is on the way of a move, or of what leads to one."""


def prepare(point: int | None, nth: int, small_wal: bool) -> None:
    """In the server's process: everything is faster, and one place is the last."""
    app.TICK_SECONDS = TICK_SECONDS
    if small_wal:
        writer.WAL_PAGES = SMALL_WAL
    if point is not None:
        die_at(POINTS[point], nth)


def die_at(point: Point, nth: int) -> None:
    """See that this process kills itself at the ``nth`` crossing of a point.

    Raises:
        AttributeError: There is no such place any more.

    """
    cross = _countdown(nth)
    kind, _, place = point.at.partition(":")
    match kind:
        case "sql":
            _sql(place, point.when, cross)
        case "slice":
            _slice(cross)
        case "clock":
            _timed(nth / 1000)
        case _:
            owner: Any = import_module(f"kibitz.server.{kind}")
            *path, last = place.split(".")
            for name in path:
                owner = getattr(owner, name)
            setattr(owner, last, _crossed(getattr(owner, last), point.when, cross))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)  # the signal is on its way; nothing more is done in this thread


def _countdown(nth: int) -> Cross:
    left = nth

    def cross() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            _die()

    return cross


def _crossed(function: Callable[..., Any], when: When, cross: Cross) -> Callable[..., Any]:
    """The function, with the place in it."""
    if not inspect.iscoroutinefunction(function):
        assert when != "awaits", function

        @wraps(function)
        def called(*args: Any, **named: Any) -> Any:
            if when == "before":
                cross()
            result = function(*args, **named)
            if when == "after":
                cross()
            return result

        return called

    @wraps(function)
    async def awaited(*args: Any, **named: Any) -> Any:
        if when == "before":
            cross()
        running = function(*args, **named)
        result = await (_stepped(running, cross) if when == "awaits" else running)
        if when == "after":
            cross()
        return result

    return awaited


@types.coroutine
def _stepped(running: Coroutine[Any, Any, Any], cross: Cross) -> Generator[Any, Any, Any]:
    """Drive a coroutine; every time it waits is a crossing."""
    step = partial(running.send, None)
    while True:
        try:
            waits = step()
        except StopIteration as done:
            return done.value
        cross()
        try:
            step = partial(running.send, (yield waits))
        except BaseException as error:
            step = partial(running.throw, error)


def _sql(place: str, when: When, cross: Cross) -> None:
    """The places between two statements of the log's writer."""
    middle = place == "in the middle of the records"

    class Watched(sqlite3.Connection):
        def _pass(self, moment: When, statement: str) -> None:
            if not middle and moment == when and statement.startswith(place):
                cross()

        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            self._pass("before", statement)
            cursor = super().execute(statement, *values)
            self._pass("after", statement)
            return cursor

        def executemany(self, statement: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
            self._pass("before", statement)
            several = list(rows)
            among = middle and len(several) > 1 and statement.startswith("insert into record")
            cursor = super().executemany(statement, halved(several) if among else several)
            self._pass("after", statement)
            return cursor

    def halved(rows: list[Any]) -> Iterator[Any]:
        half = len(rows) // 2
        yield from rows[:half]
        cross()
        yield from rows[half:]

    setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))  # noqa: B010


def _slice(cross: Cross) -> None:
    """The place where half of a crowd has been told."""
    fanout: Any = import_module("kibitz.server.room.fanout")
    write_all = fanout.write_all

    def half(everybody: list[Any], frames: bytes) -> Any:
        if len(everybody) > 1:
            middle = len(everybody) // 2
            others = write_all(everybody[:middle], frames)
            cross()
            return others + write_all(everybody[middle:], frames)
        return write_all(everybody, frames)

    fanout.write_all = half


def _timed(seconds: float) -> None:
    """Any moment, so long after the first message: inside of what has no name here, too."""
    connection: Any = import_module("kibitz.server.connection")
    receive = connection.Connection.receive
    timer = threading.Timer(seconds, _die)
    timer.daemon = True

    def first(self: Any, *message: Any) -> None:
        connection.Connection.receive = receive
        timer.start()
        receive(self, *message)

    connection.Connection.receive = first
