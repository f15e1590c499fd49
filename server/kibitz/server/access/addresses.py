"""Where a client comes from: the address that limits and bans count.

Promises: text that is the same for the same address. Never: believe what a client says.
"""

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request

UNKNOWN = ""
"""The address of a connection that is gone already."""


def address_of(socket: ServerConnection, request: Request) -> str:
    """The client's address, ``192.0.2.7`` or ``2001:db8::1``."""
    peer = socket.remote_address
    return str(peer[0]) if peer else UNKNOWN
