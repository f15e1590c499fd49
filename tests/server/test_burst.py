"""Who asks much at once is answered in order, is read no further meanwhile, and holds nobody up."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable
from itertools import count
from typing import Any

import pytest
from raw import Raw, raw, request
from servers import EACH_HAS, Running, running_server
from talk import eventually
from worlds import HeldLog

from kibitz.protocol.wire import Encoding
from kibitz.server.connection import Connection
from kibitz.server.limits.settings import INBOX
from kibitz.server.sockets.arrival import READ_BYTES
from kibitz.server.sockets.share import AT_ONCE, LONG_REQUEST, Share

JSON = Encoding.JSON
PADDING = "x" * 8


def burst(many: int, t: str, **fields: object) -> bytes:
    """So many requests, numbered from 1 on."""
    return b"".join(request(JSON, t, i=i + 1, **fields) for i in range(many))


def connection_of(running: Running, client: Raw) -> Connection:
    """The server's end of a connection."""
    here = client.writer.get_extra_info("sockname")
    (found,) = [each for each in running.app._connections if each.socket.remote_address == here]
    return found


@contextlib.asynccontextmanager
async def every_turn(look: Any) -> AsyncIterator[None]:
    """Look at something in every turn of the loop."""

    async def watch() -> None:
        while True:
            look()
            await asyncio.sleep(0)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


@pytest.mark.parametrize("t", ["ping", "move", "say", "rooms"])
async def test_a_burst_is_answered_in_order_and_holds_nobody_up(running: Running, t: str) -> None:
    many = 2000
    async with raw(running.url) as ann, raw(running.url) as bob:
        ann.ask("create", i="made", game="klondike", deal="1")
        room = (await ann.until("made"))["room"]
        fields = {"move": {"move": "discard"}, "say": {"text": "hm"}}.get(t, {})
        if t in ("move", "say"):
            fields["room"] = room
        order: list[str] = []

        async def wait(client: Raw, i: int | str, name: str) -> None:
            await client.until(i)
            order.append(name)

        ann.write(burst(many, t, **fields))
        await asyncio.sleep(0)
        bob.ask("ping", i="between")
        await asyncio.gather(wait(ann, many, "ann"), wait(bob, "between", "bob"))
        assert ann.answers == [0, "made", *range(1, many + 1)]
        assert order == ["bob", "ann"]


@EACH_HAS
async def test_what_waits_in_a_burst_is_bounded(running: Running) -> None:
    """Reading is paused: all of it does not come into memory at once."""
    many = 6000
    async with raw(running.url) as ann:
        connection = connection_of(running, ann)
        most, paused = 0, 0

        def look() -> None:
            nonlocal most, paused
            inbox = connection._inbox or ()
            most = max(most, len(inbox))
            if len(inbox) >= INBOX:
                assert not connection.socket.transport.is_reading()
                paused += 1

        async with every_turn(look):
            ann.write(burst(many, "ping", x=PADDING))
            await ann.until(many)
        assert ann.answers == list(range(many + 1))
        assert paused > 0 and most <= READ_BYTES / len(PADDING) + INBOX
        assert connection.socket.transport.is_reading() and connection._inbox is None
        ann.ask("ping", i="after")
        await ann.until("after")


