"""Keys of a terminal, one by one, without holding up the event loop and without showing them.

Promises: an arrow key is one key; a terminal is left as it was found; where there is no terminal
there are no keys, and nothing is read.
"""

import asyncio
import contextlib
import os
import re
import sys
import termios
import tty
from collections import deque
from collections.abc import AsyncIterator

_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO.|.", re.DOTALL)


def keys_in(typed: str) -> list[str]:
    """The keys in what a terminal sent: a character each, an arrow key several."""
    return _KEY.findall(typed)


class Keys:
    """What has been pressed and not been taken yet; ``""`` is the end of the input."""

    def __init__(self, on: bool) -> None:
        self.on = on
        """Whether anybody can press any."""
        self._pressed: deque[str] = deque()
        self._more = asyncio.Event()

    async def ready(self) -> None:
        """Wait until there is one."""
        while not self._pressed:
            self._more.clear()
            await self._more.wait()

    def waiting(self) -> list[str]:
        """Take what is there already, without waiting."""
        keys = list(self._pressed)
        self._pressed.clear()
        return keys

    def press(self, typed: str) -> None:
        """What a terminal sent."""
        self._pressed.extend(keys_in(typed) or [""])
        self._more.set()


@contextlib.asynccontextmanager
async def keys_of_terminal() -> AsyncIterator[Keys]:
    """The keys of the terminal that this program has, for a while."""
    on = sys.stdin.isatty() and sys.stdout.isatty()
    keys = Keys(on)
    if not on:
        yield keys
        return
    terminal, loop = sys.stdin.fileno(), asyncio.get_running_loop()
    before = termios.tcgetattr(terminal)

    def read() -> None:
        typed = os.read(terminal, 1024).decode(errors="replace")
        if not typed:
            loop.remove_reader(terminal)
        keys.press(typed)

    try:
        tty.setcbreak(terminal)
        loop.add_reader(terminal, read)
        yield keys
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
