"""What a log on NATS says and does when nothing can be stored, or somebody says what is not so."""

import asyncio
import contextlib
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import nats
import pytest
from brokers import NatsServer, by_a_way, free_ports, nats_logs
from msgspec.structs import replace
from records import add, record
from server.storage.files import entry
from structlog.testing import capture_logs
from talk import eventually

from kibitz.server.log.log import Conflict, LogFailure, Undecided, UnusableLog
from kibitz.server.log.nats import probing, putting, records
from kibitz.server.log.nats.log import NatsLog
from kibitz.server.log.nats.reading import Unwritable
from kibitz.server.log.nats.streams import Space, _check, _least
from kibitz.server.log.record import Record

PATIENCE = 30.0
"""Seconds that anything may take."""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("PROBE", 0.05), ("IDLE", 0.1), ("PATIENCE", 0.1)):
        monkeypatch.setattr(probing, f"{name}_SECONDS", seconds)


@contextlib.asynccontextmanager
async def limited(server: NatsServer, most: int) -> AsyncIterator[NatsLog]:
    """A log whose rooms may have so many bytes beside those that there are."""
    async with nats_logs(server) as (log,):
        await add(log, "r", 0)
        said = await asked(log, f"STREAM.INFO.{log._space.rooms}")
        config = said["config"] | {"max_bytes": said["state"]["bytes"] + most}
        assert "error" not in await asked(log, f"STREAM.UPDATE.{log._space.rooms}", config)
        yield log
        config["max_bytes"] = -1
        assert "error" not in await asked(log, f"STREAM.UPDATE.{log._space.rooms}", config)
        await eventually(lambda: not log.meter.failing)
        await add(log, "r", 1)


async def asked(log: NatsLog, what: str, config: dict[str, Any] | None = None) -> dict[str, Any]:
    body = b"" if config is None else json.dumps(config).encode()
    answer: dict[str, Any] = json.loads(await log._link.ask(f"$JS.API.{what}", body))
    return answer


def of(lines: list[Any], event: str) -> list[Any]:
    return [line for line in lines if line["event"] == event]


async def test_who_writes_into_a_full_stream_is_refused_and_told_why(
    nats_server: NatsServer,
) -> None:
    with capture_logs() as lines:
        async with asyncio.timeout(PATIENCE), limited(nats_server, 20) as log:
            with pytest.raises(LogFailure, match="maximum bytes exceeded"):
                await add(log, "r", 1)
            assert log.meter.failing and log.meter.unknowns == 0
            assert await log.read("r") == [record(1)]
    (failing,), (well,) = of(lines, "log failing"), of(lines, "log well")
    assert failing["why"] == "maximum bytes exceeded" and well["seconds"] >= 0


async def test_who_writes_into_a_full_store_is_refused_and_told_why(tmp_path: Path) -> None:
    (tmp_path / "conf").write_text("jetstream { max_file: 4KB }\n")
    server = NatsServer(tmp_path / "nats", "--config", str(tmp_path / "conf"))
    server.start()
    try:
        log = await NatsLog.open([server.url])
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(LogFailure, match="insufficient resources"):
                await asyncio.gather(*(add(log, f"r{n}", 0) for n in range(100)))
            await eventually(lambda: not log.meter.waiting)
            await eventually(lambda: log.meter.failing)
            with pytest.raises(LogFailure):
                await add(log, "other", 0)
        assert log.meter.waiting == 0
        await log.close()
    finally:
        server.stop()


@pytest.mark.parametrize("spoilt", ["full", "gone", "silent"])
async def test_who_is_in_doubt_is_told_so_where_nothing_can_be_stored(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch, spoilt: str
) -> None:
    monkeypatch.setattr(putting, "DEADLINE_SECONDS", 0.3)
    async with by_a_way(nats_server) as (other, log, way), asyncio.timeout(PATIENCE):
        await add(log, "r", 0)
        way.cut_at(log._space.room("r").encode(), up=True)  # it has left, nobody knows whither
        done = log.append("r", 1, [record(2, by="first")], entry("r", 2))
        await way.cuts.wait()
        await way.shut()
        rooms = f"STREAM.{{}}.{log._space.rooms}"
        said = await asked(other, rooms.format("INFO"))
        was = said["config"]
        client = await nats.connect(nats_server.url)
        if spoilt == "full":
            most = said["state"]["bytes"] + 20
            await asked(other, rooms.format("UPDATE"), was | {"max_bytes": most})
        elif spoilt == "gone":
            await asked(other, rooms.format("DELETE"))
        else:  # as when a disk is full: what is to be stored is answered by nobody
            monkeypatch.setattr("kibitz.server.log.nats.link.ASK_SECONDS", 0.1)
            subjects = [f"{name}.none" for name in was["subjects"]]
            elsewhere = {"subjects": subjects, "republish": None}
            await asked(other, rooms.format("UPDATE"), was | elsewhere)
            await client.subscribe(was["subjects"][0])
            await client.flush()
        assert not done.done()
        await way.open()
        with pytest.raises(Unwritable if spoilt == "gone" else Undecided):
            await done
        assert log.meter.failing and not log.meter.waiting
        await client.close()
        if spoilt != "gone":  # whoever comes next decides it
            await asked(other, rooms.format("UPDATE"), was)
            await add(log, "r", 1)
            assert [each.by for each in await other.read("r")] == [None, None]


