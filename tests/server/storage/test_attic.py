"""Rooms in which nothing has happened for long are put away, and can be read ever after."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from processes import standby
from races import begin, race, seat
from servers import Running, running_server
from talk import Talk, fetch, talking
from worlds import Fake, HeldLog

from kibitz.engine import replays
from kibitz.server.limits.settings import IDLE_SECONDS
from kibitz.server.log.log import EventLog, LogFailure
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.sqlite import SqliteLog

DAY = 86_400.0
KEEP = 3
Make = Callable[[], EventLog]


@pytest.fixture(params=["memory", "sqlite"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> EventLog:
    return MemoryLog() if request.param == "memory" else SqliteLog(tmp_path / "k.db")


@contextlib.asynccontextmanager
async def server(fake: Fake, log: EventLog) -> AsyncIterator[Running]:
    async with running_server(log, fake.world, keep=KEEP) as running:
        yield running


async def tidy(running: Running, fake: Fake, days: float = KEEP + 0.1) -> int:
    """Let time pass, rooms leave memory, and put away what is old."""
    fake.pass_time(days * DAY)
    running.app.rooms.sweep()
    assert running.app.attic is not None
    return await running.app.attic.tidy(pause=0)


async def finish(talk: Talk, room: str, moves: int = 8) -> None:
    """Play a little, say something, give up."""
    for _ in range(moves):
        move = (await talk.ok("moves", room=room))["moves"][0]
        await talk.ok("move", room=room, move=move)
    await talk.ok("say", room=room, text="nice one")
    await talk.ok("resign", room=room)


async def gone(talk: Talk, room: str) -> None:
    """Leave a room, so that nobody is in it."""
    await talk.ok("leave", room=room)


async def text_of(running: Running, room: str, board: int = 0, token: str | None = None) -> str:
    status, body = await fetch(running.http, f"/rooms/{room}/replay.txt?board={board}", token)
    assert status == 200, body
    return body.decode()


async def test_an_archived_room_is_read_as_before_and_entered_no_more(log: EventLog) -> None:
    fake = Fake()
    async with server(fake, log) as running, talking(running.url) as ann:
        games = ("montana", "aces-up", "klondike", "klondike-single", "thumb-and-pouch")
        rooms = [(await ann.ok("create", game=game, deal="7"))["room"] for game in games]
        for room in rooms:
            await finish(ann, room)
            await gone(ann, room)
        before = [await text_of(running, room) for room in rooms]
        assert await tidy(running, fake, KEEP - 0.1) == 0
        fake.pass_time(0.2 * DAY)
        young = (await ann.ok("create", game="montana"))["room"]
        assert await tidy(running, fake, 0) == len(rooms)
        assert await tidy(running, fake, 0) == 0
        assert [await text_of(running, room) for room in rooms] == before
        for room, text in zip(rooms, before, strict=True):
            replays.verify(replays.read(text))
            assert await log.read(room) == []
            for role in ("spectator", "player"):
                error = await ann.refused("no-room", "join", room=room, role=role)
                assert "is archived" in error["message"]
                assert f"/rooms/{room}/replay.txt" in error["message"]
            for name in ("replay.json", "save.txt"):
                status, body = await fetch(running.http, f"/rooms/{room}/{name}")
                assert status == 410 and b"replay.txt" in body
            assert (await fetch(running.http, f"/rooms/{room}/replay.txt?board=1"))[0] == 400
        listed = (await ann.ok("rooms"))["rooms"]
        assert [info["id"] for info in listed] == [young]


async def test_it_is_still_there_after_a_restart(tmp_path: Path) -> None:
    fake = Fake()
    async with (
        server(fake, SqliteLog(tmp_path / "k.db")) as running,
        talking(running.url) as ann,
    ):
        room = (await ann.ok("create", "mine", game="klondike", deal="7"))["room"]
        await finish(ann, room)
        await gone(ann, room)
        text = await text_of(running, room)
        assert await tidy(running, fake) == 1
    async with (
        server(fake, SqliteLog(tmp_path / "k.db")) as running,
        talking(running.url, token=ann.token) as ann,
    ):
        assert await text_of(running, room) == text
        error = await ann.refused("no-room", "create", "mine", game="klondike", deal="7")
        assert "is archived" in error["message"], "a name stands for one room for ever"
        assert (await ann.ok("rooms"))["rooms"] == []


async def test_a_game_that_never_ended_keeps_its_hidden_cards(log: EventLog) -> None:
    fake = Fake()
    async with server(fake, log) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike-single", deal="7"))["room"]
        await ann.ok("move", room=room, move="sw")
        await gone(ann, room)
        before = await text_of(running, room)
        assert "??" in before
        assert await tidy(running, fake) == 1
        assert await text_of(running, room) == before
        found = await log.find_away(room)
        assert found is not None and found[0].status == "open"


async def test_of_a_race_every_board_is_kept(log: EventLog) -> None:
    fake = Fake()
    async with (
        server(fake, log) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann)
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        for talk in (ann, bob):
            move = (await talk.ok("moves", room=room))["moves"][0]
            await talk.ok("move", room=room, move=move)
            await talk.ok("resign", room=room)
        before = [await text_of(running, room, board) for board in (0, 1)]
        for talk in (ann, bob):
            await gone(talk, room)
        waiting = (await ann.ok("create", game="montana", mode="race", seats=2))["room"]
        await gone(ann, waiting)
        assert await tidy(running, fake) == 2
        assert [await text_of(running, room, board) for board in (0, 1)] == before
        assert (await fetch(running.http, f"/rooms/{room}/replay.txt?board=2"))[0] == 400
        assert (await fetch(running.http, f"/rooms/{waiting}/replay.txt"))[0] == 400


async def test_a_private_room_is_read_by_those_who_sat_in_it(log: EventLog) -> None:
    fake = Fake()
    async with (
        server(fake, log) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        wish = {"game": "klondike", "visibility": "private", "password": "cats", "deal": "7"}
        room = (await ann.ok("create", **wish))["room"]
        await finish(ann, room)
        before = await text_of(running, room, token=ann.token)
        await gone(ann, room)
        assert await tidy(running, fake) == 1
        assert await text_of(running, room, token=ann.token) == before
        for token in (None, bob.token):
            assert (await fetch(running.http, f"/rooms/{room}/replay.txt", token))[0] == 403
        error = await bob.refused("no-room", "join", room=room, password="cats")
        assert "is archived" in error["message"]


async def test_the_table_of_a_day_keeps_its_rows(tmp_path: Path) -> None:
    fake = Fake()
    async with (
        server(fake, SqliteLog(tmp_path / "k.db")) as running,
        talking(running.url) as ann,
    ):
        day = (await ann.ok("daily", game="montana"))["date"]
        room = (await ann.ok("create", game="montana", daily=True))["room"]
        await finish(ann, room)
        await gone(ann, room)
        assert await tidy(running, fake) == 1
        table = await ann.ok("daily", game="montana", date=day)
        assert [row["room"] for row in table["rows"]] == [room]
        assert await text_of(running, room)
    async with (
        server(fake, SqliteLog(tmp_path / "k.db")) as running,
        talking(running.url) as ann,
    ):
        assert (await ann.ok("daily", game="montana", date=day))["rows"] == table["rows"]


async def test_what_somebody_is_in_or_waits_for_stays(log: EventLog) -> None:
    fake = Fake()
    async with (
        server(fake, log) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        begins = fake.ms + int(20 * DAY * 1000)
        arranged = await ann.ok("create", game="montana", mode="race", seats=2, begins=begins)
        watched = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await bob.ok("join", room=watched)
        for room in (arranged["room"], watched):
            await gone(ann, room)
        assert await tidy(running, fake) == 0
        await bob.ok("leave", room=watched)
        fake.pass_time(IDLE_SECONDS + 1)
        assert await tidy(running, fake, 0) == 1


async def test_what_follows_from_an_archived_room_goes_on(log: EventLog) -> None:
    fake = Fake()
    async with server(fake, log) as running, talking(running.url) as ann:
        parent = (await ann.ok("create", game="klondike-single", deal="7"))["room"]
        await ann.ok("move", room=parent, move="sw")
        fork = (await ann.ok("fork", room=parent))["room"]
        await ann.refused("forbidden", "resign", room=fork)
        first = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await finish(ann, first)
        shown = (await ann.ok("present", room=first))["room"]
        second = (await ann.ok("rematch", room=first))["room"]
        for room in (parent, first, shown, second, fork):
            await gone(ann, room)
        fake.pass_time((KEEP - 1) * DAY)
        for room in (fork, second, shown):
            await ann.ok("join", room=room, role="player")
        await ann.ok("say", room=fork, text="still here")
        await ann.ok("control", room=shown, control={"at": 3})
        await ann.ok("say", room=second, text="still here")
        assert await tidy(running, fake, 1.1) == 2
        await ann.ok("resign", room=fork)  # the game it was forked from cannot go on any more
        await ann.ok("resign", room=second)
        third = await ann.ok("rematch", room=second)
        assert third["view"]["series"]["first"] == first
        again = await ann.ok("join", room=shown)
        assert again["view"]["recorded"]["room"] == first
        await ann.refused("no-room", "join", room=first)


class FullLog(SqliteLog):
    """A file on a disk that is full, for rooms that are to be put away."""

    full = True

    async def put_away(self, room: str, expected: int, kept: bytes) -> None:
        """Refuse as a full disk does."""
        if self.full:
            raise LogFailure("database or disk is full")
        await super().put_away(room, expected, kept)


async def test_a_room_that_cannot_be_put_away_stays_and_is_put_away_later(tmp_path: Path) -> None:
    fake, log = Fake(), FullLog(tmp_path / "k.db")
    async with server(fake, log) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await finish(ann, room)
        await gone(ann, room)
        with pytest.raises(LogFailure):
            await tidy(running, fake)
        assert (await ann.ok("join", room=room))["view"]["status"] == "resigned"
        await gone(ann, room)
        log.full = False
        assert await tidy(running, fake) == 1


async def test_who_comes_while_it_is_put_away_waits_for_the_outcome() -> None:
    fake, log = Fake(), HeldLog()
    async with server(fake, log) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await gone(ann, room)
        fake.pass_time(KEEP * DAY + 60)
        running.app.rooms.sweep()
        log.hold("read")
        assert running.app.attic is not None
        putting = asyncio.create_task(running.app.attic.tidy(pause=0))
        await log.waiting.wait()
        joining = asyncio.create_task(ann.ask("join", room=room))
        await asyncio.sleep(0.05)
        log.release()
        assert (await joining)["code"] == "no-room"
        assert await putting == 1


async def test_killed_in_the_middle_each_room_is_there_in_one_form(tmp_path: Path) -> None:
    path, fake, texts = tmp_path / "k.db", Fake(), {}
    async with (
        running_server(SqliteLog(path), fake.world) as running,
        talking(running.url) as ann,
    ):
        for _ in range(30):
            room = (await ann.ok("create", game="klondike", deal="7"))["room"]
            await finish(ann, room, 3)
            texts[room] = await text_of(running, room)
    away = 0
    while away < len(texts):
        async with standby(path, "--keep", "1") as process:
            await process.start()
            before = away
            while away < min(before + 7, len(texts)):
                with contextlib.closing(sqlite3.connect(path)) as db:
                    (away,) = db.execute("select count(*) from archive").fetchone()
                await asyncio.sleep(0.01)
            await process.kill()
        with contextlib.closing(sqlite3.connect(path)) as db:
            left = {id_ for (id_,) in db.execute("select id from room")}
            there = {id_ for (id_,) in db.execute("select distinct room from record")}
            put = {id_ for (id_,) in db.execute("select id from archive")}
        assert left == there and not left & put and left | put == set(texts)
    async with standby(path) as process:
        http = (await process.start()).replace("ws://", "http://").removesuffix("/ws")
        for room, text in texts.items():
            assert (await fetch(http, f"/rooms/{room}/replay.txt"))[1].decode() == text
