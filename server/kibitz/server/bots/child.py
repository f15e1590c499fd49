"""A process for one bot, and its end.

Promises: whatever happens, the process is gone and its exit known when the call is over; it knows
nothing but its errand, and no secret of it stands where other users of the machine could read.
"""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE

import msgspec

from kibitz.protocol.bots import Errand

from ..processes import bound, ended

PLAYER = (sys.executable, "-m", "kibitz.clients.seated")
ADDRESS_BYTES = 1 << 30
"""Most memory, as addresses."""
PROCESSOR_SECONDS = 3600
LIFE_SECONDS = 2 * 3600.0
"""How long a bot may be there, whatever it does."""


class Failed(Exception):
    """There is no process."""


async def played_apart(errand: Errand) -> int:
    """Let a bot play to its end; the exit code of its process (:class:`Exit`, or another).

    Raises:
        Failed: It could not be started.

    """
    try:
        child = await asyncio.create_subprocess_exec(
            *PLAYER,
            stdin=PIPE,
            stdout=DEVNULL,
            stderr=DEVNULL,
            start_new_session=True,  # a Ctrl-C is for the server, who ends this one
        )
    except OSError as error:
        raise Failed(f"no process: {error.strerror}") from None
    try:
        bound(child.pid, address_bytes=ADDRESS_BYTES, seconds=PROCESSOR_SECONDS)
        assert child.stdin is not None, "as it was asked for"
        child.stdin.write(msgspec.json.encode(errand) + b"\n")
        async with asyncio.timeout(LIFE_SECONDS):
            return await child.wait()
    except TimeoutError:
        return await ended(child)
    finally:
        await ended(child)
