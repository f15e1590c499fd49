"""`present`: a finished game shown to many, and who holds the controls."""

from typing import Any

import pytest
from plays import NEAR_WIN, WINNING
from races import begin, follow, kinds, mirror, seat, told, view_of
from servers import Running, running_server
from talk import Plain, Talk, fetch, talking
from worlds import START_MS, Fake

from kibitz.server.log.memory import MemoryLog


async def finished(talk: Talk, **wish: Any) -> str:
    """A game of six events that has been won."""
    made = await talk.ok("create", game="klondike", save=NEAR_WIN, **wish)
    for move in WINNING:
        await talk.ok("move", room=made["room"], move=move)
    room: str = made["room"]
    return room


async def test_a_finished_game_is_shown() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Eve") as eve,
    ):
        old = await finished(ann)
        await eve.ok("join", room=old)
        shown = await eve.ok("present", room=old)
        view = shown["view"]
        assert (shown["role"], shown["seat"], view["mode"]) == ("player", 1, "replay")
        assert (view["boards"], view["status"]) == ([], "open")
        assert view["recorded"] == {"room": old, "seq": 6, "control": {"at": 1}, "since": 0}
        page = await eve.ok("history", room=shown["room"])
        assert page["events"][0]["origin"] == {"room": old, "seq": 6}
        assert "fx" not in str(page)
        await running.abreast()
        entries = {info["id"]: info for info in (await ann.ok("rooms"))["rooms"]}
        assert entries[shown["room"]]["mode"] == "replay"
        late = await ann.ok("join", room=view["recorded"]["room"])
        assert late["seq"] == 6
        assert len((await ann.ok("history", room=old, open=True))["events"]) == 6


async def test_the_seat_holds_the_controls_and_who_comes_late_sees_where_it_is() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url, name="Eve") as eve,
    ):
        shown = await ann.ok("present", room=await finished(ann))
        room, recorded = shown["room"], shown["view"]["recorded"]
        watched = await bob.ok("join", room=room)
        client = mirror(watched)
        fake.pass_time(7)
        for control in (
            {"at": 3, "playing": True},
            {"at": 6, "speed": 1600},
            {"at": 1, "playing": True, "speed": 10, "beat": 50},
        ):
            full = {"playing": False, "speed": 100, **control}
            await ann.ok("control", room=room, control=full)
            plain = {key: value for key, value in control.items() if value}
            await bob.settle()
            event = bob.events(room)[-1]
            assert (event["by"], event["control"], event["at"]) == (ann.id, plain, 7000)
            late = await eve.ok("join", room=room)
            assert late["view"]["recorded"] == {**recorded, "control": plain, "since": 7000}
        follow(client, bob.events(room))
        assert view_of(client) == late["view"]
        for talk in (bob, eve):
            await talk.refused("not-seated", "control", room=room, control={"at": 1})
        await bob.refused("full", "join", room=room, role="player")
        await ann.ok("leave", room=room)
        await bob.ok("join", room=room, role="player")
        await bob.ok("control", room=room, control={"at": 2})
        await ann.ok("join", room=room)
        await ann.refused("not-seated", "control", room=room, control={"at": 1})


@pytest.mark.parametrize(
    ("code", "control"),
    [
        ("bad-option", {"at": 7}),
        ("bad-message", {"at": 0}),
        ("bad-message", {}),
        ("bad-message", {"at": 1, "speed": 9}),
        ("bad-message", {"at": 1, "speed": 1601}),
        ("bad-message", {"at": 1, "beat": 49}),
        ("bad-message", {"at": 1, "beat": 60_001}),
        ("bad-message", {"at": 1, "playing": "yes"}),
    ],
)
async def test_controls_have_bounds(running: Running, code: str, control: Plain) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("present", room=await finished(ann)))["room"]
        await ann.refused(code, "control", room=room, control=control)
        assert (await ann.ok("ping"))["heads"][room][0] == 2


