"""The NATS servers as `deploy/nats` sets them up: what kibitz may do there, and nobody else may."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.request import urlopen

import nats
import pytest
from deploying import DEPLOY, said
from nats.aio.client import Client
from nats.aio.msg import Msg
from processes import run, standby
from records import add, first_of, record
from server.storage.files import entry as info
from shipped import NAMES, PASSWORDS, SHIPPED, SYSTEM, ShippedCluster, running
from talk import eventually
from typer import Exit

from kibitz.server.__main__ import _with_nats
from kibitz.server.log.log import UnusableLog
from kibitz.server.log.nats.log import NatsLog
from kibitz.server.log.nats.streams import Space
from kibitz.server.log.record import Record, Secret
from kibitz.server.settings import Keeping

PATIENCE = 60.0
"""Seconds that anything may take."""
SPACE = Space()
MANIFEST = DEPLOY / "cluster" / "kubernetes" / "nats.yaml"
NODE = PASSWORDS["NATS_NODE_PASSWORD"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShippedCluster]:
    with running(tmp_path_factory.mktemp("nats")) as cluster:
        yield cluster


async def opened(cluster: ShippedCluster) -> NatsLog:
    """A log on all three, once they have chosen who leads."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with contextlib.suppress(UnusableLog):
                urls = cluster.urls("node")
                return await NatsLog.open(urls, 3, authority=cluster.authority.ca)


@contextlib.asynccontextmanager
async def known_as(cluster: ShippedCluster, who: str) -> AsyncIterator[tuple[Client, list[str]]]:
    """A client of the library's, and what the servers complain of to it."""
    complaints: list[str] = []

    async def complain(error: Exception) -> None:
        complaints.append(str(error))

    trust = cluster.authority.trust
    client = await nats.connect(cluster.urls(who), tls=trust, error_cb=complain)
    try:
        yield client, complaints
    finally:
        await client.close()


def status(url: str) -> int:
    """What a server that keeps the connection answers."""
    with urlopen(url, timeout=PATIENCE) as answer:
        return int(answer.status)


async def test_the_configuration_is_one_and_nothing_secret_may_be_missing() -> None:
    given = PASSWORDS | {"NATS_NAME": "n1", "NATS_ROUTES": '["nats://route:x@n1:6222"]'}
    assert "is valid" in await said("nats-server", "-t", "-c", SHIPPED, **given)
    for name in given.keys() - {"NATS_SYSTEM_PASSWORD"}:
        fewer = {key: value for key, value in given.items() if key != name}
        with pytest.raises(AssertionError, match=f"variable reference for '{name}'"):
            await said("nats-server", "-t", "-c", SHIPPED, **fewer)
    assert "sync_interval: always" in SHIPPED.read_text()


async def test_a_node_may_do_all_that_a_log_does(cluster: ShippedCluster) -> None:
    log, other = await opened(cluster), await opened(cluster)
    secret = Secret("5eed" * 16, "7", "hash", secret="5ec7e7" * 8)
    made = Record(events=record(1).events, secret=secret)
    async with asyncio.timeout(PATIENCE):
        await log.append("r", 0, [made, record(2)], info("r", 2))
        await add(other, "r", 2)
        assert await log.read("r") == [made, record(2), record(3)]
        follow = [each async for each, _ in first_of(other, "r", 3)]
        assert follow == [made, record(2), record(3)]
        assert [room.id for room in await other.rooms()] == ["r"]
        await log.put_away("r", 3, b"kept")
        assert await other.rooms() == [] and await other.days_away() == []
        found = await other.find_away("r")
        assert found is not None and found[1] == b"kept"
        assert await log.secret("s", b"1") == await other.secret("s", b"2") == b"1"
        for value in (b"v", None):
            await log.keep("k", value)
            assert await other.kept() == ({"k": value} if value else {})
        assert await log._probe.once() is None
    for each in (log, other):
        assert each._link.complaint is None, "nothing was forbidden"
        await each.close()


async def test_a_node_may_tell_others_and_may_not_lose_or_change_what_happened(
    cluster: ShippedCluster,
) -> None:
    log = await opened(cluster)
    await add(log, "kept", 0)
    async with known_as(cluster, "node") as (client, complaints), known_as(cluster, "node") as two:
        heard = await two[0].subscribe("nw.>")
        await two[0].flush()
        async with asyncio.timeout(PATIENCE):
            while True:  # the server where it is said hears a moment later that somebody listens
                await client.publish("nw.x", b"news")
                with contextlib.suppress(nats.errors.TimeoutError):
                    assert (await heard.next_msg(0.2)).data == b"news"
                    break
        assert not complaints
        rooms = SPACE.rooms
        for subject in (
            *(f"$JS.API.STREAM.{what}.{rooms}" for what in ("DELETE", "PURGE", "UPDATE")),
            f"$JS.API.STREAM.MSG.DELETE.{rooms}",
            f"$JS.API.STREAM.SNAPSHOT.{rooms}",
            f"$JS.API.STREAM.CREATE.{rooms}2",
            f"$JS.API.CONSUMER.CREATE.{rooms}",
            "$JS.API.STREAM.LIST",
            "$SYS.REQ.SERVER.PING",
        ):
            await client.publish(subject, b"{}")
        for subject in ("rm.>", "sx.>", "$JS.>", ">"):
            await client.subscribe(subject)
        await client.flush()
        await eventually(lambda: len(complaints) == 13)
        assert all("permissions violation" in each.lower() for each in complaints)
    assert await log.read("kept") == [record(1)]
    await log.close()


