"""What an operator measures is what happened; who measures is the operator."""

import asyncio
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest
from processes import run, standby
from scraped import Scraped, scrape
from servers import EACH_COUNTS, Running, running_server
from talk import Talk, connected, eventually, fetch, talking
from websockets.asyncio.server import ServerConnection

from kibitz.protocol.codes import CloseCode, ErrorCode
from kibitz.protocol.wire import Encoding
from kibitz.server.log.log import LogFailure
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.operation.measures import Distribution
from kibitz.server.operation.scraping import is_near

LONG = "🂡" * 500


def places(scraped: Scraped) -> dict[str, float]:
    """The connections by role and encoding, those that there are."""
    name = "kibitz_connections"
    return {key: value for key, value in scraped.items() if key.startswith(name) and value}


def place(role: str, encoding: Encoding) -> str:
    return f'kibitz_connections{{encoding="{encoding.name.lower()}",role="{role}"}}'


async def all_gone_but(running: Running, many: int) -> None:
    """Wait until the server has seen everybody go who has gone."""
    await eventually(lambda: len(running.app._connections) == many)


@EACH_COUNTS
async def test_connections_are_counted_through_a_storm() -> None:
    """Everybody comes, takes and leaves seats, looks on and goes, by chance."""
    rng = Random("storm")
    async with running_server() as running, AsyncExitStack() as stack:
        ann = await stack.enter_async_context(talking(running.url))
        rooms = [
            (await ann.ok("create", game="klondike", mode="coop", seats=8, seat=False))["room"]
            for _ in range(3)
        ]
        for room in rooms:
            await ann.ok("leave", room=room)
        guests: dict[Talk, AsyncExitStack] = {}
        roles: dict[Talk, dict[str, str]] = {ann: {}}

        async def step() -> None:
            kind, room = (
                rng.choice(["come", "go", "look", "play", "leave", "leave"]),
                rng.choice(rooms),
            )
            if kind == "come" or not guests:
                own = AsyncExitStack()
                talk = await own.enter_async_context(
                    talking(running.url, rng.choice(list(Encoding)))
                )
                guests[talk], roles[talk] = own, {}
                return
            talk = rng.choice(list(guests))
            if kind == "go":
                del roles[talk]
                await guests.pop(talk).aclose()
            elif kind == "leave":
                await talk.ok("leave", room=room)
                roles[talk].pop(room, None)
            else:
                role = "player" if kind == "play" else "spectator"
                if (await talk.ask("join", room=room, role=role))["t"] == "joined":
                    roles[talk][room] = role

        for round_ in range(6):
            for _ in range(25):
                await step()
            everybody = {talk: set(has.values()) for talk, has in roles.items()}
            counts: Counter[str] = Counter()
            for talk, has in everybody.items():
                role = "player" if "player" in has else "spectator" if has else "none"
                counts[place(role, talk.encoding)] += 1
            await all_gone_but(running, len(everybody))
            assert places(await scrape(running.http)) == counts, round_
        for own in guests.values():
            await own.aclose()


