"""What rooms are called: part of addresses, and of the names of files.

Promises: nobody guesses an id; none has a letter that means something anywhere.
"""

import base64
import re
from typing import TypeGuard

ROOM_ID_BYTES = 10
"""Random bytes in a room id: 80 bits, nobody guesses one."""

_ID = re.compile(rf"[a-z2-7]{{{ROOM_ID_BYTES * 8 // 5}}}", re.ASCII)


def id_from(raw: bytes) -> str:
    """The id that so many random bytes make."""
    return base64.b32encode(raw).decode().lower()


def is_room_id(found: object) -> TypeGuard[str]:
    """Whether a room can be called so; what a file says may be anything."""
    return isinstance(found, str) and _ID.fullmatch(found) is not None