async def test_who_is_idle_finds_out_that_nothing_can_be_written(nats_server: NatsServer) -> None:
    with capture_logs() as lines:
        async with by_a_way(nats_server) as (other, log, way), asyncio.timeout(PATIENCE):
            await add(log, "r", 0)
            way.hold()
            await eventually(lambda: log.meter.failing)
            await add(other, "r", 1)
            way.go_on()
            await eventually(lambda: not log.meter.failing)
            before = of(lines, "log lost")
            await way.shut()
            await eventually(lambda: log.meter.failing and not log.meter.connected)
            await way.open()
            await eventually(lambda: log.meter.connected and not log.meter.failing)
            assert [room.id for room in await log.rooms()] == ["r"]
            rooms = await asked(log, f"STREAM.INFO.{log._space.rooms}")
            assert rooms["state"]["messages"] == 3, "what is tried leaves one message"
    assert len(of(lines, "log failing")) == len(of(lines, "log well")) == 2
    lost, found = of(lines, "log lost")[len(before) :], of(lines, "log found")
    assert [line["server"] for line in lost] == [f"127.0.0.1:{way.port}"]
    assert found[-1]["server"] == f"127.0.0.1:{way.port}" and found[-1]["seconds"] >= 0


async def test_of_a_stream_that_is_gone_it_is_said_and_nobody_waits(
    nats_server: NatsServer,
) -> None:
    with capture_logs() as lines:
        async with nats_logs(nats_server) as (log,), asyncio.timeout(PATIENCE):
            await add(log, "r", 0)
            await asked(log, f"STREAM.DELETE.{log._space.rooms}")
            await eventually(lambda: log.meter.failing)
            for room, seq in (("r", 1), ("new", 0)):
                with pytest.raises(LogFailure, match="ROOMS is gone"):
                    await add(log, room, seq)
            assert log.meter.failing and log.meter.waiting == 0
    (failing,) = of(lines, "log failing")
    assert "ROOMS is gone" in failing["why"]


async def test_after_servers_have_lost_everything_what_was_known_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "DOUBT_SECONDS", 0.1)
    server = NatsServer(tmp_path / "nats")
    server.start()
    try:
        log = await NatsLog.open([server.url])
        async with asyncio.timeout(PATIENCE):
            for seq in range(3):
                await add(log, "r", seq)
            server.kill()
            shutil.rmtree(tmp_path / "nats" / "store")
            server.start()
            other = await NatsLog.open([server.url])
            with pytest.raises(Conflict) as conflict:
                await add(log, "r", 3)
            assert conflict.value.head == 0
            assert await log.read("r") == []
        for each in (log, other):
            await each.close()
    finally:
        server.stop()


async def test_news_that_are_forged_do_no_harm(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "DOUBT_SECONDS", 0.1)
    async with nats_logs(nats_server) as (log,), asyncio.timeout(PATIENCE):
        await add(log, "r", 0)
        heard: list[int] = []

        def seen(each: Record) -> None:
            heard.append(each.last)

        async def follow() -> None:
            async for each in log.follow("r"):
                seen(each)

        task = asyncio.create_task(follow())
        await eventually(lambda: heard == [1])
        client = await nats.connect(nats_server.url)
        true = await log._source.last(log._space.rooms, log._space.room("r"))
        assert true is not None
        for headers, body in (
            ({"Nats-Sequence": "9999", "S": "999"}, b"junk"),
            ({"Nats-Sequence": "x", "S": "1"}, b"junk"),
            ({"Nats-Sequence": "9999", "S": "1"}, true.body),  # ours, under another number
        ):
            await client.publish(log._space.live("r"), body, headers=headers)
            await client.flush()
        await add(log, "r", 1)
        await eventually(lambda: heard == [1, 2])
        known = log._records.known("r")
        assert known is not None and known.number != 9999
        log._records.saw("r", replace(known, number=9999))  # somebody was believed all the same
        with pytest.raises(Conflict):
            await add(log, "r", 2)
        assert await log.read("r") == [record(1), record(2)]
        await add(log, "r", 2)
        await eventually(lambda: heard == [1, 2, 3])
        task.cancel()
        await asyncio.wait([task])
        await client.close()


