"""`picows`: transport.send() to every member."""

from bench.peers.game import ENTERED, Room, Rooms, options, run, say
from picows import (
    WSFrame,
    WSListener,
    WSMsgType,
    WSTransport,
    WSUpgradeRequest,
    ws_create_server,
)

chosen = options()
rooms: Rooms[WSTransport] = Rooms()


class Listener(WSListener):
    """One client."""

    def __init__(self, room: Room[WSTransport]) -> None:
        super().__init__()
        self.room = room

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.room.members.add(transport)
        transport.send(WSMsgType.BINARY, ENTERED)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self.room.members.discard(transport)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.CLOSE:
            transport.disconnect()
        if frame.msg_type != WSMsgType.BINARY:
            return
        event = self.room.take(frame.get_payload_as_bytes())
        if event is not None:
            for member in self.room.members:
                member.send(WSMsgType.BINARY, event)


def greet(request: WSUpgradeRequest) -> Listener:
    return Listener(rooms.at(request.path.decode()))


async def main() -> None:
    server = await ws_create_server(greet, "127.0.0.1", 0, backlog=4096)
    say(server.sockets[0].getsockname()[1])
    await server.serve_forever()


if __name__ == "__main__":
    run(main, chosen.loop)
