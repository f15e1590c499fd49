"""A server that is cut off from its log: what was asked is pending, then done once, and goes on."""

import asyncio
import os

import pytest
from brokers import NatsServer, by_a_way
from cuts import Way
from servers import running_server
from talk import talking

SECONDS = float(os.environ.get("KIBITZ_CUT_SECONDS", "1.5"))
"""How long nothing comes through; by hand, ten."""


async def cut(way: Way, how: str) -> None:
    """For so long nothing comes through: connections are lost, or nobody is told anything."""
    if how == "lost":
        await way.shut()
    else:
        way.hold()
    await asyncio.sleep(SECONDS)
    if how == "lost":
        await way.open()
    else:
        way.go_on()


@pytest.mark.parametrize("how", ["lost", "dead"])
async def test_what_is_asked_while_the_log_is_out_of_reach_is_done_once(
    nats_server: NatsServer, how: str
) -> None:
    async with (
        by_a_way(nats_server) as (straight, log, way),
        running_server(log) as far,
        running_server(straight) as near,
        talking(far.url) as ann,
        talking(near.url) as bob,
    ):
        room = (await ann.ok("create", game="klondike", mode="coop", seats=2))["room"]
        await bob.ok("join", room=room, role="player")
        await ann.ok("move", room=room, move="discard")
        cutting = asyncio.create_task(cut(way, how))
        await asyncio.sleep(0)  # it has begun
        asked = [
            asyncio.create_task(ann.ok("say", f"say-{n}", room=room, text=f"{n}")) for n in range(3)
        ]
        # meanwhile the others go on: what was asked is decided again behind it
        elsewhere = await bob.ok("say", room=room, text="meanwhile")
        assert not any(each.done() for each in asked), "they are not told that it is done"
        await ann.settle()  # all that needs no log is answered
        await cutting
        seqs = [(await each)["seq"] for each in asked]
        again = await bob.ok("say", room=room, text="go on")
        assert seqs == sorted(seqs) and elsewhere["seq"] < seqs[0] < again["seq"]
        texts = [e.text for r in await straight.read(room) for e in r.events if e.kind == "say"]
        assert texts == ["meanwhile", "0", "1", "2", "go on"]
        # whoever asks once more is told what became of it
        assert (await ann.ok("say", "say-1", room=room, text="1"))["seq"] == seqs[1]
