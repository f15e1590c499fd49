"""The bytes of messages and of what is hashed, against the plain way to make them."""

import contextlib
import hashlib
import json
from pathlib import Path
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import inspect

from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.hashing import commitment
from kibitz.protocol.limits import MAX_FRAME, MAX_NESTING
from kibitz.protocol.replies import Reply
from kibitz.protocol.requests import Admin, Request, SeatBot
from kibitz.protocol.views import Event
from kibitz.protocol.wire import Encoding, WireError, decode_request, encode, in_words, request_id

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
INTEGERS = st.integers(0, 40) | st.integers(-(2**63), 2**64 - 1)
PLAIN = st.recursive(
    st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


def values(of: inspect.Type) -> st.SearchStrategy[Any]:
    """Values of a declared type, limits aside: what is written is not checked."""
    match of:
        case inspect.StructType(cls=cls):
            return messages(cls)
        case inspect.UnionType(types=types):
            return st.one_of([values(each) for each in types])
        case inspect.ListType(item_type=item):
            return st.lists(values(item), max_size=2)
        case inspect.TupleType(item_types=items):
            return st.tuples(*map(values, items))
        case inspect.DictType(value_type=value):
            return st.dictionaries(WORDS, values(value), max_size=2)
        case inspect.LiteralType(values=words):
            return st.sampled_from(words)
        case inspect.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case inspect.StrType():
            return WORDS
        case inspect.IntType():
            return INTEGERS
        case inspect.FloatType():
            return st.floats(-1e6, 1e6)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.AnyType():
            return PLAIN
    raise AssertionError(f"no values of {of}")


def messages(cls: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Messages with any of their keys."""
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    needed = {f.name: values(f.type) for f in info.fields if f.required}
    others = {f.name: values(f.type) for f in info.fields if not f.required}
    given = st.fixed_dictionaries(needed, optional=others)
    return given.map(lambda keys: _without_checks(cls, keys))


def _without_checks(cls: type[msgspec.Struct], keys: dict[str, Any]) -> Any:
    try:
        return cls(**keys)
    except ValueError:  # a move that is neither a line nor a drag, or both; an order of nothing
        if cls is Admin:
            return cls(**{**keys, "act": "drain"})
        if cls is SeatBot:
            return cls(**{**keys, "seat": 2})
        keys = {k: v for k, v in keys.items() if k not in ("from_", "to", "cards")}
        return cls(**{**keys, "move": "s"})


def in_order(value: Any) -> Any:
    """The same with the keys of every map in order."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(item) for item in value] if isinstance(value, list | tuple) else value


def plain_commitment(event: Event) -> bytes:
    """What the chain's docstring says, word by word."""
    if event.commit is not None:
        return bytes.fromhex(event.commit)
    plain = msgspec.to_builtins(event)
    salt = bytes.fromhex(plain.pop("salt", ""))
    shown = {key: value for key, value in plain.items() if key not in ("t", "room")}
    return hashlib.sha256(salt + msgpack.packb(in_order(shown))).digest()


EVERY: tuple[Any, ...] = (*Request.__args__, *Reply.__args__)


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
@settings(max_examples=10, deadline=None)
@given(st.data())
def test_msgpack_is_that_of_the_plain_values(cls: Any, data: st.DataObject) -> None:
    message = data.draw(messages(cls))
    packed = msgpack.packb(msgspec.to_builtins(message, str_keys=True))
    frame = encode(message, Encoding.MSGPACK)
    assert msgpack.unpackb(frame) == msgpack.unpackb(packed)
    assert frame[:1] == packed[:1], "the header is as short as it can be"


@settings(max_examples=60, deadline=None)
@given(messages(Event), st.none() | st.binary(max_size=16), st.none() | st.binary(max_size=32))
def test_the_commitment_is_that_of_the_plain_values(
    event: Event, salt: bytes | None, commit: bytes | None
) -> None:
    event = msgspec.structs.replace(
        event,
        salt=None if salt is None else salt.hex(),
        commit=None if commit is None else commit.hex(),
    )
    assert commitment(event) == plain_commitment(event)


def too_deep(plain: Any) -> bool:
    level = [plain]
    for _ in range(MAX_NESTING + 1):
        nested: list[Any] = []
        for value in level:
            nested += value.values() if isinstance(value, dict) else ()
            nested += value if isinstance(value, list) else ()
        if not nested:
            return False
        level = nested
    return True


def plain_answer(plain: Any, size: int) -> Any:
    """The request, or the code, the words and the id of the answer to a map that is none."""
    i = request_id(plain)
    if too_deep(plain):
        return ErrorCode.BAD_MESSAGE, f"nested more than {MAX_NESTING} levels deep", i
    try:
        return msgspec.convert(plain, Request)
    except ValueError as error:
        if isinstance(plain.get("t"), str) and str(error).endswith("`$.t`"):
            return ErrorCode.UNSUPPORTED, str(error)[:200], i
        code = ErrorCode.TOO_LARGE if size > MAX_FRAME else ErrorCode.BAD_MESSAGE
        return code, in_words(error)[:200], i


def answer(frame: str | bytes) -> Any:
    try:
        return decode_request(frame)
    except WireError as error:
        return error.code, str(error), error.i


TAGS = st.sampled_from([cls.__struct_config__.tag for cls in Request.__args__])
KEYS = sorted({f.encode_name for cls in Request.__args__ for f in msgspec.structs.fields(cls)})


@settings(max_examples=150, deadline=None)
@example({"t": "fork", "room": ""}, {}, 0)
@given(
    st.fixed_dictionaries({}, optional={"t": TAGS | PLAIN, "i": PLAIN, "room": WORDS | PLAIN}),
    st.dictionaries(st.sampled_from(KEYS), PLAIN, max_size=3),
    st.integers(0, MAX_NESTING + 2),
)
def test_a_map_is_answered_as_by_all_requests_together(
    plain: dict[str, Any], more: dict[str, Any], depth: int
) -> None:
    nest: Any = None
    for _ in range(depth):
        nest = [nest]
    plain = more | plain | {"x": nest}
    packed, text = msgpack.packb(plain), msgspec.json.encode(plain).decode()
    assert answer(packed) == plain_answer(msgpack.unpackb(packed), len(packed))
    assert answer(text) == plain_answer(msgspec.json.decode(text), len(text.encode()))


def test_what_is_large_is_measured_in_bytes() -> None:
    for text in ("x" * (MAX_FRAME - 40), "é" * (MAX_FRAME // 2 - 40), "x" * MAX_FRAME, "é" * 5000):
        frame = json.dumps({"t": "ping", "x": text}, ensure_ascii=False)
        large = len(frame.encode()) > MAX_FRAME
        assert answer(frame)[0:1] == (ErrorCode.TOO_LARGE,) if large else answer(frame).i is None


def test_the_vectors_are_written_the_same() -> None:
    """Every map of the vectors that is a message, from its plain values and back."""
    types = {cls.__struct_config__.tag: cls for cls in Reply.__args__}
    found, rest = 0, [VECTORS]
    while rest:
        value = rest.pop()
        message = None
        if isinstance(value, dict) and value.get("t") in types:
            with contextlib.suppress(msgspec.ValidationError):  # some vectors are mere parts
                message = msgspec.convert(value, types[value["t"]])
        if message is not None:
            packed = msgpack.packb(msgspec.to_builtins(message, str_keys=True))
            assert msgpack.unpackb(encode(message, Encoding.MSGPACK)) == msgpack.unpackb(packed)
            found += 1
            if isinstance(message, Event):
                assert commitment(message) == plain_commitment(message)
        if isinstance(value, dict | list):
            rest += value.values() if isinstance(value, dict) else value
    assert found > 100
