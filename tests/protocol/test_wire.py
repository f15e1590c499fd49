"""Bytes to messages: what is taken, what is refused, and that both encodings mean the same."""

import contextlib
import json
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.limits import MAX_FRAME, MAX_SAVE, MAX_SAY
from kibitz.protocol.replies import MoveList
from kibitz.protocol.requests import Create, Join, Move, Ping, Replay, Say
from kibitz.protocol.wire import Encoding, WireError, decode_reply, decode_request, encode

NESTED: Any = None
for _ in range(12):
    NESTED = [NESTED]

REFUSED: list[tuple[Any, ErrorCode]] = [
    (None, ErrorCode.BAD_MESSAGE),
    (1, ErrorCode.BAD_MESSAGE),
    ("x", ErrorCode.BAD_MESSAGE),
    (True, ErrorCode.BAD_MESSAGE),
    ([], ErrorCode.BAD_MESSAGE),
    ({}, ErrorCode.BAD_MESSAGE),
    ({"t": 5}, ErrorCode.BAD_MESSAGE),
    ({"t": None}, ErrorCode.BAD_MESSAGE),
    ({"t": "command"}, ErrorCode.UNSUPPORTED),
    ({"t": "ping", "i": -1}, ErrorCode.BAD_MESSAGE),
    ({"t": "ping", "i": 1.5}, ErrorCode.BAD_MESSAGE),
    ({"t": "ping", "i": True}, ErrorCode.BAD_MESSAGE),
    ({"t": "ping", "i": 2**60}, ErrorCode.BAD_MESSAGE),
    ({"t": "ping", "i": "x" * 33}, ErrorCode.BAD_MESSAGE),
    ({"t": "ping", "x": NESTED}, ErrorCode.BAD_MESSAGE),
    ({"t": "move", "room": "r"}, ErrorCode.BAD_MESSAGE),
    ({"t": "move", "room": 7, "move": "s"}, ErrorCode.BAD_MESSAGE),
    ({"t": "move", "room": "r", "move": "s" * 65}, ErrorCode.BAD_MESSAGE),
    ({"t": "move", "room": "r", "move": "s", "expect": -1}, ErrorCode.BAD_MESSAGE),
    ({"t": "move", "room": "r", "from": "a"}, ErrorCode.BAD_MESSAGE),
    ({"t": "move", "room": "r", "move": "s", "from": "a", "to": "b"}, ErrorCode.BAD_MESSAGE),
    ({"t": "move", "room": "r", "move": "s", "cards": 1}, ErrorCode.BAD_MESSAGE),
    ({"t": "move", "room": "r", "from": "a", "to": "b", "cards": 0}, ErrorCode.BAD_MESSAGE),
    ({"t": "history", "room": "r", "open": 1}, ErrorCode.BAD_MESSAGE),
    ({"t": "replay"}, ErrorCode.BAD_MESSAGE),
    ({"t": "replay", "text": "x" * (MAX_SAVE + 1)}, ErrorCode.TOO_LARGE),
    ({"t": "say", "room": "r", "text": "x" * (MAX_SAY + 1)}, ErrorCode.BAD_MESSAGE),
    ({"t": "create", "game": "montana", "policy": {"fly": True}}, ErrorCode.BAD_MESSAGE),
    ({"t": "create", "game": "montana", "save": "x" * (MAX_SAVE + 1)}, ErrorCode.TOO_LARGE),
    ({"t": "ping", "x": "y" * MAX_FRAME}, ErrorCode.TOO_LARGE),
]


