"""`aiohttp`: send_bytes() to every member, one after the other, as its documentation does."""

import asyncio
import contextlib

from aiohttp import WSMsgType, web
from bench.peers.game import ENTERED, Rooms, options, run, say

chosen = options()
rooms: Rooms[web.WebSocketResponse] = Rooms()


async def handle(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse(compress=chosen.deflate)
    await socket.prepare(request)
    room = rooms.at(request.path_qs)
    room.members.add(socket)
    try:
        await socket.send_bytes(ENTERED)
        async for message in socket:
            event = room.take(message.data) if message.type == WSMsgType.BINARY else None
            if event is None:
                continue
            for member in list(room.members):
                with contextlib.suppress(ConnectionError):
                    await member.send_bytes(event)
    finally:
        room.members.discard(socket)
    return socket


async def main() -> None:
    app = web.Application()
    app.router.add_get("/", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=4096).start()
    say(runner.addresses[0][1])
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    run(main, chosen.loop)