async def test_a_room_that_a_replica_does_not_have_yet_is_asked_of_the_leader(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with nats_logs(nats_server, 2) as (log, other), asyncio.timeout(PATIENCE):
        await add(log, "r", 0)
        directly, behind = other._source._directly, [True, True]

        async def of_a_replica(*asked: Any) -> Any:
            return ([], 0) if behind and behind.pop() else await directly(*asked)

        monkeypatch.setattr(other._source, "_directly", of_a_replica)
        assert await other.read("r") == [record(1)]
        assert not behind
        assert await other.read("nobody's") == []


async def test_of_what_is_kept_only_what_is_new_is_read(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with nats_logs(nats_server, 2) as (log, other), asyncio.timeout(PATIENCE):
        await log.keep("a/1", b"1")
        await log.keep("b", b"2")
        directly, read = other._source._directly, []

        async def noted(*asked: Any) -> Any:
            read.append(len((answer := await directly(*asked))[0]))
            return answer

        monkeypatch.setattr(other._source, "_directly", noted)
        for _ in range(3):
            assert await other.kept("a/") == {"a/1": b"1"}
        assert sum(read) == 2
        assert await other.kept() == {"a/1": b"1", "b": b"2"}
        await log.keep("a/1", None)
        await log.keep("a/0", b"0")
        assert await other.kept("a/") == {"a/0": b"0"}
        assert sum(read) == 4
        monkeypatch.setattr("kibitz.server.log.nats.values.ANEW_SECONDS", 0)
        assert await other.kept() == {"a/0": b"0", "b": b"2"}
        assert sum(read) == 7


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path / "nats")
    server.start()
    yield server
    server.stop()


async def test_what_is_kept_on_too_few_servers_is_said(alone: NatsServer) -> None:
    with pytest.raises(UnusableLog, match=r"ROOMS cannot be made on 3 servers: there are fewer"):
        await NatsLog.open([alone.url], 3)
    log = await NatsLog.open([alone.url])
    found = await asked(log, "STREAM.INFO.ROOMS")
    assert _check(found["config"], Space().configs(1)[0]) == 1
    assert _check(Space().configs(5)[0], Space().configs(3)[0]) == 5
    few = r"^ROOMS, KEPT: on 1 server only.*nats stream edit NAME --replicas 3"
    with pytest.raises(UnusableLog, match=few):
        _least({"ROOMS": 1, "SECRETS": 3, "KEPT": 1}, 3)
    assert _least({"ROOMS": 3, "KEPT": 5}, 3) == 3
    with capture_logs() as lines:
        for urls in ([alone.url], [alone.url, "nats://127.0.0.1:1"]):
            await (await NatsLog.open(urls)).close()
    (line,) = of(lines, "kept once")
    assert line["servers"] == 2
    for config, why in (
        ({"name": "x_ROOMS", "subjects": ["x.>"]}, "x_ROOMS is there and has other subjects"),
        ({"name": "theirs", "subjects": ["x.rm.>"]}, "another stream has the subjects of x_ROOMS"),
    ):
        name = config["name"]
        assert "error" not in await asked(log, f"STREAM.CREATE.{name}", config)
        with pytest.raises(UnusableLog, match=f"{why}.*an account of its own"):
            await NatsLog.open([alone.url], name="x")
        await asked(log, f"STREAM.DELETE.{name}")
    await log.close()


async def test_an_address_where_something_else_answers_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kibitz.server.log.nats.connection.OPEN_SECONDS", 0.2)
    monkeypatch.setattr("kibitz.server.log.nats.log.SAY_SECONDS", 0.05)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server:
        where = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        nothing = rf"at {where} \(nothing there answers as one does\)"
        with capture_logs() as lines, pytest.raises(UnusableLog, match=nothing):
            await NatsLog.open([f"nats://u:secret@{where}"])
        (waits,) = of(lines, "log waits")
        assert (waits["server"], waits["seconds"] > 0) == (where, True)
        assert waits["why"] == "nothing there answers yet"
    with pytest.raises(UnusableLog, match=r"at nohost\.invalid:4222"):
        await NatsLog.open(["nats://nohost.invalid:4222"])
    monkeypatch.setattr("kibitz.server.log.nats.connection.OPEN_SECONDS", 0.6)
    monkeypatch.setattr("kibitz.server.log.nats.log.SAY_SECONDS", 0.3)
    nobody = rf"at {where} \(Connection refused\)"
    with capture_logs() as lines, pytest.raises(UnusableLog, match=nobody):
        await NatsLog.open([f"nats://u:secret@{where}"])
    assert [line["why"] for line in of(lines, "log waits")] == ["Connection refused"]


async def test_a_start_that_waits_for_streams_says_what_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("kibitz.server.log.nats.streams.OPEN_SECONDS", 0.3)
    monkeypatch.setattr("kibitz.server.log.nats.log.SAY_SECONDS", 0.05)
    n1, n2, unheard = free_ports(3)
    routes = ",".join(f"nats://127.0.0.1:{port}" for port in (n1, n2, unheard))
    cluster = ("--cluster_name", "kibitz", "--cluster", f"nats://127.0.0.1:{n1}")
    server = NatsServer(tmp_path, "--server_name", "n1", *cluster, "--routes", routes)
    server.start()
    try:
        why = "do not make streams.*are most of the servers there"
        with capture_logs() as lines, pytest.raises(UnusableLog, match=why) as failed:
            await NatsLog.open([server.url], 3)
    finally:
        server.stop()
    assert of(lines, "log waits")[-1]["why"] == str(failed.value)  # before it, that it connects


def test_where_it_is_tried_is_no_room() -> None:
    space = Space("x")
    probe = space.probe.rpartition(".")[2]
    assert all(space.room(room).rpartition(".")[2] != probe for room in ("", "=", "==", "=3d"))
