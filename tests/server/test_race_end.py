"""How a race ends: who has won, the table, the time; also while the server was down."""

from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest
from plays import WINNING
from races import NEAR, begin, kinds, later, race, seat, told, whole
from servers import Running, running_server
from talk import eventually, talking
from worlds import START_MS, Fake

from kibitz.protocol.course import standings
from kibitz.protocol.views import View
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.sqlite import SqliteLog


async def caught_up(running: Running, room: str, fake: Fake) -> None:
    """Wait until a server that has just started has let happen what was due, unasked."""
    await eventually(lambda: len(running.app.rooms) == 1)
    inside = await running.app.rooms.get(room)
    await eventually(lambda: inside.due is None or inside.due > fake.ms)


async def test_winners_by_time_then_the_others_by_score() -> None:
    """The table is the same in ``ended``, in a view, and folded from the log; equals share."""
    fake, log = Fake(), MemoryLog()
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(running_server(log, fake.world))
        racers = [
            await stack.enter_async_context(talking(running.url, name=name))
            for name in ("Ann", "Bob", "Cid", "Dan", "Eli")
        ]
        ann, bob, cid, dan, eli = racers
        room = await race(ann, seats=7, **NEAR)
        await seat(room, *racers[1:])
        await begin(running, fake, room, *racers)
        for racer in racers[:4]:
            await racer.ok("move", room=room, move=WINNING[0])
        fake.pass_time(9)
        await dan.ok("resign", room=room)
        await bob.ok("move", room=room, move=WINNING[1])
        await cid.ok("move", room=room, move=WINNING[1])
        fake.pass_time(1)
        await ann.ok("move", room=room, move=WINNING[1])
        await ann.refused("game-over", "undo", room=room)
        assert (await ann.ok("moves", room=room))["moves"] == []
        await eli.ok("resign", room=room)
        ended = await told(ann, room, "ended")
        table = [
            (row["place"], row["name"], row["status"], row["moves"], row["score"], row["ms"])
            for row in ended["results"]
        ]
        assert table == [
            (1, "Bob", "won", 2, 52, 9000),
            (1, "Cid", "won", 2, 52, 9000),
            (3, "Ann", "won", 2, 52, 10_000),
            (4, "Dan", "resigned", 1, 51, 9000),
            (5, "Eli", "resigned", 0, 50, 10_000),
        ]
        assert ended["result"] == "won"
        won = await told(eli, room, "won")
        assert (won["by"], won["moves"], won["ms"]) == (ann.id, 2, 10_000)
        seq = ended["seq"]
        view = msgspec.convert((await ann.ok("view", room=room, at=seq))["view"], View)
        assert msgspec.to_builtins(standings(view.boards, view.seats)) == ended["results"]
        assert [board.status for board in view.boards][5:] == ["empty", "empty"]
        state, _ = await whole(log, room)
        again = standings(state.view().boards, state.seats)
        assert msgspec.to_builtins(again) == ended["results"]
        page = await eli.ok("history", room=room, limit=500)
        assert page["events"][-1] == ended
        assert (await ann.ok("rooms"))["rooms"][0]["status"] == "won"


async def test_who_never_ran_is_on_no_table() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, seats=4)
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        await ann.ok("resign", room=room)
        await bob.ok("resign", room=room)
        ended = await told(ann, room, "ended")
        assert [(row["seat"], row["place"]) for row in ended["results"]] == [(1, 1), (2, 1)]
        assert (ended["result"], len(ended["boards"])) == ("resigned", 4)
        assert ended["opened"]["deal"] == "1"


@pytest.mark.parametrize("done", [False, True])
async def test_the_time_limit_ends_every_board_that_is_open(done: bool) -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, limit=60, **NEAR)
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        assert (await ann.ok("rooms"))["rooms"][0]["due"] == START_MS + 65_000
        if done:
            await ann.ok("resign", room=room)
        await bob.ok("move", room=room, move=WINNING[0])
        await later(running, fake, 59.999)
        await bob.settle()
        assert "timeout" not in kinds(bob, room)
        await later(running, fake, 0.001)
        ended = await told(bob, room, "ended")
        assert kinds(bob, room)[-2:] == ["timeout", "ended"]
        assert ended["result"] == "timeout"
        assert [(row["status"], row["seat"], row["ms"]) for row in ended["results"]] == [
            ("timeout", 2, 60_000),
            ("resigned", 1, 0) if done else ("timeout", 1, 60_000),
        ]
        await bob.refused("game-over", "move", room=room, move=WINNING[1])
        assert "due" not in (await ann.ok("rooms"))["rooms"][0]


async def test_nothing_is_done_when_the_time_is_up_however_late_that_is_noticed() -> None:
    """The first command after it finds the race ended; before the start it finds it begun."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        running.app._tasks[1].cancel()  # nobody wakes a room
        room = await race(ann, limit=60, **NEAR)
        await seat(room, bob)
        for talk in (ann, bob):
            await talk.ok("ready", room=room)
        fake.pass_time(6)
        await ann.ok("move", room=room, move=WINNING[0])
        await bob.ok("move", room=room, move=WINNING[0])
        fake.pass_time(61)
        await ann.refused("game-over", "move", room=room, move=WINNING[1])
        assert (await told(bob, room, "ended"))["result"] == "timeout"


async def test_what_became_due_while_the_server_was_down_happens_at_once(tmp_path: Path) -> None:
    """First the start, then the end of the time."""
    fake = Fake()
    async with (
        running_server(SqliteLog(tmp_path / "log"), fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, limit=100)
        await seat(room, bob)
        await ann.ok("ready", room=room)
        await bob.ok("ready", room=room)
        tokens = ann.token, bob.token
    for kind, passed in (("started", 30), ("timeout", 100)):
        fake.pass_time(passed)
        async with (
            running_server(SqliteLog(tmp_path / "log"), fake.world) as running,
            talking(running.url, token=tokens[0]) as ann,
            talking(running.url, token=tokens[1]) as bob,
        ):
            await caught_up(running, room, fake)
            joined = (await seat(room, ann, bob))[0]
            page = await ann.ok("history", room=room)
            happened = next(event for event in page["events"] if event["kind"] == kind)
            assert happened["at"] == fake.ms - START_MS
            if kind == "started":
                assert joined["view"]["boards"][0]["piles"]
                await bob.ok("move", room=room, move="sw")
            else:
                assert joined["view"]["status"] == "timeout"
                assert page["events"][-1]["results"][0]["ms"] == passed * 1000
