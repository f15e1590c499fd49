"""What a process of ours takes at most, and that it ends when the server does."""

import os
import resource
from pathlib import Path

from .. import processes
from ..processes import OURSELVES

MEMORY_BYTES = 384 << 20
"""Memory with which a search ends; nothing more is found out then."""
ADDRESS_BYTES = 1 << 30
"""Most memory, as addresses: what the system sees to, where it may."""
STATM = Path("/proc/self/statm")


def bound(seconds: int) -> None:
    """Let the system see to it that this process gives way and ends, where it can and may.

    Args:
        seconds: Of the processor, after which it is ended.

    """
    processes.bound(OURSELVES, address_bytes=ADDRESS_BYTES, seconds=seconds)


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
