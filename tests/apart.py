"""Processes that a server starts for what takes long: those there are, and what runs in place."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

NEVER = (sys.executable, "-c", "import time; time.sleep(600)")
"""In place of a worker: one that does not end."""
IDLE = (sys.executable, "-c", "import sys; sys.stdin.read()")
"""In place of a bot: one that sits there and does nothing."""
DIES = (sys.executable, "-c", "import os; os.kill(os.getpid(), 9)")


def children(parent: int | str = "self") -> Iterator[int]:
    """The processes that one has started, most often this one."""
    for task in Path(f"/proc/{parent}/task").iterdir():
        with suppress(OSError):  # a thread that ended meanwhile
            yield from map(int, (task / "children").read_text().split())


def workers(*words: str) -> list[int]:
    """Ids of those that are a worker, or run in place of one; or have other words in their line."""
    found = []
    for pid in children():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
        except OSError:  # gone meanwhile
            continue
        if any(word in line for word in words or ("analysing", "time.sleep(600)")):
            found.append(pid)
    return found
