"""Who follows a room on NATS misses nothing: sweeps, lost connections, servers that are killed."""

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from brokers import NatsServer, by_a_way, nats_logs
from records import add, record
from server.storage.files import entry as info

from kibitz.server.log.log import Conflict, LogFailure
from kibitz.server.log.nats import live
from kibitz.server.log.nats.log import NatsLog
from kibitz.server.log.record import Record

PATIENCE = 30.0
"""Seconds that anything may take."""


async def test_who_follows_reads_what_he_did_not_hear(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "RECHECK_SECONDS", ())
    monkeypatch.setattr(live, "SWEEP_SECONDS", PATIENCE)
    async with nats_logs(nats_server, 2) as (log, other):
        space = log._space
        (config, *_) = space.configs(1)
        quiet = {key: value for key, value in config.items() if key != "republish"}
        seen: asyncio.Queue[Record] = asyncio.Queue()
        task = asyncio.create_task(_hand_on(log, seen))
        await add(other, "r", 0)
        async with asyncio.timeout(PATIENCE):
            assert (await seen.get()).last == 1
            for seq in range(1, 31, 3):
                await _update(log, quiet)
                await add(other, "r", seq)
                await add(other, "r", seq + 1)
                await _update(log, config)
                assert seen.empty()
                await add(other, "r", seq + 2)
                assert [(await seen.get()).last for _ in range(3)] == [seq + 1, seq + 2, seq + 3]
        task.cancel()
        await asyncio.wait([task])


async def test_what_nobody_is_told_of_is_found_by_a_sweep(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "RECHECK_SECONDS", ())
    monkeypatch.setattr(live, "SWEEP_SECONDS", 0.1)
    async with nats_logs(nats_server, 2) as (log, other):
        config = log._space.configs(1)[0]
        await _update(log, {key: value for key, value in config.items() if key != "republish"})
        seen: asyncio.Queue[Record] = asyncio.Queue()
        task = asyncio.create_task(_hand_on(log, seen))
        async with asyncio.timeout(PATIENCE):
            for seq in range(3):
                await add(other, "r", seq)
                assert (await seen.get()).last == seq + 1
        task.cancel()
        await asyncio.wait([task])


