"""The command ``kibitz`` at a terminal of a certain size.

Promises: no page is missed, however late it is read; a process is waited for as long as it takes
to end, for the machine may be busy. The test's own timeout is the only deadline that fails.
"""

import asyncio
import contextlib
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable

import pexpect
from clients.commands import PATIENCE, Command

CLEAR = "\x1b[2J"
LOOK = 0.01
"""Seconds between two looks at what has no other way of telling."""
_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A process and what stands on its screen."""

    def __init__(self, kibitz: Command, words: tuple[str, ...], width: int, height: int) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "kibitz.clients", *words],
            env={**kibitz.environ, "TERM": "xterm", "LANG": "C.UTF-8"},
            dimensions=(height, width),
            encoding="utf-8",
            timeout=PATIENCE,
            cwd=kibitz.home,
        )
        self.child.ptyproc.delayafterclose = 0  # type: ignore[attr-defined]  # not in the stubs
        self.out = ""
        self._at = 0
        """Where the page begins that was waited for last."""

    @property
    def page(self) -> str:
        """What was printed since the screen was last cleared."""
        return _read(self.out.rpartition(CLEAR)[2])

    async def until(self, seen: Callable[[str], object]) -> str:
        """Wait for a page, the one that was waited for last or a later one; return it."""
        end = time.monotonic() + PATIENCE
        while True:
            for at in self._pages():
                page = _read(self.out[at:].partition(CLEAR)[0])
                if seen(page):
                    self._at = at
                    return page
            assert await self._more(), f"ended with {self.page!r}"
            assert time.monotonic() < end, f"there is only {self.page!r}"

    def _pages(self) -> list[int]:
        begins = [self._at]
        while (at := self.out.find(CLEAR, begins[-1])) >= 0:
            begins.append(at + len(CLEAR))
        return begins

    async def shows(self, *texts: str) -> str:
        """Wait for a page with some texts; return it."""
        return await self.until(lambda page: all(text in page for text in texts))

    async def end(self) -> tuple[int | None, str]:
        """Wait for the end; the exit code and the last page."""
        while await self._more():
            pass
        await self.gone()
        return self.child.exitstatus, self.page

    async def gone(self) -> None:
        """Wait until the process has ended."""
        while self.child.isalive():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(LOOK)
        self.child.close()

    async def _more(self) -> bool:
        """Read what is there, or wait a moment; whether there can be more."""
        try:
            self.out += self.child.read_nonblocking(65536, timeout=0)
        except pexpect.TIMEOUT:
            await asyncio.sleep(LOOK)
        except pexpect.EOF:
            return False
        return True


def _read(printed: str) -> str:
    """What somebody reads of it."""
    return _STEERING.sub("", printed).replace("\r\n", "\n")


@contextlib.asynccontextmanager
async def at_terminal(
    kibitz: Command, *words: str, width: int = 80, height: int = 24
) -> AsyncIterator[Terminal]:
    """A command at a terminal, killed at the end if it has not ended."""
    terminal = Terminal(kibitz, words, width, height)
    try:
        yield terminal
    finally:
        terminal.child.kill(signal.SIGKILL)
        await terminal.gone()
