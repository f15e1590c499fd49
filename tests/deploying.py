"""What stands in files of `deploy/`, and the tools that read them: a missing one fails the test."""

import asyncio
import contextlib
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
SECONDS = 60.0
"""How long a tool may take."""
_PATH = ":".join([str(Path(sys.executable).parent), "/usr/local/bin:/usr/bin:/usr/sbin:/bin"])


def options(command: list[str]) -> dict[str, str]:
    """The flags after `kibitz serve`, every one of them with a value."""
    assert Path(command[0]).name == "kibitz"
    assert command[1] == "serve"
    rest = [word for flag in command[2:] for word in flag.split("=", 1)]
    return dict(zip(rest[::2], rest[1::2], strict=True))


def tool(name: str) -> str:
    """Where a program is."""
    found = shutil.which(name, path=_PATH)
    assert found, f"{name} is missing: bash tests/install.sh"
    return found


async def said(name: str, *arguments: str | Path, **environment: str) -> str:
    """What a program says that finds nothing wrong."""
    process = await asyncio.create_subprocess_exec(
        tool(name),
        *map(str, arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={"PATH": _PATH, **environment},
    )
    async with asyncio.timeout(SECONDS):
        output, _ = await process.communicate()
    assert process.returncode == 0, f"{name} {arguments}: {output.decode()}"
    return output.decode()


@contextlib.asynccontextmanager
async def running(name: str, *arguments: str | Path, **environment: str) -> AsyncIterator[None]:
    """A program that runs as long as the block does."""
    process = await asyncio.create_subprocess_exec(
        tool(name),
        *map(str, arguments),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PATH": _PATH, **environment},
    )
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(SECONDS):
            await process.wait()
