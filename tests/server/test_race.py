"""Races over the socket: seats, the agreement to start, play on boards of one's own, the end."""

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest
from plays import NEAR_WIN, WINNING
from races import begin, follow, kinds, later, mirror, seat, told, view_of
from servers import Running, running_server
from talk import Plain, Talk, eventually, fetch, talking
from worlds import START_MS, Fake

from kibitz.protocol.course import standings
from kibitz.protocol.views import Event, View
from kibitz.protocol.wire import Encoding
from kibitz.server.audience import public
from kibitz.server.log_memory import MemoryLog
from kibitz.server.log_sqlite import SqliteLog
from kibitz.server.record import Record
from kibitz.server.state import RoomState

RACE: Plain = {"game": "klondike-single", "mode": "race", "deal": "1"}
NEAR: Plain = {"game": "klondike", "mode": "race", "save": NEAR_WIN}


async def race(talk: Talk, i: str | None = None, **wish: object) -> str:
    """A new race in which the asker has the first seat."""
    room: str = (await talk.ok("create", i, **({} if "save" in wish else RACE) | wish))["room"]
    return room


async def whole(log: MemoryLog, room: str) -> tuple[RoomState, list[Event]]:
    """The room as its log makes it, and its full events."""
    first, *rest = await log.read(room)
    state = RoomState(first)
    for record in rest:
        state.apply(record)
    return state, [event for record in (first, *rest) for event in record.events]


async def caught_up(running: Running, room: str, fake: Fake) -> None:
    """Wait until a server that has just started has let happen what was due, unasked."""
    await eventually(lambda: len(running.app.rooms) == 1)
    inside = await running.app.rooms.get(room)
    await eventually(lambda: inside.due is None or inside.due > fake.ms)


@pytest.mark.parametrize("seats", [2, 100])
async def test_a_race_has_a_board_for_every_seat(seats: int) -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        made = await ann.ok("create", **RACE, seats=seats)
        empty = {"piles": {}, "status": "open", "moves": 0, "score": 0, "counters": {}}
        boards = made["view"]["boards"]
        assert (len(boards), len(made["view"]["seats"])) == (seats, seats)
        assert boards[0] == empty and boards[1:] == [empty | {"hidden": True}] * (seats - 1)
        assert (made["seat"], made["board"]) == (1, 0)
        assert made["view"]["race"] == {"countdown": 5, "limit": 3600}
        policy = made["view"]["policy"]
        assert (policy["masked"], policy["save"], policy["cheat"]) == (True, False, False)
        (entry,) = (await ann.ok("rooms"))["rooms"]
        assert (entry["waiting"], entry["masked"], entry["seats"]) == (True, True, seats)
        assert "due" not in entry


