"""The hash chain over a room's events: same number and hash, same history seen.

``h(n) = SHA-256(h(n-1) || c(n))`` cut to 16 bytes, ``h(0)`` empty. ``c(n)`` is the SHA-256 of the
msgpack of event n as everybody may see it, without ``t`` and ``room``, map keys sorted. Where not
everybody may see the event at once it has a ``salt``, which is put before those bytes (and is not
among them); who may not see it is told ``c(n)`` itself, as ``commit``.
"""

import hashlib
from typing import Any

import msgspec

from .views import Event

HASH_SIZE = 16
"""Bytes of a hash."""
SALT_SIZE = 16
"""Bytes of a salt."""

_IN_ORDER = msgspec.msgpack.Encoder(order="sorted")
"""Writes maps with their keys sorted, at every level."""


def commitment(event: Event) -> bytes:
    """What stands for the event in the chain, 32 bytes."""
    if event.commit is not None:
        return bytes.fromhex(event.commit)
    plain: dict[str, Any] = msgspec.to_builtins(event)
    salt: str = plain.pop("salt", "")
    del plain["t"]
    plain.pop("room", None)
    packed = _IN_ORDER.encode(plain)
    return hashlib.sha256(bytes.fromhex(salt) + packed if salt else packed).digest()


def chain(before: bytes, event: Event) -> bytes:
    """The hash after one more event."""
    return hashlib.sha256(before + commitment(event)).digest()[:HASH_SIZE]
