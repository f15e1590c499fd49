"""Servers as processes of their own, for measuring: kibitz, and the plain library broadcast().

python tests/bench/processes.py kibitz [FILE]    prints its port; in memory without FILE
python tests/bench/processes.py plain            prints its port
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

from kibitz.server import runtime
from kibitz.server.app import Settings, running
from kibitz.server.log_memory import MemoryLog
from kibitz.server.log_sqlite import SqliteLog
from kibitz.server.throttle import Rate
from kibitz.server.world import World

WORLD = World(lambda: time.time_ns() // 1_000_000, time.monotonic, os.urandom)
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
    settings = Settings(port=0, requests=Rate(1e9, 1e9), says=Rate(1e9, 1e9))
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


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    asyncio.run(_plain() if kind == "plain" else _kibitz(rest[0] if rest else None))
