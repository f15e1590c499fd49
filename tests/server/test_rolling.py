"""Servers on one log are started anew, one after the other: a game goes on and notices little."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise

import pytest
from brokers import NatsServer, nats_logs
from servers import running_server
from talk import PATIENCE

from kibitz.clients.pushes import Push
from kibitz.clients.session import Client, Link, connect
from kibitz.protocol.views import Event
from kibitz.server.log.nats.log import NatsLog


class Node:
    """An address, with a server that can be started anew."""

    def __init__(self) -> None:
        self._stack = contextlib.AsyncExitStack()
        self._port = 0

    async def start(self, log: NatsLog) -> str:
        server = await self._stack.enter_async_context(running_server(log, port=self._port))
        self._port = server.app.port
        return server.url

    async def stop(self) -> None:
        """Send everybody away, as after SIGTERM."""
        await self._stack.aclose()


@contextlib.asynccontextmanager
async def two(logs: Sequence[NatsLog]) -> AsyncIterator[tuple[list[Node], list[str]]]:
    nodes = [Node(), Node()]
    try:
        yield nodes, [await node.start(log) for node, log in zip(nodes, logs, strict=False)]
    finally:
        for node in nodes:
            await node.stop()


async def drained(node: Node, log: NatsLog, ann: Client, room: str, number: int) -> None:
    """The server at an address stops while a player goes on, and another one starts there."""
    asked = [asyncio.create_task(ann.say(room, f"{number} {n}")) for n in range(5)]
    await asyncio.sleep(0)  # they have been sent
    await node.stop()
    await node.start(log)
    await ann.move(room, "discard")
    for each in asked:
        await each


def links(pushes: Sequence[Push]) -> list[bool]:
    return [push.up for push in pushes if isinstance(push, Link)]


@pytest.mark.parametrize("together", [True, False])
async def test_one_server_after_the_other_is_started_anew(
    nats_server: NatsServer, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RETRY_MS", "MAX_SPREAD_MS"):  # nobody is told to wait: it takes no longer
        monkeypatch.setattr(f"kibitz.server.operation.drain.{name}", 0)
    monkeypatch.setattr("kibitz.clients.connection.FIRST_DELAY", 0.02)
    async with (
        asyncio.timeout(PATIENCE),
        nats_logs(nats_server, 4) as logs,
        two(logs) as (nodes, urls),
        connect(urls, name="Ann") as ann,
        connect(urls if together else urls[::-1]) as bob,
    ):
        mine = await ann.create("klondike", deal="7", visibility="private")
        theirs = await bob.join(mine.room, invite=await ann.invite(mine.room))
        who, heard, felt = ann.welcome.you, bob.events(), ann.events()
        first = theirs.seq
        for number, node in enumerate(nodes):
            await drained(node, logs[2 + number], ann, mine.room, number)
            assert ann.url == urls[1 - number] and ann.welcome.you == who and mine.seat == 1
            await bob.until(lambda: theirs.seq >= mine.seq)
            assert (theirs.seq, theirs.hash) == (mine.seq, mine.hash)
        pushes = heard.waiting()
        seqs = [push.seq for push in pushes if isinstance(push, Event)]
        assert seqs == list(range(first + 1, mine.seq + 1)), "nothing is missing or there twice"
        assert links(felt.waiting()) == [False, True] * 2 and mine.board.moves == 2
        seen = links(pushes)
        assert seen == [False, True] * (2 if together else 1)
        kept = [event async for event in ann.history(mine.room)]
        texts = [event.text for event in kept if event.kind == "say"]
        assert sorted(str(text) for text in texts) == [f"{n} {m}" for n in (0, 1) for m in range(5)]
        assert all(after.seq == before.seq + 1 for before, after in pairwise(kept))
