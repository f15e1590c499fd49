"""Whether everybody is still there: one sweep over all connections, no task and no timer for each.

A ping goes to everybody once in a round; of whom nothing has come since his last ping is given up
as lost. The round is spread over its ticks, so that never everybody is asked at the same time.
"""

from collections.abc import Collection
from typing import Protocol

from websockets.frames import CloseCode, Opcode
from websockets.protocol import OPEN

from .frames import frame
from .socket import Socket

PING = frame(Opcode.PING, b"")


class Peer(Protocol):
    """Somebody who may be gone."""

    @property
    def socket(self) -> Socket:
        """His socket."""
        ...

    def close_soon(self, code: int, reason: str) -> None:
        """Close without waiting for it."""
        ...


class Keepalive:
    """The sweep; ``ticks`` of it are a round."""

    def __init__(self, ticks: int) -> None:
        self._ticks = ticks
        self._tick = 0
        self._left: list[Peer] = []
        self._share = 0

    def tick(self, everybody: Collection[Peer]) -> None:
        """Look after those whose turn it is."""
        if self._tick == 0:
            self._left = list(everybody)
            self._share = -(-len(self._left) // self._ticks)
        self._tick = (self._tick + 1) % self._ticks
        if self._share:
            for peer in self._left[-self._share :]:
                _look_after(peer)
            del self._left[-self._share :]


def _look_after(peer: Peer) -> None:
    socket = peer.socket
    if socket.protocol.state is not OPEN:
        return
    held_up = not socket.paused and not socket.transport.is_reading()
    if socket.heard or held_up:  # we do not read what he says, but he reads what we say
        socket.heard = False
        socket.send_soon(PING)
    else:
        peer.close_soon(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
