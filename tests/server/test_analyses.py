"""What became of games that have ended: told when asked, worked out in processes of their own."""

import asyncio
import subprocess
import urllib.error
import urllib.request
from dataclasses import replace

import msgspec
import pytest
from apart import DIES, NEVER, workers
from plays import LOSING, NEAR_LOSS, lose
from races import begin, race
from scraped import scrape
from servers import EACH_COUNTS, EACH_HAS, UNLIMITED, USUAL, Running, running_server
from talk import eventually, fetch, talking, unpack
from worlds import Fake

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.replays import Replay, read, write
from kibitz.engine.replays import run as replayed
from kibitz.engine.text import Request
from kibitz.protocol.analysed import Analysed
from kibitz.server.analysing import analyses, child, worker
from kibitz.server.limits.rates import Rate
from kibitz.server.log.memory import MemoryLog
from kibitz.server.operation.metrics import Metrics
from kibitz.server.processes import Failed
from kibitz.server.settings import Access
from kibitz.server.web import pages


async def asked(
    running: Running, room: str, board: int = 0, token: str | None = None
) -> tuple[int, bytes]:
    return await fetch(running.http, f"/rooms/{room}/analysis.json?board={board}", token)


async def found(running: Running, room: str, board: int = 0) -> Analysed:
    """The analysis, once it is there."""
    async with asyncio.timeout(100):
        while True:
            status, body = await asked(running, room, board)
            if status != 202:
                assert status == 200, body
                return msgspec.json.decode(body, type=Analysed)


async def wins(running: Running, room: str, analysis: Analysed) -> bool:
    """Whether the line wins, by the rules, from where it says."""
    text = (await fetch(running.http, f"/rooms/{room}/replay.txt"))[1].decode()
    replay = read(text)
    steps = [table for step, table in replayed(replay) if step.command]
    at = analysis.winnable
    assert at is not None
    table = steps[analysis.commands[at - 1] - 1] if at else replay.start
    game = GAMES[replay.game.name]
    for written in analysis.line:
        move = TEXTS[game.name].parse(written)
        assert not isinstance(move, Request)
        table = play(game, table, move, NO_CHANCE).table
    return game.is_won(table)


async def test_a_lost_game_has_its_mistake_and_a_line_that_wins() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = await lose(ann)
        analysis = await found(running, room)
        assert (analysis.deal, analysis.winnable, analysis.lost) == ("win", 3, 4)
        assert (analysis.mistake, analysis.length) == (4, 4)
        assert analysis.moves == list(LOSING)
        assert analysis.commands == [3, 4, 5, 6], "the move that was taken back, and the undo count"
        assert await wins(running, room, analysis)


@EACH_HAS
async def test_what_was_found_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = await lose(ann)
        first = await found(running, room)
        monkeypatch.setattr(child, "WORKER", DIES)
        await ann.ok("say", room=room, text="so that was it")
        assert await found(running, room) == first
        monkeypatch.setattr(analyses, "MOST_KEPT", 1)
        other = await lose(ann)
        assert (await asked(running, other))[0] == 503, "it needs a process"


async def test_a_game_that_still_runs_is_not_looked_at() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="montana"))["room"]
        for token in (None, ann.token):
            status, body = await asked(running, room, token=token)
            assert (status, body[:27]) == (403, b"the game has not ended: wha")
        assert not workers()
        assert (await asked(running, "nowhere"))[0] == 404
        assert (await asked(running, room, board=1))[0] == 400


async def test_who_may_not_see_the_replay_may_not_ask() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = await lose(ann, visibility="private")
        assert (await asked(running, room))[0] == 403
        assert (await asked(running, room, token=ann.token))[0] in (200, 202)


async def test_every_board_of_a_race_has_its_own() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, game="aces-up", mode="race", save=NEAR_LOSS, seats=2)
        await bob.ok("join", room=room, role="player")
        await begin(running, fake, room, ann, bob)
        for move in LOSING:
            await ann.ok("move", room=room, move=move)
        await ann.ok("resign", room=room)
        assert (await asked(running, room, token=ann.token))[0] == 403, "the other one still plays"
        await bob.ok("move", room=room, move=LOSING[0])
        await bob.ok("resign", room=room)
        assert (await found(running, room, 0)).mistake == 4
        other = await found(running, room, 1)
        assert (other.mistake, other.winnable, other.moves) == (None, 1, ["d"])


async def test_an_archived_room_is_looked_at_too() -> None:
    fake = Fake()
    async with (
        running_server(MemoryLog(), fake.world, keep=1) as running,
        talking(running.url) as ann,
    ):
        room = await lose(ann)
        open_ = (await ann.ok("create", game="montana"))["room"]
        for each in (room, open_):
            await ann.ok("leave", room=each)
        fake.pass_time(86_400 * 1.1)
        running.app.rooms.sweep()
        attic = running.app.attic
        assert attic is not None and await attic.tidy(pause=0) == 2
        assert (await found(running, room)).mistake == 4
        assert (await asked(running, open_))[0] == 403, "its cards are all open, but it never ended"


