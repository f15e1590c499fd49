"""What the tests of the clients share."""

import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from clients.commands import Command
from servers import Running, running_server


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_ends_what_we_start() -> None:
    """Also where a shell started us in the background, which ignores SIGINT for us and ours."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
