"""The end of a server: nobody new, what is under way answered, everybody told when to come back."""

import asyncio
import contextlib
import json
import queue
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from processes import Process, standby
from raw import dialled, raw, upgrade
from scraped import scrape
from servers import EACH_ENDS, running_server
from talk import connected, eventually, fetch, talking
from websockets.exceptions import InvalidStatus
from worlds import HeldLog

from kibitz.clients.bot import legal_moves
from kibitz.clients.session import Client
from kibitz.server.__main__ import _end_within
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.operation.drain import RETRY_MS
from kibitz.server.settings import Operating

LONG = "🂡" * 500


def said(process: Process, event: str) -> dict[str, float]:
    """What a server that has ended said of this."""
    lines = [json.loads(line) for line in process.said.splitlines()]
    (line,) = [line for line in lines if line["event"] == event]
    return dict(line)


@EACH_ENDS
async def test_who_is_draining_takes_nobody_new() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        assert (await fetch(running.http, "/readyz"))[0] == 200
        running.app.drain()
        assert await fetch(running.http, "/readyz") == (503, b"draining\n")
        assert (await fetch(running.http, "/healthz"))[0] == 200
        assert (await scrape(running.http))["kibitz_draining"] == 1
        for t, fields in (("create", {"game": "klondike"}), ("fork", {"room": room})):
            assert (await ann.refused("draining", t, **fields))["retry_ms"] > 0
        await ann.ok("say", room=room, text="still here")
        with pytest.raises(InvalidStatus) as refused:
            async with connected(running.url):
                pass
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["Retry-After"] == "2"
        running.app.drain()  # once is as good as twice


async def test_what_is_under_way_is_answered() -> None:
    log = HeldLog()
    async with running_server(log) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        log.hold()
        asked = [asyncio.create_task(ann.ask("say", room=room, text="hm")) for _ in range(3)]
        asked.append(asyncio.create_task(ann.ask("history", room=room, from_=1)))
        await log.waiting.wait()
        (here,) = running.app._connections
        await eventually(lambda: len(here._replies) == len(asked))
        stop = asyncio.create_task(running.app.stop())
        await asyncio.sleep(0.1)
        assert ann.code is None and not stop.done()
        log.release()
        assert [(await each)["t"] for each in asked] == ["ok", "ok", "ok", "history"]
        assert await ann.closed() == 4503
        await stop


@EACH_ENDS
async def test_everybody_is_told_another_time_to_come_back() -> None:
    async with running_server() as running, contextlib.AsyncExitStack() as stack:
        talks = [await stack.enter_async_context(talking(running.url)) for _ in range(20)]
        running.app.drain()
        await running.app.stop()
        assert {await talk.closed() for talk in talks} == {4503}
        reasons = [talk.socket.close_reason or "" for talk in talks]
        times = [int(re.search(r"retry_ms=(\d+)$", reason)[1]) for reason in reasons]  # type: ignore[index]
        assert len(set(times)) == 20
        assert min(times) == RETRY_MS and max(times) < 2 * RETRY_MS
        assert max(times) - min(times) > RETRY_MS / 2


@contextlib.asynccontextmanager
async def unwilling(url: str) -> AsyncIterator[None]:
    """Clients of every kind that does not go by itself."""
    async with (
        dialled(url),
        dialled(url) as half,
        raw(url, receive_buffer=4096) as deaf,
        raw(url) as stubborn,
        raw(url) as greedy,
        talking(url) as ann,
    ):
        half.write(upgrade(url)[:-2])
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        for guest in (deaf, stubborn, greedy):
            guest.ask("join", i=1, room=room)
        await stubborn.until(1)
        for _ in range(600):  # more than the kernel and the outbox take
            await ann.ok("say", room=room, text=LONG)
        for number in range(200):
            greedy.ask("history", i=2 + number, room=room, from_=1)
        yield


async def test_it_ends_in_time_whatever_clients_do(tmp_path: Path) -> None:
    names = "requests", "requests-per-identity", "says", "comments", "comments-per-identity"
    rates = (f"--{name}=1e6" for name in names)
    async with standby(tmp_path / "log", "--drain=8", *rates) as server:
        async with unwilling(await server.start()):
            assert await server.terminate() == 0, server.said
        assert said(server, "stopped")["seconds"] <= 8
        assert said(server, "draining")["connections"] == 4


async def test_whose_log_does_not_close_in_time_ends_with_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And with 0 where only what comes behind the log takes long."""
    codes: queue.SimpleQueue[int] = queue.SimpleQueue()
    monkeypatch.setattr("os._exit", codes.put)
    log = HeldLog()
    go, closed = asyncio.Event(), log.close

    async def close() -> None:
        await go.wait()
        await closed()

    monkeypatch.setattr(log, "close", close)
    async with running_server(log, operating=Operating(drain=0.5)) as running:
        stop = asyncio.create_task(running.app.stop())
        for code in (1, 0):
            _end_within(0.01, running.app)
            assert await asyncio.to_thread(codes.get, timeout=10) == code
            go.set()
            await stop


async def test_told_twice_it_waits_for_nobody(tmp_path: Path) -> None:
    async with standby(tmp_path / "log", "--drain", "600") as server:
        url = await server.start()
        async with talking(url) as ann, raw(url):
            room = (await ann.ok("create", game="klondike"))["room"]
            await ann.ok("say", room=room, text="hm")
            server.process.send_signal(signal.SIGTERM)
            assert await ann.closed() == 4503
            assert server.process.returncode is None
            assert await server.terminate() == 0
        assert said(server, "stopped")["cut"] >= 0
    log = SqliteLog(tmp_path / "log")
    assert [info.seq for info in await log.rooms()] == [3]
    await log.close()


async def test_a_bot_plays_on_through_a_restart(tmp_path: Path) -> None:
    data = tmp_path / "log"
    async with standby(data) as first:
        url = await first.start()
        port = url.split(":")[2].split("/")[0]
        async with Client(url, name="bot") as client:
            mirror = await client.create("klondike", deal="1")
            for number in range(12):
                if number == 4:
                    assert await first.terminate() == 0
                    async with standby(data, "--port", port) as again:
                        assert await again.start() == url
                        await client.move(mirror.room, legal_moves(mirror)[0])
                        before = mirror.seq
                        await client.say(mirror.room, "back")
                        assert mirror.seq >= before
                        assert await again.terminate() == 0
                    break
                await client.move(mirror.room, legal_moves(mirror)[0])
    log = SqliteLog(data)
    (info,) = await log.rooms()
    events = [event for record in await log.read(info.id) for event in record.events]
    await log.close()
    assert [event.seq for event in events] == list(range(1, info.seq + 1))
    assert [event.kind for event in events].count("move") == 5


async def test_the_time_for_the_end_is_a_setting() -> None:
    async with running_server(operating=Operating(drain=1.0)) as running, raw(running.url):
        running.app.drain()
        await running.app.stop()
        assert running.app.flushed and not running.app._connections
