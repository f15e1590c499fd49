"""HTTP on the same port, asked for wrongly, and by many."""

import asyncio
from urllib.parse import urlsplit

import pytest
from servers import Running
from talk import PATIENCE, fetch, talking


async def raw(running: Running, request: str) -> tuple[int, bytes]:
    """Status and the whole answer to bytes on the wire."""
    at = urlsplit(running.http)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    writer.write(request.encode())
    async with asyncio.timeout(PATIENCE):
        answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return int(answer.split()[1]), answer


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("GET /healthz", 200),
        ("GET /nothing", 404),
        ("GET /rooms/x/replay.txt", 404),
        ("GET /rooms/x/../replay.txt", 404),
        ("GET /rooms/%2e%2e/save.txt", 404),
        ("GET http://[/healthz", 400),
        ("GET //[x/healthz", 400),
        ("HEAD /healthz", 200),
        ("POST /healthz", 405),
        ("DELETE /rooms/x/save.txt", 405),
    ],
)
async def test_every_request_has_its_answer(running: Running, line: str, status: int) -> None:
    got, _ = await raw(running, f"{line} HTTP/1.1\r\nHost: x\r\n\r\n")
    assert got == status


async def test_two_tokens_are_none(running: Running) -> None:
    bearer = "Authorization: Bearer kbz_x\r\n"
    got, _ = await raw(running, f"GET /rooms/x/save.txt HTTP/1.1\r\nHost: x\r\n{bearer * 2}\r\n")
    assert got == 401


async def test_only_get_of_a_save_is_written_down(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="aces-up"))["room"]
        bearer = f"Authorization: Bearer {ann.token}"
        head = f"HEAD /rooms/{room}/save.txt HTTP/1.1\r\nHost: x\r\n{bearer}\r\n\r\n"
        assert (await raw(running, head))[0] == 405
        assert (await fetch(running.http, f"/rooms/{room}/save.txt", ann.token))[0] == 200
        await ann.settle()
        assert [event["kind"] for event in ann.events()] == ["saved"]


async def test_reading_a_long_past_keeps_nobody_waiting(running: Running) -> None:
    """However many ask for it, the answers to others come in between."""
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = (await ann.ok("create", game="klondike-single", deal="1"))["room"]
        for _ in range(1500):
            await ann.ok("move", room=room, move="sw")
        paths = [f"/rooms/{room}/replay.txt", f"/rooms/{room}/replay.json"] * 4
        downloads = [asyncio.create_task(fetch(running.http, path)) for path in paths]
        between = 0
        while not all(download.done() for download in downloads):
            await bob.ok("ping")
            between += 1
        assert {(await download)[0] for download in downloads} == {200}
        assert between > len(paths), "others were answered meanwhile"


async def test_who_comes_when_too_many_wait_is_told_so(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what is short is read at once all the same."""
    monkeypatch.setattr("kibitz.server.room.past.SHORT", 3)
    for lane in (running.app._past._short, running.app._past._long):
        monkeypatch.setattr(lane, "_most", 0)
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        assert (await fetch(running.http, f"/rooms/{room}/replay.txt"))[0] == 200
        for _ in range(2):
            await ann.ok("move", room=room, move="discard")
        assert (await fetch(running.http, f"/rooms/{room}/replay.txt"))[0] == 429
        refused = await ann.refused("rate-limited", "replay", text="# game: aces-up\n")
        assert refused["retry_ms"] > 0
        assert (await ann.ok("view", room=room, at=4))["seq"] == 4


async def test_odd_queries_are_refused_and_saves_are_told_once(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        many = "&".join(["a=1"] * 9)
        assert (await fetch(running.http, f"/rooms/{room}/replay.txt?{many}"))[0] == 400
        assert (await fetch(running.http, f"/rooms/{room}/replay.txt?board=x"))[0] == 400
        for _ in range(3):
            path = f"/rooms/{room}/save.txt"
            assert (await fetch(running.http, path, token=ann.token))[0] == 200
        await ann.settle()
        assert [event["kind"] for event in ann.events(room)] == ["saved"]
        await ann.ok("move", room=room, move="discard")
        await fetch(running.http, path, token=ann.token)
        await ann.settle()
        assert [event["kind"] for event in ann.events(room)][-1] == "saved"
