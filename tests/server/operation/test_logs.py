"""What the log says of a flood, of exceptions, of libraries; and that nobody waits for it."""

import asyncio
import io
import json
import logging
import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from talk import eventually

from kibitz.server.log.log import LogFailure
from kibitz.server.operation.flood import MOST, WINDOW_SECONDS
from kibitz.server.operation.logs import MAX_LINES, AtOnce, Lines, LogLevel, Logs


class Book:
    """A log into memory, with a clock of its own."""

    def __init__(self, level: LogLevel = LogLevel.DEBUG) -> None:
        self.now = 100.0
        self.stream = io.StringIO()
        self.logs = Logs(level, self.stream, lambda: self.now)
        self.log = structlog.get_logger()

    def lines(self) -> list[dict[str, Any]]:
        """All that was said; nothing more is."""
        self.logs.close()
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


@pytest.fixture
def book() -> Iterator[Book]:
    root, hook = list(logging.getLogger().handlers), threading.excepthook
    made = Book()
    yield made
    made.logs.close()
    structlog.reset_defaults()
    logging.basicConfig(handlers=root, force=True)
    threading.excepthook = hook


def test_a_line_has_what_belongs_to_it_and_no_more(book: Book) -> None:
    book.log.info("closed", code=4408, identity="tybqmtjzgvis", reason="too slow", token="kbz_x")
    book.log.info("closed", code=4408, identity="", address=None)
    book.log.info("what is this", token="kbz_x")
    first, second, third = book.lines()
    assert list(first) == ["timestamp", "level", "event", "identity", "code", "reason"]
    assert list(second) == ["timestamp", "level", "event", "code"]
    assert (third["event"], list(third)) == ("unlisted", ["timestamp", "level", "event"])


@pytest.mark.parametrize("level", list(LogLevel))
def test_a_level_is_the_least_that_is_told(level: LogLevel, book: Book) -> None:
    other = Book(level)
    for each in LogLevel:
        getattr(other.log, each.value)("tick failed")
    told = [line["level"] for line in other.lines()]
    assert told == [each.value for each in list(LogLevel)[list(LogLevel).index(level) :]]


def test_a_flood_is_a_few_lines_and_numbers(book: Book) -> None:
    for number in range(1000):
        book.log.info("closed", code=4401, identity=f"i{number}")
        book.log.info("closed", code=4429)
        book.log.error("tick failed")
    book.log.info("draining")
    lines = book.lines()
    assert len(lines) == 3 * MOST + 1 + 3
    summed = {(line["of"], line.get("code")): line for line in lines if line["event"] == "repeated"}
    assert set(summed) == {("closed", "4401"), ("closed", "4429"), ("tick failed", None)}
    assert {line["count"] for line in summed.values()} == {1000 - MOST}
    assert summed["tick failed", None]["level"] == "error", "an alarm on errors sees them"


def test_after_a_while_a_kind_is_told_again(book: Book) -> None:
    for _ in range(3):
        for _ in range(MOST + 7):
            book.log.info("closed", code=4401)
        book.now += WINDOW_SECONDS
    lines = book.lines()
    counts = [line["count"] for line in lines if line["event"] == "repeated"]
    assert counts == [7, 7, 7]
    assert len(lines) == 3 * (MOST + 1)


async def test_what_was_kept_back_is_told_though_nothing_more_comes(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.server.operation.logs.WINDOW_SECONDS", 0.01)
    summing = asyncio.create_task(book.logs.run())
    for _ in range(MOST + 5):
        book.log.info("closed", code=4401)
    book.now += WINDOW_SECONDS
    await eventually(lambda: '"repeated"' in book.stream.getvalue())
    summing.cancel()
    assert book.lines()[-1]["count"] == 5


def fail(error: Exception) -> None:
    """Raise an error, from a place with a name."""
    raise error


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (KeyError("Qh"), None),
        (ValueError("the token is kbz_secret"), None),
        (LogFailure("disk I/O error"), "disk I/O error"),
        (sqlite3.OperationalError("database is full"), "database is full"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
    ],
)
def test_of_an_exception_its_type_and_place(book: Book, error: Exception, why: str | None) -> None:
    try:
        fail(error)
    except Exception:
        book.log.exception("tick failed")
    (line,) = book.lines()
    assert line["error"] == type(error).__name__ and line.get("why") == why
    assert re.match(r"test_logs\.py:\d+ fail < test_logs\.py:\d+ test_", line["trace"])


async def test_what_nobody_waited_for_and_libraries(book: Book) -> None:
    loop = asyncio.get_running_loop()
    summing = asyncio.create_task(book.logs.run())
    await asyncio.sleep(0)
    loop.call_soon(fail, ValueError("kbz_secret"))
    await asyncio.sleep(0)
    thread = threading.Thread(target=fail, args=[KeyError("Qh")])
    thread.start()
    thread.join()
    logging.getLogger("some.library").error("cannot do %s", "kbz_secret")
    logging.getLogger("some.library").error("cannot do kbz_secret")
    logging.getLogger("websockets.server").error("opening handshake failed")
    summing.cancel()
    loop.set_exception_handler(None)
    lines = book.lines()
    assert [line["event"] for line in lines] == ["loop failed"] * 2 + ["library"] * 2
    assert [line.get("error") for line in lines[:2]] == ["ValueError", "KeyError"]
    assert lines[2]["says"] == "cannot do %s" and "says" not in lines[3]
    assert "kbz_secret" not in book.stream.getvalue() and "Qh" not in book.stream.getvalue()


def test_nobody_waits_for_a_reader_who_does_not_read() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), os.fdopen(writing, "w") as stream:
        lines = Lines(stream)
        for _ in range(2 * MAX_LINES):
            lines.msg("x" * 100)
        os.set_blocking(reading, False)
        while lines._queue.qsize():  # let the thread end
            with open(os.dup(reading), "rb", buffering=0) as some:
                some.read(1 << 16)
        lines.close()
        assert not lines._thread.is_alive()


def test_a_reader_who_has_gone_does_not_matter() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    stream = os.fdopen(writing, "w")
    lines = Lines(stream)
    lines.msg("hello")
    lines.msg("hello")
    lines.close()
    assert not lines._thread.is_alive()
    with pytest.raises(BrokenPipeError):
        stream.close()


def test_a_process_that_forks_waits_for_no_reader() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as reader, os.fdopen(writing, "w") as stream:
        lines = AtOnce(stream)
        for _ in range(1000):
            lines.msg("x" * 999)
        lines.close()
        os.set_blocking(reading, False)
        assert len(reader.read1(2**20)) in range(1000, 2**20)
