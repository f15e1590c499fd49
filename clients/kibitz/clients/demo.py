"""Bots that play all five games for ever, and race, so that there is always something to watch.

Promises: a move every few seconds, a new public room after each end; a server that is gone is
waited for; rooms that were left open by an earlier demo are played on or given up, because its
identity is kept beside the player's own. Never: an end of its own.
"""

import asyncio
import math
import os
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random

from kibitz.engine.games import GAMES
from kibitz.protocol.codes import CloseCode, Refused
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.requests import PolicyWish

from .bot import clear, play_out, rules_of
from .bots import STRATEGIES
from .session import Client, Closed, Unreachable, connect
from .terminal.tokens import Tokens, default_path
from .trust import Trust

NAME = "demo bot"

RIVAL = "monkey bot"
"""Who races the demo bot, and plays any legal move."""
RACE = {"mode": "race", "countdown": 10, "limit": 900, "policy": PolicyWish(delay=3)}
"""Boards that can be watched, three seconds late."""

PACE = (2.0, 4.0)
"""Seconds between two moves, from and to."""
PAUSE = 8.0
"""Seconds that a finished game stays on the table."""
AGAIN = 10.0
"""Seconds until a server that sent us away is asked again."""
PARENT_CHECK = 2.0
"""Seconds between two looks whether the process that started us is still there."""


async def demo(url: str, with_parent: bool = False, trust: Trust | None = None) -> None:
    """Play until SIGTERM or SIGINT.

    Args:
        url: The server.
        with_parent: Whether to end, too, when the process that started this one has ended.
        trust: Whose certificates are good.

    """
    patient = partial(connect, url, patience=math.inf, wait=True, trust=trust)
    playing = asyncio.create_task(_for_ever(url, patient))
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


async def _for_ever(url: str, patient: Callable[..., Client]) -> None:
    tokens, key = Tokens(default_path()), f"demo:{url}"
    token = tokens.get(key)
    while True:
        with suppress(Unreachable, Refused):
            try:
                async with patient(name=NAME, token=token) as client:
                    token = client.welcome.token
                    with suppress(OSError):  # then the next demo is somebody else
                        tokens.put(key, token)
                    left = await _left(client)
                    tables = (_table(client, game, left) for game in GAMES)
                    await asyncio.gather(*tables, _races(patient, client))
            except Closed as closed:
                token = None if closed.code == CloseCode.AUTH else token
        await asyncio.sleep(AGAIN)


async def _left(client: Client) -> list[Mirror]:
    """The open rooms in which we have a seat: from an earlier demo. Newest first."""
    left: list[Mirror] = []
    infos = [info async for info in client.all_rooms(status="open") if NAME in info.players]
    for info in infos:
        with suppress(Refused):
            mirror = await client.join(info.id)
            if client.welcome.you.id in [seat.id for seat in mirror.seats]:
                left.append(await client.join(info.id, "player"))
            else:
                await client.leave(info.id)
    return left


async def _table(client: Client, game: str, left: list[Mirror]) -> None:
    """One game after the other, beginning with the newest of ours that was left open.

    A room that a new server does not know makes way for the next.
    """
    mine = [mirror for mirror in left if mirror.view.game == game]
    for mirror in mine[1:]:
        with suppress(Refused):
            await clear(client, mirror)
    going_on = mine[:1]
    while True:
        with suppress(Refused):
            mirror = going_on.pop() if going_on else await client.create(game)
            choose = STRATEGIES["greedy"](rules_of(mirror), Random())
            await play_out(client, mirror, choose, delay=lambda: random.uniform(*PACE))
            await asyncio.sleep(PAUSE)
            await clear(client, mirror)
            continue
        await asyncio.sleep(AGAIN)


async def _races(patient: Callable[..., Client], client: Client) -> None:
    """One race after the other, against a rival with a connection of his own."""
    async with patient(name=RIVAL) as rival:
        while True:
            with suppress(Refused):
                mine = await client.create("klondike", **RACE)
                theirs = await rival.join(mine.room, "player")
                await asyncio.gather(_run(client, mine, "greedy"), _run(rival, theirs, "random"))
                await asyncio.sleep(PAUSE)
                await client.leave(mine.room)
                await rival.leave(mine.room)
                continue
            await asyncio.sleep(AGAIN)


async def _run(client: Client, mirror: Mirror, strategy: str) -> None:
    """Play a board of a race to its end."""
    choose = STRATEGIES[strategy](rules_of(mirror), Random())
    await play_out(client, mirror, choose, delay=lambda: random.uniform(*PACE))
