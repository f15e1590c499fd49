"""Whoever does not read costs nobody else anything, and finds back."""

import asyncio
from collections.abc import Callable
from itertools import islice
from random import Random

import pytest
from plays import endless
from servers import EACH_HAS, Running, running_server
from talk import Talk, connected, eventually, talking

from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Joined, Position
from kibitz.protocol.views import Event
from kibitz.protocol.wire import Encoding
from kibitz.server.limits.settings import OUTBOX_BYTES
from kibitz.server.room.room import Room

SMALL = 4096
"""Receive buffer of a client that does not read, in bytes."""
LONG = "🂡" * 500
FRAME_BYTES = 2500
"""More than the frame of a comment so long."""


def waiting(running: Running) -> int:
    """The most bytes that wait for any client."""
    return max(connection.socket.waiting for connection in running.app._connections)


async def busy(ann: Talk, room: str, running: Running, done: Callable[[], object]) -> int:
    """Fill a room with long comments until somebody lags; the most bytes that ever waited."""
    most = 0
    for _ in range(5000):
        await ann.ok("say", room=room, text=LONG)
        most = max(most, waiting(running))
        if done():
            return most
    raise AssertionError("nobody ever lagged")


def lagging(room: Room) -> int:
    """How many members miss events."""
    return sum(member.lagging for member in room.live.crowd._members.values())


@EACH_HAS
@pytest.mark.parametrize("encoding", list(Encoding))
async def test_a_spectator_who_does_not_read_gets_a_fresh_view(encoding: Encoding) -> None:
    """B61."""
    async with (
        running_server() as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        connected(running.url, encoding, receive_buffer=SMALL) as eve,
    ):
        id_ = (await ann.ok("create", game="klondike", deal="1"))["room"]
        await bob.ok("join", room=id_)
        room = await running.app.rooms.get(id_)
        await eve.send({"t": "hello"})
        await eve.send({"t": "join", "i": 1, "room": id_})
        await eventually(lambda: len(room.live.crowd) == 3)
        most = await busy(ann, id_, running, lambda: lagging(room))
        for t, move in islice(endless(Random(1)), 100):
            await ann.ok(t, room=id_, move=move)
        most = max(most, waiting(running))
        assert most <= OUTBOX_BYTES + FRAME_BYTES
        assert lagging(room) == 1
        await bob.until(lambda: bob.events() and bob.events()[-1]["seq"] == room.seq)
        assert len(bob.events()) == room.seq - 2, "the others missed nothing"

        eve.read()
        await eve.until(lambda: any(push["t"] == "view" for push in eve.pushes))
        assert lagging(room) == 0
        for t in ("undo", "redo"):
            await ann.ok(t, room=id_)
        await eve.until(lambda: eve.events()[-1]["seq"] == room.seq)
        mirror: Mirror | None = None
        for reply in eve.replies:
            if isinstance(reply, Joined):
                mirror = Mirror(reply)
            elif isinstance(reply, Position):
                assert mirror and reply.seq > mirror.seq + 50
                mirror.reset(reply)
            elif isinstance(reply, Event):
                assert mirror and mirror.apply(reply)
        assert mirror and mirror.view == room.state.view()
        assert mirror.hash == room.live.hash_at(room.seq)


@EACH_HAS
async def test_a_player_who_does_not_read_is_closed_and_resumes() -> None:
    async with (
        running_server() as running,
        talking(running.url) as ann,
        connected(running.url, receive_buffer=SMALL) as bot,
    ):
        id_ = (await ann.ok("create", game="klondike", mode="coop", deal="1"))["room"]
        room = await running.app.rooms.get(id_)
        await bot.send({"t": "hello", "i": 1})
        await bot.send({"t": "join", "i": 2, "room": id_, "role": "player"})
        await eventually(lambda: len(room.live.crowd) == 2)
        most = await busy(ann, id_, running, lambda: lagging(room))
        assert most <= OUTBOX_BYTES + FRAME_BYTES
        bot.read()
        assert await bot.closed() == 4408
        last = bot.events()[-1]["seq"]
        assert 10 < last < room.seq
        async with talking(running.url, token=bot.answers[1]["token"]) as again:
            back = await again.ok(
                "join", room=id_, role="player", from_=last, hash=room.live.hash_at(last)
            )
            assert back["seat"] == 2
            assert [e["seq"] for e in back["events"]] == list(range(last + 1, room.seq + 1))
            await again.ok("move", room=id_, move="discard", expect=room.seq)


@EACH_HAS
async def test_who_reads_nothing_at_all_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the close is read: the connection ends all the same, and the server can stop."""
    monkeypatch.setattr("kibitz.server.client.CLOSE_SECONDS", 0.3)
    async with (
        running_server() as running,
        talking(running.url) as ann,
        connected(running.url, receive_buffer=SMALL) as bot,
        connected(running.url, receive_buffer=SMALL) as eve,
    ):
        id_ = (await ann.ok("create", game="klondike", mode="coop", deal="1"))["room"]
        room = await running.app.rooms.get(id_)
        for talk, role in ((bot, "player"), (eve, "spectator")):
            await talk.send({"t": "hello", "i": 1})
            await talk.send({"t": "join", "i": 2, "room": id_, "role": role})
        await eventually(lambda: len(room.live.crowd) == 3)
        await busy(ann, id_, running, lambda: lagging(room) == 2 or len(room.live.crowd) < 3)
        await eventually(lambda: len(room.live.crowd) == 2)
        async with asyncio.timeout(10):
            await running.app.stop()
        assert await ann.closed() == 4503
        await running.app.start()


async def test_answers_wait_for_who_asks_and_does_not_read() -> None:
    async with (
        running_server() as running,
        talking(running.url) as ann,
        connected(running.url, receive_buffer=SMALL) as eve,
    ):
        id_ = (await ann.ok("create", game="klondike", deal="1"))["room"]
        await busy(ann, id_, running, lambda: len(ann.events()) > 200)
        await eve.send({"t": "hello", "i": 1})
        await eve.send({"t": "join", "i": 2, "room": id_})
        asking = asyncio.create_task(ask_on(eve, id_, 60))
        for _ in range(50):
            await ann.ok("move", room=id_, move="discard")
            await ann.ok("undo", room=id_)
            assert waiting(running) < 2 * OUTBOX_BYTES + 500 * FRAME_BYTES
        eve.read()
        await eve.until(lambda: 62 in eve.answers)
        await asking
        assert list(eve.answers) == list(range(1, 63)), "every request has its answer, in order"


async def ask_on(talk: Talk, room: str, count: int) -> None:
    """Ask for much, again and again."""
    for number in range(count):
        await talk.send({"t": "history", "i": 3 + number, "room": room, "limit": 500})
