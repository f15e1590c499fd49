"""A WebSocket until it is open: who counts it, when it is heard, what nonsense is told.

Promises: whoever may not stay costs no more than to be cut off; while a request waits for its
answer nothing more is read; what is no request of HTTP is told so. Never: look at frames.
"""

import asyncio
from typing import Any, cast

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import InvalidMessage
from websockets.frames import Frame
from websockets.http11 import Request, Response

from kibitz.protocol.limits import HELLO_TIMEOUT, MAX_FRAME

from .plain import METHODS, NO_REQUEST, NOT_GET
from .reader import Door

READ_BYTES = 4 * 1024
"""Most bytes of one connection that are looked at before everybody else has his turn."""
EARLY_BYTES = MAX_FRAME
"""Most bytes kept of who speaks before he was answered."""
REQUEST_END = b"\r\n\r\n"
OPENED = 101
"""The status of a connection that is a WebSocket from now on."""


class Arrival(ServerConnection):
    """A connection that is counted at the door."""

    __slots__ = (  # what is added here stays out of the library's dictionary
        "_answered",
        "_asked",
        "_end",
        "_gets",
        "_impatience",
        "_patience",
        "address",
        "door",
        "early",
        "welcome",
    )

    def __init__(
        self, *args: Any, door: Door | None = None, patience: float = HELLO_TIMEOUT, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._patience = patience
        """Seconds that the client has for his request; the answer may take longer."""
        self._impatience: asyncio.TimerHandle | None = None
        self._end = b""
        """The last bytes of a request that has not ended."""
        self.early = bytearray()
        """What came behind the request."""
        self.door = door
        self.welcome = True
        """Whether it may say what it wants."""
        self.address = ""
        """Where the client comes from; set before the handshake is answered."""
        self._answered = self._gets = self._asked = False
        """Whether what was no request was answered; whether it began like one of ours; whether a
        request has come: then no more is read until it is answered."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there; he may not stay if there are too many."""
        self.transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        wait = 0.0 if self.door is None else self.door.came(self, str(peer[0]) if peer else "")
        if wait is None:
            self.welcome = False
            self.cut()
            return
        self.read_at_most(READ_BYTES)
        super().connection_made(transport)
        self._impatience = self.loop.call_later(self._patience + wait, self.cut)
        if wait:  # asyncio begins to read behind this
            self.loop.call_soon(self.transport.pause_reading)
            self.loop.call_later(wait, self._hear)

    def _hear(self) -> None:
        """It has waited for its turn."""
        if self.door is not None and not self.door.hears(self):
            self.cut()
        elif not self._asked and not self.transport.is_closing():
            self.transport.resume_reading()

    def read_at_most(self, size: int) -> None:
        """So many bytes, before everybody else has his turn; 256 KiB is what asyncio would."""
        if hasattr(self.transport, "max_size"):
            vars(self.transport)["max_size"] = size

    def cut(self) -> None:
        """End it without a word."""
        self.transport.abort()

    def overfull(self) -> None:
        """Too much is kept of those who come from there."""
        self.cut()

    def data_received(self, data: bytes) -> None:
        """Give the request to the library; what comes behind it waits for the answer."""
        if not self._asked:
            self._gets = self._gets or data.startswith(METHODS)
            begun, at = self._end, (self._end + data).find(REQUEST_END)
            self._end = (begun + data)[-len(REQUEST_END) + 1 :]
            size = at + len(REQUEST_END) - len(begun) if at >= 0 else len(data)
            super().data_received(data[:size])
            data = data[size:]
        if data and self._asked and (self.response is None or self.response.status_code == OPENED):
            self.early += data
            if len(self.early) > EARLY_BYTES:
                self.early.clear()
                self.cut()

    def process_event(self, event: Request | Response | Frame) -> None:
        """The request has come."""
        self._asked = True
        self._end = b""
        if self._impatience is not None:
            self._impatience.cancel()
        self.transport.pause_reading()
        super().process_event(event)

    def send_data(self) -> None:
        """Answer what is no request of HTTP that the library reads; it would only hang up."""
        wrong = self.protocol.handshake_exc
        if self.request is None and isinstance(wrong, InvalidMessage) and not self._answered:
            self._answered = True
            self.transport.write(NO_REQUEST if self._gets else NOT_GET)
        super().send_data()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        if self._impatience is not None:
            self._impatience.cancel()
        if self.door is not None:
            self.door.gone(self)
        super().connection_lost(exc)
