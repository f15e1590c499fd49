"""Connections handed to several servers in turn, as a balancer in front of them does."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Sequence

PIECE_BYTES = 64 * 1024


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hand on what comes until the end, and say so; who is cut off cuts the other off."""
    try:
        while data := await reader.read(PIECE_BYTES):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        writer.transport.abort()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    """One connection from its beginning to its end."""
    try:
        back, there = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        writer.transport.abort()
        return
    try:
        await asyncio.gather(_hand_on(reader, there), _hand_on(back, writer))
    finally:
        for each in (there, writer):
            each.transport.abort()


@contextlib.asynccontextmanager
async def balanced(ports: Sequence[int], port: int = 0) -> AsyncIterator[int]:
    """The port behind which every connection comes to the next one of these."""
    turns = itertools.cycle(ports)
    carrying: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(_carry(reader, writer, next(turns)))
        carrying.add(task)
        task.add_done_callback(carrying.discard)
        task.add_done_callback(lambda task: writer.transport.abort())  # it may never have begun

    server = await asyncio.start_server(accept, "127.0.0.1", port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()
        for task in carrying:
            task.cancel()
        if carrying:
            await asyncio.wait(carrying)
        await asyncio.sleep(0)  # what is aborted is closed in the next turn
