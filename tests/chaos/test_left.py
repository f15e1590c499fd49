"""After a storm nothing is left of it: no room, connection, task, timer, descriptor or bucket."""

import asyncio
import signal
from pathlib import Path

import pytest
from chaos.choosing import SWIFT
from chaos.counting import COUNTED
from chaos.crowd import crowd
from chaos.games import Played, check, play_many
from chaos.nursery import Life, nursery
from chaos.proxy import Weather, proxy
from servers import FREELY

from kibitz.clients import connection

GAMES, CROWD, STORMS = 20, 30, 3
PATIENCE = 60.0
"""Seconds in which everything has to be gone: far more than it takes."""
GONE = ("rooms", "connections", "buckets")
"""Of these there is none in the end."""

Counts = dict[str, int]


async def count(life: Life) -> Counts:
    """What the server holds now."""
    said = len(life.said)
    life.send(signal.SIGUSR2)
    counted = await life.says(COUNTED, said)
    counts: Counts = counted["counts"]
    return counts


async def settled(life: Life, before: Counts | None) -> Counts:
    """Wait until there is no more than before, or until all who were here are gone."""
    more: Counts = {}
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                counts = await count(life)
                more = {key: counts[key] for key in GONE if counts[key]}
                if before is not None:
                    rest = {key: n - before.get(key, 0) for key, n in counts.items()}
                    more |= {key: n for key, n in rest.items() if n > 0}
                if not more:
                    return counts
                await asyncio.sleep(0.2)
    except TimeoutError:
        raise AssertionError(f"left of the storm: {more}; {life.mistakes}") from None


async def storm(url: str, number: int, games: list[Played]) -> None:
    """Games through a bad network; a crowd that is cut off, comes back, and goes."""
    weather = Weather(f"storm {number}", swallow=0.5)
    await play_many(url, GAMES, weather, GAMES, games.append, SWIFT)
    room = games[-1].room
    async with (
        proxy(url, Weather("fair", calm=1.0, repeat=0.0, plain=True)) as (network, entrance),
        crowd(entrance, room, CROWD) as everybody,
    ):
        everybody.expect()
        await network.cut()
        await everybody.live_again(0.0)
        await network.cut()  # and nobody says goodbye


@pytest.mark.timeout(300)
async def test_nothing_is_left_of_a_storm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_DELAY", 0.1)
    games: list[Played] = []
    async with nursery() as home:
        where = ("--port", "0", "--data", str(tmp_path / "log"))
        life = await home.begin("chaos.counting:prepare", {}, *where, *FREELY, "--idle-room", "0.2")
        url = await life.listening()
        assert url, life.said
        await storm(url, 0, games)  # what is made once and kept is there after the first one
        before = await settled(life, None)
        for number in range(1, STORMS):
            await storm(url, number, games)
            await settled(life, before)
        life.send(signal.SIGTERM)
        assert await life.ended() == 0, life.said
        assert not life.mistakes
    await check(tmp_path / "log", games)
