"""A process for one question, and its end.

Promises: whatever happens, the process is gone and its exit known when the call is over.
"""

import asyncio
import os
import sys
from collections.abc import Sequence

from ..processes import Failed, started
from . import questions, worker
from .bounds import PATIENCE

WORKER = (sys.executable, "-m", "kibitz.server.analysing.worker")
ADVISER = (sys.executable, "-m", "kibitz.server.analysing.adviser")


async def analysed_apart(text: bytes, seconds: float) -> bytes:
    """What became of the game in a replay text, as JSON.

    Args:
        text: Of a game that has ended.
        seconds: Of the processor, for a position.

    Raises:
        Failed: There is none.

    """
    most = worker.whole(seconds) + worker.READING_SECONDS
    return await _answered(WORKER, text, seconds, most)


async def advised_apart(question: bytes, seconds: float) -> bytes:
    """The answer to a :class:`.questions.Question`, both as JSON.

    Args:
        question: What is asked.
        seconds: Of the processor.

    Raises:
        Failed: There is none.

    """
    return await _answered(ADVISER, question, seconds, questions.most(seconds))


def told(command: Sequence[str], seconds: float) -> tuple[str, ...]:
    """The command of a process that is told its seconds of the processor, and who we are."""
    return (*command, str(seconds), str(os.getpid()))


async def _answered(command: Sequence[str], given: bytes, seconds: float, most: float) -> bytes:
    """What such a process says that is given something; ``most``: seconds of the processor."""
    async with started(told(command, seconds)) as child:
        try:
            async with asyncio.timeout(PATIENCE * most):
                said, _ = await child.communicate(given)
        except TimeoutError:
            raise Failed("it took too long") from None
    if child.returncode or not said:
        raise Failed(f"exit code {child.returncode}")
    return said
