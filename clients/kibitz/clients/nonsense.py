"""What somebody made up: how it shows in a file that looks like a replay.

Promises: whoever reads such a file with this in hand never breaks off: what cannot be is an error
with a name, whatever it is. Never: what a replay means.
"""

from typing import Any

from kibitz.protocol.limits import MAX_INTEGER

NONSENSE = (ValueError, LookupError, ArithmeticError, TypeError, AssertionError, RecursionError)
"""What comes of reckoning with something that no server has written."""
MAX_NESTING = 32
"""Deepest list or map in an event, levels; what is in a race's last event lies six deep."""


def said_of(error: Exception) -> str:
    """Such an error in words: not every kind of them has a sentence."""
    sentence = isinstance(error, ValueError) and str(error)
    return f"{sentence or repr(error):.100}"


def check_shape(plain: Any) -> None:
    """Check that a value from JSON is no deeper than it may be, and has no number too large.

    Raises:
        ValueError: It is, or it has.

    """
    level, depth = [plain], 0
    while level:
        if depth > MAX_NESTING:
            raise ValueError("it is nested too deep")
        if any(isinstance(each, int) and abs(each) > MAX_INTEGER for each in level):
            raise ValueError("there is a number that no event can hold")
        level = [part for each in level for part in _parts(each)]
        depth += 1


def _parts(plain: Any) -> list[Any]:
    if isinstance(plain, dict):
        return list(plain.values())
    return plain if isinstance(plain, list) else []
