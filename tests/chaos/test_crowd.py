"""Whoever is dropped with everybody else comes back, and has what those have who stayed."""

import asyncio
import signal
import time
from pathlib import Path

from chaos.crowd import Crowd, crowd, sight
from chaos.nursery import Life, Nursery, nursery
from chaos.proxy import Weather, proxy
from servers import FREELY

from kibitz.clients.session import Client, connect
from kibitz.protocol.mirror import Mirror

MANY = 100
FAIR = Weather("fair", calm=1.0, repeat=0.0, plain=True)
"""A network that does nothing by itself."""


async def serve(home: Nursery, data: Path, port: int) -> tuple[Life, str]:
    arguments = ("--port", str(port), "--data", str(data), *FREELY)
    life = await home.begin("chaos.crowd:prepare", {}, *arguments)
    url = await life.listening()
    assert url, life.said
    return life, url


async def see_that_all_have(
    everybody: Crowd, player: Client, room: str, steady: Client, mirror: Mirror
) -> None:
    """All have the same as somebody who never went away."""
    await player.move(room, "discard")
    await player.undo(room)
    last = (await player.redo(room)).seq
    assert last is not None
    seen = await everybody.sights(last)
    await steady.until(lambda: mirror.seq >= last)
    assert seen == {sight(mirror): len(everybody.clients)}


async def test_a_crowd_that_is_dropped_comes_back(tmp_path: Path) -> None:
    async with nursery() as home:
        life, url = await serve(home, tmp_path / "log", 0)
        port = int(url.rpartition(":")[2].partition("/")[0])
        async with (
            proxy(url, FAIR) as (network, entrance),
            connect(url, name="player") as player,
            connect(url, name="steady") as steady,
        ):
            room = (await player.create("klondike")).room
            mirror = await steady.join(room)
            async with crowd(entrance, room, MANY) as everybody:
                await see_that_all_have(everybody, player, room, steady, mirror)

                everybody.expect()
                life.send(signal.SIGUSR1)
                await player.move(room, "discard")
                await everybody.live_again(time.monotonic())
                await see_that_all_have(everybody, player, room, steady, mirror)

                everybody.expect()
                began = time.monotonic()
                await asyncio.gather(network.cut(), player.move(room, "discard"))
                await everybody.live_again(began)
                await see_that_all_have(everybody, player, room, steady, mirror)

                everybody.expect()
                life.send(signal.SIGKILL)
                await life.ended()
                life, _ = await serve(home, tmp_path / "log", port)
                await everybody.live_again(began)
                async with connect(url, name="newcomer") as newcomer:
                    fresh = await newcomer.join(room)
                    await see_that_all_have(everybody, player, room, newcomer, fresh)
                    assert sight(fresh) == sight(mirror)
        life.send(signal.SIGTERM)
        assert await life.ended() == 0, life.said
        assert not life.mistakes
