"""Real server processes: started ahead of time, ready at once, killed or ended."""

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 100.0
"""Seconds a process has for anything."""
_STANDBY = """
import sys
from kibitz.server.__main__ import main
sys.stdin.readline()
main()
"""


@dataclass
class Process:
    """A server that has loaded its code and waits for the word."""

    process: asyncio.subprocess.Process
    url: str = ""
    said: str = ""

    async def start(self) -> str:
        """Let it serve; its URL, once it listens."""
        assert self.process.stdin
        self.process.stdin.write(b"\n")
        self.url = json.loads(await self.until('"listening"'))["socket"]
        return self.url

    async def until(self, text: str) -> str:
        """The next line of the log with a text: what is killed has not always written it yet."""
        assert self.process.stderr
        async with asyncio.timeout(PATIENCE):
            async for line in self.process.stderr:
                self.said += line.decode()
                if text in line.decode():
                    return line.decode()
        raise AssertionError(f"it never said {text}: {self.said}")

    async def kill(self) -> None:
        """End it with SIGKILL."""
        self.process.kill()
        await self._end()

    async def terminate(self) -> int:
        """End it with SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return await self._end()

    async def _end(self) -> int:
        async with asyncio.timeout(PATIENCE):
            _, rest = await self.process.communicate()
        self.said += rest.decode()
        return self.process.returncode or 0


@contextlib.asynccontextmanager
async def standby(data: Path | None, *options: str) -> AsyncIterator[Process]:
    """A server on a file, not yet started; killed at the end, whatever happens.

    Without a file the options say where rooms are kept.
    """
    where = ("--data", str(data)) if data else ()
    arguments = ("--port", "0", *where, *options)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _STANDBY, *arguments, stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        yield Process(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def run(*arguments: str) -> tuple[int, str]:
    """Exit code and output of ``python -m kibitz.server``."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "kibitz.server", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()
