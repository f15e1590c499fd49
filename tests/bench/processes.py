"""Servers as processes of their own, for measuring: kibitz, and the plain library broadcast().

python tests/bench/processes.py kibitz [FILE] [--each] [--loop uvloop]    prints its port
python tests/bench/processes.py plain                                    prints its port
"""

import argparse
import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

from kibitz.server.app import running
from kibitz.server.limits.rates import Rate
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.operation import runtime
from kibitz.server.room import fanout
from kibitz.server.settings import Limits, Listening, Settings
from kibitz.server.world import World

WORLD = World(lambda: time.time_ns() // 1_000_000, time.monotonic, os.urandom)
_NO_RATE: dict[str, Any] = {
    each.name: Rate(1e9, 1e9) for each in fields(Limits) if isinstance(each.default, Rate)
}
UNLIMITED = replace(Limits(), **_NO_RATE)
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """A server under measurement."""

    pid: int
    port: int

    def cpu(self) -> float:
        """Seconds of processor time used so far, user and system."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@contextlib.contextmanager
def started(*arguments: str) -> Iterator[Process]:
    """Start a server, wait for its port, stop it at the end."""
    command = [sys.executable, __file__, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Process(process.pid, int(process.stdout.readline()))
        finally:
            process.terminate()


async def _until_terminated() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()


async def _kibitz(path: str | None) -> None:
    runtime.set_up()
    log = SqliteLog(path) if path else MemoryLog()
    settings = Settings(Listening(port=0), UNLIMITED)
    async with running(settings, log, WORLD) as app:
        runtime.settle()
        print(app.port, flush=True)
        await _until_terminated()


async def _plain() -> None:
    everybody: set[ServerConnection] = set()

    async def handle(socket: ServerConnection) -> None:
        everybody.add(socket)
        with contextlib.suppress(ConnectionClosed):
            async for message in socket:
                broadcast(everybody, message)
        everybody.discard(socket)

    async with serve(handle, "127.0.0.1", 0, compression=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        await _until_terminated()


def _loop(name: str) -> Callable[[], asyncio.AbstractEventLoop]:
    if name == "uvloop":
        return cast(Callable[[], asyncio.AbstractEventLoop], import_module(name).new_event_loop)
    if name == "aiofastnet":
        factory = import_module(name).loop_factory()
        return cast(Callable[[], asyncio.AbstractEventLoop], factory)
    return asyncio.new_event_loop


def main() -> None:
    """Run one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["kibitz", "plain"])
    parser.add_argument("file", nargs="?", help="of the log; in memory without one")
    parser.add_argument("--each", action="store_true", help="tell a crowd every event by itself")
    parser.add_argument("--loop", default="asyncio", choices=["asyncio", "uvloop", "aiofastnet"])
    chosen = parser.parse_args()
    if chosen.each:
        fanout.GATHER_SECONDS = 0.0
    with asyncio.Runner(loop_factory=_loop(chosen.loop)) as runner:
        runner.run(_plain() if chosen.kind == "plain" else _kibitz(chosen.file))


if __name__ == "__main__":
    main()
