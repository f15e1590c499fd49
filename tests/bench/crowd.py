"""A crowd of raw sockets that greet and then count frames, in a process of its own.

    python -m bench.crowd PORT COUNT [GREETING ...]

Each connection sends every greeting as a text frame. Prints ``ready`` once as many frames as there
are greetings have come on every connection; for every line on standard input, a number N,
waits until every connection has got N more frames and prints ``done``.
"""

import asyncio
import base64
import os
import sys


def masked(text: str) -> bytes:
    """A client's text frame."""
    data, mask = text.encode(), os.urandom(4)
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
    body = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
    return b"\x81" + size + mask + body


class Spectator(asyncio.Protocol):
    """One connection that counts the frames it gets."""

    def __init__(self, crowd: "Crowd") -> None:
        self.crowd = crowd
        self.frames = 0
        self.data = bytearray()
        self.upgraded = False
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self.data += data
        if not self.upgraded:
            end = self.data.find(b"\r\n\r\n")
            if end < 0:
                return
            del self.data[: end + 4]
            self.upgraded = True
            assert self.transport is not None
            self.transport.write(b"".join(map(masked, self.crowd.greetings)))
        at, size = 0, len(self.data)
        while size - at >= 2:
            length, head = self.data[at + 1], 2
            if length == 126:
                length, head = int.from_bytes(self.data[at + 2 : at + 4], "big"), 4
            elif length == 127:
                length, head = int.from_bytes(self.data[at + 2 : at + 10], "big"), 10
            if size - at < head + length:
                break
            if self.data[at] == 0x81 and not self.data.startswith(b'{"t":"presence"', at + head):
                self.frames += 1
                self.crowd.count(self)
            at += head + length
        del self.data[:at]

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.crowd.over:
            sys.exit("a spectator was disconnected")


class Crowd:
    """All spectators."""

    def __init__(self, greetings: list[str]) -> None:
        self.greetings = greetings
        self.spectators: list[Spectator] = []
        self.target = len(greetings)
        self.waiting = 0
        self.reached = asyncio.Event()
        self.over = False

    def count(self, spectator: Spectator) -> None:
        """One more frame has come."""
        if spectator.frames == self.target:
            self.waiting -= 1
            if self.waiting == 0:
                self.reached.set()

    async def more(self, frames: int) -> None:
        """Wait until everybody has got so many more frames."""
        self.target += frames
        self.waiting = sum(spectator.frames < self.target for spectator in self.spectators)
        self.reached.clear()
        if self.waiting:
            await self.reached.wait()


async def main(port: int, count: int, greetings: list[str]) -> None:
    """Connect everybody, then follow standard input."""
    loop, crowd = asyncio.get_running_loop(), Crowd(greetings)
    crowd.waiting = count
    for _ in range(count):
        _, spectator = await loop.create_connection(lambda: Spectator(crowd), "127.0.0.1", port)
        crowd.spectators.append(spectator)
    if greetings:
        await crowd.reached.wait()
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        await crowd.more(int(line))
        print("done", flush=True)
    crowd.over = True


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
