"""Connections that cost the load little: frames of the library's protocol, counted.

Promises: each frame has the time at which it came, on ``time.monotonic``; the event of a move is
counted without being decoded; a request that the server's rate refuses is repeated when it says.
Never: a mirror, a check of what a frame says.
"""

import asyncio
import ssl
import time
from http import HTTPStatus
from typing import Any

import msgpack
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidURI
from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.limits import MSGPACK_SUBPROTOCOL

Plain = dict[str, Any]

MOVED = b"\xa4kind\xa4move"
"""What stands near the front of a move's event, in msgpack, and of no other message."""
FRONT = 160
"""Bytes in which it stands."""
CLOSE_SECONDS = 2.0
"""How long the server has to answer a close."""
ANSWER_SECONDS = 30.0
"""How long it has for an answer."""
AT_ONCE = 20
"""Connections that are being made at the same time, where nothing is measured."""


class Lost(Exception):
    """There is no such connection, it has ended, or the server does not do what the load needs."""


class Line(asyncio.Protocol):
    """One connection.

    Attributes:
        arrived: When each move's event came, in seconds.
        limited: How many answers were ``rate-limited``.

    """

    def __init__(self, url: str, authority: str | None = None) -> None:
        self.arrived: list[float] = []
        self.limited = 0
        try:
            self._at = parse_uri(url)
        except InvalidURI as error:
            raise Lost(str(error)) from None
        self._authority = authority
        self._protocol = ClientProtocol(
            self._at, subprotocols=[Subprotocol(MSGPACK_SUBPROTOCOL)], max_size=None
        )
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.gone = asyncio.Event()
        self._asked: dict[int, asyncio.Future[tuple[float, Plain]]] = {}
        self._last = 0
        self._turn = asyncio.Lock()
        self._not_before = 0.0
        self._transport: asyncio.Transport | None = None

    async def opened(self) -> None:
        """Connect and greet.

        Raises:
            Lost: That cannot be done.

        """
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await asyncio.get_running_loop().create_connection(
                    lambda: self,
                    self._at.host,
                    self._at.port,
                    ssl=ssl.create_default_context(cafile=self._authority)
                    if self._at.secure
                    else None,
                )
                await self._open
        except TimeoutError:
            raise Lost("the server does not answer") from None
        except OSError as error:
            raise Lost(f"no connection: {error.strerror or error}") from None

    def send(self, request: Plain) -> asyncio.Future[tuple[float, Plain]]:
        """Send a request: when its answer comes, and the answer."""
        if self._protocol.state is not State.OPEN:
            raise Lost("the server closed a connection")
        self._last += 1
        answer: asyncio.Future[tuple[float, Plain]] = asyncio.get_running_loop().create_future()
        self._asked[self._last] = answer
        self._protocol.send_binary(msgpack.packb({**request, "i": self._last}))
        self._flush()
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
            if self._protocol.state is State.OPEN:
                self._protocol.send_close(1000)
                self._flush()
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
        self._protocol.send_request(self._protocol.connect())
        self._flush()

    def data_received(self, data: bytes) -> None:
        """Take every frame that is complete."""
        self._protocol.receive_data(data)
        self._read()

    def eof_received(self) -> None:
        """The server says no more."""
        self._protocol.receive_eof()
        self._read()

    def _read(self) -> None:
        now, protocol = time.monotonic(), self._protocol
        for event in protocol.events_received():
            if isinstance(event, Response):
                self._begin(event)
            elif isinstance(event, Frame) and event.opcode is Opcode.BINARY and event.fin:
                self._take(bytes(event.data), now)
            elif isinstance(event, Frame) and event.opcode in DATA_OPCODES:
                self._fail("the server does not speak msgpack")
        self._flush()
        if protocol.handshake_exc is not None:
            self._fail("the server speaks no WebSocket")
        elif protocol.close_rcvd is not None or protocol.parser_exc is not None:
            self._fail("the server closed a connection")

    def _begin(self, response: Response) -> None:
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            self._fail(f"HTTP status {response.status_code}")
        elif self._protocol.handshake_exc is not None:
            self._fail("the server speaks no WebSocket")
        elif self._protocol.subprotocol != MSGPACK_SUBPROTOCOL:
            self._fail("the server does not speak msgpack")
        elif not self._open.done():
            self._open.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing will be answered any more."""
        self._fail("the server closed a connection")
        self.gone.set()

    def _take(self, payload: bytes, now: float) -> None:
        if payload.find(MOVED, 0, FRONT) >= 0:
            self.arrived.append(now)
            return
        said = msgpack.unpackb(payload)
        answering = self._asked.pop(said.get("i"), None)
        if answering is not None and not answering.done():
            answering.set_result((now, said))

    def _flush(self) -> None:
        assert self._transport is not None, "connected"
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            else:
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

    def __init__(self, url: str, authority: str | None = None) -> None:
        self._url = url
        self._authority = authority
        self._open: list[Line] = []
        self._seats: list[tuple[Line, str]] = []
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def open(self) -> Line:
        """One more, greeted."""
        line = Line(self._url, self._authority)
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
