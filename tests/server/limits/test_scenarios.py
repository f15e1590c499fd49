"""The limits as they come hurt nobody who plays, and a hostile client costs little memory."""

import asyncio
import contextlib
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from processes import standby
from raw import CONT, PING, TEXT, frame, raw, request
from servers import running_server
from talk import Plain, fetch, talking
from worlds import Fake

from kibitz.protocol.wire import Encoding
from kibitz.server.limits.settings import Limits
from kibitz.server.settings import Access

MOST_MORE = 32 * 2**20
"""Bytes by which one hostile client may raise the server's memory."""
ENEMY = "127.0.0.66"
SCHOOL = "192.0.2.7"
USUAL = Limits()
PROXIED = Access(trusted_proxy=["127.0.0.1"])


async def test_a_class_of_thirty_starts_its_games_behind_one_address() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world, limits=USUAL, access=PROXIED) as running,
        AsyncExitStack() as stack,
    ):
        for number in range(30):
            pupil = await stack.enter_async_context(talking(running.url, forwarded=SCHOOL))
            await pupil.ok("lobby")
            await pupil.ok("rooms")
            room = (await pupil.ok("create", game="klondike", deal=str(number + 1)))["room"]
            for _ in range(5):
                await pupil.ok("move", room=room, move="discard")
                await pupil.ok("moves", room=room)
            await pupil.ok("say", room=room, text="hm")
            await pupil.ok("resign", room=room)
            await pupil.ok("rematch", room=room)


async def test_a_race_of_a_hundred_behind_one_address() -> None:
    async with (
        running_server(limits=USUAL, access=PROXIED) as running,
        AsyncExitStack() as stack,
    ):
        ann = await stack.enter_async_context(talking(running.url, forwarded=SCHOOL))
        race = await ann.ok("create", game="klondike", mode="race", seats=100, countdown=0)
        room, racers = race["room"], [ann]
        for _ in range(99):
            racer = await stack.enter_async_context(talking(running.url, forwarded=SCHOOL))
            await racer.ok("join", room=room, role="player")
            racers.append(racer)
        await asyncio.gather(*(racer.ok("ready", room=room) for racer in racers))
        await asyncio.gather(*(racer.ok("move", room=room, move="discard") for racer in racers))


async def test_who_reloads_the_page_again_and_again_is_served() -> None:
    fake = Fake()
    async with running_server(world=fake.world, limits=USUAL, access=PROXIED) as running:
        async with talking(running.url, forwarded=SCHOOL) as ann:
            made = await ann.ok("create", game="klondike", deal="1")
            token, room = ann.token, made["room"]
        for _ in range(20):
            async with talking(running.url, token=token, forwarded=SCHOOL) as ann:
                await ann.ok("join", room=room, role="player")
                await ann.ok("history", room=room, limit=500)
                await ann.ok("moves", room=room)
            fake.pass_time(0.5)


async def test_a_bot_here_is_as_fast_as_a_connection_may_be() -> None:
    """Two hundred requests a second and ten games: nothing else is in its way."""
    fake = Fake()
    async with (
        running_server(world=fake.world, limits=USUAL) as running,
        talking(running.url) as bot,
    ):
        for _ in range(30):
            for _ in range(10):
                room = (await bot.ok("create", game="klondike", deal="1"))["room"]
                for _ in range(5):
                    await bot.ok("move", room=room, move="discard")
                await bot.ok("resign", room=room)
                await bot.ok("leave", room=room)
                fake.pass_time(0.2)


async def test_so_many_games_and_seats_and_rooms_and_no_more() -> None:
    fake = Fake()
    few = replace(USUAL, games_per_identity=2, seats_per_identity=3, rooms_per_connection=4)
    async with (
        running_server(world=fake.world, limits=few) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        mine = [(await ann.ok("create", game="klondike", deal="1"))["room"] for _ in range(2)]
        refused = await ann.refused("full", "create", game="klondike", deal="1")
        assert refused["limit"] == "open games per identity" and refused["retry_ms"] == 86_400_000
        await ann.ok("resign", room=mine[0])
        mine.append((await ann.ok("create", game="klondike", deal="1"))["room"])
        fake.pass_time(86_400)
        await ann.ok("create", game="klondike", deal="1")
        refused = await ann.refused("full", "create", game="klondike", deal="1")
        assert refused["limit"] == "rooms per connection"
        await ann.ok("view", room=mine[0], at=1)
        fake.pass_time(86_400)
        table: Plain = {"game": "klondike", "mode": "coop", "seats": 8}
        others = []
        for _ in range(2):
            async with talking(running.url) as eve:
                others += [(await eve.ok("create", **table))["room"] for _ in range(2)]
        for room in others[:3]:
            await bob.ok("join", room=room, role="player")
        refused = await bob.refused("full", "join", room=others[3], role="player")
        assert refused["limit"] == "seats per identity"
        await bob.ok("leave", room=others[0])
        await bob.ok("join", room=others[3], role="player")


def resident(pid: int) -> int:
    """Resident memory of a process, bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


async def test_hostile_clients_cost_little_memory_and_others_are_answered(tmp_path: Path) -> None:
    """Several kinds at the same time; how fast the others are answered shows ``bench.hostile``."""
    json = Encoding.JSON
    async with standby(tmp_path / "log", "--count-loopback") as server:
        url = await server.start()
        http = url.replace("ws:", "http:").removesuffix("/ws")
        async with talking(url) as ann:
            room = (await ann.ok("create", game="klondike", deal="1"))["room"]
            before = resident(server.process.pid)

            async def storm(data: bytes, times: int) -> None:
                with contextlib.suppress(OSError, EOFError, AssertionError, ConnectionError):
                    async with raw(
                        url, receive_buffer=4096, local=ENEMY
                    ) as eve:  # and it reads nothing
                        eve.write(request(json, "join", i=1, room=room))
                        for _ in range(times):
                            eve.write(data)
                            async with asyncio.timeout(5):
                                await eve.writer.drain()

            storms = [
                request(json, "create", i=2, game="klondike"),
                request(json, "history", i=2, room=room, limit=500),
                request(json, "say", i=2, room=room, text="x" * 500),
                request(json, "rooms", i=2, limit=100),
                frame(PING, b"x" * 125) * 50,
                frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) * 100,
                frame(TEXT, b" " * 190_000),
            ]
            storming = [asyncio.create_task(storm(data, 300)) for data in storms * 5]
            pages = [
                asyncio.create_task(fetch(http, f"/rooms/{room}/replay.json")) for _ in range(50)
            ]
            for number in range(50):
                await ann.ok("move" if number % 2 == 0 else "undo", room=room, **MOVES[number % 2])
            await asyncio.gather(*storming, *pages, return_exceptions=True)
            assert resident(server.process.pid) - before < MOST_MORE
            await ann.ok("ping")


MOVES: list[dict[str, str]] = [{"move": "discard"}, {}]
