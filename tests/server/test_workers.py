"""Several processes on one port: one address for clients, one parent for who runs them."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from brokers import NatsServer
from processes import PATIENCE, Process, standby
from scraped import Scraped, scrape
from servers import FREELY
from talk import Talk, fetch, talking

from kibitz.clients.bot import legal_moves
from kibitz.clients.session import connect
from kibitz.server.refusals import contradiction
from kibitz.server.settings import Access, Keeping, Listening
from kibitz.server.workers.address import port_of, reserve

CONNECTIONS = tuple(
    f'kibitz_connections{{encoding="{encoding}",role="{role}"}}'
    for encoding in ("json", "msgpack")
    for role in ("none", "player", "spectator")
)


def lines(said: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.splitlines()]


def apart(said: str) -> list[str]:
    """Where each worker tells its own numbers, in the order of the workers."""
    ready = [line for line in lines(said) if line["event"] == "worker ready"]
    ready.sort(key=lambda line: int(line["worker"]))
    return [str(line["metrics"]).removesuffix("/metrics") for line in ready]


def children(process: Process) -> list[int]:
    pid = process.process.pid
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def said(process: Process, event: str) -> dict[str, Any]:
    """The next such line of the log."""
    assert process.process.stderr
    async with asyncio.timeout(PATIENCE):
        async for line in process.process.stderr:
            process.said += line.decode()
            if (told := json.loads(line))["event"] == event:
                return dict(told)
    raise AssertionError(process.said)


def connections(scraped: Scraped) -> float:
    return sum(scraped[name] for name in CONNECTIONS)


async def test_workers_share_a_port_and_a_dead_one_is_started_again(
    nats_server: NatsServer,
) -> None:
    where = ("--nats", nats_server.url, "--workers", "2", "--drain", "3", *FREELY)
    async with standby(None, *where) as server, contextlib.AsyncExitStack() as stack:
        url = await server.start()
        http = f"http://{urlsplit(url).netloc}"
        while len(pages := apart(server.said)) < 2:  # each writes its own lines, in its own time
            await said(server, "worker ready")
        assert len(children(server)) == 2 and server.said.count('"listening"') == 1
        talks: list[Talk] = []
        while not all([connections(await scrape(page)) for page in pages]):
            talks.append(await stack.enter_async_context(talking(url)))
        assert sum([connections(await scrape(page)) for page in pages]) == len(talks)
        for path in ("/readyz", "/healthz"):
            assert [(await fetch(page, path))[0] for page in (http, *pages)] == [200] * 3
        assert (await fetch(http, "/metrics"))[0] == 404, "of whom would it be?"
        assert (await fetch(pages[0], "/protocol"))[0] == 404
        client = await stack.enter_async_context(connect(url))
        mirror = await client.create("klondike", deal="7")
        for pid in children(server):
            os.kill(pid, signal.SIGKILL)
            died = await said(server, "worker died")
            assert (await said(server, "worker ready"))["worker"] == died["worker"]
            await client.move(mirror.room, legal_moves(mirror)[0])
        assert mirror.board.moves == 2 and client.connected
        async with talking(url) as ann:
            assert (await ann.ok("join", room=mirror.room))["seq"] == mirror.seq
            assert await server.terminate() == 0
            assert await ann.closed() == 4503
        (listening,) = [line for line in lines(server.said) if line["event"] == "listening"]
        assert listening["servers"] == urlsplit(nats_server.url).netloc
        events = [line["event"] for line in lines(server.said)]
        assert events.count("stopped") == 2 and events.count("listening") == 1


async def test_workers_do_not_outlive_their_parent(nats_server: NatsServer) -> None:
    where = ("--nats", nats_server.url, "--workers", "2", "--drain", "1")
    async with standby(None, *where) as server:
        async with talking(await server.start()) as ann:
            await server.kill()  # it is waited until nobody holds its stderr any more
            assert await ann.closed() == 4503
        told = [(line["event"], line.get("worker")) for line in lines(server.said)]
        for worker in (1, 2):
            assert ("parent gone", worker) in told and ("stopped", worker) in told


_PARENT = """
import os, signal, sys
from kibitz.server.workers.parent import Parent

def work(number, line):
    os.write(1, b"worker %d\\n" % number)  # in one piece, whatever the others say
    if number == 2 or NONE:
        END
    line.send(b"+")
    while (order := line.recv(1)) == b"?":
        line.send(b".")
    return order != b"d"

