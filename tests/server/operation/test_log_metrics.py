"""What becomes of a log that many share is counted: each kind of trouble, made once."""

import asyncio
import json
from typing import Any

import pytest
from brokers import NatsServer, by_a_way
from records import add
from scraped import Scraped, scrape
from servers import running_server
from talk import eventually, fetch

from kibitz.server.log.log import Conflict
from kibitz.server.log.nats import live
from kibitz.server.log.nats.log import NatsLog
from kibitz.server.log.record import Record

PATIENCE = 30.0
"""Seconds that anything may take."""


async def test_every_trouble_with_a_log_on_nats_is_counted(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "RECHECK_SECONDS", ())
    monkeypatch.setattr(live, "SWEEP_SECONDS", PATIENCE)
    monkeypatch.setattr("kibitz.server.log.nats.probing.PROBE_SECONDS", 0.1)
    async with by_a_way(nats_server) as (other, log, way), running_server(log) as running:
        before = await scrape(running.http)
        assert before["kibitz_log_connected"] == 1

        async def rises(*names: str) -> list[float]:
            nonlocal before
            now, last = await scrape(running.http), before
            before = now
            return [now.rises(f"kibitz_log_{name}_total", last) for name in names]

        async with asyncio.timeout(PATIENCE):
            await add(log, "r", 0)
            await add(other, "r", 1)
            with pytest.raises(Conflict):
                await add(log, "r", 1)
            assert await rises("conflicts", "retries", "disconnects") == [1, 0, 0]
            commits = before["kibitz_commit_seconds_count"]

            way.cut_at(b'"stream":"', up=False)  # it is stored, and we do not hear of it
            await add(log, "r", 2)
            unknowns, retries, disconnects = await rises("unknowns", "retries", "disconnects")
            assert unknowns == 1 and retries >= 1 and disconnects == 1
            assert before["kibitz_commit_seconds_count"] == commits + 1

            seen: asyncio.Queue[Record] = asyncio.Queue()
            followed = before["kibitz_log_followed_rooms"]
            task = asyncio.create_task(_hand_on(log, seen))
            assert [(await seen.get()).last for _ in range(3)] == [1, 2, 3]
            assert await rises("gaps", "catch_ups") == [0, 0]
            assert before["kibitz_log_followed_rooms"] == followed + 1

            config = log._space.configs(1)[0]
            await _update(log, {key: value for key, value in config.items() if key != "republish"})
            await add(other, "r", 3)
            await _update(log, config)
            await add(other, "r", 4)
            assert [(await seen.get()).last for _ in range(2)] == [4, 5]
            assert await rises("gaps", "catch_ups", "disconnects") == [1, 1, 0]

            await way.shut()
            await eventually(lambda: not log.meter.connected)
            assert (await scrape(running.http))["kibitz_log_connected"] == 0
            await eventually(lambda: log.meter.failing)  # though nobody has tried to write
            assert (await fetch(running.http, "/readyz"))[0] == 503
            await add(other, "r", 5)
            await way.open()
            assert (await seen.get()).last == 6
            gaps, catch_ups, disconnects = await rises("gaps", "catch_ups", "disconnects")
            assert gaps == 0 and catch_ups >= 1 and disconnects == 1
            assert before["kibitz_log_connected"] == 1
            await eventually(lambda: not log.meter.failing)

            task.cancel()
            await asyncio.wait([task])
            await rises()
            assert before["kibitz_log_followed_rooms"] == followed


async def test_of_a_log_in_memory_nothing_is_amiss() -> None:
    async with running_server() as running:
        fresh: Scraped = await scrape(running.http)
        assert fresh["kibitz_log_connected"] == 1
        for name in ("disconnects", "conflicts", "retries", "unknowns", "gaps", "catch_ups"):
            assert fresh[f"kibitz_log_{name}_total"] == 0


async def _hand_on(log: NatsLog, seen: asyncio.Queue[Record]) -> None:
    async for each in log.follow("r"):
        seen.put_nowait(each)


async def _update(log: NatsLog, config: dict[str, Any]) -> None:
    asked = json.dumps(config).encode()
    said = json.loads(await log._link.ask(f"$JS.API.STREAM.UPDATE.{config['name']}", asked))
    assert "error" not in said, said
