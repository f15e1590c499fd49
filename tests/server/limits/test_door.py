"""How many may be connected, and what becomes of those who come all the same."""

import asyncio
import contextlib
import resource
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from processes import standby
from raw import dialled, upgrade
from servers import UNLIMITED, Running, running_server
from talk import connected, eventually, fetch, talking
from websockets.exceptions import InvalidHandshake, InvalidStatus

from kibitz.server.limits.rates import Rate
from kibitz.server.limits.settings import Limits


def few(**limits: object) -> Limits:
    """So many, this machine counted like any."""
    return replace(UNLIMITED, count_loopback=True, **limits)  # type: ignore[arg-type]


async def refusal(url: str) -> tuple[int, str | None, bytes]:
    """How a connection is refused: status, when to come back, why."""
    with pytest.raises(InvalidStatus) as refused:
        async with connected(url):
            pass
    response = refused.value.response
    return response.status_code, response.headers.get("Retry-After"), bytes(response.body)


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
