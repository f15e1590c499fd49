"""What the tests of the clients share."""

import asyncio
import io
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TextIO

import pytest
import structlog
from clients.commands import Command
from servers import Running, running_server


@pytest.fixture(autouse=True, scope="session")
def signals_end_what_we_start() -> None:
    """Also where a shell started us in the background, or nohup: they have some ignored."""
    for number, handler in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGHUP, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


class _Beside(io.StringIO):
    """An output that stays what it is, whatever becomes of ``sys.stdout``."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self.write = out.write  # type: ignore[method-assign]
        self.flush = out.flush  # type: ignore[method-assign]


@pytest.fixture(autouse=True, scope="session")
def logs_are_no_answers() -> Iterator[None]:
    """What a server of the test's own says is not taken for what a command prints here."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(_Beside(sys.stdout)))
    yield
    structlog.reset_defaults()


@pytest.fixture
def unused_port() -> int:
    """A port of 127.0.0.1 on which nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@pytest.fixture
async def server() -> AsyncIterator[Running]:
    """A server of its own with its rooms in memory."""
    async with running_server() as running:
        yield running


@pytest.fixture
def kibitz(server: Running, tmp_path: Path) -> Command:
    """The command, talking to that server."""
    return Command(server.url, tmp_path)


@pytest.fixture
async def no_task_is_left() -> AsyncIterator[None]:
    """Whatever a client has begun has ended with it."""
    before = asyncio.all_tasks()
    yield
    left = asyncio.all_tasks() - before
    assert not [task for task in left if "kibitz client" in task.get_name()]
