"""Messages in the streams that no server of ours has written: one room suffers, others go on."""

import asyncio

import nats
import pytest
from brokers import NatsServer, nats_logs
from nats.aio.client import Client
from records import add, first_of, record
from structlog.testing import capture_logs

from kibitz.protocol.operating import Ban
from kibitz.server.admin.bans import Bans
from kibitz.server.log.log import Conflict, LogFailure
from kibitz.server.log.nats import live
from kibitz.server.log.nats.log import NatsLog
from kibitz.server.log.record import Record
from kibitz.server.world import World

PATIENCE = 30.0
"""Seconds that anything may take."""
JUNK = (
    None,
    {"S": "3", "C": "q"},
    {"S": "x"},
    {"S": "-1"},
    {"A": "x"},
    {"S": "4", "C": "q", "Z": "1"},
    {"S": "4", "X": "1"},
)
"""Headers of what nobody of ours has written."""


async def _first(log: NatsLog, room: str) -> Record:
    async for each, _ in first_of(log, room, 1):
        return each
    raise AssertionError


async def _publish(url: str, subject: str, headers: dict[str, str] | None = None) -> None:
    client: Client = await nats.connect(url)
    said = await client.request(subject, b"junk", headers=headers)
    assert b"error" not in said.data
    await client.close()


@pytest.mark.parametrize("headers", JUNK, ids=str)
async def test_a_foreign_message_in_a_room_makes_that_room_unreadable_and_no_other(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str] | None
) -> None:
    monkeypatch.setattr(live, "SWEEP_SECONDS", 0.02)
    async with nats_logs(nats_server) as (log,), asyncio.timeout(PATIENCE):
        for room in ("r", "other"):
            await add(log, room, 0)
        follower = asyncio.create_task(_first(log, "other"))
        await asyncio.sleep(0)
        await _publish(nats_server.url, log._space.room("r"), headers)
        with capture_logs() as lines:
            if headers != {"A": "x"}:  # else it has been put away
                with pytest.raises((LogFailure, Conflict)):
                    await add(log, "r", 1)
                with pytest.raises(LogFailure):
                    await log.read("r")
                assert {"log_level": "error", "room": "r"}.items() <= next(
                    line for line in lines if line["event"] == "unreadable"
                ).items()
            await add(log, "other", 1)
            await add(log, "new", 0)
            rooms = [room.id for room in await log.rooms()]
        assert rooms == ["other", "new"]
        assert await follower == record(1)
        assert log.meter.waiting == 0
        assert log._live is not None and not log._live._sweep.done()


async def test_a_server_starts_whatever_somebody_has_put_into_the_streams(
    nats_server: NatsServer,
) -> None:
    async with nats_logs(nats_server) as (log,), asyncio.timeout(PATIENCE):
        before = log._space._before
        await add(log, "r", 0)
        good = Ban(kind="mute", id="x", since=1)
        bans = Bans(log, World(lambda: 1, lambda: 1.0, bytes))
        await bans.add(good)
        for subject in ("lb.=zz", "lb.=ff", "lb.=61", "ld.=zz", "kp.=zz", "kp.ban=2f1", "lb.q"):
            await _publish(nats_server.url, before + subject)
        await _publish(nats_server.url, log._space.room("q"))
        name = log._space.rooms.removesuffix("_ROOMS")
        fresh = await NatsLog.open([nats_server.url], name=name)
        with capture_logs() as lines:
            assert [room.id for room in await fresh.rooms()] == ["r"]
            assert await fresh.days_away() == []
            bans = Bans(fresh, World(lambda: 1, lambda: 1.0, bytes))
            await bans.refresh()
            assert [ban for _, ban in bans.all()] == [good]
        said = [line["event"] for line in lines]
        assert said.count("foreign") >= 4 and said.count("ban not read") == 1
        await add(fresh, "r", 1)
        assert await fresh.read("r") == [record(1), record(2)]
        await fresh.close()
