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
from websockets.protocol import State

from .plain import METHODS, NO_REQUEST, NOT_GET
from .reader import Door

READ_BYTES = 4 * 1024
"""Most bytes of one connection that are looked at before everybody else has his turn."""


class Arrival(ServerConnection):
    """A connection that is counted at the door."""

    __slots__ = ("_answered", "_asked", "_gets", "address", "door", "welcome")

    def __init__(self, *args: Any, door: Door | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
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

    def data_received(self, data: bytes) -> None:
        """Something is said."""
        if self.protocol.state is State.CONNECTING:
            self._gets = self._gets or data.startswith(METHODS)
        super().data_received(data)

    def process_event(self, event: Request | Response | Frame) -> None:
        """The request has come."""
        self._asked = True
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
        if self.door is not None:
            self.door.gone(self)
        super().connection_lost(exc)
