"""What a process of ours takes at most, and that it ends when the server does."""

import contextlib
import os
import resource
from pathlib import Path

NICE = 10
"""How far it gives way: where all are busy it gets a tenth of what others do."""
MEMORY_BYTES = 384 << 20
"""Memory with which a search ends; nothing more is found out then."""
ADDRESS_BYTES = 1 << 30
"""Most memory, as addresses: what the system sees to, where it may."""
FIRST_TO_GO = b"1000"
"""Where memory is short, this is what the system ends, and not the server."""
STATM = Path("/proc/self/statm")


def bound(seconds: int) -> None:
    """Let the system see to it that this process gives way and ends, where it can and may.

    Args:
        seconds: Of the processor, after which it is ended.

    """
    with contextlib.suppress(OSError):
        os.nice(NICE)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(FIRST_TO_GO)
    for what, most in (
        (resource.RLIMIT_AS, ADDRESS_BYTES),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # less is allowed anyhow, or none known
            resource.setrlimit(what, (most, most))


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
