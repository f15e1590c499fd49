"""A thin client for tests: plain dicts over a raw WebSocket, in both encodings.

It numbers requests, hands out each answer once and keeps every frame; it knows nothing else, so
that what a test sees is what the server sent.
"""

import asyncio
import contextlib
import json
import socket as sockets
import ssl
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import urlsplit

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from kibitz.protocol.replies import Reply
from kibitz.protocol.wire import Encoding, Frame, decode_reply

PATIENCE = 100.0
"""Seconds until a test gives up waiting: as long as it has, for a machine may be busy."""

Plain = dict[str, Any]


def pack(encoding: Encoding, plain: object) -> Frame:
    """Anything as a frame."""
    if encoding is Encoding.JSON:
        return json.dumps(plain, ensure_ascii=False)
    packed: bytes = msgpack.packb(plain)
    return packed


def unpack(frame: Frame) -> Plain:
    """What a frame says."""
    said: Plain = json.loads(frame) if isinstance(frame, str) else msgpack.unpackb(frame)
    return said


class Talk:
    """One connection. ``frames``, ``pushes`` and ``strays`` (answers without ``i``) only grow."""

    def __init__(self, socket: ClientConnection, encoding: Encoding) -> None:
        self.socket = socket
        self.encoding = encoding
        self.frames: list[Frame] = []
        self.pushes: list[Plain] = []
        self.strays: list[Plain] = []
        self.answers: dict[int | str, Plain] = {}
        self.id = self.token = ""
        self.code: int | None = None
        """The close code, once the connection is closed."""
        self._last = 0
        self._news = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None

    def read(self) -> asyncio.Task[None]:
        """Begin to read, in the background; the task ends with the connection."""
        self._reader = self._reader or asyncio.create_task(self._read())
        return self._reader

    async def _read(self) -> None:
        try:
            while True:
                self._take(await self.socket.recv())
        except ConnectionClosed:
            self.code = self.socket.close_code or 0
        finally:
            self.code = -1 if self.code is None else self.code
            self._news.set()

    def _take(self, frame: Frame) -> None:
        self.frames.append(frame)
        said = unpack(frame)
        if said.get("i") is not None:
            assert said["i"] not in self.answers, f"a second answer: {said}"
            self.answers[said["i"]] = said
        elif said["t"] in ("event", "presence", "lobby", "view"):
            self.pushes.append(said)
        else:
            self.strays.append(said)
        self._news.set()

    @property
    def replies(self) -> list[Reply]:
        """Every frame as its declared type."""
        return [reply for frame in self.frames if (reply := decode_reply(frame))]

    async def until(self, done: Callable[[], object]) -> None:
        """Wait until something is so; looked at after every frame."""
        async with asyncio.timeout(PATIENCE):
            while not done():
                if self.code is not None:
                    raise ConnectionError(f"closed with {self.code}")
                self._news.clear()
                await self._news.wait()

    async def closed(self) -> int:
        """The code with which the server closes, or has closed, the connection."""
        async with asyncio.timeout(PATIENCE):
            while self.code is None:
                self._news.clear()
                await self._news.wait()
        return self.code

    async def send(self, plain: object) -> None:
        """Send anything, well formed or not."""
        await self.socket.send(pack(self.encoding, plain))

    async def ask(self, t: str, i: int | str | None = None, **fields: object) -> Plain:
        """The answer to a request, whatever it is; a ``None`` field is left out.

        A field is written as in Python: ``from_`` is ``from`` on the wire.
        """
        if i is None:
            self._last += 1
            i = self._last
        self.answers.pop(i, None)
        named = {key.rstrip("_"): value for key, value in fields.items() if value is not None}
        await self.send({"t": t, "i": i, **named})
        await self.until(lambda: i in self.answers)
        return self.answers[i]

    async def ok(self, t: str, i: int | str | None = None, **fields: object) -> Plain:
        """The answer to a request that must be granted."""
        answer = await self.ask(t, i, **fields)
        assert answer["t"] != "error", answer
        return answer

    async def refused(
        self, code: str, t: str, i: int | str | None = None, **fields: object
    ) -> Plain:
        """The error to a request that must be refused for this reason."""
        answer = await self.ask(t, i, **fields)
        assert (answer["t"], answer.get("code")) == ("error", code), answer
        return answer

    async def stray(self) -> Plain:
        """The next answer without ``i``."""
        await self.until(lambda: self.strays)
        return self.strays.pop(0)

    async def settle(self) -> None:
        """Wait until everything told before this moment is here."""
        await self.ok("ping")

    def events(self, room: str | None = None) -> list[Plain]:
        """The events pushed so far."""
        pushed = [push for push in self.pushes if push["t"] == "event"]
        return [event for event in pushed if room in (None, event["room"])]

    async def drop(self) -> None:
        """Cut the connection without a close frame."""
        self.socket.transport.abort()
        await self.closed()


