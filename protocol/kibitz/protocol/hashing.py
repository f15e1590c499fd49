"""The hash chain over a room's events: same number and hash, same history seen.

``h(n) = SHA-256(h(n-1) || c(n))`` cut to 16 bytes, ``h(0)`` empty, with ``c(n)`` the SHA-256 of
the msgpack of event n as everybody may see it, without ``t`` and ``room``, map keys sorted.
"""

import hashlib
from typing import Any

import msgpack
import msgspec

from .views import Event

HASH_SIZE = 16
"""Bytes of a hash."""


def commitment(event: Event) -> bytes:
    """SHA-256 of the event's canonical bytes."""
    plain: dict[str, Any] = msgspec.to_builtins(event)
    del plain["t"]
    plain.pop("room", None)
    return hashlib.sha256(msgpack.packb(_sorted(plain))).digest()


def chain(before: bytes, event: Event) -> bytes:
    """The hash after one more event."""
    return hashlib.sha256(before + commitment(event)).digest()[:HASH_SIZE]


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(item) for item in value]
    return value
