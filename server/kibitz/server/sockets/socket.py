"""One WebSocket of the library: its messages come by a call, its frames leave once a turn.

Promises: messages come whole and in order; what is to be sent leaves in the order in which it was
given, and nothing after a close frame; the bytes of a frame that has not come whole are kept once,
and those of a large one are counted by address.
Plain frames (masked, unfragmented, no extension) are cut out here; every other frame goes whole
through the library's parser, so that it always stands between two frames. Never: wait.
"""

from types import TracebackType
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.frames import DATA_OPCODES, Frame, Opcode, apply_mask  # type: ignore[attr-defined]
from websockets.http11 import Request, Response
from websockets.protocol import OPEN, State

from kibitz.protocol.limits import MAX_FRAME, MAX_MESSAGE

from .arrival import READ_BYTES, Arrival
from .descriptors import descriptor_of
from .reader import Reader
from .turn import Turn

TEXT, BINARY = MESSAGES = 0x81, 0x82
CLOSE = 0x88
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
LATE_BYTES = 2 * MAX_MESSAGE
"""Most bytes that are read of somebody before his connection is open, and once it is not."""
AT_ONCE_BYTES = 2 * READ_BYTES
"""After so many bytes of whole frames everybody else has his turn."""
SLOW_AT_ONCE = 20
"""Most frames that the library reads, and pings, before everybody else has his turn."""
SLOW_REST_SECONDS = 0.004
"""How long nothing more is read then."""


