"""A bot that a server has sit down: ``python -m kibitz.clients.seated``, a process of its own.

It reads its errand, one line, and ends when its standard input does, as that is when the server
has ended. Promises: a client like any other, that plays its board at a pace a person can follow;
it stays neither where nobody else is nor where nothing begins, and whenever it goes its board is
done or given up. Never: a room but the one it was sent to.
"""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import msgspec

from kibitz.protocol.bots import Errand, Exit
from kibitz.protocol.codes import CloseCode, ErrorCode, Refused
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Presence

from .bot import is_going, play_out, rules_of
from .bots import STRATEGIES
from .session import Client, Closed, connect
from .trust import of_certificate

ENDS: dict[int, Exit] = {CloseCode.REPLACED: Exit.REPLACED, CloseCode.FORBIDDEN: Exit.DONE}
"""How we end where the server hangs up for a reason; for others, we have failed."""
SENT_AWAY = (
    *(ErrorCode.FORBIDDEN, ErrorCode.FULL, ErrorCode.NOT_SEATED),
    *(ErrorCode.ILLEGAL, ErrorCode.GAME_OVER, ErrorCode.NO_ROOM),
)
"""Why nobody may sit down who has sat there: his seat is not his any more, or nothing is played."""
ALONE_SECONDS = 300.0
"""How long a bot stays where nobody else is."""
FORGOTTEN_SECONDS = 30.0
"""How long if nobody has a reason to come back."""
WAIT_SECONDS = 900.0
"""How long it waits for a race to begin."""
PLAY_SECONDS = 3600.0
"""How long it plays at the most."""


async def sit(errand: Errand) -> Exit:
    """Play from a seat until there is nothing more to do there.

    Who has no seat any more, sent away or banned as he came or since, has nothing to do there.

    Raises:
        Unreachable: There is no server, or it is gone.
        Refused: The server does not know us, or has failed.
        Closed: It wants no more of us, and that is no ban.

    """
    trust = None if errand.pin is None else of_certificate(Path(errand.pin))
    try:
        async with connect(errand.url, token=errand.token, trust=trust) as client:
            mirror = await client.join(errand.room, "player")
            await _play(client, mirror, errand)
            await _leave(client, mirror)
    except Closed as closed:
        if closed.code not in ENDS:
            raise
        return ENDS[closed.code]
    except Refused as refused:
        if refused.code not in SENT_AWAY:
            raise
    return Exit.DONE


async def _play(client: Client, mirror: Mirror, errand: Errand) -> None:
    choose = STRATEGIES[errand.strategy](rules_of(mirror), Random())
    game = play_out(client, mirror, choose, delay=paced(errand.pace / 1000), explain=True)
    playing = asyncio.create_task(game)
    tiring = asyncio.create_task(_tired(client, mirror))
    done, others = await asyncio.wait([playing, tiring], return_when=asyncio.FIRST_COMPLETED)
    for other in others:
        other.cancel()
    await asyncio.wait([playing, tiring])
    for each in done:
        with suppress(Refused):  # sent away just now
            await each


async def _leave(client: Client, mirror: Mirror) -> None:
    """Go, so that nobody waits for us."""
    with suppress(Refused):
        if is_going(mirror) and mirror.course.is_released():
            await client.resign(mirror.room)
    with suppress(Refused):
        await client.leave(mirror.room)


def paced(seconds: float, clock: Callable[[], float] = time.monotonic) -> Callable[[], float]:
    """How long to wait before a move that is chosen, so that one is made in so many seconds."""
    due = -seconds

    def delay() -> float:
        nonlocal due
        now = clock()
        wait = max(0.0, due - now)
        due = now + wait + seconds
        return wait

    return delay


async def _tired(client: Client, mirror: Mirror) -> None:
    """Wait until there is no more reason to stay: sent away, left alone, or it takes too long."""
    clock = asyncio.get_running_loop().time
    pushes = client.events()
    came = clock()
    begun: float | None = None
    alone: float | None = came
    while _sits(mirror):
        if begun is None and mirror.course.is_released():
            begun = clock()
        ends = came + WAIT_SECONDS if begun is None else begun + PLAY_SECONDS
        if alone is not None:
            ends = min(ends, alone + (ALONE_SECONDS if _is_awaited(mirror) else FORGOTTEN_SECONDS))
        if clock() >= ends:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout_at(ends):
                await pushes.ready()
        for push in pushes.waiting():
            if isinstance(push, Presence) and push.room == mirror.room:
                if _others(mirror, push):
                    alone = None
                elif alone is None:
                    alone = clock()


def _is_awaited(mirror: Mirror) -> bool:
    """Whether anybody who is no bot may come back: for the start, or to a board of his."""
    pairs = zip(mirror.course.seats, mirror.course.lines, strict=True)
    return not mirror.course.is_released() or any(
        seat.id and not seat.bot and line.status == "open" for seat, line in pairs
    )


def _sits(mirror: Mirror) -> bool:
    """Whether our seat is still ours."""
    return mirror.seat is not None and mirror.seats[mirror.seat - 1].bot is not None


def _others(mirror: Mirror, presence: Presence) -> bool:
    """Whether anybody is there who is no bot."""
    bots = {seat.seat for seat in mirror.seats if seat.bot}
    return presence.spectators > 0 or not bots.issuperset(presence.players)


def main() -> int:
    """Read the errand and do it; the exit code."""
    errand = msgspec.json.decode(sys.stdin.buffer.readline(), type=Errand)
    threading.Thread(target=_end_with_input, daemon=True).start()
    return asyncio.run(sit(errand))


def _end_with_input() -> None:
    while os.read(0, 1024):  # no lock is held, as of a buffer, when the process ends by itself
        pass
    os._exit(Exit.DONE)


if __name__ == "__main__":
    sys.exit(main())
