"""JSON of which every value knows where it stands.

Promises: a fault, here or found later in what was read, is told with its line and column. Never:
the same key twice, a value of a kind that no deal has, nesting without end.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..headers import LineError

MAX_NESTING = 8
"""Lists and objects within each other."""

MAX_SHOWN = 32
"""Characters of a text that an error shows."""

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Value:
    """A text, a list or an object; ``plain`` is ``None`` for numbers and the like.

    ``at`` is where it begins, in characters from the start.
    """

    at: int
    plain: "str | list[Value] | dict[str, Value] | None"


def fault(text: str, at: int, reason: str) -> LineError:
    """The error about the character at ``at``."""
    return LineError(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), reason)


def shown(plain: str) -> str:
    """The start of a text from within JSON, as an error may show it: escaped as it can be there."""
    return json.dumps(plain)[1:-1][:MAX_SHOWN]


def read_json(text: str) -> Value:
    """The one value that a text is.

    Raises:
        LineError: It is not JSON, or more than a deal can be.

    """
    value, end = _value(text, 0, 0)
    at = _skip(text, end)
    if at < len(text):
        raise fault(text, at, "not JSON: nothing may follow")
    return value


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _value(text: str, at: int, depth: int) -> tuple[Value, int]:
    """The value at or after ``at``, and where it ends."""
    at = _skip(text, at)
    if depth > MAX_NESTING:
        raise fault(text, at, "not a deal: lists within lists within lists")
    if text.startswith("[", at):
        return _list(text, at, depth)
    if text.startswith("{", at):
        return _object(text, at, depth)
    try:
        plain, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise fault(text, error.pos, f"not JSON: {error.msg}") from None
    except ValueError:  # a number too long to be read
        raise fault(text, at, "not a deal: a huge number") from None
    return Value(at, plain if isinstance(plain, str) else None), end


def _list(text: str, at: int, depth: int) -> tuple[Value, int]:
    values: list[Value] = []

    def item(start: int) -> int:
        value, end = _value(text, start, depth + 1)
        values.append(value)
        return end

    end = _items(text, at + 1, "]", item)
    return Value(at, values), end


def _object(text: str, at: int, depth: int) -> tuple[Value, int]:
    values: dict[str, Value] = {}

    def item(start: int) -> int:
        key, end = _value(text, start, depth + 1)
        if not isinstance(key.plain, str):
            raise fault(text, key.at, "not JSON: expected a key")
        if key.plain in values:
            raise fault(text, key.at, f"`{shown(key.plain)}` is there twice")
        end = _skip(text, end)
        if not text.startswith(":", end):
            raise fault(text, end, "not JSON: expected `:`")
        values[key.plain], end = _value(text, end + 1, depth + 1)
        return end

    end = _items(text, at + 1, "}", item)
    return Value(at, values), end


def _items(text: str, at: int, close: str, item: Callable[[int], int]) -> int:
    """Read items up to the closing sign; where that ends."""
    at = _skip(text, at)
    if text.startswith(close, at):
        return at + 1
    while True:
        at = _skip(text, item(at))
        if text.startswith(close, at):
            return at + 1
        if not text.startswith(",", at):
            raise fault(text, at, f"not JSON: expected `,` or `{close}`")
        at = _skip(text, at + 1)
