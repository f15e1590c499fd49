"""The command ``kibitz`` as a process of its own."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from kibitz.clients.__main__ import app

PATIENCE = 100.0
"""Seconds until a test gives up waiting: as long as it has, for a machine may be busy."""


@dataclass(frozen=True)
class Done:
    """What a process left behind."""

    code: int
    out: str
    err: str


ONE_AT_A_TIME = threading.Lock()
"""Whose output and folder are this process's."""
SIZE = ("COLUMNS", "LINES")
"""What a runner of tests may say of its own terminal, not of ours."""


class Command:
    """Runs ``kibitz`` with a home folder of its own."""

    def __init__(self, url: str, home: Path, environ: Mapping[str, str] | None = None) -> None:
        self.url = url
        self.home = home
        self.environ = {
            **{name: value for name, value in os.environ.items() if name not in SIZE},
            "KIBITZ_SERVER": url,
            "XDG_DATA_HOME": str(home),
            "PYTHONIOENCODING": "utf-8",
            **(environ or {}),
        }

    async def start(self, *words: str) -> asyncio.subprocess.Process:
        """A process that is running."""
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "kibitz.clients", *words),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self.environ,
            cwd=self.home,
        )

    @contextlib.asynccontextmanager
    async def running(self, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """A process that is there for a while and killed at the end, if it has not ended."""
        process = await self.start(*words)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.communicate()

    async def run(self, *words: str, lines: str = "") -> Done:
        """What a process says when it is given some lines."""
        process = await self.start(*words)
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate(lines.encode())
        return Done(process.returncode or 0, out.decode(), err.decode())

    async def run_here(self, *words: str, lines: str = "") -> Done:
        """The same in this process, for what needs none of its own: it costs far less."""
        return await asyncio.to_thread(self._run_here, words, lines)

    def _run_here(self, words: Sequence[str], lines: str) -> Done:
        with ONE_AT_A_TIME, contextlib.chdir(self.home):
            result = CliRunner().invoke(app, words, lines, self.environ, prog_name="kibitz")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    async def run_into(self, path: str | None, *words: str) -> Done:
        """What a process says when its output goes to a file, or to nobody."""
        if path is not None:
            out = os.open(path, os.O_WRONLY)
        else:
            nobody, out = os.pipe()
            os.close(nobody)
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "kibitz.clients", *words),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=asyncio.subprocess.PIPE,
                env=self.environ,
                cwd=self.home,
            )
        finally:
            os.close(out)
        async with asyncio.timeout(PATIENCE):
            _, err = await process.communicate()
        return Done(process.returncode or 0, "", err.decode())


async def read_until(process: asyncio.subprocess.Process, text: str) -> str:
    """What a process prints up to a text; fails if it ends or nothing comes."""
    assert process.stdout is not None
    out = b""
    async with asyncio.timeout(PATIENCE):
        while text.encode() not in out:
            more = await process.stdout.read(4096)
            assert more, f"ended after {out.decode()!r}"
            out += more
    return out.decode()


async def write(process: asyncio.subprocess.Process, line: str) -> None:
    """Type a line."""
    assert process.stdin is not None
    process.stdin.write(f"{line}\n".encode())
    await process.stdin.drain()
