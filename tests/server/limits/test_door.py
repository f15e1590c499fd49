"""How many may be connected, and what becomes of those who come all the same."""

import asyncio
import contextlib
import resource
import socket
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from processes import standby
from raw import TEXT, dialled, frame, upgrade
from servers import EACH_COUNTS, EACH_ENDS, UNLIMITED, Running, running_server
from talk import connected, eventually, fetch, talking
from websockets.exceptions import InvalidHandshake, InvalidStatus

from kibitz.server.limits.door import Door
from kibitz.server.limits.rates import Rate
from kibitz.server.limits.settings import Limits
from kibitz.server.limits.table import Table, span_of
from kibitz.server.sockets.arrival import READ_BYTES
from kibitz.server.sockets.listening import ACCEPTS


def few(**limits: object) -> Limits:
    """So many, this machine counted like any."""
    return replace(UNLIMITED, count_loopback=True, **limits)  # type: ignore[arg-type]


class Nobody:
    """A connection that says nothing."""

    def cut(self) -> None:
        """It is not cut off here."""
        raise AssertionError

    overfull = cut


def door_of(limits: Limits, proxy: str) -> Door:
    """A door, at a moment that does not pass."""
    return Door(limits, Table(limits, lambda: 0.0), lambda _: None, proxy.__eq__)


async def refusal(url: str) -> tuple[int, str | None, bytes]:
    """How a connection is refused: status, when to come back, why."""
    with pytest.raises(InvalidStatus) as refused:
        async with connected(url):
            pass
    response = refused.value.response
    return response.status_code, response.headers.get("Retry-After"), bytes(response.body)


def test_a_long_time_is_said_in_minutes_or_hours() -> None:
    spans = [span_of(seconds) for seconds in (0.25, 120, 121, 7200, 7201)]
    assert spans == ["0.2 s", "120.0 s", "3 min", "120 min", "3 h"]
    assert span_of(5, 0) == "5 s"


@EACH_COUNTS
@pytest.mark.parametrize("what", ["connections", "connections_per_address"])
async def test_there_are_only_so_many_connections(what: str) -> None:
    async with running_server(limits=few(**{what: 3})) as running, AsyncExitStack() as stack:
        guests = [await stack.enter_async_context(talking(running.url)) for _ in range(3)]
        why = f"too many {what.replace('_', ' ')}; come back in 5 s\n".encode()
        assert await refusal(running.url) == (503, "5", why)
        assert (await fetch(running.http, "/healthz"))[0] == 200, "pages are served all the same"
        for guest in guests:
            await guest.ok("ping")
        await guests[0].drop()
        await eventually(lambda: len(running.app._connections) == 2)
        async with talking(running.url) as ann:
            await ann.ok("ping")


async def test_this_machine_is_not_counted_unless_it_shall_be() -> None:
    limits = replace(UNLIMITED, connections_per_address=1, connects_per_address=Rate(0.01, 1))
    async with running_server(limits=limits) as running, AsyncExitStack() as stack:
        for _ in range(5):
            await stack.enter_async_context(talking(running.url))


@EACH_COUNTS
async def test_who_comes_too_often_is_told_so_then_cut_off() -> None:
    limits = few(connects_per_address=Rate(0.5, 3), refusals_per_address=Rate(0.5, 2))
    async with running_server(limits=limits) as running:
        for _ in range(3):
            assert (await fetch(running.http, "/healthz"))[0] == 200
        why = b"too many connects per address; come back in 2 s\n"
        assert await refusal(running.url) == (429, "2", why)
        assert (await fetch(running.http, "/healthz")) == (429, why)
        with pytest.raises((OSError, IndexError)):
            await fetch(running.http, "/healthz")


@EACH_COUNTS
async def test_those_who_come_together_are_heard_one_after_the_other() -> None:
    """Nobody is refused for it; and who is over his refusals is cut off when it is his turn."""
    limits = few(handshakes_per_address=Rate(25, 1), refusals_per_address=Rate(0.01, 1))
    async with running_server(limits=limits) as running, AsyncExitStack() as stack:
        heard = count()
        hears = running.app._door.hears
        running.app._door.hears = lambda socket: bool(next(heard) + 1) and hears(socket)  # type: ignore[method-assign]
        coming = [stack.enter_async_context(talking(running.url)) for _ in range(6)]
        for guest in await asyncio.gather(*coming):
            await guest.ok("ping")
        assert next(heard) >= 5, "the first one did not wait"
        running.app._table.charge("refusals", 5, (None, None, "127.0.0.1"))
        running.app._table.charge("handshakes", 5, (None, None, "127.0.0.1"))
        assert await is_cut(running, upgrade(running.url))


