"""The command ``kibitz`` at a terminal of a certain size."""

import asyncio
import contextlib
import re
import sys
from collections.abc import AsyncIterator, Callable

import pexpect
from clients.commands import PATIENCE, Command

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
        self.out = ""

    @property
    def page(self) -> str:
        """What was printed since the screen was last cleared."""
        return _STEERING.sub("", self.out.rpartition("\x1b[2J")[2]).replace("\r\n", "\n")

    async def until(self, seen: Callable[[str], object]) -> str:
        """Wait for a page; return it."""
        async with asyncio.timeout(PATIENCE):
            while not seen(self.page):
                assert await self._read() or seen(self.page), f"ended with {self.page!r}"
        return self.page

    async def shows(self, *texts: str) -> str:
        """Wait for a page with some texts; return it."""
        return await self.until(lambda page: all(text in page for text in texts))

    async def end(self) -> tuple[int | None, str]:
        """Wait for the end; the exit code and the last page."""
        async with asyncio.timeout(PATIENCE):
            while await self._read():
                pass
        self.child.close()
        return self.child.exitstatus, self.page

    async def _read(self) -> bool:
        try:
            self.out += self.child.read_nonblocking(65536, timeout=0)
        except pexpect.TIMEOUT:
            await asyncio.sleep(0.01)
        except pexpect.EOF:
            return False
        return True


@contextlib.asynccontextmanager
async def at_terminal(
    kibitz: Command, *words: str, width: int = 80, height: int = 24
) -> AsyncIterator[Terminal]:
    """A command at a terminal, killed at the end if it has not ended."""
    terminal = Terminal(kibitz, words, width, height)
    try:
        yield terminal
    finally:
        terminal.child.close(force=True)
