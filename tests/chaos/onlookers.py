"""Many who look on in a process of their own, which can be stopped: they cost next to nothing.

    python -m chaos.onlookers URL ROOM COUNT [--light]      lines in, an answer each

``have SEQ`` waits until everybody has an event, and counts what they have; ``late`` tells how long
comments that say when they were sent took to arrive, since it was asked last. With ``--light``
nothing is made of what comes but that.
"""

import argparse
import asyncio
import json
import re
import socket as sockets
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from chaos.crowd import NAME
from raw import PONG, frame, request, upgrade

from kibitz.protocol.session import ClientSession, Missed
from kibitz.protocol.wire import Encoding
from kibitz.server import app

ENCODING = Encoding.MSGPACK
RECEIVE_BUFFER = 8192
"""Bytes that the kernel is asked to hold of each: little, so that who is stopped is soon behind."""
AT_ONCE = 20
WELCOME = b"\xa7welcome"
PING = b"\x89\0"
PONGS = frame(PONG)
SENT = re.compile(rb"sent ([0-9]+) ")
"""In a comment: when it was sent, monotonic nanoseconds."""
GRAIN = 1e-4
"""Seconds to which latenesses are rounded."""


class Onlooker(asyncio.Protocol):
    """One connection."""

    def __init__(self, url: str, room: str, late: Counter[int] | None) -> None:
        self.session = ClientSession(ENCODING)
        self.fresh_views = 0
        """How often it was given a position because it had fallen behind."""
        self._url = url
        self._room = room
        self._late = late
        self._buffer = bytearray()
        self._is_open = False
        self.joined: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.news = asyncio.Event()

    @property
    def head(self) -> tuple[int, str]:
        """What it has."""
        mirror = self.session.mirrors[self._room]
        return mirror.seq, mirror.hash

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for everything at once but for what has to wait for the handshake."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(upgrade(self._url, ENCODING))

    def data_received(self, data: bytes) -> None:
        """Take what has come whole."""
        if self._late is not None and self._is_open:
            now = time.monotonic_ns()
            for sent in SENT.findall(data):
                self._late[round((now - int(sent)) / 1e9 / GRAIN)] += 1
            if PING in data:
                self._transport.write(PONGS)
            if self.joined.done():
                return
        self._buffer += data
        if not self._is_open:
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return
            assert b" 101 " in head, head
            self._is_open, self._buffer = True, rest
            self._transport.write(self._greeting())
        self._cut()

    def _greeting(self) -> bytes:
        """Say hello, and go on where it was, if it was here before."""
        hello = request(ENCODING, "hello", i=1, name=NAME)
        mirror = self.session.mirrors.get(self._room)
        known = {"from_": mirror.seq, "hash": mirror.hash} if mirror else {}
        return hello + request(ENCODING, "join", i=2, room=self._room, **known)

    def _cut(self) -> None:
        buffer = self._buffer
        while len(buffer) >= 2:
            size, start = buffer[1], 2
            if size == 126:
                size, start = int.from_bytes(buffer[2:4]), 4
            elif size == 127:
                size, start = int.from_bytes(buffer[2:10]), 10
            if len(buffer) < start + size:
                return
            opcode, payload = buffer[0] & 15, bytes(buffer[start : start + size])
            del buffer[: start + size]
            if opcode == 9:
                self._transport.write(PONGS)
            elif opcode == 2 and WELCOME not in payload[:40]:
                self._take(payload)

    def _take(self, payload: bytes) -> None:
        met = self.session.receive(payload)
        assert not isinstance(met, Missed), met
        self.fresh_views += b"\xa4view" in payload[:12]
        if not self.joined.done() and self._room in self.session.mirrors:
            self.joined.set_result(None)
        self.news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """That must not happen."""
        print(f"an onlooker was dropped: {exc}", file=sys.stderr)

    async def has(self, seq: int) -> tuple[int, str]:
        """Wait until it has an event; what it has then."""
        while self.head[0] < seq:
            self.news.clear()
            await self.news.wait()
        return self.head


async def _come(
    url: str, room: str, late: Counter[int] | None, slots: asyncio.Semaphore
) -> Onlooker:
    at = urlsplit(url)
    async with slots:
        sock = sockets.socket()
        sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, RECEIVE_BUFFER)
        sock.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(sock, (at.hostname, at.port))
        _, one = await loop.create_connection(lambda: Onlooker(url, room, late), sock=sock)
        await one.joined
        return one


async def _work(url: str, room: str, count: int, light: bool) -> None:
    loop, slots = asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)
    late: Counter[int] | None = Counter() if light else None
    everybody = await asyncio.gather(*(_come(url, room, late, slots) for _ in range(count)))
    print(json.dumps(count), flush=True)
    while words := (await loop.run_in_executor(None, sys.stdin.readline)).split():
        answer: Any = None
        if words[0] == "late" and late is not None:
            answer = sorted(late.items())
            late.clear()
        elif words[0] == "have":
            heads = await asyncio.gather(*(one.has(int(words[1])) for one in everybody))
            answer = [[*head, many] for head, many in Counter(heads).items()]
        elif words[0] == "views":
            answer = sum(one.fresh_views for one in everybody)
        print(json.dumps(answer), flush=True)


class Onlookers:
    """A process of them."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def ask(self, *words: object) -> Any:
        """What it answers to a line; without words, its first."""
        assert self.process.stdin and self.process.stdout
        if words:
            self.process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        return json.loads(await self.process.stdout.readline())


@asynccontextmanager
async def onlookers(
    url: str, room: str, processes: int, each: int, *, light: bool = False
) -> AsyncIterator[list[Onlookers]]:
    """So many processes of so many each; killed at the end, stopped or not."""
    pipe = asyncio.subprocess.PIPE
    async with AsyncExitStack() as stack:
        made = []
        for _ in range(processes):
            command = [sys.executable, "-m", "chaos.onlookers", url, room, str(each)]
            process = await asyncio.create_subprocess_exec(
                *command, *(["--light"] if light else []), stdin=pipe, stdout=pipe, limit=2**24
            )
            stack.push_async_callback(_end, process)
            made.append(Onlookers(process))
        await asyncio.gather(*(one.ask() for one in made))
        yield made


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.communicate()


# In the server's process


def prepare() -> None:
    """Let the kernel hold little of what is sent to anybody."""
    start = app.App.start

    async def started(self: app.App) -> None:
        await start(self)
        assert self._server is not None
        for sock in self._server.sockets:
            sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, RECEIVE_BUFFER)

    app.App.start = started  # type: ignore[method-assign]


def main() -> None:
    """Look on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("room")
    parser.add_argument("count", type=int)
    parser.add_argument("--light", action="store_true")
    chosen = parser.parse_args()
    asyncio.run(_work(chosen.url, chosen.room, chosen.count, chosen.light))


if __name__ == "__main__":
    main()
