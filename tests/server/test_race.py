"""Races up to their start: seats, and how it is agreed when to begin."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from races import RACE, begin, kinds, later, race, seat, told, wake
from servers import running_server
from talk import Talk, fetch, talking
from worlds import START_MS, Fake

from kibitz.clients.verifying.replay import verdict_on_file
from kibitz.protocol.wire import Encoding


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
        await seat(room, cid)  # one more: that calls nothing off
        await cid.ok("leave", room=room)
        await bob.ok("leave", room=room)
        await later(running, fake, 60)
        await seat(room, bob)
        await ann.settle()
        assert kinds(ann, room) == [
            *("ready", "joined", "ready", "countdown", "unready", "countdown"),
            *("ready", "countdown", "joined", "left"),
            *("left", "countdown", "joined"),
        ]
        begins = [event.get("begins") for event in ann.events(room) if event["kind"] == "countdown"]
        assert begins == [66_000, None, 126_000, None]
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


async def test_nobody_waits_for_who_is_away() -> None:
    """He has his board; and two at least must be there and ready."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as cy,
    ):
        room = await race(ann, seats=3, countdown=0)
        await seat(room, bob, cy)
        await cy.drop()
        await ann.ok("ready", room=room)
        assert kinds(ann, room)[-1:] == ["ready"], "one alone does not begin"
        await bob.ok("ready", room=room)
        await wake(running)
        await told(bob, room, "dealt")
        view = (await bob.ok("join", room=room))["view"]
        assert [board["status"] for board in view["boards"]] == ["open"] * 3
        async with talking(running.url, token=cy.token) as again:
            back = await again.ok("join", room=room, role="player")
            assert back["board"] == 2
            assert back["view"]["boards"][2]["piles"]


@pytest.mark.parametrize("leave", ["drop", "leave", "again"])
async def test_nobody_waits_longer_for_who_goes_away(leave: str) -> None:
    """However he goes; and where nothing tells of it, saying it again is enough."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as cid,
    ):
        room = await race(ann, seats=3, countdown=0)
        await seat(room, bob, cid)
        for racer in (ann, bob):
            await racer.ok("ready", room=room)
        assert "countdown" not in kinds(ann, room)
        if leave == "drop":
            await cid.drop()
        elif leave == "leave":
            await cid.ok("join", room=room)
            await cid.ok("leave", room=room)
        else:
            await cid.ok("join", room=room)
            await ann.ok("ready", room=room)
        await ann.until(lambda: "countdown" in kinds(ann, room))
        await wake(running)
        await told(ann, room, "dealt")


async def test_a_hundred_ask_for_the_next_deal_at_once() -> None:
    async with running_server() as running, AsyncExitStack() as stack:
        ann = await stack.enter_async_context(talking(running.url))
        others = [await stack.enter_async_context(talking(running.url)) for _ in range(19)]
        room = await race(ann, seats=20, countdown=0)
        await seat(room, *others)
        for racer in (ann, *others):
            await racer.ok("ready", room=room)
        await told(ann, room, "dealt")
        for racer in (ann, *others):
            await racer.ok("resign", room=room)
        asked = [racer.ok("rematch", room=room) for racer in (ann, *others)]
        assert len({joined["room"] for joined in await asyncio.gather(*asked)}) == 1
        assert kinds(ann, room).count("rematch") == 1


def here(talk: Talk) -> list[list[int]]:
    """The seats of those who are connected, as it was said last."""
    return [push["players"] for push in talk.pushes if push["t"] == "presence"][-1:]


async def test_a_race_that_nobody_has_come_to_is_called_off_by_who_made_it() -> None:
    async with (
        running_server() as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        room = await race(ann, seats=3)
        await seat(room, bob)
        for each in (ann, bob):
            await each.refused("illegal", "resign", room=room)
        await bob.ok("leave", room=room)
        await bob.ok("join", room=room)
        async with talking(running.url) as cyd:
            await seat(room, cyd)
            await ann.refused("illegal", "resign", room=room)
            await cyd.ok("join", room=room, role="spectator")
            await ann.refused("illegal", "resign", room=room)
        await ann.until(lambda: here(ann) == [[1]])  # who has gone has his seat yet
        done = await ann.ok("resign", "off", room=room)
        closed = await told(bob, room, "closed")
        assert closed["text"] == "who made this race has called it off" and "by" not in closed
        assert await ann.ok("resign", "off", room=room) == done
        (entry,) = (await bob.ok("rooms"))["rooms"]
        assert entry["status"] == "closed" and "waiting" not in entry
        await bob.refused("game-over", "join", room=room, role="player")
        replay = (await fetch(running.http, f"/rooms/{room}/replay.json"))[1]
        assert not verdict_on_file(replay).failed
