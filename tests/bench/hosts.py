"""Who races bots, in a process apart from those whose time is measured (:mod:`bench.thinking`).

    python -m bench.hosts ws://127.0.0.1:8765/ws BOTS STRATEGY PACE

Each races one bot, one race after the other, and makes no move himself. A line says when every bot
has moved; at the end of input all give up, and the number of the bots' moves is printed.
"""

import asyncio
import contextlib
import sys
from contextlib import AsyncExitStack
from functools import partial
from typing import cast

from kibitz.clients.session import Client, connect
from kibitz.protocol.codes import Refused
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.views import Strategy

GAME = "klondike"
BEGUN = b"every bot has moved\n"


class Host:
    """Who races a bot, and makes no move himself."""

    def __init__(self, client: Client, strategy: Strategy, pace: int) -> None:
        self._client, self._strategy, self._pace = client, strategy, pace
        self._room = ""
        self.moved = 0
        """Moves of bots."""

    async def race(self, begun: asyncio.Event) -> None:
        """One race after the other, for ever; ``begun`` is set once a bot has moved."""
        while True:
            mirror = await self._client.create(GAME, mode="race", seats=2, countdown=0)
            self._room = mirror.room
            await self._client.seat_bot(mirror.room, self._strategy, self._pace)
            await self._client.ready(mirror.room)
            seen = 0
            while mirror.course.lines[1].status == "open":
                await self._client.until(partial(_is_past, mirror, mirror.seq))
                moves = mirror.view.boards[1].moves
                self.moved, seen = self.moved + moves - seen, moves
                if moves:
                    begun.set()
            await self.end()

    async def end(self) -> None:
        """Give the race up, and let the bot do so."""
        for done in (self._client.send_bot_away(self._room, 2), self._client.resign(self._room)):
            with contextlib.suppress(Refused):
                await done


def _is_past(mirror: Mirror, seq: int) -> bool:
    return mirror.seq > seq


async def host(url: str, bots: int, strategy: Strategy, pace: int) -> None:
    """Race until the input ends."""
    async with AsyncExitStack() as stack:
        hosts = [
            Host(await stack.enter_async_context(connect(url, name="host")), strategy, pace)
            for _ in range(bots)
        ]
        begun = [asyncio.Event() for _ in hosts]
        races = [
            asyncio.create_task(each.race(one)) for each, one in zip(hosts, begun, strict=True)
        ]
        await asyncio.gather(*(one.wait() for one in begun))
        sys.stdout.buffer.write(BEGUN)
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)
        for race in races:
            race.cancel()
        ends = await asyncio.gather(*races, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends
        print(f"the bots made {sum(each.moved for each in hosts)} moves")


if __name__ == "__main__":
    asyncio.run(host(sys.argv[1], int(sys.argv[2]), cast(Strategy, sys.argv[3]), int(sys.argv[4])))
