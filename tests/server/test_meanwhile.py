"""Who comes back while the log is read: what he may see is what he may see when he is in."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from servers import running_server
from talk import Plain, Talk, talking
from worlds import Fake, HeldLog


async def played(ann: Talk, **wish: Any) -> tuple[str, Plain]:
    """A room in which so much was played that the log has to be read; an early answer."""
    room = (await ann.ok("create", game="klondike", mode="coop", seats=2, **wish))["room"]
    early = await ann.ok("say", room=room, text="hm")
    for _ in range(150):
        await ann.ok("move", room=room, move="discard")
        await ann.ok("undo", room=room)
    return room, early


async def test_who_has_given_up_his_seat_meanwhile_sees_late_what_is_shown_late() -> None:
    log, fake = HeldLog(), Fake()
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(running_server(log, fake.world))
        ann, bob = [await stack.enter_async_context(talking(running.url)) for _ in range(2)]
        room, early = await played(ann, policy={"delay": 3600})
        await bob.ok("join", room=room, role="player")
        again = await stack.enter_async_context(talking(running.url, token=ann.token))
        log.hold("read")
        back = asyncio.create_task(
            again.ask("join", room=room, from_=early["seq"], hash=early["hash"])
        )
        await log.waiting.wait()
        await ann.ok("leave", room=room)
        log.release()
        assert (await back)["code"] == "forbidden"
        await bob.ok("say", room=room, text="for those at the table")
        await again.settle()
        assert again.events() == []
