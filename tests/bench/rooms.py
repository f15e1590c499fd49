"""Rooms made, played and finished, many: what a server still holds of them in memory.

    python -m bench.rooms [--rooms 20000] [--step 2000]       from tests/

After every step, when all rooms have left its memory and nothing is written any more, the server is
asked what it holds, and the kernel what is resident; the measure is the first step, after which an
empty server has done everything once.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from random import Random

from chaos.nursery import Life, nursery
from chaos.test_left import Counts, settled
from chaos.test_stopped import resident
from servers import FREELY

from kibitz.clients.session import connect
from kibitz.engine.games import GAMES
from kibitz.server.log.writer import IDLE_SECONDS

AT_ONCE = 20
EACH = 25
"""Rooms of one guest: fewer than anybody may have."""
MOVES = 5
OPTIONS = ("--idle-room", "0.2", *FREELY)


async def _guest(url: str, rng: Random) -> None:
    """Make some rooms, play a little in each and give up."""
    async with connect(url) as client:
        for _ in range(EACH):
            mirror = await client.create(rng.choice(list(GAMES)))
            for _ in range(MOVES):
                if moves := await client.moves(mirror.room):
                    await client.move(mirror.room, rng.choice(moves))
            await client.resign(mirror.room)


async def _step(url: str, rooms: int, rng: Random) -> None:
    for _ in range(rooms // (AT_ONCE * EACH)):
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(_guest(url, rng))


async def _main(rooms: int, step: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with nursery() as home:
            where = ("--port", "0", "--data", str(Path(folder) / "log"))
            life = await home.begin("chaos.counting:prepare", {}, *where, *OPTIONS)
            url = await life.listening()
            assert url, life.said
            await _measure(life, url, rooms, step)


async def _measure(life: Life, url: str, rooms: int, step: int) -> None:
    rng, before, first = Random(1), None, 0.0
    print(f"{'rooms':>8} {'MiB':>8} {'ratio':>7}  more objects than after the first step")
    for made in range(step, rooms + 1, step):
        await _step(url, step, rng)
        counts: Counts = await settled(life, None)
        await asyncio.sleep(IDLE_SECONDS + 1)
        before, first = before or counts, first or resident(life.pid)
        more = {name: n - before.get(name, 0) for name, n in counts.items()}
        more = {name: n for name, n in more.items() if n}
        now = resident(life.pid)
        print(f"{made:8} {now:8.1f} {now / first:7.3f}  {more}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rooms", type=int, default=20_000)
    parser.add_argument("--step", type=int, default=2_000)
    given = parser.parse_args()
    asyncio.run(_main(given.rooms, given.step))
