"""Opening handshakes with headers made by hand."""

import asyncio
from urllib.parse import urlsplit

from servers import Running
from talk import PATIENCE

UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


async def shake(running: Running, *headers: str, path: str = "/ws") -> tuple[int, bytes]:
    """Status and whole answer to a handshake with these headers; no ``Host`` but theirs."""
    return await get(running, UPGRADE + "".join(f"{header}\r\n" for header in headers), path)


async def get(running: Running, headers: str, path: str) -> tuple[int, bytes]:
    """Status and whole answer to a GET with headers, each with its line end; 0: hung up."""
    at = urlsplit(running.http)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\n{headers}\r\n".encode("latin-1"))
        async with asyncio.timeout(PATIENCE):
            answer = await reader.readuntil(b"\r\n\r\n")
            if b" 101 " not in answer.splitlines()[0]:
                answer += await reader.read()
    except asyncio.IncompleteReadError as error:
        return 0, error.partial
    finally:
        writer.transport.abort()
    return int(answer.split()[1]), answer
