"""A real server in the test's own loop, on a free port of 127.0.0.1.

With `KIBITZ_NODES=2` in the environment it is two of them on one NATS server: whoever comes gets
the next one. A test that brings a log of its own has one server all the same.
"""

import atexit
import contextlib
import functools
import os
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, fields, replace
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from balancing import balanced
from talk import eventually

from kibitz.server.app import App, running
from kibitz.server.limits.rates import Rate
from kibitz.server.log.log import EventLog
from kibitz.server.log.memory import MemoryLog
from kibitz.server.settings import Access, Keeping, Limits, Listening, Operating, Settings
from kibitz.server.world import World

if TYPE_CHECKING:
    from brokers import NatsServer

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
NODES = int(os.environ.get("KIBITZ_NODES", "1"))
REAL = World(lambda: time.time_ns() // 1_000_000, time.monotonic, os.urandom)


EACH_COUNTS = pytest.mark.one_server("what is counted and limited is so by each server for itself")
EACH_HAS = pytest.mark.one_server("what one server has and does is looked at, and only that one")
EACH_ENDS = pytest.mark.one_server("one server is ended, held up or cut off")
EACH_LISTS = pytest.mark.one_server("an operator is shown those who are on the server that he asks")
"""Why a test says nothing of several servers."""


@dataclass(frozen=True)
class Running:
    """A server that listens: its addresses and its parts."""

    app: App
    url: str
    http: str
    apps: tuple[App, ...] = ()
    """All of them, if there are several."""

    @property
    def alone(self) -> bool:
        """Whether there is one: what each server counts for itself is all there is."""
        return len(self.apps) == 1

    async def abreast(self) -> None:
        """Let servers know at once what they know of each other within a second."""
        if self.alone:
            return
        pairs = list(permutations(self.apps, 2))
        await eventually(lambda: all(_has_read(*two) for two in pairs))
        for app in self.apps:
            app._neighbours.tick()
            await app._bans.refresh()
        await eventually(lambda: all(_has_read(*two) and _has_heard(*two) for two in pairs))


def _has_read(one: App, other: App) -> bool:
    """Whether one server knows what the other has written."""
    rooms = ((one.rooms.peek(room.id), room) for room in other.rooms)
    return all(here is None or here.seq >= there.seq for here, there in rooms)


def _has_heard(one: App, other: App) -> bool:
    """Whether one server knows what the other has said."""
    said = one.rooms.directory.elsewhere._servers[other.rooms.directory.elsewhere.name]
    return said.number == other._neighbours._number


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
    nodes: int | None = None,
) -> AsyncIterator[Running]:
    """Start a server, stop it at the end; no test reaches its limits unless it says some.

    Where it has no log of its own it is as many servers as `nodes` says, or `NODES`.
    """
    nodes = NODES if nodes is None else nodes
    limits = limits or replace(UNLIMITED, requests=requests, says=says)
    several = nodes > 1 and log is None
    listening = Listening("127.0.0.1", 0 if several else port, *tls)
    chosen = Settings(
        listening, limits, access or Access(), operating, admin_key, keeping=Keeping(keep=keep)
    )
    s = "s" if tls[0] else ""
    async with contextlib.AsyncExitStack() as last, contextlib.AsyncExitStack() as stack:
        if several:
            apps = await stack.enter_async_context(_several(chosen, world, nodes))
            port = await last.enter_async_context(balanced([app.port for app in apps], port))
        else:
            apps = [await stack.enter_async_context(running(chosen, log or MemoryLog(), world))]
            port = apps[0].port
        at = f"127.0.0.1:{port}"
        yield Running(apps[0], f"ws{s}://{at}/ws", f"http{s}://{at}", tuple(apps))


@contextlib.asynccontextmanager
async def _several(chosen: Settings, world: World, count: int) -> AsyncIterator[list[App]]:
    """Servers on the same log."""
    from brokers import nats_logs

    async with nats_logs(_nats(), count) as logs, contextlib.AsyncExitStack() as stack:
        yield [await stack.enter_async_context(running(chosen, log, world)) for log in logs]


@functools.cache
def _nats() -> "NatsServer":
    """One NATS server for all tests of a process; its files are gone at the end."""
    from brokers import NatsServer

    folder = tempfile.TemporaryDirectory()
    server = NatsServer(Path(folder.name))
    server.start()
    atexit.register(folder.cleanup)
    atexit.register(server.stop)
    return server
