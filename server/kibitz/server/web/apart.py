"""What one of several processes on a port tells of itself, on a port of its own.

Whoever asks on the common port is answered by any of them, which is nothing to count with.
Promises: it listens on this machine only; numbers and health, and nothing else. Never: a WebSocket.
"""

import errno
import os
from urllib.parse import urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from ..access.authority import Unusable
from ..operation.scraping import Scraping
from .pages import Pages, nothing

HOST = "127.0.0.1"
HEALTH = ("/healthz", "/readyz")
REQUEST_SECONDS = 5.0
"""How long somebody may take to ask."""


async def serve_apart(port: int, name: str, scraping: Scraping, pages: Pages) -> Server:
    """Listen on a port of this machine; 0: any free one.

    Args:
        port: The port.
        name: Who answers.
        scraping: The numbers.
        pages: Whether the process is well.

    Raises:
        Unusable: It cannot be listened on.

    """

    async def answer(socket: ServerConnection, request: Request) -> Response:
        if scraping.is_wanted(request):
            return await scraping.answer(socket, request)
        try:
            known = urlsplit(request.path).path in HEALTH
        except ValueError:
            known = False
        return await pages.answer(request, HOST) if known else nothing()

    async def never(socket: ServerConnection) -> None:
        raise AssertionError("every request has been answered")

    try:
        return await serve(
            *(never, HOST, port),
            process_request=answer,
            server_header=name,
            compression=None,
            open_timeout=REQUEST_SECONDS,
            ping_interval=None,
        )
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        said = os.strerror(error.errno) if error.errno else error
        why = f"port {port} of {HOST} {'is taken' if taken else f'cannot be had ({said})'}"
        raise Unusable(f"{why}; --metrics-port says where the workers' own ports begin") from None
