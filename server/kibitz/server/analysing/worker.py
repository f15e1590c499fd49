"""One analysis: a replay text comes in, what became of its game goes out, as JSON.

``python -m kibitz.server.analysing.worker SECONDS SERVER`` is a process of its own; ``SERVER`` is
the id of the process that wants to know. Promises: it gives way to whoever else wants the
processor, takes no more memory and time than is said here, and ends when the server does. Never: a
room, a log, anything of a game whose cards are not all open.
"""

import contextlib
import os
import resource
import sys
import time
from pathlib import Path

import msgspec

from kibitz.engine.headers import LineError
from kibitz.engine.solving.courses import Patience, course_of
from kibitz.protocol.analysed import analysed

NICE = 10
"""How far it gives way: where all are busy it gets a tenth of what others do."""
MEMORY_BYTES = 384 << 20
"""Memory with which a search ends; nothing more is found out then."""
ADDRESS_BYTES = 1 << 30
"""Most memory, as addresses: what the system sees to, where it may."""
POSITIONS = 8
"""So many times the time for one position there is for a whole game; then what is found is told."""
FIRST_TO_GO = b"1000"
"""Where memory is short, this is what the system ends, and not the server."""
STATM = Path("/proc/self/statm")
READING_SECONDS = 30
"""Processor seconds for all that is no search: the text, its moves by the rules."""
UNUSABLE = 2
"""Exit code: the text is no game that has ended."""


def whole(seconds: float) -> float:
    """Processor seconds of all searches in one game."""
    return POSITIONS * seconds


def main() -> int:
    """Read, search, write; the exit code."""
    seconds, parent = float(sys.argv[1]), int(sys.argv[2])
    _bound(whole(seconds))
    text = sys.stdin.buffer.read().decode()
    try:
        course = course_of(text)
    except LineError:
        return UNUSABLE
    end = time.process_time() + whole(seconds)

    def stopped() -> bool:
        late = time.process_time() > end
        return late or os.getppid() != parent or _resident() > MEMORY_BYTES

    patience = Patience(time.process_time, seconds, stopped=stopped)
    found = analysed(course, course.analysis(patience))
    sys.stdout.buffer.write(msgspec.json.encode(found))
    return 0


def _bound(seconds: float) -> None:
    """Let the system see to it that this gives way and ends, where it can and is allowed to."""
    with contextlib.suppress(OSError):
        os.nice(NICE)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(FIRST_TO_GO)
    most = round(seconds) + READING_SECONDS
    for what, bound in (
        (resource.RLIMIT_AS, ADDRESS_BYTES),
        (resource.RLIMIT_CPU, most),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # less is allowed anyhow, or none known
            resource.setrlimit(what, (bound, bound))


def _resident() -> int:
    """Bytes of memory that are in use; 0 where nobody knows."""
    try:
        pages = STATM.read_bytes().split()[1]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


if __name__ == "__main__":
    sys.exit(main())
