"""How often is written: several messages of one moment in one write, by the fast path and back."""

import asyncio
import os
import socket as sockets
from collections.abc import Callable
from typing import Any, cast

import pytest
from lookers import Ear
from raw import CLOSE, Raw, raw, request
from servers import EACH_HAS, Running
from talk import PATIENCE
from websockets.protocol import State
from websockets.server import ServerProtocol

from kibitz.protocol.wire import Encoding
from kibitz.server.connection import ANSWER_BYTES, Connection
from kibitz.server.limits.settings import OUTBOX_BYTES
from kibitz.server.room.writing import MAX_TOGETHER
from kibitz.server.sockets.descriptors import write_all
from kibitz.server.sockets.share import AT_ONCE
from kibitz.server.sockets.socket import Socket
from kibitz.server.sockets.turn import Turn

SMALL = 4096
"""Bytes that the kernel keeps, at either end, for a client that does not read."""
LONG = "🂡" * 500
FRAME_BYTES = 2500
"""More than the frame of a comment so long."""


def connection_of(running: Running, client: Raw) -> Connection:
    """The server's end of a connection."""
    here = client.writer.get_extra_info("sockname")
    (found,) = [each for each in running.app._connections if each.socket.remote_address == here]
    return found


def writes_to(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What is written to a connection from now on, call by call."""
    writes: list[bytes] = []
    write: Callable[[bytes], None] = connection.socket.transport.write

    def noted(data: bytes) -> None:
        writes.append(data)
        write(data)

    straight = os.write

    def noted_straight(descriptor: int, data: bytes) -> int:
        if descriptor == connection.socket.descriptor:
            writes.append(data)
        return straight(descriptor, data)

    monkeypatch.setattr(connection.socket.transport, "write", noted)
    monkeypatch.setattr(os, "write", noted_straight)
    return writes


def offers_to(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What goes to the outbox of a connection from now on."""
    offers: list[bytes] = []
    offer = Connection.offer

    def noted(self: Connection, frames: bytes) -> bool:
        if self is connection:
            offers.append(frames)
        return offer(self, frames)

    monkeypatch.setattr(Connection, "offer", noted)
    return offers


def narrow(connection: Connection) -> Connection:
    """Let the kernel keep little."""
    sock = connection.socket.transport.get_extra_info("socket")
    sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, SMALL)
    return connection


async def new_room(ann: Raw, *others: Raw) -> str:
    """A room of one player in which the others look on."""
    ann.ask("create", i="made", game="klondike", deal="1")
    room: str = (await ann.until("made"))["room"]
    for other in others:
        other.ask("join", i="join", room=room)
        await other.until("join")
    return room


def moves(count: int, room: str) -> bytes:
    """Commands, to be written at once."""
    return b"".join(
        request(Encoding.JSON, "say", i=i + 1, room=room, text=f"word {i}") for i in range(count)
    )


async def read_events(client: Raw, up_to: int) -> None:
    """Read until an event."""
    while not client.events or client.events[-1] < up_to:
        assert await client.read()