async def test_who_follows_misses_nothing_when_the_connection_is_lost(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SWEEP_SECONDS", PATIENCE)
    async with by_a_way(nats_server) as (other, log, way):
        seen: asyncio.Queue[Record] = asyncio.Queue()
        task = asyncio.create_task(_hand_on(log, seen))
        async with asyncio.timeout(PATIENCE):
            for seq in range(0, 20, 4):
                for n in range(3):
                    await add(other, "r", seq + n)
                await way.shut()
                await add(other, "r", seq + 3)
                await way.open()
                assert [(await seen.get()).last for _ in range(4)] == list(range(seq + 1, seq + 5))
        task.cancel()
        await asyncio.wait([task])


async def test_a_connection_that_a_server_has_closed_for_good_is_made_again(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SWEEP_SECONDS", PATIENCE)
    async with by_a_way(nats_server) as (other, log, way):
        seen: asyncio.Queue[Record] = asyncio.Queue()
        task = asyncio.create_task(_hand_on(log, seen))
        async with asyncio.timeout(PATIENCE):
            for seq in range(0, 6, 2):
                await add(log, "r", seq)
                assert (await seen.get()).last == seq + 1
                way.say(b"-ERR 'User Authentication Expired'\r\n")
                await add(other, "r", seq + 1)
                assert (await seen.get()).last == seq + 2
        task.cancel()
        await asyncio.wait([task])


async def test_when_it_is_closed_who_follows_hears_of_it_and_nothing_more_is_done(
    nats_server: NatsServer,
) -> None:
    async with nats_logs(nats_server, 2) as (other, log):
        seen: asyncio.Queue[Record] = asyncio.Queue()
        task = asyncio.create_task(_hand_on(log, seen))
        await add(other, "r", 0)
        await seen.get()
        last = log.append("r", 1, [record(2)], info("r", 2))
        await log.close()
        await last
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(LogFailure):
                await task
        for asked in (add(log, "r", 2), log.read("r"), log.rooms(), log.secret("s", b"")):
            with pytest.raises(LogFailure):
                await asked
        with pytest.raises(LogFailure):
            log.follow("r")
        assert [r.last for r in await other.read("r")] == [1, 2]


async def _hand_on(log: NatsLog, seen: asyncio.Queue[Record]) -> None:
    async for each in log.follow("r"):
        seen.put_nowait(each)


async def _update(log: NatsLog, config: dict[str, Any]) -> None:
    asked = json.dumps(config).encode()
    said = json.loads(await log._link.ask(f"$JS.API.STREAM.UPDATE.{config['name']}", asked))
    assert "error" not in said, said


async def test_a_server_that_is_killed_under_load_loses_doubles_and_skips_nothing(
    tmp_path: Path,
) -> None:
    server = NatsServer(tmp_path / "nats")
    server.start()
    acknowledged: dict[tuple[str, int], str] = {}
    half, enough, names = asyncio.Event(), asyncio.Event(), itertools.count()
    goal, rooms = 0, ("a", "b", "c")

    async def play(log: NatsLog, room: str) -> None:
        head = 0
        while not enough.is_set():
            name = f"{next(names)}"
            while True:  # the same command, until it is stored
                made = record(head + 1, by=name)
                try:
                    await log.append(room, head, [made], info(room, made.last))
                except Conflict as conflict:
                    head = conflict.head
                    continue
                break
            head = made.last
            assert acknowledged.setdefault((room, head), name) == name, "one winner"
            if len(acknowledged) >= goal - 100:
                half.set()
            if len(acknowledged) >= goal:
                enough.set()

    try:
        async with asyncio.timeout(PATIENCE):
            logs = [await NatsLog.open([server.url]) for _ in range(2)]
            followed = [asyncio.create_task(_followed(logs[1], room)) for room in rooms]
            for _ in range(3):
                half.clear()
                enough.clear()
                goal = len(acknowledged) + 200
                players = [asyncio.create_task(play(log, r)) for log in logs for r in rooms]
                await half.wait()
                server.kill()
                server.start()
                await asyncio.gather(*players)
            for room in rooms:
                lasts = {await _last(log, room) for log in logs}
                assert len(lasts) == 1
                (last,) = lasts
                await logs[0].append(room, last, [record(last + 1, by="end")], info(room, last + 1))
            seen = dict(zip(rooms, await asyncio.gather(*followed), strict=True))
        for room in rooms:
            records = await logs[0].read(room)
            assert [r.first for r in records] == list(range(1, len(records) + 1))
            assert seen[room] == [r.by for r in records]
            stored = [r.by for r in records]
            assert len(set(stored)) == len(stored), "nothing is there twice"
            for (where, seq), name in acknowledged.items():
                assert where != room or stored[seq - 1] == name, "nothing acknowledged is lost"
            assert len(stored) == 1 + sum(where == room for where, _ in acknowledged)
        for log in logs:
            await log.close()
    finally:
        server.stop()


async def _last(log: NatsLog, room: str) -> int:
    return (await log.read(room))[-1].last


async def _followed(log: NatsLog, room: str) -> list[str | None]:
    """Who asked for each record, as a follower sees them, up to the one that ends it."""
    seen: list[str | None] = []
    async for each in log.follow(room):
        seen.append(each.by)
        if each.by == "end":
            break
    return seen


async def test_thousands_who_look_at_once_do_so_a_few_at_a_time(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "RECHECK_SECONDS", ())
    monkeypatch.setattr(live, "READS_TOGETHER", 5)
    monkeypatch.setattr(live, "SWEPT", 7)
    monkeypatch.setattr(live, "SWEEP_SECONDS", 0.05)
    async with nats_logs(nats_server, 2) as (log, other):
        rooms = [f"r{n}" for n in range(30)]
        for room in rooms:
            await add(other, room, 0)
        reading = most = 0
        read = log._records.read

        async def counted(*args: Any, **more: Any) -> list[Record]:
            nonlocal reading, most
            reading += 1
            most = max(most, reading)
            try:
                return await read(*args, **more)
            finally:
                reading -= 1

        monkeypatch.setattr(log._records, "read", counted)
        seen: asyncio.Queue[Record] = asyncio.Queue()

        async def hand_on(room: str) -> None:
            async for each in log.follow(room):
                seen.put_nowait(each)

        tasks = [asyncio.create_task(hand_on(room)) for room in rooms]
        async with asyncio.timeout(PATIENCE):
            assert {(await seen.get()).last for _ in rooms} == {1}
            log._in_doubt()
            config = log._space.configs(1)[0]
            await _update(log, {key: value for key, value in config.items() if key != "republish"})
            for room in rooms:  # a sweep comes to every one of them, whoever is told nothing
                await add(other, room, 1)
            assert {(await seen.get()).last for _ in rooms} == {2}
        assert most == 5
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
