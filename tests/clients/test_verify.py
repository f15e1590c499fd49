"""``kibitz verify``: files and rooms, live and ended; what it says and how it ends."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from clients.commands import Command
from msgspec.structs import replace
from plays import NEAR_WIN, WINNING
from races import begin, race, seat, wake
from servers import Running, running_server
from talk import fetch, talking
from worlds import Fake

from kibitz.clients.pledging import create_pledged
from kibitz.clients.session import connect
from kibitz.clients.verifying.room import verdict_on_room
from kibitz.engine.board import Board
from kibitz.engine.table import Table
from kibitz.protocol.requests import Create
from kibitz.server.lobby.creation import create
from kibitz.server.log.record import Record

OPEN = {"file": "ok", "chain": "ok", "openings": "ok", "deal": "open", "rules": "ok"}
OK = OPEN | {"deal": "ok"}


async def test_a_room_live_and_ended(kibitz: Command, server: Running, tmp_path: Path) -> None:
    async with talking(server.url) as ann:
        room = (await ann.ok("create", game="klondike", save=NEAR_WIN))["room"]
        await ann.ok("move", room=room, move=WINNING[0])
        live = await kibitz.run_here("verify", room)
        assert (live.code, live.err) == (0, "")
        assert [line.split()[:2] for line in live.out.splitlines()] == list(map(list, OPEN.items()))
        await ann.ok("move", room=room, move=WINNING[1])
        done = await kibitz.run_here("verify", "--json", room)
        said = json.loads(done.out)
        assert {each["check"]: each["result"] for each in said["checks"]} == OK
        assert (done.code, said["source"], said["failed"]) == (0, room, False)
        for name in ("replay.json", "replay.txt"):
            path = tmp_path / name
            path.write_bytes((await fetch(server.http, f"/rooms/{room}/{name}"))[1])
            assert (await kibitz.run_here("verify", str(path))).code == 0
            whole = path.read_bytes()
            path.write_bytes(whole + b"\n \n")
            edited = await kibitz.run_here("verify", str(path))
            assert edited.code == 1 and "perhaps by an editor or mail" in edited.out
            path.write_bytes(whole.replace(b"klondike", b"klondikf", 1))
            forged = await kibitz.run_here("verify", "--json", str(path))
            assert forged.code == 1 and json.loads(forged.out)["failed"]
    assert (await kibitz.run_here("verify", "nowhere")).code == 2


async def test_a_file_that_is_no_replay_is_one_sentence(kibitz: Command, tmp_path: Path) -> None:
    path = tmp_path / "it"
    for data, said in (
        (NEAR_WIN.encode(), "is a save, not a replay"),
        (b"SQLite format 3\0\x10\0", "is no replay"),
        (bytes(range(256)) * 40, "is no replay"),
        (b'{"name": "kibitz"}', "is no replay"),
        (b"", "is no replay"),
    ):
        path.write_bytes(data)
        done = await kibitz.run_here("verify", "--json", str(path))
        assert (done.code, done.out, done.err) == (2, "", f"kibitz: {path} {said}\n")
    for data in (
        b"# format: kibitz-replay-2\n",
        b'{"format":"kibitz-replay-json-1"',
        b"# root: \xff",
    ):
        path.write_bytes(data)
        assert (await kibitz.run_here("verify", str(path))).code == 1


async def test_a_room_that_an_operator_closed() -> None:
    key = "correct horse battery staple"
    async with running_server(admin_key=key) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        await ann.ok("admin", act="close", key=key, room=room)
        async with connect(running.url) as client:
            verdict = await verdict_on_room(client, room)
    assert verdict.results == OPEN
    assert verdict.findings[3].says.startswith("the room was closed before the game had ended")


async def test_a_line_that_does_not_fit_is_shown(kibitz: Command, tmp_path: Path) -> None:
    path = tmp_path / "replay.txt"
    text = "# format: kibitz-replay-1\n# game: klondike\n" + NEAR_WIN + "> reset\n"
    path.write_text(text)
    done = await kibitz.run_here("verify", str(path))
    number = len(text.splitlines())
    assert done.code == 1 and f"rules     failed  line {number}: " in done.out
    assert done.out.endswith(f"{number:>5} | > reset\n")


async def test_a_room_whose_server_swaps_a_hidden_card(server: Running) -> None:
    async with talking(server.url) as ann, connect(server.url) as client:
        room = (await ann.ok("create", game="klondike-single"))["room"]
        position = (await server.app.rooms.get(room)).state.positions[0]
        first, *rest, last = position.board.table.piles["Stock"]
        position.board = Board(position.board.start)
        old = position.board.table
        position.board.table = Table({**old.piles, "Stock": (last, *rest, first)}, old.counters)
        assert (await verdict_on_room(client, room)).results == OPEN, "nothing to be seen as yet"
        await ann.ok("move", room=room, move="sw")
        found = (await verdict_on_room(client, room)).findings[-1]
        assert (found.result, found.event) == ("failed", 3)


async def test_a_race_as_each_of_them_sees_it() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann)
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        rng = Random(5)
        for talk in (ann, bob, ann, ann, bob):
            moves = (await talk.ok("moves", room=room))["moves"]
            await talk.ok("move", room=room, move=rng.choice(moves))
        for token in (None, bob.token):
            async with connect(running.url, token=token) as client:
                verdict = await verdict_on_room(client, room)
                assert verdict.results == OPEN | {"rules": "open"}, verdict.findings
        for talk in (ann, bob):
            await talk.ok("resign", room=room)
        async with connect(running.url) as client:
            assert (await verdict_on_room(client, room)).results == OK


async def test_a_room_that_is_shown_late_and_one_that_shows_a_game() -> None:
    fake = Fake()
    async with running_server(world=fake.world) as running, talking(running.url) as ann:
        late = (await ann.ok("create", game="aces-up", policy={"delay": 10}))["room"]
        fake.pass_time(20)
        await ann.ok("move", room=late, move="d")
        await wake(running)
        async with connect(running.url) as client:
            assert (await verdict_on_room(client, late)).results == OPEN
            await ann.ok("resign", room=late)
            fake.pass_time(20)
            await wake(running)
            assert (await verdict_on_room(client, late)).results == OK
            show = (await ann.ok("present", room=late))["room"]
            await ann.ok("control", room=show, control={"at": 2})
            assert not (await verdict_on_room(client, show)).failed


async def test_a_new_room_of_ours_is_pledged(server: Running) -> None:
    async with connect(server.url) as client:
        mirror, kept = await create_pledged(client, "montana", options={"shuffles": 1})
        assert kept and mirror.info.fair and mirror.info.fair.nonce
        other, _ = await create_pledged(client, "montana")
        assert other.info.fair and other.info.fair.nonce != mirror.info.fair.nonce


async def test_a_server_that_leaves_the_nonce_out_is_noticed(
    server: Running, monkeypatch: pytest.MonkeyPatch, kibitz: Command
) -> None:
    def without(request: Create, *rest: Any) -> Record:
        return create(replace(request, nonce=None), *rest)

    monkeypatch.setattr("kibitz.server.lobby.rooms.create", without)
    async with connect(server.url) as client:
        _, kept = await create_pledged(client, "montana")
        assert kept is False
    played = await kibitz.run("play", "montana", lines="quit\n")
    assert "beware: the server dealt otherwise than it had pledged\n" in played.out