async def test_little_is_kept_of_who_speaks_before_he_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While he waits nothing more is read."""
    async with running_server() as running, dialled(running.url) as client:
        app, answered = running.app, asyncio.Event()

        async def held(seconds: float, *asked: Any) -> Any:
            await answered.wait()
            return app._served(*asked)

        monkeypatch.setattr(app, "_after", held)
        monkeypatch.setattr(app._door, "waits", lambda socket, stays: 1.0)
        client.write(upgrade(running.url) + 100 * frame(TEXT, bytes(190_000)))
        await eventually(lambda: any(socket._asked for socket in app._door._guests))  # type: ignore[attr-defined]
        for _ in range(100):
            await asyncio.sleep(0)
        (socket,) = app._door._guests
        assert not socket.transport.is_reading()  # type: ignore[attr-defined]
        assert len(socket.early) < READ_BYTES  # type: ignore[attr-defined]
        answered.set()
        assert b" 101 " in await client.head()
        assert await client.rest(), "it is read on, and found wrong"


def test_whoever_would_wait_too_long_is_told_to_come_back() -> None:
    door = door_of(few(handshakes_per_address=Rate(1, 1)), proxy="192.0.2.7")
    direct, behind, other = Nobody(), Nobody(), Nobody()
    assert door.came(direct, "192.0.2.1") == 0
    assert door.asked(direct, "192.0.2.1", stays=True) is None
    assert door.waits(direct, stays=True) == pytest.approx(1, abs=0.001), "twice the work"
    assert door.came(behind, "192.0.2.7") == 0, "a proxy is many"
    assert door.asked(behind, "192.0.2.1", stays=False) is None
    assert door.waits(behind, stays=False) == pytest.approx(2, abs=0.001)
    assert door.waits(behind, stays=False) == pytest.approx(3, abs=0.001)
    assert door.waits(behind, stays=False) is None
    assert door.refused(behind).status_code == 429
    assert door.came(other, "192.0.2.1") is None, "he does not even wait"
    assert len(door) == 2


async def is_cut(running: Running, said: bytes = b"") -> bool:
    """Whether somebody who says no more than that is cut off."""
    at = urlsplit(running.http)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    try:
        writer.write(said)
        async with asyncio.timeout(10):
            return await reader.read() == b""
    except OSError:
        return True
    finally:
        writer.close()


@pytest.mark.parametrize("said", [b"", b"GET /ws HT", b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n"])
async def test_who_never_finishes_his_request_is_cut_off(said: bytes) -> None:
    async with running_server(limits=few(hello_timeout=0.1)) as running:
        assert await is_cut(running, said)
        await eventually(lambda: len(running.app._door) == 0)


async def test_the_answer_may_take_longer_than_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A long replay is made for whoever has asked in time."""
    async with running_server(limits=few(hello_timeout=0.1)) as running:
        async with talking(running.url) as ann:
            room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        answer = running.app._pages.answer

        async def late(*asked: Any) -> Any:
            await asyncio.sleep(0.5)
            return await answer(*asked)

        monkeypatch.setattr(running.app._pages, "answer", late)
        status, *_ = await fetch(running.http, f"/rooms/{room}/replay.json")
        assert status == 200


@EACH_COUNTS
async def test_only_so_many_may_be_unfinished() -> None:
    limits = few(unfinished_per_address=5, hello_timeout=60.0)
    async with running_server(limits=limits) as running, AsyncExitStack() as stack:
        ann = await stack.enter_async_context(talking(running.url))
        for _ in range(5):
            await stack.enter_async_context(dialled(running.url))
        await eventually(lambda: len(running.app._door) == 6)
        assert await is_cut(running)
        await ann.ok("ping")
    async with running_server(limits=few(unfinished=5)) as running, AsyncExitStack() as stack:
        halves = [await stack.enter_async_context(dialled(running.url)) for _ in range(6)]
        await eventually(lambda: len(running.app._door) == 5)
        halves[-1].write(upgrade(running.url))
        assert b" 101 " in await halves[-1].head(), "the first to come is the one to go"


@EACH_ENDS
async def test_a_crowd_may_wait_to_be_accepted_and_is_by_and_by() -> None:
    async with running_server() as running, AsyncExitStack() as stack:
        at = urlsplit(running.http)
        for _ in range(100):  # the loop stands still: the kernel keeps them
            stack.enter_context(socket.create_connection((at.hostname, at.port), timeout=5))
        counts = [0]
        while counts[-1] < 100:
            await asyncio.sleep(0)
            counts.append(len(running.app._door))
        assert max(after - before for before, after in pairwise(counts)) == ACCEPTS


async def test_at_the_end_of_the_descriptors_everybody_who_is_in_is_served(tmp_path: Path) -> None:
    """And those who come are refused, as soon as that can be said."""
    async with standby(tmp_path / "log", "--count-loopback") as server:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (150, hard))
        url = await server.start()
        async with talking(url) as ann, AsyncExitStack() as stack:
            room = (await ann.ok("create", game="klondike", deal="1"))["room"]
            for _ in range(200):
                with contextlib.suppress(OSError):
                    await stack.enter_async_context(dialled(url))
            for _ in range(5):
                await ann.ok("move", room=room, move="discard")
            await ann.ok("save", room=room)
            await stack.aclose()
            async with asyncio.timeout(20):
                while True:
                    with contextlib.suppress(OSError, InvalidHandshake):
                        async with talking(url) as bob:
                            await bob.ok("join", room=room)
                            break
                    await asyncio.sleep(0.1)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
