"""What is kept of a room that has been put away: its replay texts, compressed.

Promises: as anybody could read them on that day; what is written by any version reads for ever.
Never: a hidden card of a game that has not ended, for nobody can go on with it.
"""

import zlib

import msgspec
from msgspec import Struct

from kibitz.protocol.codes import ErrorCode, Refused

LEVEL = 9


class Kept(Struct, frozen=True, omit_defaults=True):
    """A room that has been put away.

    Attributes:
        texts: The replay text of each board; an empty one where nobody could see it.
        readers: The identities who may read it, of a room that is not for everybody.

    """

    texts: list[str]
    readers: list[str] | None = None


class PutAway(Refused):
    """The room that is asked for has been put away."""

    def __init__(self, room: str) -> None:
        message = f"room {room} is archived; it can be read at /rooms/{room}/replay.txt"
        super().__init__(ErrorCode.NO_ROOM, message, room=room)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Kept).decode


def write_kept(kept: Kept) -> bytes:
    """The stored form."""
    return zlib.compress(_encode(kept), LEVEL)


def read_kept(stored: bytes) -> Kept:
    """What is kept, from its stored form."""
    if not isinstance(stored, bytes):  # another program may have written text
        raise msgspec.DecodeError("there is something else in the place of bytes")
    return _decode(zlib.decompress(stored))
