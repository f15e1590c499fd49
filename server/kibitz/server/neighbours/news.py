"""The form of what servers tell each other.

It may be lost, and nothing is decided by it alone: what happened is in the log. Never: a card, nor
what only the log's own readers may know.
"""

import msgspec
from msgspec import Struct

from kibitz.protocol.replies import Thought
from kibitz.protocol.views import RoomInfo

from ..room.here import NOBODY, Here

FORM = b"\x01"
"""Before everything that is said: another form is for another version, and is not heard."""


class RoomNews(Struct, array_like=True, frozen=True):
    """How a room stands on a server that has it in memory.

    Attributes:
        id: The room.
        here: Who is in it there.
        due: When it has to be woken, Unix ms.
        entry: What everybody may know, of a public room.
        daily: What the log keeps, of one for a deal of the day.
        away: Whether it has just been put away.

    """

    id: str
    here: Here = NOBODY
    due: int | None = None
    entry: RoomInfo | None = None
    daily: RoomInfo | None = None
    away: bool = False


class News(Struct, tag=True, frozen=True):
    """What has changed on a server; also said if nothing has.

    Attributes:
        node: The server.
        number: One more each time.
        rooms: The rooms.
        whole: Whether what was said before is void: these are all, with those of the next ones.

    """

    node: str
    number: int
    rooms: list[RoomNews]
    whole: bool = False


class Ask(Struct, tag=True, frozen=True):
    """Say everything: a server has come, or has missed something.

    Attributes:
        node: Who asks.
        whom: Who is asked; ``None``: all.

    """

    node: str
    whom: str | None = None


class Bye(Struct, tag=True, frozen=True):
    """A server goes."""

    node: str


class Plays(Struct, tag=True, frozen=True):
    """An identity plays on a connection there from now on, and on no other.

    Attributes:
        node: The server.
        room: The room.
        who: The identity.
        since: From when on, Unix ms.

    """

    node: str
    room: str
    who: str
    since: int


class Notice(Struct, tag=True, frozen=True):
    """The operator tells everybody something."""

    node: str
    text: str


class Ordered(Struct, tag=True, frozen=True):
    """What the log keeps of the operator's orders has changed: who is banned, muted, kicked."""

    node: str


class Please(Struct, tag=True, frozen=True):
    """Do not write to a room until somebody else has, or for a moment: others never come to it."""

    node: str
    room: str


class Thinks(Struct, tag=True, frozen=True):
    """What a player there thinks of his moves, who may be seen here."""

    node: str
    thought: Thought


Said = News | Ask | Bye | Plays | Notice | Ordered | Please | Thinks

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Said).decode


def write(said: Said) -> bytes:
    """Something in its form."""
    return FORM + _encode(said)


def size_of(room: RoomNews) -> int:
    """Bytes that a room takes of what is said."""
    return len(_encode(room))


def read(data: bytes) -> Said | None:
    """What was said; ``None`` if it is in no form that is known."""
    if not data.startswith(FORM):
        return None
    try:
        said: Said = _decode(data[len(FORM) :])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return said
