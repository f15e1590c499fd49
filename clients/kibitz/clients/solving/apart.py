"""What became of a game, found out in a process of its own while somebody looks at it.

Promises: the process is gone when nobody wants to know any more, and ends when we do. Never: says
anything that ``kibitz solve`` would not say.
"""

import asyncio
import contextlib
import os
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE

import msgspec

from kibitz.engine.headers import LineError
from kibitz.engine.solving.analysis import most_questions
from kibitz.engine.solving.courses import Patience, course_of
from kibitz.protocol.analysed import Analysed, analysed

SECONDS = 2.0
"""Of the processor, for each position that is looked at."""
COMMAND = (sys.executable, "-m", "kibitz.clients.solving.apart")


class Unknown(Exception):
    """Why nothing can be told of a game."""


async def analysis_of(text: str) -> Analysed:
    """What became of the game in a replay text.

    Raises:
        Unknown: That cannot be told.

    """
    child = await asyncio.create_subprocess_exec(
        *COMMAND, str(os.getpid()), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, process_group=0
    )
    try:
        said, _ = await child.communicate(text.encode())
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
        await child.wait()
    if child.returncode:
        raise Unknown(said.decode().strip() or "the analysis failed")
    return msgspec.json.decode(said, type=Analysed)


def most_seconds(text: str) -> float:
    """How long that may take, by the clock of the processor, for a text so long."""
    return SECONDS * most_questions(text.count("\n> ") + 1)


def main() -> int:
    """Read a text, look, say what was found, or why nothing was; the exit code."""
    parent = int(sys.argv[1])
    patience = Patience(time.process_time, SECONDS, stopped=lambda: os.getppid() != parent)
    try:
        course = course_of(sys.stdin.buffer.read().decode())
    except LineError as error:
        sys.stdout.write(error.reason)
        return 1
    sys.stdout.buffer.write(msgspec.json.encode(analysed(course, course.analysis(patience))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
