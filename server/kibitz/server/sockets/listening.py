"""The port that is listened on: WebSockets and pages, with TLS or without, alone or with others.

Promises: a crowd that comes at once waits to be accepted and keeps nobody waiting who is there;
only the rest of a handshake has a time of its own, so that a client gets his answer.
"""

from asyncio.sslproto import SSLProtocol
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import NegotiationError
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from kibitz.protocol.limits import JSON_SUBPROTOCOL, MAX_MESSAGE, MSGPACK_SUBPROTOCOL

from ..access.certificates import Certificates
from ..client import CLOSE_SECONDS
from ..limits.door import Door
from ..settings import Listening
from .socket import Socket

BACKLOG = 4096
"""Connections that may wait to be accepted: a crowd comes back within half a second. Whoever finds
no room there is not heard for a whole one."""
TLS_READ_BYTES = 16 * 1024
"""Bytes of a TLS connection that come at once, and what each has as a buffer: a record of TLS."""
ACCEPTS = 4
"""Connections that are accepted before everybody else has his turn."""
SUBPROTOCOLS = (Subprotocol(MSGPACK_SUBPROTOCOL), Subprotocol(JSON_SUBPROTOCOL))

Paging = Callable[[ServerConnection, Request], Awaitable[Response | None] | Response | None]


async def listen(
    listening: Listening,
    connect: Callable[[ServerConnection], Awaitable[None]],
    page: Paging,
    name: str,
    door: Door,
    hello_timeout: float,
    certificates: Certificates | None,
) -> Server:
    """Listen until the server is closed.

    Args:
        listening: Where.
        connect: Is given each WebSocket that is open.
        page: Answers what is no WebSocket.
        name: Who answers.
        door: Who may connect.
        hello_timeout: Seconds for a request to come.
        certificates: What TLS is spoken with; ``None``: none is.

    Raises:
        OSError: The address cannot be listened on.

    """
    tls: dict[str, Any] = {}
    if certificates is not None:
        SSLProtocol.max_size = TLS_READ_BYTES
        tls = {
            "ssl": certificates.context,
            "ssl_handshake_timeout": hello_timeout,
            "ssl_shutdown_timeout": CLOSE_SECONDS,
        }
    server = await serve(
        *(connect, listening.host, listening.port),
        process_request=page,
        select_subprotocol=_select,
        create_connection=cast(
            type[ServerConnection], partial(Socket, door=door, patience=hello_timeout)
        ),
        compression=None,
        backlog=ACCEPTS,
        reuse_port=listening.workers > 1 or None,
        ping_interval=None,
        max_size=MAX_MESSAGE,
        server_header=name,
        open_timeout=None,  # for his request a client has hello_timeout, for its answer we have
        close_timeout=CLOSE_SECONDS,
        **tls,
    )
    for each in server.sockets:
        with each.dup() as same:  # asyncio accepts as many at once as it lets wait
            same.listen(BACKLOG)
    return server


def _select(socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Our first sub-protocol that the client offers; none offered means JSON."""
    if not offered:
        return None
    for ours in SUBPROTOCOLS:
        if ours in offered:
            return ours
    raise NegotiationError(f"this server speaks {', '.join(SUBPROTOCOLS)}")
