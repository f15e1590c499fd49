"""Bots that play all five games for ever, so that there is always something to watch.

Promises: a move every few seconds, a new public room after each end; a server that is gone is
waited for. Never: an end of its own.
"""

import asyncio
import math
import os
import random
import signal
from contextlib import suppress
from random import Random

from kibitz.engine.games import GAMES
from kibitz.protocol.codes import Refused

from .bot import clear, play_out
from .bots import STRATEGIES
from .session import Client, Closed, Unreachable, connect

PACE = (2.0, 4.0)
"""Seconds between two moves, from and to."""
PAUSE = 8.0
"""Seconds that a finished game stays on the table."""
AGAIN = 10.0
"""Seconds until a server that sent us away is asked again."""
PARENT_CHECK = 2.0
"""Seconds between two looks whether the process that started us is still there."""


async def demo(url: str, with_parent: bool = False) -> None:
    """Play until SIGTERM or SIGINT.

    Args:
        url: The server.
        with_parent: Whether to end, too, when the process that started this one has ended.

    """
    playing = asyncio.create_task(_for_ever(url))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, playing.cancel)
    watching = asyncio.create_task(_outlive_nobody(playing)) if with_parent else None
    with suppress(asyncio.CancelledError):
        await playing
    if watching is not None:
        watching.cancel()


async def _outlive_nobody(playing: asyncio.Task[None]) -> None:
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(PARENT_CHECK)
    playing.cancel()


async def _for_ever(url: str) -> None:
    while True:
        with suppress(Unreachable, Closed, Refused):
            async with connect(url, name="demo bot", patience=math.inf, wait=True) as client:
                await asyncio.gather(*(_table(client, game) for game in GAMES))
        await asyncio.sleep(AGAIN)


async def _table(client: Client, game: str) -> None:
    """One game after the other; a room that a new server does not know makes way for the next."""
    while True:
        with suppress(Refused):
            choose = STRATEGIES["greedy"](game, Random())
            mirror = await client.create(game)
            await play_out(client, mirror, choose, delay=lambda: random.uniform(*PACE))
            await asyncio.sleep(PAUSE)
            await clear(client, mirror)
            continue
        await asyncio.sleep(AGAIN)
