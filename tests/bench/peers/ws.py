"""`websockets`: the library's own broadcast(), without compression or with (--deflate)."""

import asyncio

from bench.peers.game import ENTERED, Rooms, options, run, say
from websockets.asyncio.server import ServerConnection, broadcast, serve

chosen = options()
rooms: Rooms[ServerConnection] = Rooms()


async def handle(socket: ServerConnection) -> None:
    assert socket.request is not None
    room = rooms.at(socket.request.path)
    room.members.add(socket)
    try:
        await socket.send(ENTERED)
        async for data in socket:
            event = room.take(data)
            if event is not None:
                broadcast(room.members, event)
    finally:
        room.members.discard(socket)


async def main() -> None:
    compression = "deflate" if chosen.deflate else None
    async with serve(handle, "127.0.0.1", 0, compression=compression, backlog=4096) as server:
        say(next(iter(server.sockets)).getsockname()[1])
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    run(main, chosen.loop)
