"""A proxy that gives the server a path prefix, and a page of another site with a frame in it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

from servers import Running

CHUNK = 65536
HEAD = b"\r\n\r\n"


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    writer.close()


@contextlib.asynccontextmanager
async def _listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[str]:
    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listener:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"


def _not_found(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close" + HEAD)
    writer.close()


@contextlib.asynccontextmanager
async def under_prefix(server: Running, prefix: str) -> AsyncIterator[str]:
    """The server as ``http://host/prefix``; whatever is asked for beside it is not found."""
    at = urlsplit(server.http)
    marker = f" {prefix}/".encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line, rest = (await reader.readuntil(HEAD)).split(b"\r\n", 1)
        except asyncio.IncompleteReadError:
            writer.close()
            return
        if marker not in line:
            _not_found(writer)
            return
        inner, outer = await asyncio.open_connection(at.hostname, at.port)
        outer.write(line.replace(marker, b" /", 1) + b"\r\n" + rest)
        await asyncio.gather(_pump(reader, outer), _pump(inner, writer))

    async with _listening(serve) as http:
        yield http + prefix


@contextlib.asynccontextmanager
async def framing(address: str) -> AsyncIterator[str]:
    """A page of another site that shows an address in a frame."""
    page = (
        '<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">'
        f'<iframe src="{address}" width="640" height="480" title="kibitz"></iframe>'
    ).encode()
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
        f"Content-Length: {len(page)}"
    ).encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            await reader.readuntil(HEAD)
            writer.write(head + HEAD + page)
        writer.close()

    async with _listening(serve) as http:
        yield http