async def test_what_is_asked_and_refused_is_counted(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log")
    async with running_server(log) as running, talking(running.url) as ann:
        fresh = await scrape(running.http)
        for code in ErrorCode:
            assert fresh[f'kibitz_refusals_total{{code="{code}"}}'] == 0
        for close in CloseCode:
            assert fresh[f'kibitz_closes_total{{code="{int(close)}"}}'] == 0
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        for number in range(5):
            await ann.ok("say", f"s{number}", room=room, text="hm")
        await ann.refused("illegal", "undo", room=room)
        await ann.refused("bad-move", "move", room=room, move="?")
        await ann.refused("no-room", "moves", room="nowhere")
        async with connected(running.url) as rude:
            rude.read()
            await rude.send({"t": "ping"})
            assert await rude.closed() == 4401
        now = await scrape(running.http)
        assert now.rises('kibitz_requests_total{type="say"}', fresh) == 5
        assert now.rises('kibitz_refusals_total{code="bad-move"}', fresh) == 1
        assert now.rises('kibitz_refusals_total{code="no-room"}', fresh) == 1
        assert now.rises('kibitz_closes_total{code="4401"}', fresh) == 1
        assert now.rises("kibitz_ok_seconds_count", fresh) == 5
        assert now["kibitz_rooms"] == 1 and now["kibitz_draining"] == 0
        assert now["kibitz_commit_records_sum"] == 6
        assert 2 <= now["kibitz_commit_seconds_count"] == now["kibitz_commit_records_count"] <= 6
        assert now['kibitz_commit_seconds_bucket{le="+Inf"}'] == now["kibitz_commit_seconds_count"]
        assert now["kibitz_log_queue"] == now["kibitz_log_failures_total"] == 0
        assert now["process_open_fds"] > 10 and now["process_resident_memory_bytes"] > 1e7
        log._writer_db.execute("pragma query_only = on")
        await ann.refused("internal", "restart", room=room)
        assert (await scrape(running.http))["kibitz_log_failures_total"] == 1
        log._writer_db.execute("pragma query_only = off")


async def test_appends_wait_until_they_are_answered(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log")
    async with running_server(log) as running, talking(running.url) as ann:
        room = await running.app.rooms.get((await ann.ok("create", game="klondike"))["room"])
        assert log.meter.waiting == 0
        log._writer_db.execute("pragma query_only = on")
        done = asyncio.create_task(ann.ask("restart", room=room.id))
        await eventually(lambda: log.meter.waiting or done.done())
        assert (await done)["code"] == "internal" and log.meter.waiting == 0
        log._writer_db.execute("pragma query_only = off")


@EACH_COUNTS
async def test_who_does_not_read_is_counted_by_what_he_was() -> None:
    async with (
        running_server() as running,
        talking(running.url) as ann,
        connected(running.url, receive_buffer=4096) as bob,
        connected(running.url, receive_buffer=4096) as eve,
    ):
        room = (await ann.ok("create", game="klondike", mode="coop", seats=2))["room"]
        for talk, role in ((bob, "player"), (eve, "spectator")):
            await talk.send({"t": "hello"})
            await talk.send({"t": "join", "room": room, "role": role})
        names = [f'kibitz_outbox_drops_total{{kind="{kind}"}}' for kind in ("player", "spectator")]
        for number in range(5000):
            await ann.ok("say", room=room, text=LONG)
            now = await scrape(running.http) if number % 100 == 99 else None
            if now and all(now[name] for name in names):
                break
        assert now is not None
        assert [now[name] for name in names] == [1, 1]
        assert now['kibitz_closes_total{code="4408"}'] == 1


@EACH_COUNTS
async def test_a_loop_that_was_held_up_is_seen() -> None:
    async with running_server() as running:
        await asyncio.sleep(0.3)
        before = await scrape(running.http)
        time.sleep(0.4)  # noqa: ASYNC251
        await asyncio.sleep(0.01)
        now = await scrape(running.http)
    assert now.rises("kibitz_loop_lag_seconds_count", before) >= 1
    late = 'kibitz_loop_lag_seconds_bucket{le="0.25"}'
    assert now["kibitz_loop_lag_seconds_count"] > now[late]


def test_a_distribution_is_what_a_plain_count_gives() -> None:
    rng = Random(7)
    bounds = (1, 2.5, 10)
    seen = Distribution(bounds)
    values = [rng.choice([0.5, 1, 2.5, 9, 10, 11, 1000]) for _ in range(500)]
    for value in values:
        seen.observe(value)
    assert sum(seen.counts) == 500 and seen.total == sum(values)
    for number, bound in enumerate(bounds):
        assert sum(seen.counts[: number + 1]) == sum(value <= bound for value in values)


# Who may see


@pytest.mark.parametrize(
    ("address", "near"),
    [
        *((a, True) for a in ("127.0.0.1", "::1", "10.1.2.3", "172.17.0.1", "192.168.0.9")),
        *((a, True) for a in ("::ffff:10.0.0.1", "fd00::1", "fe80::1%eth0", "169.254.1.1")),
        *((a, False) for a in ("192.0.2.7", "8.8.8.8", "172.32.0.1", "::ffff:8.8.8.8")),
        *((a, False) for a in ("2001:db8::1", "100.64.0.1", "", "unix:", "nonsense")),
    ],
)
def test_what_is_near(address: str, near: bool) -> None:
    assert is_near(address) is near


async def ask(http: str, *headers: str) -> tuple[int, bytes]:
    """Status and body of ``/metrics`` with these headers."""
    host = http.removeprefix("http://")
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    lines = ["GET /metrics HTTP/1.1", f"Host: {host}", *headers, "", ""]
    writer.write("\r\n".join(lines).encode())
    answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


async def test_without_a_token_it_is_for_who_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server() as running:
        assert (await ask(running.http))[0] == 200
        nothing = await fetch(running.http, "/nothing")
        for header in (
            *("X-Forwarded-For: 127.0.0.1", "x-forwarded-for: 8.8.8.8", "Forwarded: for=_me"),
            *("X-Real-IP: 10.0.0.1", "Via: 1.1 proxy", "X-Forwarded-Host: play.example.org"),
        ):
            assert await ask(running.http, header) == nothing
        far = property(lambda _: ("192.0.2.7", 4711))
        monkeypatch.setattr(ServerConnection, "remote_address", far)
        assert await ask(running.http) == nothing
        assert (await fetch(running.http, "/readyz"))[0] == 200


async def test_with_a_token_it_is_for_who_brings_it(tmp_path: Path) -> None:
    token = "x" * 20
    (tmp_path / "token").write_text(token + "\n")
    option = "--metrics-token-file", str(tmp_path / "token")
    async with standby(tmp_path / "log", *option) as server:
        http = (await server.start()).replace("ws://", "http://").removesuffix("/ws")
        bearer = f"Authorization: Bearer {token}"
        assert (await ask(http, bearer))[0] == 200
        assert (await ask(http, bearer, "X-Forwarded-For: 8.8.8.8"))[0] == 200
        for wrong in ((), (bearer + "x",), (bearer, bearer), ("Authorization: Bearer é",)):
            status, body = await ask(http, *wrong)
            assert status == 401 and b"kibitz_" not in body
        assert await server.terminate() == 0
        assert token not in server.said


@pytest.mark.parametrize("content", [None, "", "short", "with\nanother line of it"])
async def test_a_token_that_is_none_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "token").write_text(content)
    code, said = await run("--memory", "--metrics-token-file", str(tmp_path / "token"))
    assert code == 2 and str(tmp_path / "token") in said and len(said.splitlines()) == 1


async def test_no_failure_quotes_what_was_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise ValueError("a hidden card")

    log = SqliteLog(tmp_path / "log")
    async with running_server(log) as running, talking(running.url) as ann:
        room = await running.app.rooms.get((await ann.ok("create", game="klondike"))["room"])
        monkeypatch.setattr("kibitz.server.log.writer.write_record", fail)
        with pytest.raises(LogFailure, match=r"^ValueError$"):
            await room.stand_up(next(iter(running.app._connections)).identity)
