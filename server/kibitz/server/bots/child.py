"""A process for one bot, and its end.

Promises: whatever happens, the process is gone and its exit known when the call is over; it knows
nothing but its errand, and no secret of it stands where other users of the machine could read. Who
has no more work, and does not go, is ended.
"""

import asyncio
import sys
from asyncio.subprocess import Process
from collections.abc import Callable

import msgspec

from kibitz.protocol.bots import Errand, Exit

from ..processes import Failed, bound, ended, started

PLAYER = (sys.executable, "-m", "kibitz.clients.seated")
ADDRESS_BYTES = 1 << 30
"""Most memory, as addresses."""
PROCESSOR_SECONDS = 3600
LIFE_SECONDS = 2 * 3600.0
"""How long a bot may be there, whatever it does."""
LOOK_SECONDS = 1.0
"""How often it is looked whether it has work."""
LOOKS = 5
"""Who had none so often in a row, and is still there, is ended."""
AWAY_LOOKS = 60
"""Who was not in his room so often in a row has failed: stopped, or never come."""


async def played_apart(
    errand: Errand, has_work: Callable[[], bool], is_here: Callable[[], bool]
) -> int:
    """Let a bot play to its end; the exit code of its process (:class:`Exit`, or another).

    Args:
        errand: What it does.
        has_work: Whether it has something to do there yet.
        is_here: Whether it is in its room.

    Raises:
        Failed: It could not be started, or does not come to its room.

    """
    async with started(PLAYER, speaks=False) as child:
        bound(child.pid, address_bytes=ADDRESS_BYTES, seconds=PROCESSOR_SECONDS)
        assert child.stdin is not None, "as it was asked for"
        child.stdin.write(msgspec.json.encode(errand) + b"\n")
        try:
            async with asyncio.timeout(LIFE_SECONDS):
                return await _gone(child, has_work, is_here)
        except TimeoutError:
            return await ended(child)


async def _gone(child: Process, has_work: Callable[[], bool], is_here: Callable[[], bool]) -> int:
    """The exit code of a process that goes, or has to because there is no work.

    Raises:
        Failed: It has been away for too long.

    """
    going = asyncio.create_task(child.wait())
    idle = away = 0
    while idle < LOOKS:
        if (await asyncio.wait([going], timeout=LOOK_SECONDS))[0]:
            return going.result()
        idle = 0 if has_work() else idle + 1
        away = 0 if is_here() else away + 1
        if away >= AWAY_LOOKS:
            raise Failed("it is not in its room")
    await ended(child)
    return Exit.DONE