async def test_an_edge_hears_what_everybody_may_know_and_nothing_else(
    cluster: ShippedCluster,
) -> None:
    log = await opened(cluster)
    heard: list[Msg] = []

    async def hear(message: Msg) -> None:
        heard.append(message)

    async with known_as(cluster, "edge") as (edge, complaints), known_as(cluster, "node") as node:
        subjects = ("lv.>", "rm.>", "sx.>", "nw.>", "_INBOX.>", "$JS.>", ">")
        for subject in subjects:
            await edge.subscribe(subject, cb=hear)
        await edge.subscribe("nw.public.>", cb=hear)
        await edge.flush()
        await eventually(lambda: len(complaints) == len(subjects))
        asked = json.dumps({"last_by_subj": SPACE.room("e")}).encode()
        whole = Record(events=record(1).events, secret=Secret("5eed" * 16, "7", None))
        await log.append("e", 0, [whole], info("e", 1))
        reads = [
            f"$JS.API.STREAM.MSG.GET.{name}"
            for name in (SPACE.rooms, SPACE.secrets, SPACE.lobby, SPACE.archive, SPACE.kept)
        ] + [f"$JS.API.DIRECT.GET.{SPACE.rooms}", f"$JS.API.STREAM.INFO.{SPACE.rooms}"]
        for subject in reads:
            await edge.publish(subject, asked, reply="nw.public.answers")
        writes = [SPACE.room("e"), SPACE.live("e"), SPACE.value("bans"), "nw.x", "nw.public.x"]
        for subject in writes:
            await edge.publish(subject, b"forged")
        await edge.flush()
        everything = len(subjects) + len(reads) + len(writes)
        await eventually(lambda: len(complaints) == everything)
        await node[0].publish("nw.x", b"a room that is not listed")
        await node[0].publish("nw.public.x", b"so many are here")
        await eventually(lambda: heard)
        await edge.flush()
        assert [message.data for message in heard] == [b"so many are here"]
    assert await log.read("e") == [whole] and await log.kept() == {}
    await log.close()


async def test_whoever_looks_after_the_servers_can(cluster: ShippedCluster) -> None:
    await (await opened(cluster)).close()
    probes = re.findall(r'path: "?(/healthz[^",}]*)', MANIFEST.read_text())
    assert len(probes) == 3
    for port in cluster.monitors:
        for path in probes:
            assert await asyncio.to_thread(status, f"http://127.0.0.1:{port}{path}") == 200, path
    async with known_as(cluster, "operator") as (client, complaints):
        answer = await client.request("$JS.API.STREAM.NAMES", b"", timeout=PATIENCE)
        assert len(json.loads(answer.data)["streams"]) == 5 and not complaints
    assert SYSTEM in (DEPLOY / "GROWING.md").read_text()
    async with known_as(cluster, "system") as (client, complaints):
        answer = await client.request("$SYS.REQ.SERVER.PING.JSZ", b"", timeout=PATIENCE)
        assert json.loads(answer.data)["data"]["meta_cluster"]["leader"] and not complaints
    page = f"http://127.0.0.1:{cluster.monitors[0]}/jsz?accounts=1&streams=1&config=1"
    with await asyncio.to_thread(urlopen, page, timeout=PATIENCE) as opened_page:
        accounts = json.load(opened_page)["account_details"]
    streams = next(each["stream_detail"] for each in accounts if each["name"] == "KIBITZ")
    assert {each["name"]: each["config"]["num_replicas"] for each in streams}[SPACE.rooms] == 3
    assert all(each["cluster"]["leader"] in NAMES for each in streams)


async def test_a_wrong_password_is_said_in_a_sentence(cluster: ShippedCluster) -> None:
    for wrong in (NODE[:-1] + "0", PASSWORDS["NATS_ROUTE_PASSWORD"]):
        urls = [url.replace(NODE, wrong) for url in cluster.urls("node")]
        with pytest.raises(UnusableLog, match="do not let us in: is it the right user"):
            await NatsLog.open(urls, authority=cluster.authority.ca)
    words = [word for url in urls for word in ("--nats", url)]
    code, says = await run(*words, "--nats-ca", str(cluster.authority.ca), "--port", "0")
    assert code == 2 and "do not let us in" in says and "Traceback" not in says
    assert not [word for word in (wrong, NODE) if word in says]


async def test_who_may_not_make_streams_is_told_so(
    cluster: ShippedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.server.log.nats.streams.OPEN_SECONDS", 0.3)
    with pytest.raises(UnusableLog, match=r"permissions violation .*may we"):
        await NatsLog.open(cluster.urls("node"), name="x", authority=cluster.authority.ca)


async def test_a_server_takes_all_from_the_environment_and_a_file(
    cluster: ShippedCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    await (await opened(cluster)).close()
    file = tmp_path / "credentials"
    file.write_text(f"node:{NODE}\n")
    monkeypatch.setenv("KIBITZ_NATS", ", ".join(cluster.urls()))
    options = ("--nats-credentials", str(file), "--nats-ca", str(cluster.authority.ca))
    async with standby(None, *options, "--nats-replicas", "3") as server:
        await server.start()
        assert await server.terminate() == 0
    assert NODE not in server.said and '"nats"' in server.said
    with pytest.raises(Exit):  # what is in the environment is not left unsaid
        _with_nats(Keeping(data=tmp_path / "k.db"))
    assert "KIBITZ_NATS keeps everything on NATS servers" in capsys.readouterr().err
    assert _with_nats(Keeping(memory=True)) == Keeping(memory=True), "it has been taken out"


async def test_who_is_not_vouched_for_is_not_believed(
    cluster: ShippedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.server.log.nats.connection.OPEN_SECONDS", 0.5)
    with pytest.raises(UnusableLog, match="certificate verify failed"):
        await NatsLog.open(cluster.urls("node"))
    log = await NatsLog.open(cluster.urls("node", "nats"), authority=cluster.authority.ca)
    assert await log.kept() == {}
    await log.close()