async def test_nobody_plays_in_it(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        old = await finished(ann)
        room = (await ann.ok("present", room=old))["room"]
        for t, fields in (
            ("move", {"move": "discard"}),
            ("move", {"from_": "Stock", "to": "PILE-1"}),
            ("undo", {}),
            ("redo", {}),
            ("restart", {}),
            ("ready", {}),
        ):
            await ann.refused("illegal", t, room=room, **fields)
        for t in ("moves", "save", "cheat", "fork", "present", "rematch"):
            code = (await ann.ask(t, room=room))["code"]
            assert code in ("forbidden", "bad-option"), t
        for name in ("replay.txt", "save.txt"):
            status, _ = await fetch(running.http, f"/rooms/{room}/{name}", ann.token)
            assert status in (400, 403)
        assert (await fetch(running.http, f"/rooms/{room}/replay.json"))[0] == 200
        await bob.ok("join", room=room)
        await bob.ok("say", room=room, text="what a move")


async def test_a_game_has_no_controls(running: Running) -> None:
    async with talking(running.url) as ann:
        live = (await ann.ok("create", game="klondike"))["room"]
        await ann.refused("illegal", "control", room=live, control={"at": 1})


async def test_resigning_closes_it(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        old = await finished(ann)
        room = (await ann.ok("present", room=old))["room"]
        await bob.ok("join", room=room)
        await bob.refused("not-seated", "resign", room=room)
        await ann.ok("resign", room=room)
        ended = await told(bob, room, "ended")
        assert kinds(bob, room) == ["resigned", "ended"]
        assert (ended["result"], "opened" in ended) == ("resigned", False)
        await ann.refused("game-over", "control", room=room, control={"at": 1})
        await bob.refused("game-over", "join", room=room, role="player")
        for t in ("fork", "present", "rematch", "save", "moves"):
            assert (await ann.ask(t, room=room))["t"] == "error", t
        assert (await ann.ok("cheat", room=room))["view"]["boards"] == []
        assert (await ann.ok("join", room=old))["view"]["status"] == "won"


async def test_what_is_not_for_everybody_is_not_shown() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        live = (await ann.ok("create", game="klondike"))["room"]
        private = await finished(ann, visibility="private", password="x")
        daily = (await ann.ok("create", game="montana", daily=True))["room"]
        await ann.ok("resign", room=daily)
        race = (await ann.ok("create", game="klondike", mode="race", countdown=0))["room"]
        await seat(race, bob)
        await begin(running, fake, race, ann, bob)
        await ann.ok("resign", room=race)
        for room in (live, private, daily, race):
            await ann.refused("forbidden", "present", room=room)
        await bob.ok("resign", room=race)
        shown = await ann.ok("present", room=race)
        assert shown["view"]["recorded"]["room"] == race
        await ann.refused("no-room", "present", room="nowhere")


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
@pytest.mark.parametrize("unlisted", [False, True])
async def test_it_is_no_more_public_than_the_game(
    running: Running, visibility: str, unlisted: bool
) -> None:
    async with talking(running.url) as ann:
        old = await finished(ann, visibility=visibility)
        shown = await ann.ok("present", room=old, unlisted=unlisted)
        public = visibility == "public" and not unlisted
        assert shown["info"]["visibility"] == ("public" if public else "unlisted")
        listed = {info["id"] for info in (await ann.ok("rooms"))["rooms"]}
        assert (shown["room"] in listed) is public


async def test_named_for_good_it_is_one_room_and_each_control_is_said_once() -> None:
    fake, log = Fake(), MemoryLog()
    async with running_server(log, fake.world) as running, talking(running.url) as ann:
        old = await finished(ann)
        room = (await ann.ok("present", "p1", room=old))["room"]
        assert (await ann.ok("present", "p1", room=old))["room"] == room
        assert (await ann.ok("present", room=old))["room"] != room
        await ann.refused("bad-message", "present", "p1", room=old, unlisted=True)
        await ann.refused("bad-message", "create", "p1", game="klondike")
        first = await ann.ok("control", "c1", room=room, control={"at": 2})
        await ann.ok("control", "c2", room=room, control={"at": 3})
        assert await ann.ok("control", "c1", room=room, control={"at": 2}) == first
        await ann.refused("bad-message", "control", "c1", room=room, control={"at": 4})
        token = ann.token
    async with running_server(log, fake.world) as running, talking(running.url, token=token) as ann:
        await ann.ok("join", room=old)
        again = await ann.ok("present", "p1", room=old)
        assert again["room"] == room
        assert again["view"]["recorded"]["control"] == {"at": 3}
        assert again["info"]["started"] == START_MS
