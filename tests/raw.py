"""A bare client: frames made by hand, bytes in any pieces, every frame that comes back.

It knows no rule of the protocol that it could keep by itself: what a test writes is what the
server gets, and what the server sends is what a test sees, up to the end of the stream.
"""

import asyncio
import contextlib
import socket as sockets
from collections.abc import AsyncIterator, Iterable
from urllib.parse import urlsplit

from talk import PATIENCE, Plain, pack, unpack

from kibitz.protocol.wire import Encoding

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
MASK = b"\x37\xfa\x21\x3d"
OPCODES = {Encoding.JSON: TEXT, Encoding.MSGPACK: BINARY}

Frame = tuple[int, bytes]
"""Opcode and payload."""


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    reserved: int = 0,
    mask: bytes | None = MASK,
    width: int | None = None,
) -> bytes:
    """The bytes of a frame.

    Args:
        opcode: What kind of frame.
        payload: What it carries, not masked yet.
        fin: Whether the message ends with it.
        reserved: The three reserved bits.
        mask: Four bytes; ``None``: none, which clients must not do.
        width: Bits of the length, 7, 16 or 64; ``None``: as few as it takes.

    """
    size = len(payload)
    width = width or (7 if size < 126 else 16 if size < 2**16 else 64)
    first = fin << 7 | reserved << 4 | opcode
    second = (mask is not None) << 7 | {7: size, 16: 126, 64: 127}[width]
    head = bytes([first, second]) + (b"" if width == 7 else size.to_bytes(width // 8, "big"))
    if mask is None:
        return head + payload
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def said(encoding: Encoding, t: str, **fields: object) -> bytes:
    """What a request says, as the payload of its frame."""
    named = {key.rstrip("_"): value for key, value in fields.items() if value is not None}
    packed = pack(encoding, {"t": t, **named})
    return packed.encode() if isinstance(packed, str) else packed


def request(encoding: Encoding, t: str, **fields: object) -> bytes:
    """A request in one frame."""
    return frame(OPCODES[encoding], said(encoding, t, **fields))


def upgrade(url: str, encoding: Encoding = Encoding.JSON) -> bytes:
    """The HTTP request that opens a connection."""
    at = urlsplit(url)
    return (
        f"GET {at.path} HTTP/1.1\r\nHost: {at.netloc}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Sec-WebSocket-Protocol: {encoding.value}\r\n\r\n"
    ).encode()


class Raw:
    """One connection: the frames read so far, and what they say.

    Attributes:
        frames: Every frame.
        messages: What each message says.
        answers: What the answers belong to. events: The numbers of the events.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, encoding: Encoding
    ) -> None:
        self.writer = writer
        self.encoding = encoding
        self.frames: list[Frame] = []
        self.messages: list[Plain] = []
        self.answers: list[int | str] = []
        self.events: list[int] = []
        self._reader = reader

    # Out

    def write(self, data: bytes) -> None:
        """Write all of it at once."""
        self.writer.write(data)

    async def write_pieces(self, pieces: Iterable[bytes]) -> None:
        """Write one piece after the other, so that each comes by itself."""
        for piece in pieces:
            self.writer.write(piece)
            await asyncio.sleep(0)

    def ask(self, t: str, **fields: object) -> None:
        """Write a request in one frame."""
        self.write(request(self.encoding, t, **fields))

    def cut(self) -> None:
        """Reset the connection."""
        sock = self.writer.get_extra_info("socket")
        linger = (1).to_bytes(4, "little") + bytes(4)
        sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, linger)
        self.writer.transport.abort()

    # In

    async def head(self) -> bytes:
        """The server's answer to the HTTP request."""
        async with asyncio.timeout(PATIENCE):
            return await self._reader.readuntil(b"\r\n\r\n")

    async def read(self) -> Frame | None:
        """The next frame; ``None``: the stream has ended, between two frames."""
        async with asyncio.timeout(PATIENCE):
            first = await self._reader.read(1)
            if not first:
                return None
            size = (await self._reader.readexactly(1))[0]
            assert size < 128 and first[0] & 0xF0 == 0x80, "whole, not masked, nothing reserved"
            if size > 125:
                width = 2 if size == 126 else 8
                size = int.from_bytes(await self._reader.readexactly(width), "big")
            got = first[0] & 15, await self._reader.readexactly(size)
        self._take(got)
        return got

    def _take(self, got: Frame) -> None:
        self.frames.append(got)
        opcode, payload = got
        if opcode not in (TEXT, BINARY):
            return
        assert opcode == OPCODES[self.encoding]
        said = unpack(payload.decode() if opcode == TEXT else payload)
        self.messages.append(said)
        if "i" in said:
            self.answers.append(said["i"])
        elif said["t"] == "event":
            self.events.append(said["seq"])

    async def until(self, i: int | str) -> Plain:
        """Read up to an answer; which one."""
        while (got := await self.read()) is not None:
            if got[0] in (TEXT, BINARY) and self.messages[-1].get("i") == i:
                return self.messages[-1]
        raise ConnectionError(f"no answer to {i}")

    async def rest(self) -> list[Frame]:
        """Read up to the end of the stream, answering the close; everything read so far."""
        while (got := await self.read()) is not None:
            if got[0] == CLOSE:
                self.write(frame(CLOSE, got[1]))
        return self.frames

    @property
    def pongs(self) -> list[bytes]:
        """What the pongs read so far carry, in order."""
        return [payload for opcode, payload in self.frames if opcode == PONG]


def code_of(got: Frame) -> int | None:
    """The code of a close frame, if it has one."""
    assert got[0] == CLOSE, got
    return int.from_bytes(got[1][:2], "big") if got[1] else None


@contextlib.asynccontextmanager
async def dialled(
    url: str,
    encoding: Encoding = Encoding.JSON,
    *,
    receive_buffer: int | None = None,
    local: str = "",
) -> AsyncIterator[Raw]:
    """A TCP connection on which nothing has been said yet.

    Args:
        url: The server's socket.
        encoding: What will be spoken.
        receive_buffer: Bytes that are kept, each in the kernel and here, while nothing is read.
        local: The address to come from.

    """
    at = urlsplit(url)
    sock = sockets.socket()
    sock.bind((local, 0))
    if receive_buffer is not None:
        sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, receive_buffer)
    sock.setblocking(False)
    await asyncio.get_running_loop().sock_connect(sock, (at.hostname, at.port))
    limit = 2**16 if receive_buffer is None else receive_buffer
    reader, writer = await asyncio.open_connection(sock=sock, limit=limit)
    try:
        yield Raw(reader, writer, encoding)
    finally:
        writer.transport.abort()


@contextlib.asynccontextmanager
async def raw(
    url: str,
    encoding: Encoding = Encoding.JSON,
    *,
    token: str | None = None,
    receive_buffer: int | None = None,
    local: str = "",
) -> AsyncIterator[Raw]:
    """A connection that has said hello, with ``i`` 0."""
    async with dialled(url, encoding, receive_buffer=receive_buffer, local=local) as client:
        client.write(upgrade(url, encoding))
        assert b" 101 " in await client.head()
        client.ask("hello", i=0, token=token)
        await client.until(0)
        yield client
