"""kill -9 at every place of a move's way: what was ``ok`` is there, no gap, no fork, nothing twice.

    KILLS=1000 KILL_SEED=7 python -m pytest -s tests/chaos/test_kill.py

kills so often and prints how often at which place.
"""

import asyncio
import os
import signal
from collections import Counter
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from random import Random

import pytest
from chaos.actors import Troupe
from chaos.nursery import Life, Nursery, nursery
from chaos.points import POINTS
from servers import FREELY

KILLS = int(os.environ.get("KILLS", "100"))
SEED = int(os.environ.get("KILL_SEED") or int.from_bytes(os.urandom(4)))
LONGEST = 30.0
"""Seconds after which a server that has not come to its place is killed all the same."""
FINISH = 60.0
"""Seconds in which everybody comes to his end on a server that lives."""
IDLE = ("--idle-room", "0.2")
NOT_REACHED = "(did not come to its place)"


class Deaths:
    """Servers on one file that die, one after the other."""

    def __init__(self, home: Nursery, data: Path, troupe: Troupe, rng: Random) -> None:
        self.counts: Counter[str] = Counter()
        self._home = home
        self._data = data
        self._troupe = troupe
        self._rng = rng

    async def life(self, point: int | None) -> Life:
        """The next server, which everybody talks to; without a point it lives on."""
        nth = 0 if point is None else self._rng.randrange(POINTS[point].most) + 1
        given = {"point": point, "nth": nth, "small_wal": self._rng.random() < 0.5}
        arguments = ("--port", "0", "--data", str(self._data), *FREELY, *IDLE)
        life = await self._home.begin("chaos.points:prepare", given, *arguments)
        if url := await life.listening():
            self._troupe.serving.born(url)
        return life

    async def die(self, point: int) -> None:
        """One server lives and dies."""
        life = await self.life(point)
        name = POINTS[point].name
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST):
                await life.ended()
        if life.status is None:
            name = NOT_REACHED
            life.send(signal.SIGKILL)
        assert os.WTERMSIG(await life.ended()) == signal.SIGKILL, life.said
        assert not life.mistakes, life.mistakes
        self.counts[name] += 1


@pytest.mark.timeout(60 + 6 * KILLS)
async def test_killed_at_every_place(tmp_path: Path) -> None:
    print(f"again with KILL_SEED={SEED} KILLS={KILLS}")
    rng, troupe, data = Random(SEED), Troupe(SEED), tmp_path / "log"
    points = rng.sample(range(len(POINTS)), len(POINTS))
    async with nursery() as home, asyncio.TaskGroup() as group:
        deaths = Deaths(home, data, troupe, rng)
        scripts = await troupe.play(group)
        for _, point in zip(range(KILLS), cycle(points), strict=False):
            await deaths.die(point)
        life = await deaths.life(None)
        troupe.stopping = True
        async with asyncio.timeout(FINISH):
            await asyncio.wait(scripts)
        listed = await troupe.listed()
        life.send(signal.SIGTERM)
        assert os.waitstatus_to_exitcode(await life.ended()) == 0, life.said
        assert not life.mistakes, life.mistakes
        for living in troupe.living:
            living.cancel()
    counts = await troupe.ledger.check(data)
    assert listed.keys() == troupe.ledger.listed
    assert all(seq == troupe.ledger.head(room) for room, seq in listed.items())
    print(f"{KILLS} kills, {dict(counts)}")
    for name, count in sorted(deaths.counts.items()):
        print(f"{count:5} {name}")
    assert deaths.counts[NOT_REACHED] <= KILLS / 10
    if 2 * len(POINTS) <= KILLS:
        assert {point.name for point in POINTS} <= deaths.counts.keys()