async def test_nobody_is_told_the_deal_before_the_start() -> None:
    """A race from a deal number that everybody could have chosen: still no card is sent."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, Encoding.MSGPACK, name="Bob") as bob,
    ):
        room = await race(ann)
        await seat(room, bob)
        for talk in (ann, bob):
            history = await talk.ok("history", room=room)
            assert "fx" not in history["events"][0] and "opened" not in str(history)
            for t, fields in (
                ("moves", {}),
                ("undo", {}),
                ("restart", {}),
                ("resign", {}),
                ("move", {"move": "sw"}),
            ):
                refused = await talk.refused("illegal", t, room=room, **fields)
                assert refused["message"] == "the race has not begun"
            await talk.refused("forbidden", "save", room=room)
            await talk.refused("forbidden", "cheat", room=room)
            await talk.refused("forbidden", "fork", room=room)
            at = f"/rooms/{room}"
            assert (await fetch(running.http, f"{at}/save.txt", talk.token))[0] == 403
            assert (await fetch(running.http, f"{at}/replay.txt", talk.token))[0] == 400
        await begin(running, fake, room, ann, bob)
        assert (await ann.ok("moves", room=room))["moves"]


async def test_ready_unready_leave_and_join_make_and_call_off_the_countdown() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url, name="Cid") as cid,
    ):
        room = await race(ann, seats=3)
        await ann.ok("ready", room=room)
        await later(running, fake, 60)  # one alone never begins
        await seat(room, bob)
        fake.pass_time(1)
        await bob.ok("ready", room=room)
        assert (await told(ann, room, "countdown"))["begins"] == 66_000
        assert (await ann.ok("rooms"))["rooms"][0]["due"] == START_MS + 66_000
        await ann.ok("ready", room=room, on=False)
        await later(running, fake, 60)
        await ann.ok("ready", room=room)
        await seat(room, cid)  # one more, and he is not ready
        await later(running, fake, 60)
        await cid.ok("leave", room=room)  # now all who sit are ready again
        await bob.ok("leave", room=room)
        await later(running, fake, 60)
        await seat(room, bob)
        await ann.settle()
        assert kinds(ann, room) == [
            *("ready", "joined", "ready", "countdown", "unready", "countdown"),
            *("ready", "countdown", "joined", "countdown", "left", "countdown"),
            *("left", "countdown", "joined"),
        ]
        begins = [event.get("begins") for event in ann.events(room) if event["kind"] == "countdown"]
        assert begins == [66_000, None, 126_000, None, 186_000, None]
        assert "due" not in (await ann.ok("rooms"))["rooms"][0]
        seen = (await bob.ok("join", room=room, role="player"))["view"]["race"]
        assert seen == {"countdown": 5, "limit": 3600, "ready": [1]}
        await bob.ok("ready", room=room)
        await later(running, fake, 4.999)
        await (await running.app.rooms.get(room)).wake()  # a moment too soon
        await ann.settle()
        assert "started" not in kinds(ann, room)
        await later(running, fake, 0.001)
        started = await told(ann, room, "started")
        assert started["at"] == ann.events(room)[-3]["begins"]
        await bob.refused("illegal", "ready", room=room, on=False)
        await cid.refused("full", "join", room=room, role="player")
        assert (await cid.ok("join", room=room))["view"]["boards"][2]["status"] == "empty"


async def test_being_ready_is_for_those_who_sit_in_a_race() -> None:
    async with (
        running_server() as running,
        talking(running.url) as ann,
        talking(running.url) as eve,
    ):
        solo = (await ann.ok("create", game="klondike"))["room"]
        await ann.refused("illegal", "ready", room=solo)
        room = await race(ann)
        await eve.ok("join", room=room)
        await eve.refused("not-seated", "ready", room=room)
        first = await ann.ok("ready", room=room)
        assert (await ann.ok("ready", room=room))["seq"] == first["seq"], "ready already"


@pytest.mark.parametrize("early", [False, True])
async def test_an_arranged_race_begins_at_its_time(early: bool) -> None:
    """Whether anybody is ready does not matter; with one racer it waits for another."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        room = await race(ann, begins=START_MS + 100_000)
        assert (await ann.ok("rooms"))["rooms"][0].get("due") is None, "one is not enough"
        if early:
            await seat(room, bob)
            await ann.ok("ready", room=room)
            await bob.ok("ready", room=room)
            assert (await ann.ok("rooms"))["rooms"][0]["due"] == START_MS + 100_000
            await later(running, fake, 99.999)
            await ann.settle()
            assert kinds(ann, room) == ["joined", "ready", "ready"]
            await later(running, fake, 0.001)
        else:
            await later(running, fake, 150)
            await seat(room, bob)
            assert (await told(ann, room, "countdown"))["begins"] == 155_000
            await later(running, fake, 4.9)
            await ann.settle()
            assert kinds(ann, room) == ["joined", "countdown"]
            await later(running, fake, 0.1)
        started = await told(ann, room, "started")
        assert started["at"] == (100_000 if early else 155_000)


async def test_an_arranged_race_whose_second_racer_goes_waits_for_another() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, begins=START_MS + 1000)
        await later(running, fake, 2)
        await seat(room, bob)
        await bob.ok("leave", room=room)
        await later(running, fake, 60)
        await ann.settle()
        assert "started" not in kinds(ann, room)
        await seat(room, bob)
        fake.pass_time(3)
        await bob.ok("leave", room=room)
        fake.pass_time(1)
        await seat(room, bob)  # the countdown begins anew
        await later(running, fake, 4.9)
        await ann.settle()
        assert "started" not in kinds(ann, room)
        await later(running, fake, 0.1)
        assert (await told(ann, room, "started"))["at"] == 71_000


