"""Many real clients who follow one room, are dropped together and come back each by himself."""

import asyncio
import contextlib
import signal
import socket as sockets
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack
from functools import partial

import msgspec

from kibitz.clients.pushes import Link, Pushes
from kibitz.clients.session import Client, connect
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.requests import Ping
from kibitz.protocol.wire import Encoding
from kibitz.server import app
from kibitz.server.connection import Connection

NAME = "one of many"
"""How those are called whom :func:`prepare` lets the server drop."""
AT_ONCE = 20
"""Connections of a process that are being made at the same time, at first."""

Sight = tuple[int, str, bytes]
"""What a client has of a room: number, hash, view."""


def sight(mirror: Mirror) -> Sight:
    """What a client has."""
    return mirror.seq, mirror.hash, msgspec.msgpack.encode(mirror.view)


class Crowd:
    """So many clients of one process."""

    def __init__(self, clients: list[Client], mirrors: list[Mirror]) -> None:
        self.clients = clients
        self._mirrors = mirrors
        self._news: list[Pushes] = []

    def expect(self) -> None:
        """They are about to be dropped."""
        self._news = [client.events() for client in self.clients]

    async def live_again(self, since: float) -> list[float]:
        """Wait until all are; seconds after ``since`` (monotonic), for each.

        Live is who has been answered behind everything that he missed.
        """
        pairs = zip(self.clients, self._news, strict=True)
        return await asyncio.gather(*(_live_again(client, news, since) for client, news in pairs))

    async def sights(self, seq: int) -> Counter[Sight]:
        """What they have, once each has come to an event; who has the same counts as one."""
        pairs = zip(self.clients, self._mirrors, strict=True)
        await asyncio.gather(*(c.until(partial(_has, m, seq)) for c, m in pairs))
        return Counter(map(sight, self._mirrors))


def _has(mirror: Mirror, seq: int) -> bool:
    return mirror.seq >= seq


async def _live_again(client: Client, news: Pushes, since: float) -> float:
    async for push in news:
        if push == Link(up=True):
            await client.request(Ping())
            return time.monotonic() - since
    raise AssertionError("the talk is over")


@contextlib.asynccontextmanager
async def crowd(url: str, room: str, count: int) -> AsyncIterator[Crowd]:
    """So many, who are there."""
    slots = asyncio.Semaphore(AT_ONCE)
    async with AsyncExitStack() as stack:

        async def come(number: int) -> tuple[Client, Mirror]:
            encoding = list(Encoding)[number % 2]
            async with slots:
                client = connect(url, name=NAME, encoding=encoding, wait=True)
                await stack.enter_async_context(client)
                return client, await client.join(room)

        both = await asyncio.gather(*map(come, range(count)))
        yield Crowd([client for client, _ in both], [mirror for _, mirror in both])


# In the server's process


def prepare() -> None:
    """SIGUSR1 resets every connection of somebody with that name."""
    start = app.App.start

    async def started(self: app.App) -> None:
        await start(self)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, partial(_reset, self._connections))

    app.App.start = started  # type: ignore[method-assign]


def _reset(connections: Iterable[Connection]) -> None:
    linger = (1).to_bytes(4, "little") + bytes(4)
    for connection in list(connections):
        if connection.identity.name == NAME:
            transport = connection.socket.transport
            sock = transport.get_extra_info("socket")
            sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, linger)
            transport.abort()
