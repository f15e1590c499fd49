"""A task that is cancelled while it waits for NATS ends, and leaves nothing behind."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from brokers import NatsServer, by_a_way, nats_logs
from nats.errors import Error
from records import add
from talk import PATIENCE, eventually

from kibitz.server.log.nats import connection
from kibitz.server.log.nats.connection import Unknown, within
from kibitz.server.log.nats.log import NatsLog

Call = Callable[["asyncio.Future[None]"], Awaitable[None]]


async def waits(answer: "asyncio.Future[None]") -> None:
    """As the library waits."""
    await asyncio.wait_for(answer, 60)


async def hides(answer: "asyncio.Future[None]") -> None:
    """As it does where it flushes."""
    try:
        await asyncio.wait([answer])
    except asyncio.CancelledError:
        answer.exception()


async def takes_it_for_an_error(answer: "asyncio.Future[None]") -> None:
    try:
        await asyncio.wait_for(answer, 60)
    except (Error, asyncio.CancelledError):
        raise Error("lost") from None


@pytest.mark.parametrize("answered", [None, Error("no"), OSError()], ids=repr)
@pytest.mark.parametrize("call", [waits, hides, takes_it_for_an_error])
async def test_who_is_cancelled_in_the_moment_of_an_answer_ends(
    call: Call, answered: Exception | None
) -> None:
    answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    past: list[bool] = []

    async def asks() -> None:
        try:
            await within(60, call(answer))
            past.append(True)
        finally:
            await within(60, asyncio.sleep(0))  # who is cancelled already may clean up
            past.append(False)

    task = asyncio.create_task(asks())
    await asyncio.sleep(0)
    if answered is None:
        answer.set_result(None)
    else:
        answer.set_exception(answered)
    await asyncio.sleep(0)  # it is told of the answer in this turn
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled() and past == [False]


async def test_an_end_of_ours_is_told_from_a_cancel() -> None:
    with pytest.raises(Unknown):
        await within(0.01, asyncio.Event().wait())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await within(60, asyncio.Event().wait())
    task = asyncio.current_task()
    assert task is not None and not task.cancelling()


async def test_who_ceases_to_follow_while_he_begins_leaves_no_ear(nats_server: NatsServer) -> None:
    async with nats_logs(nats_server) as (log,):
        await add(log, "r", 0)
        ears = log._link._connection._ears
        client = log._link._connection.client
        subscriptions = client._subs
        before = len(ears), len(subscriptions)
        for turns in range(12):
            task = asyncio.create_task(_follow(log))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            async with asyncio.timeout(PATIENCE):
                await asyncio.wait([task])
            assert task.cancelled()
        await eventually(lambda: (len(ears), len(subscriptions)) == before)
        await log.read("r")
        assert client._reading_task and not client._reading_task.done()


@pytest.mark.parametrize("given_up", [asyncio.Future.cancel, lambda pong: pong.set_result(True)])
async def test_an_answer_that_nobody_waits_for_any_more_is_passed_over(
    nats_server: NatsServer, given_up: Callable[["asyncio.Future[bool]"], object]
) -> None:
    async with nats_logs(nats_server) as (log,):
        client = log._link._connection.client
        pong: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        await client._send_ping(pong)
        given_up(pong)
        await client.flush(10)
        assert client._reading_task and not client._reading_task.done()


async def _follow(log: NatsLog) -> None:
    async for _ in log.follow("r"):
        pass


async def test_a_log_that_is_made_again_can_be_closed(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    async def connect(*servers: Any, **options: Any) -> None:
        tried.append(True)
        await takes_it_for_an_error(asyncio.get_running_loop().create_future())

    async with by_a_way(nats_server) as (_, log, way):
        monkeypatch.setattr(connection._Client, "connect", connect)
        way.say(b"-ERR 'User Authentication Expired'\r\n")
        await eventually(lambda: tried)
        async with asyncio.timeout(PATIENCE):
            await log.close()
        assert len(tried) == 1
