"""The load's connections and servers that are no kibitz: each is told, none is waited for."""

import asyncio
from collections.abc import Awaitable, Callable

import msgpack
import pytest
from clients.commands import PATIENCE
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from kibitz.clients.benching.line import Line, Lines, Lost
from kibitz.protocol.limits import MSGPACK_SUBPROTOCOL

Answer = Callable[[ServerConnection], Awaitable[None]]


async def text(socket: ServerConnection) -> None:
    await socket.recv()
    await socket.send('{"t":"welcome","i":1}')
    await socket.wait_closed()


async def close_and_stay(socket: ServerConnection) -> None:
    await socket.recv()
    socket.transport.write(b"\x88\x02\x03\xe8")
    await socket.wait_closed()


async def garbage(socket: ServerConnection) -> None:
    await socket.recv()
    socket.transport.write(b"\xff\xff\xff\xff")
    await socket.wait_closed()


async def pieces(socket: ServerConnection) -> None:
    await socket.recv()
    await socket.send([msgpack.packb({"t": "welcome"}), b""])
    await socket.wait_closed()


@pytest.mark.parametrize("answer", [text, close_and_stay, garbage, pieces])
async def test_an_odd_server_is_not_waited_for(answer: Answer) -> None:
    offered = [Subprotocol(MSGPACK_SUBPROTOCOL)]
    async with serve(answer, "127.0.0.1", 0, subprotocols=offered, close_timeout=0.1) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(Lost):
                await Lines(f"ws://127.0.0.1:{port}/ws").open()
        for connection in server.connections:
            connection.transport.abort()


async def test_another_protocol_is_refused() -> None:
    async with serve(text, "127.0.0.1", 0, close_timeout=0.1) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        with pytest.raises(Lost, match="msgpack"):
            await Line(f"ws://127.0.0.1:{port}/ws").opened()


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy", "HTTP status 503"),
        (b"HTTP/1.1 503 Busy\r\nConnection: close\r\n\r\nbusy", "HTTP status 503"),
        (b"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n", "WebSocket"),
        (b"SSH-2.0-whatever\r\n", "WebSocket"),
    ],
)
async def test_no_websocket_is_told(head: bytes, said: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Lost, match=said):
            await Line(f"ws://127.0.0.1:{port}/ws").opened()


@pytest.mark.parametrize("url", ["http://127.0.0.1/ws", "127.0.0.1:8765", "ws://"])
async def test_no_address_is_told(url: str) -> None:
    with pytest.raises(Lost):
        Line(url)
