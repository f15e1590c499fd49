"""What an operator orders of a running server, and what he is shown of it.

The shapes only; the request is ``admin``, the answer ``administered``.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .views import RoomInfo, Seat

Act = Literal[
    "rooms",
    "people",
    "bans",
    "close",
    "kick",
    "unkick",
    "mute",
    "unmute",
    "ban",
    "unban",
    "notice",
    "drain",
]
"""What can be ordered."""
NEEDS: Mapping[Act, tuple[str, ...]] = {
    "close": ("room",),
    "kick": ("room", "id"),
    "unkick": ("room", "id"),
    "mute": ("id",),
    "unmute": ("id",),
    "notice": ("text",),
}
"""The fields that an order must have; ``ban`` and ``unban`` need ``id`` or ``address``."""


class AdminRoom(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A room, whoever may see it.

    Attributes:
        info: Its entry, as everything has happened by now.
        loaded: Whether it is in memory.
        seats: Who has which seat; absent where the room cannot be read.

    """

    info: RoomInfo
    loaded: bool = False
    seats: list[Seat] | UnsetType = UNSET


class Person(Struct, frozen=True, kw_only=True):
    """A connection.

    Attributes:
        number: Its own, from 1 on, as they came.
        id, name: The identity; empty before its ``hello``.
        address: Where it comes from.
        encoding: ``json`` or ``msgpack``.
        rooms: The rooms it follows.
        since: When it came, Unix ms.
        waiting: Bytes that wait to be sent to it.

    """

    number: int
    id: str
    name: str
    address: str
    encoding: str
    rooms: list[str]
    since: int
    waiting: int


class Ban(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What somebody may not do.

    Attributes:
        kind: ``ban``: come in; ``mute``: comment; ``kick``: sit down in that room.
        id, address: Who: an identity, or an address, or a network of them (``192.0.2.0/24``).
        room: Of a ``kick``, where.
        since: From when, Unix ms. until: Until when; absent: for good.
        reason: What he is told.

    """

    kind: Literal["ban", "mute", "kick"]
    id: str | None = None
    address: str | None = None
    room: str | None = None
    since: int
    until: int | None = None
    reason: str | None = None
