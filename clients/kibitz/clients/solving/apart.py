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

from kibitz.engine.headers import LineError
from kibitz.engine.solving.courses import Patience, course_of
from kibitz.protocol.analysed import analysed

from .telling import analysis_told

SECONDS = 2.0
"""Of the processor, for each position that is looked at."""
COMMAND = (sys.executable, "-m", "kibitz.clients.solving.apart")


async def analysis_of(text: str) -> list[str]:
    """The lines that tell what became of the game in a replay text, or why that cannot be told."""
    child = await asyncio.create_subprocess_exec(
        *COMMAND, str(os.getpid()), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True
    )
    try:
        said, _ = await child.communicate(text.encode())
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
        await child.wait()
    return said.decode().splitlines() or ["the analysis failed"]


def main() -> None:
    """Read a text, look, say."""
    parent = int(sys.argv[1])
    patience = Patience(time.process_time, SECONDS, stopped=lambda: os.getppid() != parent)
    try:
        course = course_of(sys.stdin.buffer.read().decode())
    except LineError as error:
        sys.stdout.write(f"{error.reason}\n")
        return
    found = analysed(course, course.analysis(patience))
    sys.stdout.write("".join(f"{line}\n" for line in analysis_told(found)))


if __name__ == "__main__":
    main()
