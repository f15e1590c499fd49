"""Lines from a person or a pipe, without holding up the event loop.

A daemon thread reads, one line at a time and only when asked, so it never keeps the program from
ending. On a terminal ``input`` reads, with readline's editing and history where there is readline.
"""

import asyncio
import contextlib
import io
import os
import sys
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Any, TextIO

try:
    from readline import get_line_buffer as typed_so_far
    from readline import set_pre_input_hook as when_asked
except ImportError:  # not in every Python
    typed_so_far = str

    def when_asked(function: Callable[[], object] | None = None, /) -> None:
        """Call a function when the prompt is there; here, a moment before."""
        if function:
            function()


Read = Callable[[str], str | None]
"""Reads a line after a prompt, and blocks; ``None`` at the end of the input."""


class Keyboard:
    """A reader of lines, as a context manager: the terminal is left as it was found."""

    def __init__(self, source: TextIO) -> None:
        self.is_tty = source.isatty() and sys.stdout.isatty()
        self._read: Read = self._typed if self.is_tty else _piped(source)
        self._asked: SimpleQueue[str] = SimpleQueue()
        """Prompts to read a line after."""
        self._reading = False
        self._answer: asyncio.Future[str | None] | None = None
        """Who waits for the line that is being read."""
        self._kept: deque[str | None] = deque()
        """Lines that nobody has taken yet."""
        self._shown = ""
        """The prompt, while somebody is typing after it."""
        self._attributes: list[Any] | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True, name="kibitz keyboard")

    def __enter__(self) -> "Keyboard":
        if self.is_tty:
            self._attributes = termios.tcgetattr(sys.stdin)
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._attributes is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._attributes)

    @property
    def is_ahead(self) -> bool:
        """Whether the next line has been typed already."""
        return bool(self._kept)

    def ask(self, prompt: str) -> asyncio.Future[str | None]:
        """The next line; the prompt is shown on a terminal only.

        Who waits for it no longer leaves it, or what has been typed of it, to whoever asks next.
        """
        answer: asyncio.Future[str | None] = self._loop.create_future()
        if self._kept:
            answer.set_result(self._kept.popleft())
            return answer
        self._answer = answer
        if self._reading:
            self.show_again(prompt)
        else:
            self._reading = True
            self._asked.put(prompt)
        return answer

    def keep(self, lines: Iterable[str | None]) -> None:
        """Lines that were taken and not used: they come next."""
        self._kept.extendleft(reversed(list(lines)))

    def show_again(self, prompt: str) -> None:
        """Print the prompt and what has been typed so far, after something was drawn over it."""
        if self._shown:
            self._shown = prompt
            sys.stdout.write(self._shown + typed_so_far())
            sys.stdout.flush()

    def _serve(self) -> None:
        while True:
            line = self._read(self._asked.get())
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
                self._loop.call_soon_threadsafe(self._take, line)

    def _take(self, line: str | None) -> None:
        self._reading = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(line)
        else:
            self._kept.append(line)

    def _typed(self, prompt: str) -> str | None:
        def begun() -> None:
            self._shown = prompt

        when_asked(begun)  # not before: the prompt would be there twice
        try:
            return input(prompt)
        except EOFError:
            return None
        finally:
            self._shown = ""


def _piped(source: TextIO) -> Read:
    try:
        lines: io.RawIOBase | None = io.FileIO(os.dup(source.fileno()))
    except (OSError, ValueError):  # no file behind it
        lines = None

    def read(_: str) -> str | None:
        line = source.readline() if lines is None else lines.readline().decode(errors="replace")
        return line or None

    return read
