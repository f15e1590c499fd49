"""What a room needs of a connection: who it is, and a way to tell it something."""

from typing import Protocol

from kibitz.protocol.views import Role
from kibitz.protocol.wire import Encoding

from ..identity import Identity
from ..sockets.socket import Socket


class Listener(Protocol):
    """Somebody who is told what happens."""

    identity: Identity
    encoding: Encoding

    @property
    def socket(self) -> Socket:
        """Where the same bytes for many are written to."""
        ...

    def offer(self, frames: bytes) -> bool:
        """Send whole frames soon; ``False``: there is no room for them in the outbox."""
        ...

    def is_drained(self) -> bool:
        """Whether the outbox is empty again."""
        ...

    def fell_behind(self, role: Role) -> None:
        """Note that it does not read what it is told; it has missed something."""
        ...

    def close_soon(self, code: int, reason: str) -> None:
        """Close without waiting for it."""
        ...