@pytest.mark.parametrize("begins", [-1, 0, 30 * 86_400_000 + 1])
async def test_a_race_is_arranged_for_a_time_to_come(begins: int) -> None:
    fake = Fake()
    async with running_server(world=fake.world) as running, talking(running.url) as ann:
        await ann.refused("bad-option", "create", **RACE, begins=START_MS + begins)


async def test_everybody_gets_the_start_at_once() -> None:
    """Racers and those who look on: ``started`` and ``dealt`` with numbers that follow, unasked."""
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(running_server())
        racers = [
            await stack.enter_async_context(talking(running.url, encoding))
            for encoding in (*Encoding, *Encoding)
        ]
        eve = await stack.enter_async_context(talking(running.url))
        room = await race(racers[0], seats=5, countdown=0)
        await seat(room, *racers[1:])
        await eve.ok("join", room=room)
        for racer in racers:
            await racer.ok("ready", room=room)
        dealt = [await told(racer, room, "dealt") for racer in racers]
        assert all(event == dealt[0] for event in dealt)
        assert dealt[0]["fx"] and len(dealt[0]["salt"]) == 32
        (stub,) = [event for event in eve.events(room) if event["kind"] == "hidden"] or [
            await told(eve, room, "hidden")
        ]
        assert (stub["seq"], "fx" in stub) == (dealt[0]["seq"], False)
        for talk in (*racers, eve):
            pair = talk.events(room)[-2:]
            assert pair[0]["kind"] == "started" and "score" in pair[0]
            assert pair[1]["seq"] == pair[0]["seq"] + 1 and pair[1]["at"] == pair[0]["at"]


async def test_each_plays_on_a_board_of_his_own() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, Encoding.MSGPACK, name="Bob") as bob,
    ):
        room = await race(ann)
        (joined,) = await seat(room, bob)
        assert (joined["seat"], joined["board"]) == (2, 1)
        await begin(running, fake, room, ann, bob)
        await ann.ok("move", room=room, move="sw")
        await bob.ok("move", room=room, move="sw", board=1)
        await bob.refused("forbidden", "move", room=room, move="sw", board=0)
        await bob.refused("forbidden", "moves", room=room, board=0)
        await bob.refused("bad-option", "moves", room=room, board=2)
        drags = (await bob.ok("moves", room=room))["drags"]
        source, target, cards = next(drag for drag in drags if drag)
        await bob.ok("move", room=room, from_=source, to=target, cards=cards)
        await ann.refused("illegal", "redo", room=room)
        await ann.ok("undo", room=room)
        await ann.refused("illegal", "undo", room=room)
        await ann.ok("redo", room=room)
        await bob.ok("restart", room=room)
        await bob.ok("undo", room=room)  # so that there is something to do again
        last = (await ann.ok("ping"))["heads"][room][0]
        for talk, own in ((ann, 0), (bob, 1)):
            view = (await talk.ok("view", room=room, at=last))["view"]
            counts = [board["moves"] for board in view["boards"]]
            assert counts == [1, 2]
            other = view["boards"][1 - own]
            assert other["hidden"] and other["piles"] == {} == other["counters"]
            assert sum(map(len, view["boards"][own]["piles"].values())) == 52
            hints = await talk.ok("moves", room=room)
            assert (hints["undo"], hints["redo"]) == (True, talk is bob)
            await talk.settle()
            mine = [e for e in talk.events(room) if e.get("board", 0) == own and "salt" in e]
            stubs = [e for e in talk.events(room) if e["kind"] == "hidden"]
            assert all("fx" in event for event in mine)
            assert {event.get("board", 0) for event in stubs} == {1 - own}
            assert {"t", "room", "seq", "at", "kind", "board", "moves", "score", "commit"} >= {
                key for event in stubs for key in event
            }


