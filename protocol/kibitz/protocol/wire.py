"""Two encodings of one protocol: JSON text frames and msgpack binary frames.

Both go the same way, bytes <-> plain values <-> declared types, so they mean the same and are
checked by the same rules. Never: trust a length, a depth or a type that came from outside.
"""

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

import msgpack
import msgspec

from .codes import ErrorCode
from .limits import (
    JSON_SUBPROTOCOL,
    MAX_FRAME,
    MAX_NESTING,
    MSGPACK_SUBPROTOCOL,
)
from .replies import Reply
from .requests import Create, Replay, Request

LONG_MAP, SHORT_MAP, MAX_SHORT_MAP = b"\xde\x00", 0x80, 15
"""How msgpack begins a map: the long form is what a type with more keys gets, few as may be set."""

MAX_SOUGHT = 256
"""How far the ``i`` of a broken frame is looked for, in characters."""
_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"{}\[\]:,]+|[{}\[\]:,]')

Frame = str | bytes
"""One WebSocket message: text for JSON, bytes for msgpack."""


class Encoding(Enum):
    """The two encodings, by the name of their WebSocket sub-protocol."""

    JSON = JSON_SUBPROTOCOL
    MSGPACK = MSGPACK_SUBPROTOCOL


class WireError(ValueError):
    """A frame that says nothing: the code to answer with, and the request's ``i`` if it shows."""

    def __init__(self, code: ErrorCode, message: str, i: int | str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.i = i


def encode(message: msgspec.Struct, encoding: Encoding) -> Frame:
    """The frame of a message."""
    payload = encode_bytes(message, encoding)
    return payload.decode() if encoding is Encoding.JSON else payload


def encode_bytes(message: msgspec.Struct, encoding: Encoding) -> bytes:
    """The bytes of a message, text in UTF-8."""
    if encoding is Encoding.JSON:
        return msgspec.json.encode(message)
    packed = msgspec.msgpack.encode(message)
    if packed.startswith(LONG_MAP) and packed[2] <= MAX_SHORT_MAP:
        return bytes((SHORT_MAP | packed[2],)) + packed[3:]  # as every other packer writes it
    return packed


def decode_request(frame: Frame) -> Request:
    """The request in a frame.

    Raises:
        WireError: It is none, or too large, or breaks a limit; the message says where.

    """
    plain = _plain(frame)
    if not isinstance(plain, dict):
        raise WireError(ErrorCode.BAD_MESSAGE, "a request is a map with a key t")
    if _is_too_deep(plain):
        message = f"nested more than {MAX_NESTING} levels deep"
        raise WireError(ErrorCode.BAD_MESSAGE, message, request_id(plain))
    kind = plain.get("t")
    try:
        request: Request = msgspec.convert(plain, _type_of(kind))
    except (msgspec.ValidationError, ValueError) as error:
        code = ErrorCode.BAD_MESSAGE
        if isinstance(kind, str) and str(error).endswith("`$.t`"):
            code = ErrorCode.UNSUPPORTED
        elif _is_large(frame):
            code = ErrorCode.TOO_LARGE
        raise WireError(code, _said(error), request_id(plain)) from None
    if _is_large(frame) and not _may_be_large(request):
        message = f"a request has at most {MAX_FRAME} bytes"
        raise WireError(ErrorCode.TOO_LARGE, message, request_id(plain))
    return request


def _type_of(kind: object) -> Any:
    """The type of a request by its tag; all of them, where the tag is none."""
    return _REQUEST_TYPES.get(kind, Request) if isinstance(kind, str) else Request


def _is_large(frame: Frame) -> bool:
    """Whether a frame is larger than most requests may be."""
    if isinstance(frame, bytes):
        return len(frame) > MAX_FRAME
    return len(frame) * 4 > MAX_FRAME and len(frame.encode()) > MAX_FRAME


def _may_be_large(request: Request) -> bool:
    """Whether a request carries a text of its own size."""
    return isinstance(request, Replay) or (isinstance(request, Create) and request.save is not None)


def decode_reply(frame: Frame) -> Reply | None:
    """What a server said; ``None`` for a type this version does not know.

    Raises:
        WireError: The frame is no message at all, or a known type out of shape.

    """
    plain = _plain(frame)
    if not isinstance(plain, dict) or not isinstance(plain.get("t"), str):
        raise WireError(ErrorCode.BAD_MESSAGE, "a message is a map with a key t")
    type_ = _REPLY_TYPES.get(plain["t"])
    if type_ is None:
        return None
    try:
        reply: Reply = msgspec.convert(plain, type_)
    except (msgspec.ValidationError, ValueError) as error:
        raise WireError(ErrorCode.BAD_MESSAGE, _said(error)) from None
    return reply


def request_id(plain: Any) -> int | str | None:
    """The usable ``i`` of something that may be a request."""
    i = plain.get("i") if isinstance(plain, dict) else None
    if isinstance(i, bool) or not isinstance(i, int | str):
        return None
    return i[:64] if isinstance(i, str) else i if abs(i) < 2**63 else None


def frame_id(frame: Frame) -> int | str | None:
    """The usable ``i`` of a frame whose request is not looked at."""
    try:
        return request_id(_plain(frame))
    except WireError:
        return None


def _plain(frame: Frame) -> Any:
    try:
        if isinstance(frame, str):
            return msgspec.json.decode(frame)
        return msgpack.unpackb(frame, strict_map_key=True, max_ext_len=0)
    except RecursionError:
        message = "nested too deep"
    except (msgspec.DecodeError, ValueError, msgpack.UnpackException) as error:
        what = "JSON" if isinstance(frame, str) else "msgpack"
        message = f"not {what}: {_said(error)}"
    raise WireError(ErrorCode.BAD_MESSAGE, message, _id_in(frame))


def _id_in(frame: Frame) -> int | str | None:
    """The usable ``i`` in a frame that is broken further behind, as far as it can be told."""
    try:
        return _id_in_text(frame) if isinstance(frame, str) else _id_in_packed(frame)
    except (msgspec.DecodeError, ValueError, RecursionError, msgpack.UnpackException):
        return None


def _id_in_text(frame: str) -> int | str | None:
    level, before = 0, ["", ""]
    for found in _WORDS.finditer(frame, 0, MAX_SOUGHT):
        word = found.group()
        if level == 1 and before == ['"i"', ":"]:
            return request_id({"i": msgspec.json.decode(word)})
        level += (word in "{[") - (word in "}]")
        before = [before[1], word]
    return None


def _id_in_packed(frame: bytes) -> int | str | None:
    unpacker = msgpack.Unpacker(max_buffer_size=MAX_SOUGHT)
    unpacker.feed(frame[:MAX_SOUGHT])
    for _ in range(unpacker.read_map_header()):
        if unpacker.unpack() == "i":
            return request_id({"i": unpacker.unpack()})
        unpacker.skip()
    return None


def _is_too_deep(plain: dict[Any, Any]) -> bool:
    """Whether lists and maps lie in one another more than ``MAX_NESTING`` levels deep."""
    level = _nesting(plain.values())
    for _ in range(MAX_NESTING - 1):
        if not level:
            return False
        level = [
            inner
            for outer in level
            for inner in _nesting(outer.values() if isinstance(outer, dict) else outer)
        ]
    return any(level)


def _nesting(values: Iterable[Any]) -> list[Any]:
    """The lists and maps among some values."""
    return [value for value in values if type(value) in _NESTS]


def _said(error: Exception) -> str:
    return in_words(error)[:200] or type(error).__name__


def in_words(error: Exception, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Why a message is out of shape; where a part is too long, large or small, as people say it.

    Args:
        error: What was raised when it was read.
        names: What parts are called, if not as in the message.

    """

    def plain(found: re.Match[str]) -> str:
        kind, bound, number, part = found.groups()
        one, more = _UNITS[kind]
        most = "at most" if bound == "<=" else "at least"
        return f"{names.get(part, part)}: {most} {number}{one if number == '1' else more}"

    return _BOUND.sub(plain, str(error))


_UNITS = {
    "str` of length": (" character", " characters"),
    "array` of length": (" entry", " entries"),
    "object` of length": (" entry", " entries"),
    "int`": ("", ""),
    "float`": ("", ""),
}
_BOUND = re.compile(
    f"Expected `({'|'.join(map(re.escape, _UNITS))}) (<=|>=) (\\S+) - at `\\$\\.(\\w+)\\S*`"
)
_NESTS = frozenset({dict, list})


def _by_tag(union: Any) -> dict[str, Any]:
    return {type_.__struct_config__.tag: type_ for type_ in union.__args__}


_REQUEST_TYPES, _REPLY_TYPES = _by_tag(Request), _by_tag(Reply)
"""The types by their tags: a union would be looked through anew for every message."""
