"""What a process of ours takes at most, and that it ends when the server does."""

import os
import resource
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from kibitz.engine.thinking import breathing

from .. import processes
from ..processes import LET_OTHERS, OURSELVES

MEMORY_BYTES = 384 << 20
"""Memory with which a search ends; nothing more is found out then."""
ADDRESS_BYTES = 1 << 30
"""Most memory, as addresses: what the system sees to, where it may."""
PATIENCE = 4
"""So many times its processor time something may take by the clock: it gives way to everybody."""
LOOK_EVERY = 16
"""So many questions after one another it is looked whether the server is there yet."""
STATM = Path("/proc/self/statm")


def bound(seconds: int) -> None:
    """Let the system see to it that this process gives way and ends, where it can and may.

    Args:
        seconds: Of the processor, after which it is ended.

    """
    processes.bound(OURSELVES, address_bytes=ADDRESS_BYTES, seconds=seconds)


def enough(
    seconds: float,
    parent: int,
    *,
    patience: float = PATIENCE,
    spent: Callable[[], float] = time.process_time,
    clock: Callable[[], float] = time.monotonic,
) -> Callable[[], bool]:
    """What says that it is time to tell what has been found; who asks often lets others go first.

    Args:
        seconds: Of the processor, from now on.
        parent: The process id of the server.
        patience: So many times as long it may take by the clock, on a machine that is busy.
        spent: The seconds of the processor.
        clock: The other ones.

    """
    end, late = spent() + seconds, clock() + patience * seconds
    breathe, asked, gone = breathing(clock, LET_OTHERS), count(), False

    def is_enough() -> bool:
        nonlocal gone
        breathe()
        if next(asked) % LOOK_EVERY == 0:
            gone = gone or is_unwanted(parent)
        return gone or spent() > end or clock() > late

    return is_enough


def is_unwanted(parent: int) -> bool:
    """Whether the server with this process id is gone, or too much memory is in use."""
    return os.getppid() != parent or _resident() > MEMORY_BYTES


def _resident() -> int:
    """Bytes of memory that are in use; 0 where nobody knows."""
    try:
        pages = STATM.read_bytes().split()[1]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()
