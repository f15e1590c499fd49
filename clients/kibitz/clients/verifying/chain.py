"""Check ``chain``: no event is missing, and their hashes lead to the head that was told."""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from kibitz.protocol.hashing import HASH_SIZE

from .recording import Recording
from .verdict import Finding, Unfit

_IN_ORDER = msgspec.msgpack.Encoder(order="sorted")


def check(recording: Recording) -> Finding:
    """Follow the chain from the first event to the last."""
    try:
        return Finding("chain", "ok", f"leads to {_follow(recording)}")
    except Unfit as unfit:
        return unfit.of("chain")


def _follow(recording: Recording) -> str:
    hash_ = b""
    for number, plain in enumerate(recording.plain, 1):
        if plain.get("seq") != number:
            raise Unfit(f"it is numbered {plain.get('seq')!r:.20}", number)
        hash_ = hashlib.sha256(hash_ + _commitment(plain, number)).digest()[:HASH_SIZE]
    if recording.seq != len(recording.plain):
        raise Unfit(f"the head is event {recording.seq}; there are {len(recording.plain)} events")
    if recording.hash != hash_.hex():
        raise Unfit(f"the events lead to {hash_.hex()}, not to {recording.hash:.40}")
    return hash_.hex()


def _commitment(plain: Mapping[str, Any], number: int) -> bytes:
    """What stands for an event: of every key that stands there, also of those we do not know."""
    said = {key: value for key, value in plain.items() if key not in ("t", "room")}
    if said.get("kind") == "hidden":
        return bytes.fromhex(said.get("commit") or "")
    salt = bytes.fromhex(said.pop("salt", None) or "")
    try:
        packed = _IN_ORDER.encode(said)
    except (OverflowError, ValueError, TypeError):
        raise Unfit("there is a number that no event can hold", number) from None
    return hashlib.sha256(salt + packed).digest()