@contextlib.asynccontextmanager
async def connected(
    url: str,
    encoding: Encoding = Encoding.JSON,
    *,
    offer: list[str] | None = None,
    receive_buffer: int | None = None,
    forwarded: str | None = None,
    trust: ssl.SSLContext | None = None,
) -> AsyncIterator[Talk]:
    """A connection that has said nothing yet and does not read.

    Args:
        url: The server's socket.
        encoding: What is spoken, and offered if ``offer`` does not say something else.
        offer: Sub-protocols to offer; an empty list offers none.
        receive_buffer: Bytes that the kernel may hold for a client that does not read.
        forwarded: The address for which a proxy asks.
        trust: Whose certificates are good, for ``wss``.

    """
    offered = [encoding.value] if offer is None else offer
    subprotocols = [Subprotocol(name) for name in offered] or None
    at = urlsplit(url)
    sock = sockets.socket()
    if receive_buffer is not None:
        sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, receive_buffer)
    sock.setblocking(False)
    try:
        loop = asyncio.get_running_loop()
        await loop.sock_connect(sock, (at.hostname, at.port))
        socket = await connect(
            url,
            sock=sock,
            ssl=trust,
            subprotocols=subprotocols,
            compression=None,
            max_size=None,
            max_queue=4,
            close_timeout=1,
            open_timeout=PATIENCE,
            ping_interval=None,
            proxy=None,
            additional_headers=None if forwarded is None else {"X-Forwarded-For": forwarded},
        )
    except BaseException:
        sock.close()
        raise
    talk = Talk(socket, encoding)
    try:
        yield talk
    finally:
        socket.transport.abort()
        await talk.read()


@contextlib.asynccontextmanager
async def talking(
    url: str,
    encoding: Encoding = Encoding.JSON,
    *,
    name: str | None = None,
    token: str | None = None,
    receive_buffer: int | None = None,
    forwarded: str | None = None,
    trust: ssl.SSLContext | None = None,
) -> AsyncIterator[Talk]:
    """A connection that has said hello and reads."""
    how = {"receive_buffer": receive_buffer, "forwarded": forwarded, "trust": trust}
    async with connected(url, encoding, **how) as talk:  # type: ignore[arg-type]
        talk.read()
        welcome = await talk.ok("hello", name=name, token=token)
        talk.id, talk.token = welcome["you"]["id"], welcome["token"]
        yield talk


async def eventually(done: Callable[[], object]) -> None:
    """Wait until something is so that no message tells of."""
    async with asyncio.timeout(PATIENCE):
        while not done():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def fetch(
    http: str, path: str, token: str | None = None, forwarded: str | None = None
) -> tuple[int, bytes]:
    """Status and body of a GET request."""
    at = urlsplit(http)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    more = f"Authorization: Bearer {token}\r\n" if token else ""
    more += f"X-Forwarded-For: {forwarded}\r\n" if forwarded else ""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {at.netloc}\r\n{more}\r\n".encode())
    async with asyncio.timeout(PATIENCE):
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body
