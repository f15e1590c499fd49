"""Bots that play for ever on a server of ours, in a process of their own: ``--demo``."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from ..processes import tied

STOP_SECONDS = 1.0
"""How long they may take to end."""


@contextlib.asynccontextmanager
async def playing(url: str, certificate: Path | None) -> AsyncIterator[None]:
    """Bots in a process of their own, as ordinary clients; they know our certificate."""
    command = [sys.executable, "-m", "kibitz.clients", "demo", "--with-parent", "--server", url]
    if certificate is not None:
        command += ["--tls-pin", str(certificate)]
    bots = await asyncio.create_subprocess_exec(*tied(command))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            bots.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await bots.wait()
        except TimeoutError:
            bots.kill()
            await bots.wait()