class Socket(Arrival):
    """A connection whose frames are handled here once somebody is attached."""

    __slots__ = (  # what is added here stays out of the library's dictionary
        "_deaf",
        "_direct",
        "_ending",
        "_late",
        "_parts",
        "_reader",
        "_rest",
        "_text",
        "_turn",
        "behind",
        "descriptor",
        "heard",
        "kept",
        "out",
        "ready",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deaf = False
        """Whether it has said too much, and is only to be told so."""
        self._late = 0
        """Bytes that came while it was not open, or deaf."""
        self.ready = False
        """Whether it is open and nothing waits: what is written now goes to the kernel at once."""
        self.descriptor = -1
        self.heard = True
        """Whether anything has come since the keepalive's last sweep."""
        self._reader: Reader | None = None
        self._turn: Turn | None = None
        self._direct = True
        """Whether frames are cut here: the library's parser stands between two of them."""
        self._rest: bytearray | None = None
        """The beginning of a frame that has not come whole."""
        self._parts: bytearray | None = None
        """What there is of a message in fragments; ``_text``: whether it is text."""
        self._text = False
        self.behind = False
        """Whether frames that have come wait for a turn to come."""
        self.kept = 0
        """Bytes of a large message that has not come whole or waits, as they are counted."""
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
        self.look()
        if self.request is not None and self.response is not None:
            self.request.headers.clear()  # the library's parser goes on knowing the request
            self.response.headers.clear()
        self.request = self.response = None
        vars(self.protocol).pop("select_subprotocol", None)  # it would keep both alive
        self.transport.resume_reading()
        early, self.early = self.early, bytearray()
        if early:
            self._cut(early)

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

    def data_received(self, data: bytes) -> None:
        """Cut what comes into messages."""
        if not self.welcome:
            return
        self.heard = True
        state = self.protocol.state
        if state is not OPEN or self._deaf:
            self._late += len(data)
            if self._late > LATE_BYTES:
                self.cut()
                return
        if self._deaf:
            return
        if self._reader is None:
            super().data_received(data)
            self.look()
        elif self._direct and state is not State.CLOSED:
            self._cut(data)
        else:
            self._feed(data)
            self.weigh()

    def weigh(self) -> None:
        """Count what is kept, if it is more than one ordinary frame, or was."""
        kept = len(self._rest or b"") + len(self._parts or b"") + len(self.protocol.reader.buffer)
        if self._reader is not None:
            kept += self._reader.kept
        if (kept <= MAX_FRAME and not self.kept) or self.door is None:
            return
        self.kept = kept if kept > MAX_FRAME else 0
        if self.door.keeps(self, self.kept):
            return
        self.overfull()

    def overfull(self) -> None:
        """Too much is kept of those who come from there: nothing more of this one."""
        if self._reader is None or self.protocol.state is not OPEN:
            self.cut()
            return
        self._deaf, self._rest, self._parts, self.kept = True, None, None, 0
        if self.door is not None:
            self.door.keeps(self, 0)
        self._reader.overfull()

    def _feed(self, data: bytes) -> None:
        """Give bytes to the library, which may close."""
        ServerConnection.data_received(self, data)
        self.look()

    def send_data(self) -> None:
        """Send what the library has to say."""
        super().send_data()
        if self.response and self.protocol.state is not OPEN:  # only when it ends still counts
            self.early.clear()
            self.transport.resume_reading()

    def eof_received(self) -> None:
        """Nothing comes any more."""
        if not self.welcome:
            return
        super().eof_received()
        self.look()

    def _cut(self, data: bytes | bytearray) -> None:
        rest = self._rest
        if rest is not None:
            rest += data
            data = rest
        at, size, slow = 0, len(data), 0
        while size - at >= 2 and at < AT_ONCE_BYTES and slow < SLOW_AT_ONCE:
            if self._is_resting():
                break
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
            if self.protocol.state is not OPEN and first != CLOSE:
                pass
            elif first in MESSAGES and self._parts is None:
                message = apply_mask(data[body:end], data[body - 4 : body])
                self._give(message, first == TEXT)
            elif first in CONTROLS and length < LONG and self._reader is not None:
                counts = self._reader.counts_control()
                slow += counts
                if counts and first == PING:
                    payload = apply_mask(data[body:end], data[body - 4 : body])
                    self.send_soon(bytes((PONG, length)) + payload)
            else:  # the library is slower
                self.read_at_most(READ_BYTES // 8)
                slow += 1
                self._feed(bytes(data[at:end]))
            if self.protocol.state is State.CLOSED:
                self._rest = None
                return
            at = end
        tired = slow == SLOW_AT_ONCE
        self.behind = tired or self._is_resting() or AT_ONCE_BYTES <= at < size
        if self.behind:
            self.transport.pause_reading()
            if not self._is_resting():
                self.loop.call_later(SLOW_REST_SECONDS if tired else 0, self.go_on)
        if at == size:
            self._rest = None
        elif rest is None:
            self._rest = bytearray(data[at:])
        else:
            del rest[:at]
        if self._rest is not None or self._parts is not None or self.kept:
            self.weigh()

    def _is_resting(self) -> bool:
        return self._reader is not None and self._reader.resting

    def go_on(self) -> None:
        """Go on with what is left, then read again."""
        if not self.behind:
            return
        self._cut(b"")
        if not self.behind and self._reader is not None:
            self._reader.resume()

    def _leave(self, data: bytes | bytearray) -> None:
        """Let the library say what is wrong with it."""
        self._direct, self._rest, self.behind = False, None, False
        self._feed(bytes(data))

    def process_event(self, event: Request | Response | Frame) -> None:
        """What went through the library: fragments are put together."""
        if not isinstance(event, Frame):
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
        assert self._reader is not None, "attached"
        self._reader.receive(message, is_text)

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
            waits = self.transport.get_write_buffer_size() if lingers else 0
            self.loop.call_later(self.close_timeout or 0, self._end_it, waits)
        return self.ready

    def _end_it(self, waited: int) -> None:
        """It had its time; who is slow to take a page has more, as long as he takes some of it."""
        waits = self.transport.get_write_buffer_size()
        if 0 < waits < waited:
            self.loop.call_later(self.close_timeout or 0, self._end_it, waits)
        else:
            self.transport.abort()

    @property
    def waiting(self) -> int:
        """Bytes that wait to be sent."""
        return self.transport.get_write_buffer_size() + sum(map(len, self.out))

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Close behind what is to be sent."""
        self.flush()
        self.ready = False
        self.read_at_most(READ_BYTES // 8)
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
        if not self.welcome:
            return
        super().connection_lost(exc)
        self.protocol.parser.close()  # its frame would keep the protocol alive
        vars(self.protocol).pop("select_subprotocol", None)  # and this both of us
        self.ready = False
        self.out.clear()
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.lost()
