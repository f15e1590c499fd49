"""Connections that come to an end, whoever does not do his part."""

import asyncio
import contextlib
import gc
import socket
import weakref

import pytest
from raw import CLOSE, PING, TEXT, code_of, dialled, frame, raw, request, upgrade
from servers import Running, running_server
from talk import eventually, talking
from worlds import Fake, HeldLog

from kibitz.protocol.wire import Encoding
from kibitz.server.limits.settings import OUTBOX_BYTES
from kibitz.server.sockets.socket import Socket

JSON = Encoding.JSON


@pytest.mark.parametrize("data", [frame(CLOSE, b"\x03\xe8"), frame(3)], ids=["close", "opcode"])
async def test_who_does_not_close_is_given_up(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("kibitz.server.app.TICK_SECONDS", 0.02)
    monkeypatch.setattr("kibitz.server.app.TICKS_PER_PING", 200)  # ann answers in time
    async with running_server() as running, talking(running.url) as ann, raw(running.url) as eve:
        room = (await ann.ok("create", game="klondike", mode="coop", deal="1"))["room"]
        eve.ask("join", i=1, room=room, role="player")
        await eve.until(1)
        eve.write(data)
        while await eve.read():
            pass
        assert eve.frames[-1][0] == CLOSE
        crowd = (await running.app.rooms.get(room)).live.crowd
        await eventually(lambda: len(crowd) == len(running.app._connections) == 1)  # 20 s


async def test_the_request_and_the_first_frame_in_any_pieces(running: Running) -> None:
    head, first = upgrade(running.url), request(JSON, "hello", i=1)
    async with dialled(running.url) as client:
        client.write(head[:-1])
        await asyncio.sleep(0.05)
        client.write(head[-1:] + first[:2])
        assert b" 101 " in await client.head()
        client.write(first[2:])
        await client.until(1)


async def test_a_close_while_reading_is_paused(running: Running) -> None:
    async with raw(running.url) as client:
        pings = b"".join(request(JSON, "ping", i=i) for i in range(1, 201))
        client.write(pings + frame(2, b"binary") + pings)
        frames = await client.rest()  # ConnectionResetError
        assert code_of(frames[-1]) == 4400


@pytest.mark.parametrize("opcode", [TEXT, PING])
async def test_a_short_frame_that_is_not_masked(running: Running, opcode: int) -> None:
    async with raw(running.url) as client:
        client.write(frame(opcode, mask=None))
        assert code_of((await client.rest())[-1]) == 1002


async def test_pings_of_who_does_not_read_are_bounded(running: Running) -> None:
    async with raw(running.url, receive_buffer=4096) as client:
        (connection,) = running.app._connections
        most = 0
        with contextlib.suppress(TimeoutError):  # once he is not read any more
            async with asyncio.timeout(2):
                for _ in range(200):
                    client.write(frame(PING, b"x" * 125) * 1000)
                    await client.writer.drain()
                    most = max(most, connection.socket.waiting)
        assert most < 2 * OUTBOX_BYTES


async def test_what_has_ended_is_freed_at_once(running: Running) -> None:
    """No cycle that only a collection would find: those are rare here."""
    gc.collect()
    async with raw(running.url) as client:
        client.ask("create", i=1, game="klondike")
        await client.until(1)
        (connection,) = running.app._connections
        kept: list[weakref.ref[object]] = [
            weakref.ref(connection.socket),
            weakref.ref(connection.socket.protocol),
        ]
        del connection
        client.write(frame(CLOSE, b"\x03\xe8"))
        await client.rest()
    await eventually(lambda: not any(each() for each in kept))


@pytest.mark.parametrize("path", ["/healthz", "/nothing", "/web/main.js"])
async def test_who_only_wanted_a_page_is_freed_at_once(running: Running, path: str) -> None:
    guests = running.app._door._guests
    kept: list[weakref.ref[object]] = []
    gc.collect()
    gc.disable()
    try:
        async with dialled(running.url) as client:
            await eventually(lambda: len(guests) == 1)
            (guest,) = guests
            assert isinstance(guest, Socket)
            kept += [weakref.ref(guest), weakref.ref(guest.protocol)]
            del guest
            client.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await client.head()
        await eventually(lambda: not any(each() for each in kept))
    finally:
        gc.enable()


async def test_a_room_that_is_let_go_of_is_freed_at_once() -> None:
    fake = Fake()
    async with running_server(world=fake.world) as running, talking(running.url) as ann:
        id_ = (await ann.ok("create", game="klondike"))["room"]
        await ann.ok("move", room=id_, move="discard")
        await ann.refused("illegal", "move", room=id_, move="reset")
        room = weakref.ref(await running.app.rooms.get(id_))
        await ann.ok("leave", room=id_)
        gc.collect()
        gc.disable()
        try:
            fake.pass_time(60)
            running.app.rooms.sweep()
            assert len(running.app.rooms) == 0
            await eventually(lambda: room() is None)
        finally:
            gc.enable()


async def test_who_reads_nothing_more_and_ends_his_side_is_given_up(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transport closes when its buffer is empty, which it never is."""
    async with raw(running.url, receive_buffer=4096) as client:
        (connection,) = running.app._connections
        monkeypatch.setattr(connection.socket, "close_timeout", 0.1)
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        sock = connection.socket.transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        while connection.socket.waiting < 1000:
            assert connection.offer(bytes(1000))
            await asyncio.sleep(0)
        client.writer.write_eof()
        await eventually(lambda: not running.app._connections)


async def test_a_room_is_kept_while_somebody_comes_in() -> None:
    """The log is slow: he is in the room that everybody is in."""
    log, fake = HeldLog(), Fake()
    async with (
        running_server(log, fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        early = await ann.ok("say", room=room, text="hm")
        for _ in range(150):
            await ann.ok("move", room=room, move="discard")
            await ann.ok("undo", room=room)
        await ann.ok("leave", room=room)
        log.hold("read")
        coming = asyncio.create_task(
            bob.ask("join", room=room, from_=early["seq"], hash=early["hash"])
        )
        await log.waiting.wait()
        fake.pass_time(60)
        running.app.rooms.sweep()
        assert len(running.app.rooms) == 1
        log.release()
        assert (await coming)["t"] == "joined"