@EACH_COUNTS
async def test_only_so_many_wait_and_none_is_left_at_the_end(
    monkeypatch: pytest.MonkeyPatch, no_failures: None
) -> None:
    monkeypatch.setattr(child, "WORKER", NEVER)
    monkeypatch.setattr(analyses, "ASK_SECONDS", 0.01)
    monkeypatch.setattr(analyses, "MOST_WAITING", 2)
    async with running_server() as running, talking(running.url) as ann:
        rooms = [await lose(ann) for _ in range(3)]
        answers = [await asked(running, room) for room in (rooms[0], *rooms)]
        assert [status for status, _ in answers] == [202, 202, 202, 429]
        assert b"too many analyses that wait; come back in " in answers[-1][1]
        assert (await scrape(running.http))["kibitz_analyses_waiting"] == 2
        await eventually(lambda: len(workers()) == 1)

        def headers(room: str) -> str | None:
            try:
                with urllib.request.urlopen(f"{running.http}/rooms/{room}/analysis.json") as answer:
                    return str(answer.headers["Retry-After"])
            except urllib.error.HTTPError as error:
                error.close()
                return error.headers["Retry-After"]

        assert await asyncio.to_thread(headers, rooms[0]) == "2"
        assert await asyncio.to_thread(headers, rooms[2]) == "4"
    assert not workers()


@EACH_COUNTS
async def test_no_address_has_all_places(
    monkeypatch: pytest.MonkeyPatch, no_failures: None
) -> None:
    monkeypatch.setattr(child, "WORKER", NEVER)
    monkeypatch.setattr(analyses, "ASK_SECONDS", 0.01)
    access = Access(trusted_proxy=["127.0.0.1"])
    async with running_server(access=access) as running, talking(running.url) as ann:
        rooms = [await lose(ann) for _ in range(4)]

        async def status(room: str, address: str) -> tuple[int, bytes]:
            return await fetch(running.http, f"/rooms/{room}/analysis.json", forwarded=address)

        for room in (*rooms[:2], *rooms[:2]):
            assert (await status(room, "192.0.2.7"))[0] == 202
        refused = await status(rooms[2], "192.0.2.7")
        assert refused[0] == 429
        assert refused[1].startswith(b"too many analyses per address; come back in ")
        assert (await status(rooms[2], "198.51.100.7"))[0] == 202, "others have theirs"
        assert (await status(rooms[2], "192.0.2.7"))[0] == 202, "and it may be asked after"


async def test_what_is_kept_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"a": 60, "b": 30, "c": 30, "d": 200, "e": 5}
    made = list[str]()

    async def analysed_apart(text: bytes, seconds: float) -> bytes:
        made.append(text.decode())
        return bytes(sizes[text.decode()])

    monkeypatch.setattr(analyses, "analysed_apart", analysed_apart)
    monkeypatch.setattr(analyses, "MOST_KEPT_BYTES", 100)
    kept = analyses.Analyses(1.0, Metrics(MemoryLog().meter))

    async def ask(name: str) -> None:
        async def text() -> bytes:
            return name.encode()

        assert await kept.of((name, 0), text, None) == bytes(sizes[name])

    for name in "abacabdbe":
        await ask(name)
    assert made == ["a", "b", "c", "b", "d", "b", "e"]
    assert kept._bytes == sum(map(len, kept._kept.values())) == 35


@EACH_COUNTS
async def test_it_costs_as_a_replay_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "EVENTS_A_DOWNLOAD", 1)
    for name in ("replay.txt", "analysis.json"):
        limits = replace(UNLIMITED, downloads_per_identity=Rate(0.0001, 5))
        async with running_server(limits=limits) as running, talking(running.url) as ann:
            room = await lose(ann)
            path = f"/rooms/{room}/{name}"
            assert (await fetch(running.http, path, ann.token))[0] in (200, 202)
            assert (await fetch(running.http, path, ann.token))[0] == 429, name


@EACH_HAS
async def test_a_process_that_fails_is_said_to_have(
    monkeypatch: pytest.MonkeyPatch, no_failures: None
) -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = await lose(ann)
        monkeypatch.setattr(child, "WORKER", DIES)
        status, body = await asked(running, room)
        while status == 202:
            status, body = await asked(running, room)
        assert (status, body[:40]) == (503, b"what became of this game could not be fo")
        monkeypatch.setattr(child, "WORKER", NEVER)
        monkeypatch.setattr(worker, "READING_SECONDS", 0.0)
        monkeypatch.setattr(running.app._analyses, "seconds", 0.001)
        assert (await asked(running, await lose(ann)))[0] == 503, "it took too long"
        assert (await scrape(running.http))['kibitz_analyses_total{outcome="failed"}'] == 2
        assert not workers()


async def test_an_operator_wants_none() -> None:
    operating = replace(USUAL, analysis_seconds=0.0)
    async with running_server(operating=operating) as running, talking(running.url) as ann:
        assert unpack(ann.frames[0])["limits"]["analysis"] == 0
        room = await lose(ann)
        status, said = await asked(running, room)
        assert (status, f"`kibitz solve {room}`".encode() in said) == (404, True)
    async with running_server() as running, talking(running.url) as ann:
        assert unpack(ann.frames[0])["limits"]["analysis"] == 2000


async def test_what_is_no_ended_game_is_no_work() -> None:
    for text in (b"nonsense\n", b"\xff"):
        with pytest.raises(Failed):
            await child.analysed_apart(text, 1)


def test_a_worker_whose_server_is_gone_ends() -> None:
    game = GAMES["montana"]
    text = write(Replay(game, game.deal(deck_of("1")), (), {}))
    command = [*child.WORKER, "1000", "0"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, b"")
    assert msgspec.json.decode(done.stdout, type=Analysed).deal == "unknown"
