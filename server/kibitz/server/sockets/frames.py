"""A message as the bytes that go to the socket: encoded once an encoding, framed once."""

import struct

import msgspec
from websockets.frames import Opcode

from kibitz.protocol.wire import Encoding, encode_bytes

FINAL = 0x80
OPCODES = {Encoding.JSON: Opcode.TEXT, Encoding.MSGPACK: Opcode.BINARY}


def framed(message: msgspec.Struct, encoding: Encoding) -> bytes:
    """The whole frame of a message, as a server sends it."""
    return frame(OPCODES[encoding], encode_bytes(message, encoding))


def frame(opcode: Opcode, payload: bytes) -> bytes:
    """A whole frame from a server: RFC 6455, 5.2, without mask, extensions and fragments."""
    size = len(payload)
    if size < 126:
        return bytes((FINAL | opcode, size)) + payload
    if size < 1 << 16:
        return struct.pack("!BBH", FINAL | opcode, 126, size) + payload
    return struct.pack("!BBQ", FINAL | opcode, 127, size) + payload


class Frames:
    """The frames of one message, each made when first asked for."""

    __slots__ = ("_frames", "_message")

    def __init__(self, message: msgspec.Struct) -> None:
        self._message = message
        self._frames: dict[Encoding, bytes] = {}

    def __getitem__(self, encoding: Encoding) -> bytes:
        frame = self._frames.get(encoding)
        if frame is None:
            frame = self._frames[encoding] = framed(self._message, encoding)
        return frame
