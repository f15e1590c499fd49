"""Processes beside the server: they give way to whoever else wants the machine, and they end.

On Linux they end with the server, however that ends and whatever they do by then. Never: a process
that the server needs.
"""

import asyncio
import contextlib
import os
import resource
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

NICE = 10
"""How far it gives way: where all are busy it gets a tenth of what others do."""
LET_OTHERS = getattr(os, "sched_yield", int)
"""Offers the processor to whoever waits for it, where that can be."""
FIRST_TO_GO = b"1000"
"""Where memory is short, this is what the system ends, and not the server."""
OURSELVES = 0
_TIE = """
import os, signal, sys
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
except Exception:
    pass
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""Has the system end a process with its parent (1: PR_SET_PDEATHSIG), where that can be; then it
becomes what it is to be. Nothing of ours runs between fork and exec, where other threads may hold
locks."""


def bound(process: int, *, address_bytes: int, seconds: int) -> None:
    """Let the system see to it that a process gives way and ends, where it can and is allowed to.

    Args:
        process: Its id, or ``OURSELVES``.
        address_bytes: Most memory, as addresses.
        seconds: Most time of the processor.

    """
    with contextlib.suppress(OSError):
        nice = os.getpriority(os.PRIO_PROCESS, process) + NICE
        os.setpriority(os.PRIO_PROCESS, process, nice)
    with contextlib.suppress(OSError):
        Path(f"/proc/{process or 'self'}/oom_score_adj").write_bytes(FIRST_TO_GO)
    for what, most in (
        (resource.RLIMIT_AS, address_bytes),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # less is allowed anyhow, or none known
            if process == OURSELVES:
                resource.setrlimit(what, (most, most))
            elif hasattr(resource, "prlimit"):
                resource.prlimit(process, what, (most, most))


def tied(command: Sequence[str]) -> Sequence[str]:
    """A command whose process ends when ours does, even if it has been stopped, on Linux."""
    if sys.platform != "linux":
        return command
    return (sys.executable, "-I", "-S", "-c", _TIE, str(os.getpid()), *command)


class Failed(Exception):
    """A process could not be started, was ended, or ended by itself before it should."""


@contextlib.asynccontextmanager
async def started(command: Sequence[str], *, speaks: bool = True) -> AsyncIterator[Process]:
    """A process that is told things by a pipe, and its end.

    Args:
        command: What it is.
        speaks: Whether it says anything.

    Raises:
        Failed: It cannot be started.

    """
    try:
        child = await asyncio.create_subprocess_exec(
            *tied(command),
            stdin=PIPE,
            stdout=PIPE if speaks else DEVNULL,
            stderr=DEVNULL,
            # A Ctrl-C is for the server, who ends this one. In a session of its own its nice
            # value would mean nothing where the system has each session get its share.
            process_group=0,
        )
    except OSError as error:
        raise Failed(f"no process: {error.strerror}") from None
    try:
        yield child
    finally:
        await ended(child)


async def ended(child: Process) -> int:
    """The exit code of a process, which is ended if it has not by itself; never cut short."""
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
    waiting = asyncio.ensure_future(child.wait())
    cancelled: asyncio.CancelledError | None = None
    while not waiting.done():
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return waiting.result()
