"""How the log is written: text for people on a terminal, JSON lines for everything else; on stderr.

Promises: a line has the fields that :mod:`.vocabulary` gives its event and no other; of an
exception the type and the place, and its words only where they are the system's; writing never
raises, and never keeps the loop waiting for whoever reads. Never: a secret, a client's words.
"""

import asyncio
import contextlib
import logging
import queue
import select
import sqlite3
import sys
import threading
import traceback
from collections.abc import Callable, MutableMapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

import structlog

from ..log.log import LogFailure
from .flood import WINDOW_SECONDS, Flood
from .vocabulary import ALWAYS, EVENTS

MAX_LINES = 10_000
"""Lines that wait for a slow reader; more are lost."""
MAX_FRAMES = 12
"""Places of an exception, the innermost first."""
MAX_WHY = 300
"""Characters of what an exception says."""
FLUSH_SECONDS = 1.0
"""How long the last lines may take."""
SAFE = (OSError, sqlite3.Error, LogFailure)
"""Exceptions whose words are the system's or ours: they quote no client and name no card."""

Line = MutableMapping[str, Any]


class LogLevel(StrEnum):
    """How much is told."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Lines:
    """Writes lines in a thread of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._queue: queue.Queue[str | None] = queue.Queue(MAX_LINES)
        self._thread = threading.Thread(target=self._write, name="kibitz-lines", daemon=True)
        self._thread.start()

    def msg(self, line: str) -> None:
        """Write a line soon."""
        with contextlib.suppress(queue.Full):  # nobody reads: better no line than no server
            self._queue.put_nowait(line)

    debug = info = warning = error = critical = exception = msg

    def close(self) -> None:
        """Wait for what was said, but not for ever."""
        try:
            self._queue.put_nowait(None)
        except queue.Full:
            return
        self._thread.join(FLUSH_SECONDS)

    def _write(self) -> None:
        while (line := self._queue.get()) is not None:
            with contextlib.suppress(OSError, ValueError):  # a full disk, a reader that has gone
                self._stream.write(line + "\n")
                self._stream.flush()


class AtOnce:
    """Writes lines without a thread, if that keeps nobody waiting: for a process that forks."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def msg(self, line: str) -> None:
        """Write a line now, or never."""
        with contextlib.suppress(OSError, ValueError):
            if select.select([], [self._stream], [], 0)[1]:
                self._stream.write(line + "\n")
                self._stream.flush()

    debug = info = warning = error = critical = exception = msg

    def close(self) -> None:
        """Nothing waits."""


class Logs:
    """The log of this process, as long as it is open."""

    def __init__(
        self,
        level: LogLevel,
        stream: TextIO,
        monotonic: Callable[[], float],
        worker: int | None = None,
        *,
        forks: bool = False,
    ) -> None:
        """Set structlog up, and what libraries have to say.

        Args:
            level: How much is told.
            stream: Where to.
            monotonic: Seconds, to tell a flood.
            worker: Which of several processes we are.
            forks: Whether this process forks, so that it may have no thread.

        """
        self._flood = Flood(monotonic)
        self._worker = worker
        self._lines = AtOnce(stream) if forks else Lines(stream)
        at_least = getattr(logging, level.name)
        structlog.configure(
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                self._signed,
                _explained,
                _declared,
                self._flood,
                structlog.dev.ConsoleRenderer()
                if stream.isatty()
                else structlog.processors.JSONRenderer(),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(at_least),
            logger_factory=lambda *_: self._lines,
        )
        logging.basicConfig(handlers=[_Libraries()], level=logging.WARNING, force=True)
        logging.getLogger("websockets").setLevel(logging.CRITICAL)  # we say ourselves what fails
        logging.getLogger("asyncio").setLevel(logging.ERROR)  # a client that is gone is no news
        threading.excepthook = _thread_failed

    def _signed(self, logger: Any, method: str, line: Line) -> Line:
        """With whom it comes from, where there are several."""
        return line if self._worker is None else {**line, "worker": self._worker}

    async def run(self) -> None:
        """Sum up what was kept back, for ever."""
        asyncio.get_running_loop().set_exception_handler(_loop_failed)
        while True:
            await asyncio.sleep(WINDOW_SECONDS / 2)
            self._flood.sum_up()

    def close(self) -> None:
        """Say the last."""
        self._flood.sum_up(everything=True)
        self._lines.close()


def open_logs(
    level: LogLevel,
    monotonic: Callable[[], float],
    worker: int | None = None,
    *,
    forks: bool = False,
) -> Logs:
    """The log on stderr; see :class:`Logs`."""
    return Logs(level, sys.stderr, monotonic, worker, forks=forks)


def _explained(logger: Any, method: str, line: Line) -> Line:
    """An exception as fields."""
    given = line.pop("exc_info", None)
    error = sys.exc_info()[1] if given is True else given
    if not isinstance(error, BaseException):
        return line
    line["error"] = type(error).__name__
    if isinstance(error, SAFE):
        line["why"] = str(error)[:MAX_WHY]
    frames = traceback.extract_tb(error.__traceback__)[::-1][:MAX_FRAMES]
    if frames:
        places = (f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in frames)
        line["trace"] = " < ".join(places)
    return line


def _declared(logger: Any, method: str, line: Line) -> Line:
    """The fields that this event may have and that have a value."""
    if line["event"] not in EVENTS:
        line["event"] = "unlisted"
    fields = (*ALWAYS, *EVENTS[line["event"]].fields)
    return {name: line[name] for name in fields if line.get(name) not in (None, "")}


class _Libraries(logging.Handler):
    """What libraries complain of: the words that stand in their code, not what they put in."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        says = record.msg if isinstance(record.msg, str) and record.args else None
        log = structlog.get_logger("kibitz.library")
        log.warning("library", logger=record.name, says=says, exc_info=error)


def _loop_failed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    log = structlog.get_logger("kibitz.loop")
    log.error("loop failed", exc_info=context.get("exception"))


def _thread_failed(failed: threading.ExceptHookArgs) -> None:
    log = structlog.get_logger("kibitz.loop")
    log.error("loop failed", exc_info=failed.exc_value)