async def test_a_client_that_follows_has_what_the_server_shows() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url, name="Eve") as eve,
    ):
        made = await ann.ok("create", **NEAR)
        room = made["room"]
        (joined,) = await seat(room, bob)
        watched = await eve.ok("join", room=room)
        clients = [(ann, mirror(made)), (bob, mirror(joined)), (eve, mirror(watched))]
        marks = dict.fromkeys((ann, bob, eve), 0)

        async def check() -> None:
            for talk, client in clients:
                seq, hash_ = (await talk.ok("ping"))["heads"][room]
                follow(client, talk.pushes[marks[talk] :])
                marks[talk] = len(talk.pushes)
                shown = await talk.ok("view", room=room, at=seq)
                assert view_of(client) == shown["view"]
                assert (client.seq, client.hash) == (seq, hash_) == (seq, shown["hash"])

        await check()
        await begin(running, fake, room, ann, bob)
        await check()
        await ann.ok("move", room=room, move=WINNING[0])
        fake.pass_time(2)
        await check()
        await ann.ok("move", room=room, move=WINNING[1])
        await check()
        await ann.settle()
        fresh = [push for push in ann.pushes if push["t"] == "view"]
        assert len(fresh) == 1 and "i" not in fresh[0], "who is done sees every board"
        assert not any("hidden" in board for board in fresh[0]["view"]["boards"])
        await bob.ok("move", room=room, move=WINNING[0])
        await check()
        assert ann.events(room)[-1]["kind"] == "move" and eve.events(room)[-1]["kind"] == "hidden"
        await bob.ok("resign", room=room)
        await check()
        for talk, client in clients:
            ended = await told(talk, room, "ended")
            assert ended["results"] == msgspec.to_builtins(
                standings(client.view.boards, client.view.seats)
            )
            assert not any("??" in pile for b in client.view.boards for pile in b.piles.values())


async def test_expect_is_about_the_own_board() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann)
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        seen = (await ann.ok("ping"))["heads"][room][0]
        await bob.ok("move", room=room, move="sw")
        await bob.ok("say", room=room, text="hm")
        mine = (await ann.ok("move", room=room, move="sw", expect=seen))["seq"]
        stale = await ann.refused("stale", "move", room=room, move="sw", expect=seen)
        assert stale["seq"] == mine
        await ann.refused("stale", "undo", room=room, expect=mine + 1)
        await bob.ok("undo", room=room)
        await ann.ok("undo", room=room, expect=mine)
        await bob.refused("stale", "resign", room=room, expect=mine)


async def test_chance_is_the_same_for_everybody() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, game="montana", deal=None, options={"shuffles": 3})
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        for _ in range(2):
            shuffled = []
            for talk in (ann, bob):
                at = (await talk.ok("move", room=room, move="s"))["seq"]
                boards = (await talk.ok("view", room=room, at=at))["view"]["boards"]
                shuffled.append(boards[0 if talk is ann else 1])
            assert shuffled[0]["piles"] == shuffled[1]["piles"]


async def test_a_racer_who_goes_keeps_his_seat() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url, name="Eve") as eve,
    ):
        room = await race(ann)
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        await bob.ok("move", room=room, move="sw")
        await bob.ok("leave", room=room)
        await bob.refused("no-room", "move", room=room, move="sw")
        await later(running, fake, 3000)
        await eve.refused("full", "join", room=room, role="player")
        back = await bob.ok("join", room=room, role="player")
        assert (back["seat"], back["board"], back["view"]["boards"][1]["moves"]) == (2, 1, 1)
        await bob.drop()
        async with talking(running.url, token=bob.token) as again:
            missed = await ann.ok("move", room=room, move="sw")
            resumed = await again.ok(
                "join", room=room, role="player", from_=back["seq"], hash=back["hash"]
            )
            assert [event["kind"] for event in resumed["events"]] == ["hidden"]
            assert resumed["hash"] == missed["hash"]
            await again.ok("move", room=room, move="sw")


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


@pytest.mark.parametrize("way", ["join", "leave"])
async def test_who_comes_or_goes_too_late_does_not_stop_the_start(way: str) -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as cid,
    ):
        running.app._tasks[1].cancel()
        room = await race(ann, seats=3)
        await seat(room, bob)
        for talk in (ann, bob):
            await talk.ok("ready", room=room)
        fake.pass_time(5)
        if way == "join":
            await cid.refused("full", "join", room=room, role="player")
        else:
            await bob.ok("leave", room=room)
        await told(ann, room, "dealt")
        assert (await bob.ok("join", room=room, role="player"))["seat"] == 2


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


