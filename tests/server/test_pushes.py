"""What is told unasked, and how often: presence, lobby."""

import asyncio
from contextlib import AsyncExitStack

from servers import EACH_COUNTS, Running
from talk import Plain, Talk, talking


def pushed(talk: Talk, t: str) -> list[Plain]:
    """The pushes of a type so far."""
    return [push for push in talk.pushes if push["t"] == t]


@EACH_COUNTS
async def test_presence_counts_identities_and_comes_once_a_second(running: Running) -> None:
    loop = asyncio.get_running_loop()
    async with talking(running.url) as ann, AsyncExitStack() as guests:
        room = (await ann.ok("create", game="klondike", mode="coop"))["room"]
        begin = loop.time()
        for number in range(4):
            bob = await guests.enter_async_context(talking(running.url))
            for _ in range(3):
                same = await guests.enter_async_context(talking(running.url, token=bob.token))
                await same.ok("join", room=room)
            here = {"room": room, "spectators": number + 1, "players": [1]}
            await ann.until(lambda: {"t": "presence", **here} in ann.pushes)  # noqa: B023
        await bob.ok("join", room=room, role="player")
        await ann.until(lambda: pushed(ann, "presence")[-1]["players"] == [1, 2])
        await guests.aclose()
        await ann.until(lambda: pushed(ann, "presence")[-1]["spectators"] == 0)
        assert pushed(ann, "presence")[-1]["players"] == [1]
        assert len(pushed(ann, "presence")) <= loop.time() - begin + 1
        assert "presence" not in str((await ann.ok("history", room=room))["events"])


async def test_the_lobby_tells_of_public_rooms_once_a_second(running: Running) -> None:
    loop = asyncio.get_running_loop()
    async with talking(running.url) as ann, talking(running.url) as bob:
        wish = {"game": "klondike", "deal": "1"}
        await bob.ok("lobby")
        begin = loop.time()
        hidden = (await ann.ok("create", **wish, visibility="unlisted"))["room"]
        room = (await ann.ok("create", **wish))["room"]

        def told() -> list[Plain]:
            return [push["room"] for push in pushed(bob, "lobby")]

        sent = 0
        while len(told()) < 3 or sent < 30:
            await ann.ok("say", room=hidden, text="hm")
            await ann.ok("say", room=room, text="hm")
            sent += 1
            await asyncio.sleep(0.05)
        await ann.ok("resign", room=room)
        await bob.until(lambda: told()[-1]["status"] == "resigned")
        assert {info["id"] for info in told()} == {room}
        assert told()[-1] == (await bob.ok("rooms"))["rooms"][0]
        assert [info["seq"] for info in told()] == sorted(info["seq"] for info in told())
        assert len(told()) <= loop.time() - begin + 1
        await bob.ok("lobby", on=False)
        await bob.ok("lobby", on=False)
        count = len(told())
        await ann.ok("create", **wish)
        await ann.ok("lobby")
        await ann.ok("say", room=room, text="hm")
        await ann.until(lambda: pushed(ann, "lobby"))
        await bob.settle()
        assert len(told()) == count
