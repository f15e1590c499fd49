"""A real server in the test's own loop, on a free port of 127.0.0.1."""

import contextlib
import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from kibitz.server.app import App, running
from kibitz.server.limits.rates import Rate
from kibitz.server.log.log import EventLog
from kibitz.server.log.memory import MemoryLog
from kibitz.server.settings import Access, Keeping, Limits, Listening, Operating, Settings
from kibitz.server.world import World

ANY = Rate(per_second=1e6, burst=1e6)
"""As many as one likes."""
_NO_RATE: dict[str, Any] = {
    each.name: ANY for each in fields(Limits) if isinstance(each.default, Rate)
}
UNLIMITED = replace(Limits(), **_NO_RATE)
"""No rate is reached by a test, unless it says some."""
FREELY = tuple(
    text for name in _NO_RATE for text in (f"--{name.replace('_', '-')}", f"{ANY.burst:.0f}")
)
"""The same for a server process."""
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
    limits: Limits | None = None,
    access: Access | None = None,
    operating: Operating = USUAL,
    tls: tuple[Path | None, Path | None] = (None, None),
    admin_key: str | None = None,
    keep: int | None = None,
) -> AsyncIterator[Running]:
    """Start a server, stop it at the end; no test reaches its limits unless it says some."""
    limits = limits or replace(UNLIMITED, requests=requests, says=says)
    listening = Listening("127.0.0.1", port, *tls)
    chosen = Settings(
        listening, limits, access or Access(), operating, admin_key, keeping=Keeping(keep=keep)
    )
    async with running(chosen, log or MemoryLog(), world) as app:
        at = f"127.0.0.1:{app.port}"
        s = "s" if tls[0] else ""
        yield Running(app, f"ws{s}://{at}/ws", f"http{s}://{at}")
