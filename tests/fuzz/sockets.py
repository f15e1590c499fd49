"""Bytes of a connection: cut into messages here as the library alone would have cut them.

The same bytes go, in the same pieces, to a :class:`kibitz.server.sockets.socket.Socket` and to a
plain protocol of the library. Both must hear the same messages and come to the same end.
"""

import asyncio
from typing import Any, cast

from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from kibitz.protocol.limits import MAX_MESSAGE
from kibitz.server.sockets.socket import SLOW_REST_SECONDS, Socket
from kibitz.server.sockets.turn import Turn

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
REST = bytes(MAX_MESSAGE + 16)
"""Ends whatever frame has begun, with a fault behind it: what is wrong with a header is said when
the frame is whole here, and at once by the library."""
Message = tuple[bytes, bool]


class _Transport:
    """The other side: nothing waits, nobody is there."""

    def __init__(self) -> None:
        self.closed = False

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str) -> Any:
        return self

    def fileno(self) -> int:
        return -1

    def write(self, data: bytes) -> None:
        pass

    def set_write_buffer_limits(self, *limits: int) -> None:
        pass

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True

    close = pause_reading = resume_reading = abort


class _Server:
    """What a connection asks of its server."""

    handler_tasks: set[asyncio.Task[None]]

    def __init__(self) -> None:
        self.handler_tasks = set()

    async def handler(self, socket: Socket) -> None:
        """Nothing: the test answers the handshake itself."""


class _Reader:
    kept, resting = 0, False

    def __init__(self) -> None:
        self.heard: list[Message] = []

    def receive(self, message: bytes, is_text: bool) -> None:
        self.heard.append((bytes(message), is_text))

    def overfull(self) -> None:
        """Never: nobody counts."""

    def counts_control(self) -> bool:
        return True

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def lost(self) -> None: ...


def sockets(data: bytes) -> None:
    """Any bytes in any pieces behind a handshake."""
    asyncio.run(_compare(list(_pieces(data))))


def _pieces(data: bytes) -> list[bytes]:
    """The bytes as pieces: a first byte says how long each is, zero that all comes at once."""
    size, rest = (data[0], data[1:]) if data else (0, b"")
    if not size:
        return [rest]
    return [rest[at : at + size] for at in range(0, len(rest), size)]


async def _compare(pieces: list[bytes]) -> None:
    ours, ours_end = await _ours(pieces)
    theirs, theirs_end = _theirs(pieces)
    assert ours == theirs, f"{ours} instead of {theirs}"
    assert ours_end == theirs_end, f"{ours_end} instead of {theirs_end}"


async def _ours(pieces: list[bytes]) -> tuple[list[Message], object]:
    protocol = ServerProtocol(max_size=MAX_MESSAGE)
    socket = Socket(protocol, cast(Any, _Server()), ping_interval=None)
    socket.connection_made(cast(Any, _Transport()))
    socket.data_received(HANDSHAKE)
    assert socket.request is not None
    socket.response = protocol.accept(socket.request)
    protocol.send_response(socket.response)
    reader = _Reader()
    socket.attach(reader, Turn())
    for piece in [*pieces, REST]:
        socket.data_received(piece)
        await _behind(socket)
    await asyncio.sleep(0)
    return reader.heard, _end(protocol)


async def _behind(socket: Socket) -> None:
    """Until all that has come is cut: it rests where that takes long."""
    for _ in range(2_000):
        if not socket.behind:
            return
        await asyncio.sleep(SLOW_REST_SECONDS)
    raise AssertionError("it never gets on")


def _theirs(pieces: list[bytes]) -> tuple[list[Message], object]:
    protocol = ServerProtocol(max_size=MAX_MESSAGE)
    protocol.receive_data(HANDSHAKE)
    (request,) = protocol.events_received()
    assert isinstance(request, Request)
    protocol.send_response(protocol.accept(request))
    heard: list[Message] = []
    parts, is_text = b"", False
    for piece in [*pieces, REST]:
        if protocol.state is not OPEN and protocol.parser_exc:
            break
        protocol.receive_data(piece)
        for event in protocol.events_received():
            assert isinstance(event, Frame)
            if event.opcode not in DATA_OPCODES:
                continue
            if event.opcode is not Opcode.CONT:
                parts, is_text = b"", event.opcode is Opcode.TEXT
            parts += bytes(event.data)
            if event.fin:
                heard.append((parts, is_text))
    return heard, _end(protocol)


def _end(protocol: ServerProtocol) -> object:
    """How a connection stands: its state, and the close frames both ways."""
    sent, received = protocol.close_sent, protocol.close_rcvd
    return protocol.state, sent and int(sent.code), received and int(received.code)
