"""One analysis: a replay text comes in, what became of its game goes out, as JSON.

``python -m kibitz.server.analysing.worker SECONDS SERVER`` is a process of its own; ``SERVER`` is
the id of the process that wants to know. Promises: it gives way to whoever else wants the
processor, takes no more memory and time than is said here and in :mod:`.bounds`, and ends when the
server does. Never: a room, a log, anything of a game whose cards are not all open.
"""

import sys
import time

import msgspec

from kibitz.engine.headers import LineError
from kibitz.engine.solving.courses import Patience, course_of
from kibitz.protocol.analysed import analysed

from .bounds import bound, enough

POSITIONS = 8
"""So many times the time for one position there is for a whole game; then what is found is told."""
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
    bound(round(whole(seconds)) + READING_SECONDS)
    text = sys.stdin.buffer.read().decode()
    try:
        course = course_of(text)
    except LineError:
        return UNUSABLE
    patience = Patience(time.process_time, seconds, stopped=enough(whole(seconds), parent))
    found = analysed(course, course.analysis(patience))
    sys.stdout.buffer.write(msgspec.json.encode(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
