"""A process for one analysis, and its end.

Promises: whatever happens, the process is gone and its exit known when the call is over.
"""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process

from .worker import READING_SECONDS, whole

WORKER = (sys.executable, "-m", "kibitz.server.analysing.worker")
PATIENCE = 4
"""So many times its processor time it may take by the clock, for it gives way to everybody."""


class Failed(Exception):
    """There is no analysis: the process could not be started, was ended, or ended by itself."""


async def analysed_apart(text: bytes, seconds: float) -> bytes:
    """What became of the game in a replay text, as JSON.

    Args:
        text: Of a game that has ended.
        seconds: Of the processor, for a position.

    Raises:
        Failed: There is none.

    """
    try:
        child = await asyncio.create_subprocess_exec(
            *(*WORKER, str(seconds), str(os.getpid())),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            start_new_session=True,  # a Ctrl-C is for the server, who ends this one
        )
    except OSError as error:
        raise Failed(f"no process: {error.strerror}") from None
    try:
        async with asyncio.timeout(PATIENCE * (whole(seconds) + READING_SECONDS)):
            said, _ = await child.communicate(text)
    except TimeoutError:
        raise Failed("it took too long") from None
    finally:
        await _end(child)
    if child.returncode or not said:
        raise Failed(f"exit code {child.returncode}")
    return said


async def _end(child: Process) -> None:
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
    await child.wait()
