"""Connections that cost the load little: WebSocket frames read off a socket and counted.

Promises: each frame has the time at which it came, on ``time.monotonic``; the event of a move is
counted without being decoded; a request that the server's rate refuses is repeated when it says.
Never: a mirror, a check of what a frame says.
"""

import asyncio
import base64
import os
import ssl
import time
from typing import Any
from urllib.parse import urlsplit

import msgpack

from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.limits import MSGPACK_SUBPROTOCOL

Plain = dict[str, Any]

MOVED = b"\xa4kind\xa4move"
"""What stands near the front of a move's event, in msgpack, and of no other message."""
FRONT = 160
"""Bytes in which it stands."""
CLOSE = b"\x88\x82\0\0\0\0\x03\xe8"
CLOSE_SECONDS = 2.0
"""How long the server has to answer a close."""
ANSWER_SECONDS = 30.0
"""How long it has for an answer."""
AT_ONCE = 20
"""Connections that are being made at the same time, where nothing is measured."""


class Lost(Exception):
    """There is no such connection, it has ended, or the server does not do what the load needs."""


def masked(opcode: int, payload: bytes) -> bytes:
    """A client's frame; the mask is zero, which leaves the payload as it is."""
    size = len(payload)
    head = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    return bytes([0x80 | opcode]) + head + b"\0\0\0\0" + payload


class Line(asyncio.Protocol):
    """One connection.

    Attributes:
        arrived: When each move's event came, in seconds.
        limited: How many answers were ``rate-limited``.

    """

    def __init__(self, url: str) -> None:
        self.arrived: list[float] = []
        self.limited = 0
        self._at = urlsplit(url)
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.gone = asyncio.Event()
        self._asked: dict[int, asyncio.Future[tuple[float, Plain]]] = {}
        self._last = 0
        self._turn = asyncio.Lock()
        self._not_before = 0.0
        self._data = bytearray()
        self._transport: asyncio.Transport | None = None

    async def opened(self) -> None:
        """Connect and greet.

        Raises:
            Lost: That cannot be done.

        """
        secure = self._at.scheme == "wss"
        port = self._at.port or (443 if secure else 80)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await asyncio.get_running_loop().create_connection(
                    lambda: self,
                    self._at.hostname or "",
                    port,
                    ssl=ssl.create_default_context() if secure else None,
                )
                await self._open
        except TimeoutError:
            raise Lost("the server does not answer") from None
        except OSError as error:
            raise Lost(f"no connection: {error.strerror or error}") from None

    def send(self, request: Plain) -> asyncio.Future[tuple[float, Plain]]:
        """Send a request: when its answer comes, and the answer."""
        if self._transport is None or self.gone.is_set():
            raise Lost("the server closed a connection")
        self._last += 1
        answer: asyncio.Future[tuple[float, Plain]] = asyncio.get_running_loop().create_future()
        self._asked[self._last] = answer
        self._transport.write(masked(2, msgpack.packb({**request, "i": self._last})))
        return answer

    async def granted(self, request: Plain) -> tuple[float, Plain]:
        """When a request was granted, and the answer; repeated as often as the rate refuses it.

        A line that has been refused once has one request on its way at a time.

        Raises:
            Lost: It is refused for another reason, or there is no answer.

        """
        while True:
            async with self._turn:
                if (wait := self._not_before - time.monotonic()) > 0:
                    await asyncio.sleep(wait)
                answering = self.send(request)
                if self.limited:
                    await asyncio.wait([answering])
            at, answer = await answering
            if answer["t"] != "error":
                return at, answer
            if answer["code"] != ErrorCode.RATE_LIMITED:
                raise Lost(f"{request['t']} was refused: {answer['message']}")
            self.limited += 1
            self._not_before = at + answer.get("retry_ms", 0) / 1000

    async def close(self) -> None:
        """Say goodbye, and go."""
        if self._transport is not None:
            self._transport.write(CLOSE)
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self.gone.wait()
            except TimeoutError:
                self._transport.abort()

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for a WebSocket."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        path = (self._at.path or "/") + (f"?{self._at.query}" if self._at.query else "")
        transport.write(
            f"GET {path} HTTP/1.1\r\nHost: {self._at.netloc}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: {MSGPACK_SUBPROTOCOL}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Take every frame that is complete."""
        now = time.monotonic()
        buffer = self._data
        buffer += data
        if not self._open.done():
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if not buffer.startswith(b"HTTP/1.1 101 "):
                self._fail(f"HTTP status {buffer[9:12].decode(errors='replace')}")
                return
            del buffer[: end + 4]
            self._open.set_result(None)
        at, size = 0, len(buffer)
        while size - at >= 2:
            length, body = buffer[at + 1], at + 2
            if length == 126:
                length, body = int.from_bytes(buffer[at + 2 : at + 4], "big"), at + 4
            elif length == 127:
                length, body = int.from_bytes(buffer[at + 2 : at + 10], "big"), at + 10
            if size - body < length:
                break
            self._take(buffer[at], bytes(buffer[body : body + length]), now)
            at = body + length
        del buffer[:at]

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing will be answered any more."""
        self._fail("the server closed a connection")
        self.gone.set()

    def _take(self, head: int, payload: bytes, now: float) -> None:
        if head == 0x82:
            if payload.find(MOVED, 0, FRONT) >= 0:
                self.arrived.append(now)
                return
            said = msgpack.unpackb(payload)
            answering = self._asked.pop(said.get("i"), None)
            if answering is not None and not answering.done():
                answering.set_result((now, said))
        elif head == 0x89 and self._transport is not None:
            self._transport.write(masked(0xA, payload))
        elif head != 0x8A and self._transport is not None:
            self._transport.close()

    def _fail(self, why: str) -> None:
        if self._transport is not None:
            self._transport.close()
        waiting: list[asyncio.Future[Any]] = [self._open, *self._asked.values()]
        for answer in waiting:
            if not answer.done():
                answer.set_exception(Lost(why))
        self._asked.clear()


class Lines:
    """The connections of one process."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._open: list[Line] = []
        self._seats: list[tuple[Line, str]] = []
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def open(self) -> Line:
        """One more, greeted."""
        line = Line(self._url)
        self._open.append(line)
        await line.opened()
        await line.granted({"t": "hello", "name": "bench"})
        return line

    async def watching(self, room: str) -> Line:
        """One more that follows a room, when it is its turn to be made."""
        async with self._slots:
            line = await self.open()
            await line.granted({"t": "join", "room": room})
            return line

    async def playing(self, room: str) -> Line:
        """One more, with the free seat of a room."""
        line = await self.open()
        await line.granted({"t": "join", "room": room, "role": "player"})
        self._seats.append((line, room))
        return line

    async def new_room(self) -> tuple[Line, str]:
        """One more, with a seat in a new room that nobody finds; when it is its turn."""
        async with self._slots:
            line = await self.open()
            _, joined = await line.granted({"t": "create", **ROOM})
            room: str = joined["room"]
            self._seats.append((line, room))
            return line, room

    @property
    def limited(self) -> int:
        """Answers ``rate-limited`` on all of them."""
        return sum(line.limited for line in self._open)

    async def close(self) -> None:
        """End the games and all connections."""
        for line, room in self._seats:
            await line.granted({"t": "resign", "room": room})
        await asyncio.gather(*(line.close() for line in self._open))
        self._open, self._seats = [], []


ROOM: Plain = {"game": "klondike-single", "deal": "1", "visibility": "unlisted"}
"""A game in which one move, MOVE, can be made for ever."""
MOVE = "sw"