@pytest.mark.parametrize("packs", [json.dumps, msgpack.packb])
@pytest.mark.parametrize(("plain", "code"), REFUSED)
def test_refused_alike_in_both_encodings(packs: Any, plain: Any, code: ErrorCode) -> None:
    with pytest.raises(WireError) as caught:
        decode_request(packs(plain))
    assert caught.value.code is code
    assert str(caught.value)


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "]",
        "NaN",
        '{"t":"ping","i":NaN}',
        '{"t":"ping"} {}',
        "[" * 10_000,
        '{"t":"ping","x":' + "[" * 5_000 + "]" * 5_000 + "}",
        b"",
        b"\x81",
        b"\x81\xa1t",
        b"\xc1",
        b"\x91" * 10_000,
        b"\xdf\xff\xff\xff\xff",
        b"\xc7\x05\x01hello",
        b"\x81\x01\x02",
        msgpack.packb({"t": "ping"}) + b"\x00",
        msgpack.packb({"t": b"ping"}),
        msgpack.packb({"t": "move", "room": b"\xff", "move": "s"}),
        b"\x81\xa1t\xa4\xff\xff\xff\xff",
    ],
)
def test_what_is_no_message_is_refused(frame: str | bytes) -> None:
    with pytest.raises(WireError) as caught:
        decode_request(frame)
    assert caught.value.code is ErrorCode.BAD_MESSAGE


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ({"t": "say", "room": "r", "text": "x" * 501}, "text: at most 500 characters"),
        ({"t": "create", "game": "klondike", "deal": "x" * 65}, "deal: at most 64 characters"),
        (
            {"t": "create", "game": "", "options": {"o": "x" * 33}},
            "options: at most 32 characters",
        ),
        ({"t": "move", "room": "r", "move": "d", "expect": -1}, "expect: at least 0"),
        ({"t": "say", "room": "r", "text": ""}, "text: at least 1 character"),
    ],
)
def test_what_is_too_long_or_too_small_is_said_in_words(plain: Any, said: str) -> None:
    with pytest.raises(WireError) as caught:
        decode_request(json.dumps({"i": 1, **plain}))
    assert str(caught.value) == said


def test_the_request_id_is_told_even_of_a_bad_request() -> None:
    for i in (7, "abc"):
        with pytest.raises(WireError) as caught:
            decode_request(json.dumps({"t": "move", "i": i}))
        assert caught.value.i == i


def test_unknown_keys_are_ignored_and_unknown_replies_too() -> None:
    assert decode_request('{"t":"ping","i":3,"hint":{"a":[1]}}') == Ping(i=3)
    assert decode_reply('{"t":"fireworks","colour":"red"}') is None


@pytest.mark.parametrize(
    "request_", [Create(game="montana", save="\n" * MAX_SAVE), Replay(text="\n" * MAX_SAVE)]
)
def test_a_text_may_be_longer_than_a_frame(request_: Any) -> None:
    for encoding in Encoding:
        assert decode_request(encode(request_, encoding)) == request_


def test_answers_of_an_older_server_are_read() -> None:
    """Without what was added to them."""
    hints = decode_reply('{"t":"moves","i":1,"room":"r","seq":2,"moves":["s"]}')
    assert hints == MoveList(i=1, room="r", seq=2, moves=["s"])
    assert json.loads(encode(hints, Encoding.JSON)).keys() == {"t", "i", "room", "seq", "moves"}


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
requests = st.one_of(
    st.builds(Ping, i=st.one_of(st.none(), st.integers(0, 2**53 - 1))),
    st.builds(Move, room=text.filter(bool), move=text, expect=st.integers(0, 99)),
    st.builds(
        Move,
        room=text.filter(bool),
        from_=text.filter(bool),
        to=text.filter(bool),
        cards=st.one_of(st.none(), st.integers(1, 52)),
    ),
    st.builds(Say, room=text.filter(bool), text=text.filter(bool), i=text.filter(bool)),
    st.builds(Join, room=text.filter(bool), from_=st.integers(0, 99), hash=text),
    st.builds(Create, game=text, options=st.dictionaries(text, st.booleans(), max_size=3)),
)


@given(requests)
def test_both_encodings_mean_the_same(request: Any) -> None:
    assert decode_request(encode(request, Encoding.JSON)) == request
    assert decode_request(encode(request, Encoding.MSGPACK)) == request


@given(st.one_of(st.text(max_size=200), st.binary(max_size=200)))
def test_any_frame_is_a_request_or_a_wire_error(frame: str | bytes) -> None:
    with contextlib.suppress(WireError):
        decode_request(frame)