sys.exit(Parent(3, work, 5.0, lambda: print("ready", flush=True), hangup=True).run())
"""


@pytest.mark.parametrize(
    ("none", "end", "code"),
    [
        (True, "return 7", 7),
        (False, "os.kill(os.getpid(), signal.SIGKILL)", 1),
        (False, "return 0", 0),  # as an operator has ordered
    ],
)
def test_who_does_not_start_or_is_told_to_end_ends_all(none: bool, end: str, code: int) -> None:
    script = _PARENT.replace("NONE", str(none)).replace("END", end)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE)
    told = done.stdout.decode().split("\n")
    assert done.returncode == code and done.stderr == b"", done.stderr
    assert told[0] == "worker 1" and "ready" not in told
    assert ("worker 2" in told) is not none, "one reason is enough"


_HANGING = """
import asyncio, os, signal, sys, time
from kibitz.server.workers import parent
from kibitz.server.workers.line import Heeding, Line

parent.ASK_SECONDS, parent.FIRST_PAUSE = 0.05, 0.01
reads, writes = os.pipe()
os.write(writes, b"1")
os.set_blocking(reads, False)

def first():
    try:
        return bool(os.read(reads, 1))
    except BlockingIOError:
        return False

async def serve(number, socket):
    line, end = Line(number, socket, 5.0), asyncio.Event()
    line.heed(Heeding(end.set))
    line.ready()
    os.write(1, b"worker %d\\n" % number)
    if number == 2 and first():
        HANG
    await end.wait()

def work(number, socket):
    asyncio.run(serve(number, socket))
    return 0

sys.exit(parent.Parent(2, work, 5.0, lambda: None, hangup=True).run())
"""


@pytest.mark.parametrize(
    ("hang", "early"),
    [
        ("time.sleep(3600)", False),
        ("time.sleep(3600)", True),  # before it has ever taken a connection
        ("os.kill(os.getpid(), signal.SIGSTOP)", False),
    ],
)
async def test_who_hangs_or_is_stopped_is_killed_and_started_again(hang: str, early: bool) -> None:
    script = _HANGING.replace("HANG", hang).replace("EARLY", str(early))
    out, err = asyncio.subprocess.PIPE, asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=out, stderr=err
    )
    assert process.stdout
    try:
        async with asyncio.timeout(PATIENCE):
            began = 0
            while began < 2:
                began += await process.stdout.readline() == b"worker 2\n"
            process.terminate()
            assert await process.wait() == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()


def test_a_port_is_taken_for_workers_and_nobody_else() -> None:
    reserved = reserve("localhost", 0)
    with contextlib.ExitStack() as stack:
        for sock in reserved:
            stack.enter_context(sock)
        port = port_of(reserved[0])
        assert {port_of(sock) for sock in reserved} == {port}, "of each address"
        workers = [socket.create_server(("127.0.0.1", port), reuse_port=True) for _ in "12"]
        for worker in workers:
            stack.enter_context(worker)
        with pytest.raises(OSError, match="in use"):
            reserve("127.0.0.1", port)


async def test_a_start_that_takes_long_can_be_ended() -> None:
    came = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.set()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as nobody:
        url = f"nats://127.0.0.1:{nobody.sockets[0].getsockname()[1]}"
        async with standby(None, "--nats", url, "--workers", "2") as server:
            starting = asyncio.create_task(server.start())
            await came.wait()
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(AssertionError, match='never said "listening"'):
                await starting
            assert await server.process.wait() == 0
            assert {line["event"] for line in lines(server.said)} <= {"log waits"}


@pytest.mark.parametrize(
    ("listening", "keeping", "says"),
    [
        (Listening(workers=2), Keeping(), "`nats-server -a 127.0.0.1 -js -sd FOLDER`"),
        (Listening(workers=2), Keeping(memory=True), "--workers needs --nats"),
        (
            Listening(workers=2, metrics_port=65535),
            Keeping(nats=["nats://a"]),
            "leaves no ports for --workers",
        ),
        (Listening(), Keeping(nats_replicas=3), "it needs --nats"),
    ],
)
def test_what_does_not_go_together_is_said(
    listening: Listening, keeping: Keeping, says: str
) -> None:
    why = contradiction(listening, Access(), keeping, demo=False)
    assert why and says in why
    assert contradiction(Listening(workers=2), Access(), Keeping(nats=["a"]), demo=False) is None