@EACH_HAS
async def test_an_event_and_its_answer_leave_in_one_write(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with raw(running.url) as ann, raw(running.url) as eve:
        room = await new_room(ann, eve)
        to_ann, to_eve = (
            writes_to(connection_of(running, client), monkeypatch) for client in (ann, eve)
        )
        for i in range(3):
            to_ann.clear()
            to_eve.clear()
            ann.ask("move", i=i, room=room, move="discard")
            await ann.until(i)
            await read_events(eve, 3 + i)
            assert [len(to_ann), len(to_eve)] == [1, 1]
            assert b'"event"' in to_ann[0] and to_ann[0].index(b'"event"') < to_ann[0].index(
                b'"ok"'
            )


@EACH_HAS
async def test_what_is_asked_at_once_is_told_at_once(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with raw(running.url) as ann, raw(running.url) as eve, raw(running.url) as zoe:
        room = await new_room(ann, eve, zoe)
        written = [
            writes_to(connection_of(running, client), monkeypatch) for client in (ann, eve, zoe)
        ]
        ann.write(moves(16, room))
        await ann.until(16)
        for client in (ann, eve, zoe):
            await read_events(client, 18)
            assert client.events == list(range(3, 19))
        assert all(1 <= len(writes) <= 3 for writes in written), list(map(len, written))


@EACH_HAS
async def test_several_answers_leave_in_one_write(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with raw(running.url) as ann:
        writes = writes_to(connection_of(running, ann), monkeypatch)
        refused = b"".join(
            request(Encoding.JSON, "move", i=i + 1, room="nowhere", move="discard")
            for i in range(AT_ONCE - 1)
        )
        ann.write(refused)
        await ann.until(AT_ONCE - 1)
        assert ann.answers == list(range(AT_ONCE)) and len(writes) == 1


class Slow:
    """A transport for which so much waits, each time one looks."""

    def __init__(self, *waits: int) -> None:
        self._waits = iter(waits)
        self.aborted = asyncio.Event()

    def get_write_buffer_size(self) -> int:
        return next(self._waits)

    def abort(self) -> None:
        self.aborted.set()


@pytest.mark.parametrize(
    "waits", [(90, 40, 10, 0), (90, 40, 40)], ids=["he has it all", "he takes no more"]
)
async def test_a_page_is_not_cut_off_while_somebody_takes_some_of_it(waits: tuple[int]) -> None:
    socket = Socket(ServerProtocol(), cast(Any, None), ping_interval=None, close_timeout=0.0)
    slow = Slow(*waits)
    socket.transport = cast(asyncio.Transport, slow)
    socket._end_it(100)
    await asyncio.wait_for(slow.aborted.wait(), PATIENCE)
    assert next(slow._waits, None) is None, "not before"


@EACH_HAS
async def test_who_does_not_read_leaves_the_fast_path_and_comes_back(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with raw(running.url) as ann, raw(running.url, receive_buffer=SMALL) as eve:
        room = await new_room(ann, eve)
        connection = narrow(connection_of(running, eve))
        offers = offers_to(connection, monkeypatch)
        last = 2

        async def say(text: str) -> None:
            nonlocal last
            last += 1
            ann.ask("say", i=last, room=room, text=text)
            await ann.until(last)

        await say("hm")
        assert offers == [], "he is written to directly"
        while len(offers) < 30:
            assert connection.socket.waiting < OUTBOX_BYTES, "else he would lag"
            await say(LONG)
        direct = last - 2 - len(offers)
        assert direct > 1 and connection.socket.waiting > 0
        await read_events(eve, last)
        assert eve.events == list(range(3, last + 1)), "all of them, by either way, in order"
        assert connection.is_drained()
        offers.clear()
        for _ in range(3):
            await say("hm")
            await read_events(eve, last)
        assert offers == [], "he is written to directly again"
        assert eve.events == list(range(3, last + 1))


@EACH_HAS
async def test_what_waits_for_a_spectator_is_bounded(running: Running) -> None:
    """Even if much is told at once."""
    async with raw(running.url) as ann, raw(running.url, receive_buffer=SMALL) as eve:
        room = await new_room(ann, eve)
        crowd = (await running.app.rooms.get(room)).live.crowd
        connection, most, asked = narrow(connection_of(running, eve)), 0, 0
        while not crowd._members[connection].lagging:
            for _ in range(MAX_TOGETHER // 2):
                asked += 1
                ann.ask("say", i=asked, room=room, text=LONG)
            await ann.until(asked)
            most = max(most, connection.socket.waiting)
        assert OUTBOX_BYTES < most <= OUTBOX_BYTES + MAX_TOGETHER * FRAME_BYTES
        while "view" not in [message["t"] for message in eve.messages]:
            asked += 1
            ann.ask("say", i=asked, room=room, text="hm")  # he is missing that, too
            assert await eve.read()
        told, fresh = list(eve.events), eve.messages[-1]
        assert told == list(range(3, told[-1] + 1)) and told[-1] < fresh["seq"]
        ann.ask("say", i="last", room=room, text="hm")
        last = (await ann.until("last"))["seq"]
        await read_events(eve, last)
        assert eve.events == [*told, *range(fresh["seq"] + 1, last + 1)]


@EACH_HAS
async def test_what_is_asked_without_reading_waits_and_is_answered(running: Running) -> None:
    """Nothing is lost when the outbox has room again."""
    async with raw(running.url, receive_buffer=SMALL) as eve:
        room = await new_room(eve)
        connection, many = narrow(connection_of(running, eve)), 300
        for i in range(1, many + 1):
            eve.ask("moves" if i % 2 else "history", i=i, room=room)
        while (most := connection.socket.waiting) <= ANSWER_BYTES:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0)
        for _ in range(200):
            await asyncio.sleep(0)
            most = max(most, connection.socket.waiting)
        assert connection._inbox and not connection.socket.transport.is_reading()
        assert most < ANSWER_BYTES + 10_000
        await eve.until(many)
        assert eve.answers == [0, "made", *range(1, many + 1)]
        assert connection._inbox is None and connection.socket.transport.is_reading()


@EACH_HAS
async def test_a_close_is_behind_what_is_to_be_sent(running: Running) -> None:
    async with raw(running.url) as eve:
        socket = connection_of(running, eve).socket
        closing = asyncio.create_task(socket.close(4000, "enough"))
        socket.send_soon(b'\x81\x0d{"t":"first"}')
        await asyncio.sleep(0)
        socket.send_soon(b'\x81\x0c{"t":"late"}')
        await eve.rest()
        eve.writer.close()
        await closing
        assert [message["t"] for message in eve.messages] == ["welcome", "first"]
        assert eve.frames[-1] == (CLOSE, (4000).to_bytes(2, "big") + b"enough")


async def test_only_who_is_ready_is_written_to_directly() -> None:
    turn = Turn()
    ready, slow, told, gone = (Ear(name, turn) for name in ("ready", "slow", "told", "gone"))
    slow.slow = True
    told.offer(b"before ")
    gone.state = State.CLOSING
    assert write_all([ready, slow, told, gone], b"frames") == [slow, told, gone]
    await asyncio.sleep(0)
    assert [ear.got for ear in (ready, slow, told, gone)] == [b"frames", b"", b"before ", b""]