async def test_a_stuck_board_is_told_to_its_racer_alone() -> None:
    """Aces Up with the stock gone and nothing to move: the race goes on."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, game="aces-up", deal="1")
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        for _ in range(12):
            await ann.ok("move", room=room, move="d")
        while legal := (await ann.ok("moves", room=room))["moves"]:
            await ann.ok("move", room=room, move=legal[0])
        stuck = await told(ann, room, "stuck")
        await bob.settle()
        assert "salt" in stuck and "stuck" not in kinds(bob, room)
        stub = next(event for event in bob.events(room) if event["seq"] == stuck["seq"])
        assert (stub["kind"], stub["at"]) == ("hidden", stuck["at"])
        assert (await ann.ok("rooms"))["rooms"][0]["status"] == "open"
        await ann.ok("undo", room=room)


async def test_named_requests_of_a_race_are_answered_again() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, "race-1")
        assert await race(ann, "race-1") == room
        await seat(room, bob)
        first = await ann.ok("ready", "r1", room=room)
        ready = await bob.ok("ready", "r1", room=room)
        assert ready["seq"] == first["seq"] + 2, "with the countdown"
        assert await bob.ok("ready", "r1", room=room) == ready
        await bob.refused("bad-message", "ready", "r1", room=room, on=False)
        off = await bob.ok("ready", "r2", room=room, on=False)
        assert await bob.ok("ready", "r2", room=room, on=False) == off
        await bob.refused("bad-message", "move", "r2", room=room, move="sw")
        await bob.ok("ready", room=room)
        await later(running, fake, 5)
        assert await ann.ok("ready", "r1", room=room) == first, "also when it has begun"
        moved = await bob.ok("move", "m1", room=room, move="sw")
        assert await bob.ok("move", "m1", room=room, move="sw") == moved


async def test_a_race_behind_a_password() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, visibility="private", password="cats")
        await bob.refused("forbidden", "join", room=room, role="player")
        await seat(room, bob, password="cats")
        await begin(running, fake, room, ann, bob)
        await bob.ok("leave", room=room)
        await bob.ok("join", room=room, role="player")  # his seat lets him in
        assert (await ann.ok("rooms"))["rooms"] == []


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


async def test_the_log_keeps_what_is_salted_and_the_chain_is_one() -> None:
    """Whoever sees whatever: the same hash after the same number, also over a restart."""
    fake, log = Fake(), MemoryLog()
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(running_server(log, fake.world))
        ann, bob, eve = [await stack.enter_async_context(talking(running.url)) for _ in range(3)]
        room = await race(ann)
        await seat(room, bob)
        await eve.ok("join", room=room)
        await begin(running, fake, room, ann, bob)
        await ann.ok("move", room=room, move="sw")
        await bob.ok("move", room=room, move="sw")
        heads = [(await talk.ok("ping"))["heads"][room] for talk in (ann, bob, eve)]
        assert heads[0] == heads[1] == heads[2]
        _, events = await whole(log, room)
        salts = [event.salt for event in events if event.salt]
        assert len(salts) == len(set(salts)) == 3, "the deal and two moves, each its own"
        one = await ann.ok("history", room=room)
        mine = [event for event in one["events"] if event.get("salt")]
        assert [event["kind"] for event in mine] == ["dealt", "move"]
        assert json.dumps(one) != json.dumps(await bob.ok("history", room=room))
        assert public(events[0], room).fx is msgspec.UNSET
    async with running_server(log, fake.world) as running, talking(running.url) as eve:
        joined = await eve.ok("join", room=room)
        assert [joined["seq"], joined["hash"]] == heads[0]


async def test_commands_at_the_same_time_are_all_there_once() -> None:
    fake, log = Fake(), MemoryLog()
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(running_server(log, fake.world))
        racers = [await stack.enter_async_context(talking(running.url)) for _ in range(8)]
        room = await race(racers[0], seats=8)
        await asyncio.gather(*(seat(room, racer) for racer in racers[1:]))
        await begin(running, fake, room, *racers)
        await asyncio.gather(
            *(r.ok("move", room=room, move="sw") for r in racers for _ in range(5)),
        )
        state, events = await whole(log, room)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert [position.board.moves for position in state.positions] == [5] * 8
        seats = [s.id for s in state.seats]
        assert sorted(map(str, seats)) == sorted(racer.id for racer in racers)


def test_a_record_of_a_race_reads_back() -> None:
    event = Event(seq=3, at=1, kind="ended", result="won", boards=[[["set", "a", ["Qh"]]]])
    assert msgspec.convert(msgspec.to_builtins(Record(events=[event])), Record).events == [event]
