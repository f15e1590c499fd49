"""A log that cannot write changes nothing and tells nobody; one others write to is followed."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from races import kinds, later, race, seat, wake
from servers import Running, running_server
from talk import Plain, Talk, eventually, fetch, talking
from worlds import Fake

from kibitz.protocol.views import Event, RoomInfo
from kibitz.server.log.log import Conflict, LogFailure
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.room import writing
from kibitz.server.room.room import Room


def fill_disk(log: SqliteLog) -> None:
    """Let the file grow no further."""
    log._writer_db.execute("pragma max_page_count = 1").fetchone()


def empty_disk(log: SqliteLog) -> None:
    """Let it grow again."""
    log._writer_db.execute("pragma max_page_count = 1000000").fetchone()


def forbid(log: SqliteLog) -> None:
    """Let nothing be written."""
    log._writer_db.execute("pragma query_only = on")


def allow(log: SqliteLog) -> None:
    """Let it be written to again."""
    log._writer_db.execute("pragma query_only = off")


async def fail(talk: Talk, room: str) -> Plain:
    """Make the smallest of events until the log fails: a page may have had space left."""
    for _ in range(500):
        answer = await talk.ask("save", room=room)
        if answer["t"] == "error":
            return answer
    raise AssertionError("the log did not fail")


@pytest.mark.parametrize(("spoil", "mend"), [(fill_disk, empty_disk), (forbid, allow)])
async def test_what_cannot_be_written_has_not_happened(
    tmp_path: Path, spoil: Callable[[SqliteLog], None], mend: Callable[[SqliteLog], None]
) -> None:
    log = SqliteLog(tmp_path / "log")
    async with (
        running_server(log) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        made = await ann.ok("create", game="klondike", mode="coop", seats=3, deal="1")
        room = made["room"]
        await bob.ok("join", room=room, role="player")
        spoil(log)
        error = await fail(ann, room)
        assert error["code"] == "internal" and error["retry_ms"] > 0
        assert await fetch(running.http, "/readyz") == (503, b"nothing can be written\n")
        assert (await fetch(running.http, "/healthz"))[0] == 200
        before = await ann.ok("join", "before", room=room, role="player")
        rooms = (await ann.ok("rooms"))["rooms"]
        for t in ("restart", "resign", "save"):
            await ann.refused("internal", t, "later" if t == "resign" else None, room=room)
        await ann.refused("internal", "create", "new", game="montana")
        assert (await fetch(running.http, f"/rooms/{room}/save.txt", bob.token))[0] == 503
        async with talking(running.url) as eve:
            await eve.refused("internal", "join", room=room, role="player")
            await eve.refused("no-room", "moves", room=room)
            assert (await eve.ok("join", room=room))["view"] == before["view"]
        assert await ann.ok("join", "before", room=room, role="player") == before
        assert (await ann.ok("rooms"))["rooms"] == rooms
        assert list((await ann.ok("ping"))["heads"]) == [room]
        await bob.settle()
        assert len(bob.events()) == before["seq"] - 3

        mend(log)
        ok = await ann.ok("resign", "later", room=room)
        assert ok["seq"] == before["seq"] + 2
        assert (await fetch(running.http, "/readyz"))[0] == 200
        assert await ann.ok("resign", "later", room=room) == ok
        await bob.settle()
        assert [e["seq"] for e in bob.events()] == list(range(4, ok["seq"] + 1))
        await ann.ok("create", "new", game="montana")
        assert len((await ann.ok("rooms"))["rooms"]) == 2


@pytest.mark.parametrize("part", ["log", "file"])
async def test_a_closed_log_is_answered_with_an_error(tmp_path: Path, part: str) -> None:
    log = SqliteLog(tmp_path / "log")
    async with running_server(log) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        if part == "log":
            await log.close()
        else:
            log._writer_db.close()
        for _ in range(2):
            await ann.refused("internal", "move", room=room, move="discard")
        assert (await ann.ok("ping"))["heads"][room][0] == 2
        assert len(await ann.ok("moves", room=room)) > 1


async def behind(log: MemoryLog, room: Room, *events: Event) -> None:
    """Write to the log as another server would."""
    record = Record(events=list(events), by="another")
    await log.append(room.id, room.seq, [record], room.whole_entry())


async def with_room(running: Running, talk: Talk) -> Room:
    """A new room."""
    made = await talk.ok("create", game="klondike", deal="1")
    return await running.app.rooms.get(made["room"])


async def test_what_another_writer_did_comes_first() -> None:
    log = MemoryLog()
    async with (
        running_server(log) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await with_room(running, ann)
        await bob.ok("join", room=room.id)
        said = Event(seq=3, at=1, by="another", name="Zoë", kind="say", text="hm")
        await behind(log, room, said)
        ok = await ann.ok("move", "mine", room=room.id, move="discard")
        assert ok["seq"] == 4
        await bob.settle()
        for talk in (ann, bob):
            assert [(e["seq"], e["kind"]) for e in talk.events()] == [(3, "say"), (4, "move")]
        await behind(log, room, Event(seq=5, at=9, kind="say", text="hm"))
        stale = await ann.refused("stale", "move", room=room.id, move="discard", expect=4)
        assert stale["seq"] == 5
        assert await ann.ok("move", "mine", room=room.id, move="discard") == ok
        page = await bob.ok("history", room=room.id)
        assert [event["seq"] for event in page["events"]] == [1, 2, 3, 4, 5]


async def test_a_command_is_decided_anew_after_another_writer() -> None:
    log = MemoryLog()
    async with running_server(log) as running, talking(running.url) as ann:
        room = await with_room(running, ann)
        gone = Event(seq=3, at=1, by="another", kind="resigned")
        await behind(log, room, gone, Event(seq=4, at=1, kind="ended", result="resigned", fx=[]))
        await ann.refused("game-over", "move", room=room.id, move="discard")
        assert (await ann.ok("ping"))["heads"][room.id][0] == 4
        other = await with_room(running, ann)
        done = Record(
            events=[Event(seq=3, at=1, by=ann.id, kind="say", text="hm")], by=ann.id, i="same"
        )
        await log.append(other.id, 2, [done], other.whole_entry())
        assert (await ann.ok("say", "same", room=other.id, text="hm"))["seq"] == 3


class Contested(MemoryLog):
    """A log where somebody else is always first."""

    contested = False

    def append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> asyncio.Future[None]:
        """Refuse."""
        if not self.contested:
            return super().append(room, expected, records, info)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_exception(Conflict(expected, expected + 1))
        return done


async def test_a_room_that_is_never_free_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "CONFLICT_SECONDS", 0.05)
    log = Contested()
    async with running_server(log) as running, talking(running.url) as ann:
        room = await with_room(running, ann)
        log.contested = True
        error = await ann.refused("internal", "move", room=room.id, move="discard")
        assert error["retry_ms"] > 0
        log.contested = False
        await ann.ok("move", room=room.id, move="discard", expect=2)


async def test_who_has_gone_is_not_waited_for_once_the_log_works_again(tmp_path: Path) -> None:
    log, fake = SqliteLog(tmp_path / "log"), Fake()
    async with (
        running_server(log, fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as cid,
    ):
        room = await race(ann, seats=3, countdown=0)
        await seat(room, bob, cid)
        for racer in (ann, bob):
            await racer.ok("ready", room=room)
        forbid(log)
        await cid.drop()
        await wake(running)
        allow(log)
        assert "countdown" not in kinds(ann, room)
        await later(running, fake, 2)
        await ann.until(lambda: "countdown" in kinds(ann, room))


async def test_what_nobody_can_say_is_a_failure() -> None:
    """The log's answer is cancelled: whoever waits hears of it, and the room goes on."""

    class Vague(MemoryLog):
        vague = False

        def append(
            self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
        ) -> asyncio.Future[None]:
            if not self.vague:
                return super().append(room, expected, records, info)
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            done.cancel()
            return done

    log = Vague()
    async with running_server(log) as running, talking(running.url) as ann:
        room = await with_room(running, ann)
        log.vague = True
        await ann.refused("internal", "move", room=room.id, move="discard")
        log.vague = False
        await ann.ok("move", room=room.id, move="discard", expect=2)


async def test_a_log_that_nobody_writes_to_finds_out_that_it_can(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log")
    async with running_server(log) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        forbid(log)
        await ann.refused("internal", "move", room=room, move="discard")
        assert (await fetch(running.http, "/readyz"))[0] == 503
        allow(log)
        await eventually(lambda: not log.meter.failing)
        assert (await fetch(running.http, "/readyz"))[0] == 200
        assert await log.kept() == {}
        await ann.ok("move", room=room, move="discard")


async def test_what_is_the_fault_of_a_record_is_none_of_the_disk(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log")
    async with running_server(log) as running:
        bad = Record(events=[Event(seq=1, at=2**70, kind="say")], by="x")
        info = RoomInfo(
            id="x",
            game="montana",
            mode="solo",
            players=[],
            seats=1,
            spectators=0,
            seq=1,
            score=0,
            status="open",
            started=5,
            visibility="public",
        )
        with pytest.raises(LogFailure):
            await log.append("x", 0, [bad], info)
        assert (await fetch(running.http, "/readyz"))[0] == 200
