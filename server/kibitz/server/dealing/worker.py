"""One search: a wish comes in as JSON, the number of every draw goes out, a line each.

``python -m kibitz.server.dealing.worker SECONDS SERVER`` is a process of its own; ``SERVER`` is
the id of the process that wants to know. The last number is that of the winnable deal if the exit
code is 0. Promises: it gives way to whoever else wants the processor, takes no more memory and
time than is said, and ends when the server does. Never: a card in what it writes.
"""

import sys

import msgspec

from ..analysing.bounds import bound, enough
from .drawing import Wish, first_winnable

PATIENCE = 2
"""So many times its processor time a search may take by the clock: somebody waits for it."""
READING_SECONDS = 5
"""Processor seconds for all that is no search."""
NONE = 3
"""Exit code: none was found."""


def main() -> int:
    """Read, search, write; the exit code."""
    seconds, parent = float(sys.argv[1]), int(sys.argv[2])
    bound(round(seconds) + READING_SECONDS)
    wish = msgspec.json.decode(sys.stdin.buffer.read(), type=Wish)
    stopped = enough(seconds, parent, patience=PATIENCE)

    def begin(draw: int) -> None:
        sys.stdout.buffer.write(b"%d\n" % draw)
        sys.stdout.buffer.flush()

    return NONE if first_winnable(wish, stopped, begin) is None else 0


if __name__ == "__main__":
    sys.exit(main())
