"""``kibitz bench`` for real, with tiny sizes: what is counted adds up, and nothing is left."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from clients.commands import PATIENCE, Command
from clients.terminals import at_terminal
from servers import EACH_ENDS, Running, running_server
from talk import eventually

from kibitz.clients.benching import signals
from kibitz.clients.benching.hosting import is_loopback
from kibitz.clients.benching.jobs import Job, Part, counted, merged, percentile_ms
from kibitz.clients.benching.rows import row
from kibitz.clients.session import connect
from kibitz.server.limits.rates import Rate

ROOMS, WATCHERS, SPECTATORS, JOINS, IDLE = 3, 2, 7, 12, 5
SIZES = (
    *("--rooms", str(ROOMS), "--watchers", str(WATCHERS), "--rate", "20", "--seconds", "0.5"),
    *("--spectators", str(SPECTATORS), "--joins", str(JOINS), "--in-flight", "4"),
    *("--idle", str(IDLE), "--processes", "2"),
)
MOVES = 10
"""In every room in half a second, also in that of the crowd."""
LOADS = ["idle", "rooms", "rush", "crowd", "joins"]

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def left_of(kibitz: Command) -> list[str]:
    """The processes that the command has started, and those that they have."""
    mark = f"XDG_DATA_HOME={kibitz.home}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


async def measured(kibitz: Command, *words: str) -> dict[str, Any]:
    """What the command reports."""
    done = await kibitz.run("bench", "--json", *SIZES, *words)
    assert (done.code, done.err) == (0, "")
    assert not left_of(kibitz)
    report: dict[str, Any] = json.loads(done.out)
    return report


def folders_of(kibitz: Command) -> list[Path]:
    """What is left where the server had its rooms."""
    return list(kibitz.home.glob("kibitz-bench-*"))


def check(seen: dict[str, Any]) -> None:
    """Whether what one load has counted adds up."""
    watching = {"rooms": WATCHERS, "rush": WATCHERS, "crowd": SPECTATORS}.get(seen["load"], 0)
    done = {"rooms": ROOMS * MOVES, "crowd": MOVES, "joins": JOINS, "idle": IDLE}
    assert seen["done"] == done.get(seen["load"], seen["done"]) > 0
    assert seen["events"] == seen["events_expected"] == seen["done"] * watching
    assert seen["per_second"] > 0
    assert len(seen["load_cpu"]) == 2
    for times, wanted in ((seen["ok_ms"], seen["load"] != "idle"), (seen["event_ms"], watching)):
        assert list(times) == (["p50", "p95", "p99"] if wanted else [])
        assert list(times.values()) == sorted(times.values())


async def test_a_server_of_its_own(tmp_path: Path) -> None:
    kibitz = Command("ws://127.0.0.1:1/ws", tmp_path, {"TMPDIR": str(tmp_path)})
    kibitz.environ["KIBITZ_NATS"] = "nats://127.0.0.1:1"  # it does not measure that
    report = await measured(kibitz)
    assert (report["own"], report["processes"], report["left_out"]) == (True, 2, [])
    assert report["version"].startswith("kibitz/")
    assert [seen["load"] for seen in report["rows"]] == LOADS
    for seen in report["rows"]:
        check(seen)
        assert seen["server_cpu"] >= 0
        assert (seen["load"] == "idle") is (seen["connection_kib"] is not None)
    assert not folders_of(kibitz)


async def test_a_server_that_runs(kibitz: Command, server: Running) -> None:
    report = await measured(kibitz, "--server", server.url)
    assert (report["own"], report["server"]) == (False, server.url)
    assert [left["load"] for left in report["left_out"]] == ["idle"]
    assert [seen["load"] for seen in report["rows"]] == LOADS[1:]
    for seen in report["rows"]:
        check(seen)
        assert (seen["server_cpu"], seen["limited"]) == (None, 0)
    async with connect(server.url) as client:
        assert not [room async for room in client.all_rooms()], "nobody sees what was played"
    assert {room.state.status for room in server.app.rooms} <= {"resigned"}, "all games are over"


async def test_the_rate_of_a_server_is_respected_and_told(tmp_path: Path) -> None:
    async with running_server(requests=Rate(per_second=40.0, burst=30.0)) as server:
        kibitz = Command(server.url, tmp_path)
        report = await measured(kibitz, "rush", "--server", server.url, "--seconds", "1.5")
        (seen,) = report["rows"]
        check(seen)
        assert seen["limited"] > 0
        assert any("by the server's rate" in remark for remark in seen["remarks"])


async def test_the_table(kibitz: Command, server: Running) -> None:
    words = ("bench", "joins", "rooms", "idle", "--server", server.url, *SIZES)
    done = await kibitz.run(*words)
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    lines = done.out.splitlines()
    heads = lines.index(next(line for line in lines if line.startswith("load")))
    assert [line.split()[0] for line in lines[heads + 1 : heads + 3]] == ["rooms", "joins"]
    assert "rooms: 3 rooms, 2 watching each, a move due 20 times a second in each" in done.out
    assert "\nidle: left out, " in done.out
    async with at_terminal(kibitz, *words, width=80) as terminal:
        code, page = await terminal.end()
    assert code == 0
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--server", "ws://192.0.2.7:8765/ws"), "192.0.2.7 may not be this machine"),
        (("--server", "ws://kibitz.example/ws", "--json"), "add --yes"),
        (("--server", "ftp://127.0.0.1:8765/"), "is no address"),
        (("--server", "http://127.0.0.1:1/"), "no server at ws://127.0.0.1:1/ws"),
        (("--server", "ws://127.0.0.1:1/ws"), "no server at ws://127.0.0.1:1/ws"),
        (("--server", "ws://[fe80::1/ws", "--yes"), "is no address"),
        (("everything",), "everything"),
        (("--rate", "1000"), "--rate"),
        (("--rooms", "0"), "--rooms"),
        (("--processes", "none"), "--processes"),
        (("--seconds", "0"), "--seconds"),
    ],
)
async def test_what_cannot_be_measured(kibitz: Command, words: tuple[str, ...], said: str) -> None:
    done = await kibitz.run("bench", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


async def test_too_many_for_this_machine(kibitz: Command) -> None:
    command = f"ulimit -n 256; exec {sys.executable} -m kibitz.clients bench --spectators 900"
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", command), stderr=asyncio.subprocess.PIPE, env=kibitz.environ
    )
    _, err = await process.communicate()
    assert (process.returncode, b"open files" in err) == (2, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    kibitz = Command("", tmp_path, {"TMPDIR": str(tmp_path)})
    async with kibitz.running("bench", "rooms", *SIZES, "--seconds", "600") as process:
        await eventually(lambda: len(left_of(kibitz)) == 4)  # itself, a server, two of load
        process.send_signal(number)
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate()
        assert (process.returncode, out, err) == (130, b"", b"")
        assert not left_of(kibitz)
        assert not folders_of(kibitz)


@pytest.mark.parametrize("started", [2, 4])
async def test_ctrl_c_as_soon_as_a_process_is_there(tmp_path: Path, started: int) -> None:
    kibitz = Command("", tmp_path, {"TMPDIR": str(tmp_path)})
    async with kibitz.running("bench", *SIZES) as process:
        await eventually(lambda: len(left_of(kibitz)) >= started)
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE):
            _, err = await process.communicate()
        assert (process.returncode, err) == (130, b"")
        assert not left_of(kibitz)
        assert not folders_of(kibitz)


async def test_a_second_ctrl_c_leaves_nothing_either(tmp_path: Path) -> None:
    kibitz = Command("", tmp_path, {"TMPDIR": str(tmp_path)})
    async with kibitz.running("bench", "rooms", *SIZES, "--seconds", "600") as process:
        await eventually(lambda: len(left_of(kibitz)) == 4)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            await asyncio.sleep(0.01)
        async with asyncio.timeout(PATIENCE):
            await process.communicate()
        await eventually(lambda: not left_of(kibitz))


def test_a_signal_waits_until_a_process_is_known() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), signals.later():  # noqa: PT012
        signal.raise_signal(signal.SIGTERM)
        done.append("started")
    assert done == ["started"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


async def test_ctrl_c_on_a_terminal(tmp_path: Path) -> None:
    kibitz = Command("", tmp_path)
    async with at_terminal(kibitz, "bench", "crowd", *SIZES, "--seconds", "600") as terminal:
        await terminal.shows("crowd: 1 room, 7 watching, 20 moves a second")
        terminal.child.sendintr()
        code, page = await terminal.end()
    assert code == 130
    assert "Traceback" not in page
    assert not left_of(kibitz)


async def test_load_ends_with_who_started_it(kibitz: Command, server: Running) -> None:
    words = ("rooms", "--server", server.url, *SIZES, "--seconds", "600")
    async with kibitz.running("bench", *words) as process:
        await eventually(lambda: len(left_of(kibitz)) == 3)
        process.kill()
        await eventually(lambda: not left_of(kibitz))


@EACH_ENDS
@pytest.mark.parametrize("events", [1, 20], ids=["as rooms are made", "as they are played in"])
async def test_a_server_that_goes_meanwhile(tmp_path: Path, events: int) -> None:
    async with running_server() as server:
        kibitz = Command(server.url, tmp_path)
        words = ("rooms", "--server", server.url, *SIZES, "--seconds", "600")
        process = await kibitz.start("bench", *words)
        await eventually(
            lambda: [room.seq >= events for room in server.app.rooms] == [True] * ROOMS
        )
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate()
    assert (process.returncode, out) == (1, b"")
    assert (err.startswith(b"kibitz: "), err.count(b"\n")) == (True, 1), err
    assert b"a process of the load" not in err, "it says what became of the server"
    assert not left_of(kibitz)


def test_percentiles() -> None:
    times = merged([counted([0.001] * 98), counted([0.005, 0.25])])
    assert [percentile_ms(times, percent) for percent in (50, 98, 99, 100)] == [1, 1, 5, 250]
    assert percentile_ms({}, 50) is None


@pytest.mark.parametrize("whole", [0, 1, 5, 64])
def test_shares_make_the_whole(whole: int) -> None:
    jobs = [Job(load="crowd", number=number, of=5) for number in range(5)]
    assert sum(job.share(whole) for job in jobs) == whole


@pytest.mark.parametrize(
    ("cpu", "server", "said"),
    [
        ([0.5, 0.81], 0.3, "limited by the load, not by the server"),
        ([0.7, 0.6], 0.8, "server and load had all cores busy: the server alone can do more"),
        ([0.7, 0.6], None, None),
        ([0.3, 0.2], 1.0, None),
    ],
)
def test_what_was_limited(cpu: list[float], server: float | None, said: str | None) -> None:
    parts = [Part(done=1, seconds=1.0, cpu=share) for share in cpu]
    found = row(Job(load="joins", joins=2), parts, 2, server, None)
    assert found.remarks == ([said] if said else [])


@pytest.mark.parametrize(
    ("took", "said"), [(3.2, []), (6.0, ["too much: moves of 3 s took 6.0 s"])]
)
def test_more_than_can_be_carried_is_told(took: float, said: list[str]) -> None:
    parts = [Part(done=60, seconds=took), Part(seconds=3.0)]
    assert row(Job(load="crowd", seconds=3.0), parts, 2, None, None).remarks == said


def test_events_that_do_not_come_are_told() -> None:
    part = Part(done=3, seconds=1.0, events=4, expected=6, told=2.0)
    found = row(Job(load="rush"), [part], 1, None, None)
    assert (found.events_per_second, found.event_ms) == (2.0, {})
    assert found.remarks == ["2 events did not come: their watchers were too slow"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.1", "::", "localhost.example", "kibitz", ""])
def test_another_machine(host: str) -> None:
    assert not is_loopback(host)
