"""The chain of hashes, worked out here once more by other means."""

import hashlib
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kibitz.protocol.hashing import HASH_SIZE, SALT_SIZE, chain, commitment
from kibitz.protocol.views import Event, Policy

SALT = bytes(range(SALT_SIZE))
MOVE = Event(
    seq=7,
    at=1200,
    by="ann",
    kind="move",
    board=1,
    move="sw",
    fx=[["mv", "Stock", "Waste", ["9c"]], ["count", "redeals", None]],
    moves=3,
    score=0,
    salt=SALT.hex(),
)
PLAIN: dict[str, Any] = {
    "at": 1200,
    "board": 1,
    "by": "ann",
    "fx": [["mv", "Stock", "Waste", ["9c"]], ["count", "redeals", None]],
    "kind": "move",
    "move": "sw",
    "moves": 3,
    "score": 0,
    "seq": 7,
}
"""The same as a map in order, without ``salt``."""


def test_a_salt_stands_before_the_bytes_and_not_in_the_map() -> None:
    assert commitment(MOVE) == hashlib.sha256(SALT + msgpack.packb(PLAIN)).digest()
    unsalted = replace(MOVE, salt=None)
    assert commitment(unsalted) == hashlib.sha256(msgpack.packb(PLAIN)).digest()


def test_the_hash_is_cut_from_the_hash_before_and_the_commitment() -> None:
    first = hashlib.sha256(commitment(MOVE)).digest()[:HASH_SIZE]
    assert chain(b"", MOVE) == first
    assert chain(first, MOVE) == hashlib.sha256(first + commitment(MOVE)).digest()[:HASH_SIZE]


def test_a_stub_stands_for_its_event() -> None:
    """Whatever else it says: its commitment alone counts."""
    commit = commitment(MOVE).hex()
    for stub in (
        Event(seq=7, at=1200, kind="hidden", board=1, moves=3, score=0, commit=commit),
        Event(seq=7, at=0, kind="hidden", commit=commit),
    ):
        assert chain(b"before", stub) == chain(b"before", MOVE)
        assert len(bytes.fromhex(commit)) == 32


def test_the_room_does_not_count() -> None:
    assert commitment(replace(MOVE, room="r")) == commitment(MOVE)


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 8},
        {"at": 1201},
        {"by": "bob"},
        {"board": 0},
        {"move": "wf 1"},
        {"fx": []},
        {"moves": 4},
        {"score": 1},
        {"salt": "00" * SALT_SIZE},
        {"salt": None},
        {"text": "hm"},
    ],
)
def test_everything_else_does(change: dict[str, Any]) -> None:
    assert commitment(replace(MOVE, **change)) != commitment(MOVE)


def test_keys_are_in_order_at_every_level() -> None:
    made = Event(seq=1, at=0, kind="created", options={"b": "2", "a": "1"}, policy=Policy(delay=3))
    turned = replace(made, options={"a": "1", "b": "2"})
    assert commitment(made) == commitment(turned)
    plain = {
        "at": 0,
        "kind": "created",
        "options": {"a": "1", "b": "2"},
        "policy": {
            **{"cheat": False, "delay": 3, "hints": True, "save": True, "say": True, "undo": True}
        },
        "seq": 1,
    }
    assert commitment(made) == hashlib.sha256(msgpack.packb(plain)).digest()


@settings(deadline=None)
@given(
    st.binary(min_size=SALT_SIZE, max_size=SALT_SIZE),
    st.binary(min_size=SALT_SIZE, max_size=SALT_SIZE),
)
def test_another_salt_is_another_commitment(one: bytes, other: bytes) -> None:
    """So who guesses the event still cannot tell from its stub that he is right."""
    a, b = (commitment(replace(MOVE, salt=salt.hex())) for salt in (one, other))
    assert (a == b) is (one == other)
