"""How fast a replay goes: as time went, at once, or by keys.

Promises: one key is one step, an arrow key too; a terminal is left as it was found.
"""

import contextlib
import os
import re
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from .watch import pause

HINT = "Enter, space, right: next · b, left: back · q: quit\n"

_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO.|.", re.DOTALL)


class Way(Enum):
    """Where to go from a page: by how many pages, or away."""

    ON = 1
    BACK = -1
    STOP = 0


STOPS = ("q", "Q", "\x03", "\x04", "\x1b", "")
BACKS = ("b", "B", "p", "\x7f", "\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA")


@dataclass(frozen=True, slots=True)
class Pace:
    """Waits before a page that came so many milliseconds after the one before.

    ``hint`` says which keys there are, if a person presses some.
    """

    wait: Callable[[int], Way]
    hint: str = ""


@contextlib.contextmanager
def pace_of(speed: float | None, step: bool) -> Iterator[Pace]:
    """The pace that was asked for; without a wish, keys on a terminal and no waiting elsewhere."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if on_terminal and (step or speed is None):
        with _keys(sys.stdin.fileno()) as read:
            yield Pace(lambda _: way_of(read()), HINT)
    elif step:
        yield Pace(lambda _: way_of(sys.stdin.read(1)))
    else:
        yield Pace(lambda ms: _sleep(pause(ms, speed) if speed else 0))


def way_of(key: str) -> Way:
    """What a key means; most mean the next page."""
    return Way.STOP if key in STOPS else Way.BACK if key in BACKS else Way.ON


def keys_in(typed: str) -> list[str]:
    """The keys in what a terminal sent: a character each, an arrow key several."""
    return _KEY.findall(typed)


@contextlib.contextmanager
def _keys(terminal: int) -> Iterator[Callable[[], str]]:
    """Keys one by one, as they are pressed and without showing them."""
    waiting: list[str] = []

    def read() -> str:
        if not waiting:
            waiting.extend(keys_in(os.read(terminal, 1024).decode(errors="replace")) or [""])
        return waiting.pop(0)

    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield read
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _sleep(seconds: float) -> Way:
    time.sleep(seconds)
    return Way.ON