async def test_only_so_many_are_answered_in_one_turn(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even of those that are refused without any waiting."""
    many, handled, before, most = 2000, 0, 0, 0
    handle = Connection._handle

    def counted(self: Connection, message: bytes, is_text: bool) -> None:
        nonlocal handled
        handled += 1
        handle(self, message, is_text)

    def look() -> None:
        nonlocal before, most
        before, most = handled, max(most, handled - before)

    async with raw(running.url) as ann:
        monkeypatch.setattr(Connection, "_handle", counted)
        async with every_turn(look):
            ann.write(burst(many, "move", room="a" * 16, move="discard"))
            await ann.until(many)
        assert ann.answers == list(range(many + 1)) and handled == many
        assert 0 < most <= 2 * AT_ONCE


async def test_commands_that_wait_for_the_log_are_bounded() -> None:
    many, log = 1000, HeldLog()
    async with running_server(log) as running, raw(running.url) as ann:
        ann.ask("create", i="made", game="klondike", deal="1")
        room = (await ann.until("made"))["room"]
        connection = connection_of(running, ann)
        log.hold()
        ann.write(burst(many, "say", room=room, text="hm"))
        await eventually(lambda: len(connection._replies) >= INBOX)
        for _ in range(50):
            await asyncio.sleep(0)
        assert len(connection._replies) == INBOX
        assert not connection.socket.transport.is_reading()
        log.release()
        await ann.until(many)
        assert ann.answers == [0, "made", *range(1, many + 1)]
        assert ann.events == list(range(ann.events[0], ann.events[0] + many))


async def test_what_is_refused_at_once_is_answered_in_its_turn() -> None:
    """Behind a command that still waits for the log."""
    log = HeldLog()
    async with running_server(log) as running, raw(running.url) as ann:
        ann.ask("create", i="made", game="klondike", deal="1")
        room = (await ann.until("made"))["room"]
        log.hold()
        for i, where in enumerate([room, "nowhere", room, "nowhere"]):
            ann.ask("say", i=i + 1, room=where, text="hm")
        ann.ask("ping", i=5)
        await log.waiting.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        log.release()
        await ann.until(5)
        assert ann.answers == [0, "made", 1, 2, 3, 4, 5]


async def test_those_of_one_address_share_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many they are, each of them gets on, and others have their own."""
    monkeypatch.setattr("kibitz.server.sockets.share.REST_SECONDS", 0.0)
    monkeypatch.setattr("kibitz.server.sockets.share.work_clock", lambda: 0.0)
    share, taken, turns = Share(), Counter[str](), list[Counter[Hashable]]()

    def sender(place: Hashable, name: str) -> Callable[[int], int]:
        def work(most: int) -> int:
            assert 1 <= most <= AT_ONCE
            taken[name] += most
            turns[-1][place] += most
            share.later(place, work)
            return most

        return work

    for number in range(50):
        share.later("flood", sender("flood", f"flood {number}"))
    share.later(7, sender(7, "ann"))
    while min(taken[f"flood {number}"] for number in range(50)) < 6:
        turns.append(Counter())
        await asyncio.sleep(0)
    assert all(turn[7] == AT_ONCE for turn in turns), "who is not counted by address never rests"
    assert {turn["flood"] for turn in turns} == {0, AT_ONCE}
    assert max(taken[f"flood {number}"] for number in range(50)) <= 7


@pytest.mark.parametrize("counts", [1, LONG_REQUEST, AT_ONCE])
async def test_an_address_rests_when_it_has_had_its_part(
    counts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So much of it, or so much time."""
    clock = count()
    monkeypatch.setattr("kibitz.server.sockets.share.work_clock", lambda: next(clock) * 1e-9)
    rest = "kibitz.server.sockets.share.REST_SECONDS"
    monkeypatch.setattr(rest, 0.5)  # longer than this test may be held up
    share, begun = Share(), list[int]()

    def work(most: int) -> int:
        begun.append(most)
        return counts

    for _ in range(100):
        share.later("192.0.2.1", work)
    for _ in range(3):
        await asyncio.sleep(0)
    assert len(begun) == -(-AT_ONCE // counts)
    share.later("192.0.2.1", work)
    await asyncio.sleep(0)
    assert len(begun) == -(-AT_ONCE // counts), "it rests, whoever comes"
    monkeypatch.setattr("kibitz.server.sockets.share.work_clock", lambda: next(clock) * 1.0)
    monkeypatch.setattr(rest, 0.001)
    await eventually(lambda: len(begun) == 101)
