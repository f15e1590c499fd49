"""A real server in the test's own loop, on a free port of 127.0.0.1."""

import contextlib
import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from kibitz.server.app import App, running
from kibitz.server.log import EventLog
from kibitz.server.log_memory import MemoryLog
from kibitz.server.settings import Access, Limits, Listening, Operating, Settings
from kibitz.server.throttle import Rate
from kibitz.server.world import World

ANY = Rate(per_second=1e6, burst=1e6)
"""As many as one likes."""
USUAL = Operating()
REAL = World(lambda: time.time_ns() // 1_000_000, time.monotonic, os.urandom)


@dataclass(frozen=True)
class Running:
    """A server that listens: its addresses and its parts."""

    app: App
    url: str
    http: str


@contextlib.asynccontextmanager
async def running_server(
    log: EventLog | None = None,
    world: World = REAL,
    *,
    port: int = 0,
    requests: Rate = ANY,
    says: Rate = ANY,
    access: Access | None = None,
    operating: Operating = USUAL,
    admin_key: str | None = None,
) -> AsyncIterator[Running]:
    """Start a server, stop it at the end; no test reaches its limits unless it says some."""
    limits = Limits(requests=requests, says=says)
    chosen = Settings(Listening(port=port), limits, access or Access(), operating, admin_key)
    async with running(chosen, log or MemoryLog(), world) as app:
        at = f"127.0.0.1:{app.port}"
        yield Running(app, f"ws://{at}/ws", f"http://{at}")
