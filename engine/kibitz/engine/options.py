"""Reading a game's options: always text, so that a command line, a save and the wire agree."""

from collections.abc import Iterable, Mapping

from .game import BadOption

UNLIMITED = "unlimited"
MOST = 99
"""The largest number an option may be."""

_FLAGS = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


def known(options: Mapping[str, str], names: Iterable[str]) -> None:
    """Check that every option is one of ``names``.

    Raises:
        BadOption: One is not; the message lists what there is.

    """
    there = sorted(names)
    for name in options:
        if name not in there:
            choice = ", ".join(there) or "none"
            raise BadOption(f"no option {name[:32]!r} in this game (options: {choice})")


def number(name: str, text: str) -> int:
    """Read a whole number from 0 to ``MOST``.

    Raises:
        BadOption: It is not one.

    """
    if not (text.isascii() and text.isdigit() and len(text) <= 2):
        raise BadOption(f"{name} must be a whole number from 0 to {MOST}, not {text[:32]!r}")
    return int(text)


def flag(name: str, text: str) -> bool:
    """Read ``on`` or ``off`` (or true, false, yes, no).

    Raises:
        BadOption: It is neither.

    """
    if text.lower() not in _FLAGS:
        raise BadOption(f"{name} must be on or off, not {text[:32]!r}")
    return _FLAGS[text.lower()]
