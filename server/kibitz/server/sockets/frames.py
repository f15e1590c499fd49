"""A message as the bytes that go to the socket: encoded once an encoding, framed once."""

import msgspec
from websockets.frames import Frame, Opcode

from kibitz.protocol.wire import Encoding, encode_bytes

OPCODES = {Encoding.JSON: Opcode.TEXT, Encoding.MSGPACK: Opcode.BINARY}


def framed(message: msgspec.Struct, encoding: Encoding) -> bytes:
    """The whole frame of a message, as a server sends it."""
    return Frame(OPCODES[encoding], encode_bytes(message, encoding)).serialize(mask=False)


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
