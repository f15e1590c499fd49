"""A crowd told in slices by a real server, while its members come, go, sit down, ask and lag."""

import asyncio
from contextlib import AsyncExitStack
from random import Random

import pytest
from guests import Guest
from servers import Running, running_server
from talk import talking

from kibitz.protocol.wire import Encoding


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of three; five are a large crowd."""
    monkeypatch.setattr("kibitz.server.sockets.turn.SLICE", 3)
    monkeypatch.setattr("kibitz.server.room.fanout.GATHER_FROM", 5)
    monkeypatch.setattr("kibitz.server.room.fanout.GATHER_SECONDS", 0.003)


async def act(guest: Guest, room: str, rng: Random) -> None:
    """Do anything."""
    match rng.choice(["look", "look", "sit", "leave", "ping", "history", "say", "say", "cut"]):
        case "look":
            await guest.ask("join", room=room)
        case "sit":
            await guest.ask("join", room=room, role="player")
        case "leave":
            await guest.ask("leave", room=room)
            guest.session.forget(room)
        case "cut":
            await guest.cut()
        case "ping":
            pong = await guest.ask("ping")
            if room in pong["heads"]:
                assert pong["heads"][room][0] <= guest.session.mirrors[room].seq
        case "history":
            answer = await guest.ask("history", room=room)
            if answer["t"] != "error":
                assert answer["events"][-1]["seq"] <= guest.session.mirrors[room].seq
        case "say":
            answer = await guest.ask("say", room=room, text="hm")
            if answer["t"] == "ok":
                assert answer["seq"] <= guest.session.mirrors[room].seq


@pytest.mark.parametrize("seed", range(3))
async def test_everybody_has_the_same_in_the_end(seed: int) -> None:
    async with AsyncExitStack() as stack:
        running: Running = await stack.enter_async_context(running_server())
        ann = await stack.enter_async_context(talking(running.url))
        made = await ann.ok("create", game="klondike", mode="coop", seats=4, deal="1")
        room: str = made["room"]
        guests = []
        for number in range(14):
            guest = Guest(running.url, f"guest {number}", list(Encoding)[number % 2])
            await guest.connect()
            stack.push_async_callback(guest.close)
            guests.append(guest)
            await guest.ask("join", room=room)

        async def busy(guest: Guest, rng: Random) -> None:
            for _ in range(25):
                await act(guest, room, rng)
                if rng.random() < 0.3:
                    await asyncio.sleep(0)

        async def pour() -> None:
            while True:
                await ann.ok("say", room=room, text="hm")

        pouring = asyncio.create_task(pour())
        await asyncio.gather(
            *(busy(guest, Random(100 * seed + n)) for n, guest in enumerate(guests))
        )
        pouring.cancel()
        await asyncio.wait([pouring])
        for guest in guests:
            await guest.ask("join", room=room)
        await ann.ok("say", "last", room=room, text="hm")
        live = await running.app.rooms.get(room)
        for guest in guests:
            await guest.until(lambda: mirror_at(guest, room) == live.seq)  # noqa: B023
            mirror = guest.session.mirrors[room]
            assert mirror.hash == live.live.hash_at(live.seq)
            assert mirror.view == live.state.view()
            numbers = [event["seq"] for event in guest.talk.events(room)]
            assert len(numbers) == len(set(numbers)) and numbers == sorted(numbers)
        assert live.seq > 60


def mirror_at(guest: Guest, room: str) -> int:
    """How far he is."""
    return guest.session.mirrors[room].seq
