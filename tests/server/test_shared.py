"""Two servers on the same NATS server: the rooms of one are the rooms of the other."""

import asyncio
from pathlib import Path

from brokers import NatsServer
from processes import standby
from servers import FREELY
from talk import talking


async def test_who_comes_by_another_server_finds_the_room_and_may_write(tmp_path: Path) -> None:
    nats = NatsServer(tmp_path / "nats")
    nats.start()
    where = ("--nats", nats.url, *FREELY)
    try:
        async with standby(None, *where) as first, standby(None, *where) as second:
            urls = await asyncio.gather(first.start(), second.start())
            async with talking(urls[0]) as ann, talking(urls[1]) as bob:
                room = (await ann.ok("create", game="klondike", deal="7"))["room"]
                done = await ann.ok("move", room=room, move="discard")
                seen = await bob.ok("join", room=room)
                assert (seen["seq"], seen["hash"]) == (done["seq"], done["hash"])
                # both write, each of them behind what the other one wrote
                for number in range(5):
                    await ann.ok("move", room=room, move="discard")
                    await bob.ok("say", room=room, text=f"{number}")
                last = await ann.ok("move", room=room, move="discard")
                kinds = [event["kind"] for event in ann.events(room)]
                assert [kind for kind in kinds if kind in ("move", "say")].count("say") == 5
                found = await bob.ok("say", room=room, text="end")
                assert found["seq"] == last["seq"] + 1
                heard = [event["seq"] for event in bob.events(room)]
                assert heard == list(range(seen["seq"] + 1, found["seq"] + 1))
            await first.kill()  # its rooms go on elsewhere
            async with talking(urls[1]) as cy:
                again = await cy.ok("join", room=room)
                assert again["seq"] >= found["seq"]
            assert await second.terminate() == 0
        assert nats.url not in first.said + second.said
    finally:
        nats.stop()
