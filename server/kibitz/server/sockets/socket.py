"""One WebSocket of the library: its messages come by a call, its frames leave once a turn.

Promises: messages come whole and in order; what is to be sent leaves in the order in which it was
given, and nothing after a close frame; the bytes of a frame that has not come whole are kept once.
Plain frames (masked, unfragmented, no extension) are cut out here; every other frame goes whole
through the library's parser, so that it always stands between two frames. Never: wait.
"""

import asyncio
import os
from asyncio.selector_events import _SelectorSocketTransport  # type: ignore[attr-defined]
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Protocol, TypeVar, cast

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import InvalidMessage
from websockets.frames import DATA_OPCODES, Frame, Opcode, apply_mask  # type: ignore[attr-defined]
from websockets.http11 import Request, Response
from websockets.protocol import OPEN, State

from kibitz.protocol.limits import MAX_FRAME, MAX_MESSAGE

from .plain import METHODS, NO_REQUEST, NOT_GET
from .reader import Door, Reader
from .turn import Turn

TEXT, BINARY = MESSAGES = 0x81, 0x82
PING, PONG = CONTROLS = 0x89, 0x8A
"""First byte of a message in one frame."""
MASKED = 0x80
"""The bit of the second byte that says it is masked."""
COUNTED = Opcode.PING, Opcode.PONG, Opcode.CONT
"""Frames that are no message by themselves; they count all the same."""
LONG = 126
"""What stands for the length of a body that is longer than 125 bytes."""
HEADER = 6
"""Bytes before the body of a short masked frame."""
REQUEST_END = b"\r\n\r\n"
READ_BYTES = 4 * 1024
"""Most bytes of one connection that are looked at before everybody else has his turn."""
EARLY_BYTES, EARLY_MESSAGE = MAX_FRAME, 128
"""Most bytes kept of who speaks before he was answered, and how many each message is more."""


class HasSocket(Protocol):
    """Somebody at the other end of a socket."""

    @property
    def socket(self) -> "Socket":
        """His socket."""
        ...


SLOW_AT_ONCE = 50
"""Most frames that the library reads, before everybody else has his turn."""
H = TypeVar("H", bound=HasSocket)


def write_all(everybody: Iterable[H], frames: bytes) -> list[H]:
    """Write whole frames to everybody who is ready for them; the others, who got nothing.

    They go to the descriptor itself, past the transport, where nothing waits and nothing is done
    to them on the way (:func:`descriptor_of`).
    """
    others, size = [], len(frames)
    for each in everybody:
        socket = each.socket
        if not socket.ready and not socket.look():
            others.append(each)
            continue
        try:
            written = os.write(socket.descriptor, frames)
        except OSError:  # there is no room, or nobody: its transport says which
            written = 0
        if written < size:
            socket.transport.write(frames[written:])
            socket.look()
    return others


def descriptor_of(transport: asyncio.BaseTransport) -> int:
    """The descriptor to which a transport writes just what it is given; -1: there is none.

    That is so for the selector loop's own transport of a TCP connection, and for no other: with
    TLS, bytes would leave in the clear.
    """
    if not isinstance(transport, _SelectorSocketTransport):
        return -1
    descriptor: int = transport.get_extra_info("socket").fileno()
    return descriptor  # it is closed after connection_lost()


