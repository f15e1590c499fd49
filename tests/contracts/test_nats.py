"""What the log on NATS promises beside what every log does: with other writers, cuts and kills."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from random import Random

import nats
import pytest
from brokers import NatsServer, by_a_way, nats_logs
from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from records import add, first_of, record
from server.storage.files import entry as info

from kibitz.protocol.views import Event
from kibitz.server.log.log import Conflict, LogFailure, UnusableLog
from kibitz.server.log.nats import appending, putting
from kibitz.server.log.nats.log import NatsLog
from kibitz.server.log.nats.streams import MAX_MESSAGE
from kibitz.server.log.record import Record, Secret

PATIENCE = 30.0
"""Seconds that anything may take."""


@contextlib.asynccontextmanager
async def saying(version: str) -> AsyncIterator[str]:
    """A server that says its version and answers pings."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = {"server_id": "x", "version": version, "max_payload": 1 << 20, "headers": True}
        writer.write(f"INFO {json.dumps(said)}\r\n".encode())
        while line := await reader.readline():
            if line == b"PING\r\n":
                writer.write(b"PONG\r\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    try:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("version", ["2.9.10", "2.11.99", "1.4.0", "unknown"])
async def test_a_server_that_is_too_old_is_refused_with_the_reason(version: str) -> None:
    async with saying(version) as url:
        with pytest.raises(UnusableLog, match=rf"{version} is too old.*2\.12 or later"):
            await NatsLog.open([url])


async def test_a_server_that_is_not_there_or_makes_no_streams_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kibitz.server.log.nats.connection.OPEN_SECONDS", 0.5)
    monkeypatch.setattr("kibitz.server.log.nats.streams.OPEN_SECONDS", 0.5)
    with pytest.raises(UnusableLog, match="no NATS server can be reached"):
        await NatsLog.open(["nats://127.0.0.1:1"])
    for wrong in ("nats://127.0.0.1:abc", "nats://127.0.0.1:99999", "nats://", "", "x:4333x"):
        with pytest.raises(UnusableLog, match="is no URL of a NATS server"):
            await NatsLog.open([wrong])
    async with saying("2.12.0") as url:
        with pytest.raises(UnusableLog, match="JetStream"):
            await NatsLog.open([url])


async def test_a_stream_that_would_lose_what_happened_is_refused(nats_server: NatsServer) -> None:
    client = await nats.connect(nats_server.url)
    config = {"name": "aged_ROOMS", "subjects": ["aged.rm.*.*"], "max_age": 10**12}
    await client.request("$JS.API.STREAM.CREATE.aged_ROOMS", json.dumps(config).encode())
    with pytest.raises(UnusableLog, match="aged_ROOMS is there and has another discard"):
        await NatsLog.open([nats_server.url], name="aged")
    await client.request("$JS.API.STREAM.DELETE.aged_ROOMS")
    await client.close()


async def test_of_two_servers_that_write_the_same_number_one_wins(nats_server: NatsServer) -> None:
    async with nats_logs(nats_server, 2) as logs:
        won = [0, 0]
        for round_ in range(100):
            results = await asyncio.gather(
                *(
                    log.append("r", round_, [record(round_ + 1, by=f"{n}")], info("r", round_ + 1))
                    for n, log in enumerate(logs)
                ),
                return_exceptions=True,
            )
            assert sorted(map(type, results), key=str) == sorted((type(None), Conflict), key=str)
            (loser,) = (result for result in results if isinstance(result, Conflict))
            assert loser.head == round_ + 1
            won[results.index(None)] += 1
        first, second = [await log.read("r") for log in logs]
        assert first == second and [r.last for r in first] == list(range(1, 101))
        assert won == [sum(r.by == f"{n}" for r in first) for n in range(2)]


async def test_what_waits_goes_together_in_one_message(nats_server: NatsServer) -> None:
    async with nats_logs(nats_server) as (log,):
        await asyncio.gather(*(add(log, "r", seq) for seq in range(200)))
        assert len(await log.read("r")) == 200
        assert sum(log.meter.records.counts) < 20, "messages"
        assert log.meter.records.total == 200 and log.meter.waiting == 0


@pytest.mark.parametrize("acknowledgement", [True, False])
async def test_an_append_of_which_nothing_is_known_is_done_exactly_once(
    nats_server: NatsServer, acknowledgement: bool
) -> None:
    async with by_a_way(nats_server) as (other, log, way):
        await add(log, "r", 0)
        for seq in range(1, 6):
            if acknowledgement:  # it is stored, and we do not hear of it
                way.cut_at(b'"stream":"', up=False)
            else:  # it never comes there
                way.cut_at(b".rm.", up=True)
            async with asyncio.timeout(PATIENCE):
                await add(log, "r", seq)
            assert way.cuts.is_set()
        assert [r.last for r in await other.read("r")] == list(range(1, 7))
        assert [r.last for r in await log.read("r")] == list(range(1, 7))


async def test_an_append_that_somebody_overtook_while_it_was_unknown_is_a_conflict(
    nats_server: NatsServer,
) -> None:
    async with by_a_way(nats_server) as (other, log, way):
        await add(log, "r", 0)
        way.cut_at(b".rm.", up=True)
        done = asyncio.ensure_future(log.append("r", 1, [record(2, by="log")], info("r", 2)))
        await way.cuts.wait()
        await way.shut()
        await other.append("r", 1, [record(2, by="other")], info("r", 2))
        assert not done.done()
        await way.open()
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(Conflict):
                await done
        assert [r.by for r in await log.read("r")] == [None, "other"]


async def test_an_append_behind_which_others_wrote_while_it_was_unknown_is_done(
    nats_server: NatsServer,
) -> None:
    async with by_a_way(nats_server) as (other, log, way):
        await add(log, "r", 0)
        way.cut_at(b'"stream":"', up=False)
        done = log.append("r", 1, [record(2, by="log")], info("r", 2))
        await way.cuts.wait()
        await way.shut()
        for seq in (2, 3):
            await add(other, "r", seq)
        await way.open()
        async with asyncio.timeout(PATIENCE):
            await done
            with pytest.raises(Conflict):
                await add(log, "r", 2)
        assert [r.by for r in await log.read("r")] == [None, "log", None, None]


async def test_it_fails_only_if_nothing_can_have_been_written(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (appending, putting):
        monkeypatch.setattr(module, "DEADLINE_SECONDS", 0.3)
    async with by_a_way(nats_server) as (other, log, way):
        await add(log, "r", 0)
        way.cut_at(b".rm.", up=True)
        unknown = log.append("r", 1, [record(2)], info("r", 2))  # it has left, nobody knows whither
        await way.cuts.wait()
        await way.shut()
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(LogFailure):
                await add(log, "x", 0)
        assert not unknown.done() and log.meter.failures == 1
        await way.open()
        async with asyncio.timeout(PATIENCE):
            await unknown
        assert not log.meter.failing
        assert [r.last for r in await other.read("r")] == [1, 2]


async def test_it_is_well_again_when_it_can_write_whether_or_not_anybody_does(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (appending, putting):
        monkeypatch.setattr(module, "DEADLINE_SECONDS", 0.3)
    monkeypatch.setattr("kibitz.server.log.nats.probing.PROBE_SECONDS", 0.1)
    async with by_a_way(nats_server) as (_, log, way):
        await way.shut()
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(LogFailure):
                await add(log, "r", 0)
            assert log.meter.failing
            await way.open()
            while log.meter.failing:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert await log.kept() == {}


SEED, HASH, NEVER = "5eed" * 16, "pa55word-hash", "5ec7e7" * 8


async def test_what_is_secret_is_in_nothing_that_is_republished(nats_server: NatsServer) -> None:
    heard: list[Msg] = []

    async def hear(message: Msg) -> None:
        heard.append(message)

    async with nats_logs(nats_server) as (log,):
        client = await nats.connect(nats_server.url)
        space = log._space
        await client.subscribe(space.live("r").replace(".r", ".*").replace(".lv.", ".*."), cb=hear)
        await client.flush()
        made = Record(events=record(1).events, secret=Secret(SEED, "7", HASH, secret=NEVER))
        await log.append("r", 0, [made, record(2)], info("r", 2))
        await add(log, "r", 2)
        assert await log.read("r") == [made, record(2), record(3)]
        assert [r async for r, _ in first_of(log, "r", 3)] == [made, record(2), record(3)]
        await client.flush()
        assert {m.subject.split(".")[1] for m in heard} == {"rm", "lv"}
        said = b"".join(m.data + repr(m.headers).encode() for m in heard)
        for secret in (SEED, HASH, NEVER):
            assert secret.encode() not in said
        asked = json.dumps({"last_by_subj": f"{space._before}sx.room.r.*"}).encode()
        with pytest.raises(NoRespondersError):
            await client.request(f"$JS.API.DIRECT.GET.{space.secrets}", asked)
        await log.put_away("r", 3, b"")
        assert await log._source.last(space.secrets, f"{space._before}sx.room.r.*") is None
        await client.close()


async def test_what_is_large_is_stored_as_far_as_it_can_be(nats_server: NatsServer) -> None:
    async with nats_logs(nats_server) as (log,):
        long = record(1, 20_000)
        await log.append("r", 0, [long], info("r", 20_000))
        noise = Random(1).randbytes(MAX_MESSAGE).hex() * 2
        for text in (noise, 4 * noise):  # more than a message of ours, more than any message
            events = [Event(seq=20_001, at=1, kind="say", text=text)]
            with pytest.raises(LogFailure):
                await log.append("r", 20_000, [Record(events=events)], info("r", 20_001))
        await add(log, "r", 20_000)
        assert await log.read("r") == [long, record(20_001)]