class Socket(ServerConnection):
    """A connection whose frames are handled here once somebody is attached."""

    __slots__ = (  # what is added here stays out of the library's dictionary
        "_answered",
        "_asked",
        "_direct",
        "_door",
        "_early",
        "_ending",
        "_gets",
        "_parts",
        "_reader",
        "_rest",
        "_text",
        "_turn",
        "_welcome",
        "address",
        "descriptor",
        "heard",
        "out",
        "ready",
    )

    def __init__(self, *args: Any, door: Door | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._door = door
        self._answered = self._gets = self._asked = False
        """Whether what was no request was answered; whether it began like one of ours; whether a
        request has come: then no more is read until it is answered."""
        self._welcome = True
        """Whether it may say what it wants."""
        self.ready = False
        """Whether it is open and nothing waits: what is written now goes to the kernel at once."""
        self.descriptor = -1
        self.address = ""
        """Where the client comes from; set before the handshake is answered."""
        self.heard = True
        """Whether anything has come since the keepalive's last sweep."""
        self._reader: Reader | None = None
        self._turn: Turn | None = None
        self._direct = False
        """Whether frames are cut here: the library's parser stands between two of them."""
        self._rest: bytearray | None = None
        """The beginning of a frame that has not come whole."""
        self._parts: bytearray | None = None
        """What there is of a message in fragments; ``_text``: whether it is text."""
        self._text = False
        self._early: list[tuple[bytes, bool]] = []
        """Messages that came before somebody was attached."""
        self._ending = False
        """Whether it is being closed and will be cut off."""
        self.out: list[bytes] = []
        """Frames that are to be sent when the turn ends."""

    def attach(self, reader: Reader, turn: Turn) -> None:
        """Give every message to ``reader``, those that have come already first.

        What only the opening handshake needed is let go of, the library's task with it.
        """
        self._reader, self._turn = reader, turn
        self.descriptor = descriptor_of(self.transport)
        if not self._direct:
            self._read_at_most(READ_BYTES // 8)  # the library is slower
        self.look()
        if self.request is not None and self.response is not None:
            self.request.headers.clear()  # the library's parser goes on knowing the request
            self.response.headers.clear()
        self.request = self.response = None
        vars(self.protocol).pop("select_subprotocol", None)  # it would keep both alive
        self.transport.resume_reading()
        early, self._early = self._early, []
        for each in early:
            reader.receive(*each)

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the connection open if it has a reader: he closes it."""
        if self._reader is None:
            await super().__aexit__(exc_type, exc_value, traceback)

    # In

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there; he may not stay if there are too many."""
        self.transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        wait = 0.0 if self._door is None else self._door.came(self, str(peer[0]) if peer else "")
        if wait is None:
            self._welcome = False
            self.cut()
            return
        self._read_at_most(READ_BYTES)
        super().connection_made(transport)
        if wait:  # asyncio begins to read behind this
            self.loop.call_soon(self.transport.pause_reading)
            self.loop.call_later(wait, self._hear)

    def _hear(self) -> None:
        """It has waited for its turn."""
        if self._door is not None and not self._door.hears(self):
            self.cut()
        elif not self._asked and not self.transport.is_closing():
            self.transport.resume_reading()

    def _read_at_most(self, size: int) -> None:
        """So many bytes, before everybody else has his turn; 256 KiB is what asyncio would."""
        if hasattr(self.transport, "max_size"):
            vars(self.transport)["max_size"] = size

    def cut(self) -> None:
        """End it without a word."""
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Cut what comes into messages."""
        if not self._welcome:
            return
        self.heard = True
        if self._direct and self.protocol.state is OPEN:
            self._cut(data)
            return
        self._feed(data)

    def _feed(self, data: bytes) -> None:
        """Give bytes to the library, which may close."""
        if self.protocol.state is State.CONNECTING:
            self._gets = self._gets or data.startswith(METHODS)
            # What came behind the request, before our answer, is in the library's parser: then all
            # that follows has to go there, too.
            first = self.request is None and not self._direct
            at_end = data.endswith(REQUEST_END) and data.count(REQUEST_END) == 1
            self._direct = first and at_end
        super().data_received(data)
        self.look()

    def send_data(self) -> None:
        """Answer what is no request of HTTP that the library reads; it would only hang up."""
        wrong = self.protocol.handshake_exc
        if self.request is None and isinstance(wrong, InvalidMessage) and not self._answered:
            self._answered = True
            self.transport.write(NO_REQUEST if self._gets else NOT_GET)
        super().send_data()
        if self.response and self.protocol.state is not OPEN:  # only when it ends still counts
            self._early.clear()
            self.transport.resume_reading()

    def eof_received(self) -> None:
        """Nothing comes any more."""
        if not self._welcome:
            return
        super().eof_received()
        self.look()

    def _cut(self, data: bytes | bytearray) -> None:
        rest = self._rest
        if rest is not None:
            rest += data
            data = rest
        at, size, slow = 0, len(data), 0
        while size - at >= 2 and slow < SLOW_AT_ONCE:
            first, second = data[at], data[at + 1]
            length, body = second & ~MASKED, at + HEADER
            if length == LONG:  # if the header itself is cut short, ``end`` lies beyond it anyway
                length, body = int.from_bytes(data[at + 2 : at + 4]), body + 2
            elif length == 127:
                length, body = int.from_bytes(data[at + 2 : at + 10]), body + 8
            if second < MASKED or length > MAX_MESSAGE:
                self._leave(data[at:])
                return
            end = body + length
            if end > size:
                break
            if first in MESSAGES and self._parts is None:
                message = apply_mask(data[body:end], data[body - 4 : body])
                self._give(message, first == TEXT)
            elif first in CONTROLS and length < LONG and self._reader is not None:
                if self._reader.counts_control() and first == PING:
                    payload = apply_mask(data[body:end], data[body - 4 : body])
                    self.send_soon(bytes((PONG, length)) + payload)
            else:  # the library is slower
                self._read_at_most(READ_BYTES // 8)
                slow += 1
                self._feed(bytes(data[at:end]))
            if self.protocol.state is not OPEN:
                self._rest = None
                return
            at = end
        if slow == SLOW_AT_ONCE:
            self.loop.call_soon(self._cut_on)
        if at == size:
            self._rest = None
        elif rest is None:
            self._rest = bytearray(data[at:])
        else:
            del rest[:at]

    def _cut_on(self) -> None:
        """Go on with what is left."""
        if self._direct and self.protocol.state is OPEN:
            self._cut(b"")

    def _leave(self, data: bytes | bytearray) -> None:
        """Let the library say what is wrong with it."""
        self._direct, self._rest = False, None
        self._feed(bytes(data))

    def process_event(self, event: Request | Response | Frame) -> None:
        """What went through the library: fragments are put together."""
        if not isinstance(event, Frame):
            self._asked = True
            self.transport.pause_reading()
            super().process_event(event)
            return
        if self._reader is not None and event.opcode in COUNTED:
            self._reader.counts_control()
        if event.opcode not in DATA_OPCODES:
            return
        if event.opcode is not Opcode.CONT:
            self._parts, self._text = bytearray(), event.opcode is Opcode.TEXT
        assert self._parts is not None, "the library lets a fragment only follow a beginning"
        self._parts += event.data
        if event.fin:
            message, self._parts = bytes(self._parts), None
            self._give(message, self._text)

    def _give(self, message: bytes, is_text: bool) -> None:
        if self._reader is not None:
            self._reader.receive(message, is_text)
            return
        self._early.append((message, is_text))
        if sum(len(early) + EARLY_MESSAGE for early, _ in self._early) > EARLY_BYTES:
            self._early.clear()
            self.cut()

    # Out

    def send_soon(self, frames: bytes) -> None:
        """Send whole frames at the end of this turn."""
        self.ready = False
        if not self.out:
            assert self._turn is not None, "attached"
            self._turn.sockets.append(self)
            self._turn.end_soon()
        self.out.append(frames)

    def flush(self) -> None:
        """Send what is to be sent."""
        out = self.out
        if out and self.protocol.state is OPEN:
            self.transport.write(out[0] if len(out) == 1 else b"".join(out))
        out.clear()
        self.look()

    def look(self) -> bool:
        """See whether it is ready."""
        state = self.protocol.state
        waits = self.out or self.transport.get_write_buffer_size()
        self.ready = state is OPEN and self.descriptor >= 0 and not waits
        lingers = waits and state is State.CLOSED and not self.connection_lost_waiter.done()
        if (lingers or state is State.CLOSING) and not self._ending:
            self._ending = True  # it comes to an end, whoever began it and whatever he reads
            self.loop.call_later(self.close_timeout or 0, self.transport.abort)
        return self.ready

    @property
    def waiting(self) -> int:
        """Bytes that wait to be sent."""
        return self.transport.get_write_buffer_size() + sum(map(len, self.out))

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Close behind what is to be sent."""
        self.flush()
        self.ready = False
        await super().close(code, reason)

    def pause_writing(self) -> None:
        """Much waits."""
        super().pause_writing()
        if self._reader is not None:
            self._reader.pause()

    def resume_writing(self) -> None:
        """It has left, so somebody is there."""
        super().resume_writing()
        self.heard = True
        if self._reader is not None:
            self._reader.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing comes any more."""
        if not self._welcome:
            return
        if self._door is not None:
            self._door.gone(self)
        super().connection_lost(exc)
        self.protocol.parser.close()  # its frame would keep the protocol alive
        vars(self.protocol).pop("select_subprotocol", None)  # and this both of us
        self.ready = False
        self.out.clear()
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.lost()
