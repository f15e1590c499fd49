"""`policy.delay`: those without a seat see everything later, by whatever way they ask."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from plays import NEAR_WIN, WINNING
from races import begin, kinds, later, seat, told, wake
from servers import Running, running_server
from talk import Plain, Talk, eventually, fetch, talking
from worlds import START_MS, Fake

from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.sqlite import SqliteLog

DELAY = 30
WISH: Plain = {"game": "klondike", "mode": "coop", "deal": "1", "policy": {"delay": DELAY}}


@dataclass
class Scene:
    """A player, somebody who looks on, and the clock."""

    running: Running
    fake: Fake
    ann: Talk
    eve: Talk
    room: str = ""

    async def later(self, seconds: float) -> None:
        """Let time pass."""
        await later(self.running, self.fake, seconds)


@asynccontextmanager
async def scene(**wish: object) -> AsyncIterator[Scene]:
    """A delayed room that has just been made."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Eve") as eve,
    ):
        made = await ann.ok("create", **{**WISH, **wish})
        yield Scene(running, fake, ann, eve, made["room"])


async def test_nobody_comes_in_before_the_first_event_is_due() -> None:
    async with scene() as at:
        for path in ("replay.json", "replay.txt", "save.txt"):
            assert (await fetch(at.running.http, f"/rooms/{at.room}/{path}"))[0] == 403
        refused = await at.eve.refused("forbidden", "join", room=at.room)
        assert refused["retry_ms"] == 30_000
        assert (await at.eve.ok("ping"))["heads"] == {}
        assert (await at.eve.ok("rooms"))["rooms"] == []
        await at.later(29.999)
        await (await at.running.app.rooms.get(at.room)).wake()  # a moment too soon
        refused = await at.eve.refused("forbidden", "join", room=at.room)
        assert refused["retry_ms"] == 1
        await at.later(0.001)
        joined = await at.eve.ok("join", room=at.room)
        assert (joined["seq"], joined["role"]) == (2, "spectator")
        assert [info["id"] for info in (await at.eve.ok("rooms"))["rooms"]] == [at.room]


async def test_events_come_late_and_in_order() -> None:
    """Also those of a comment and of a save; the player sees everything at once."""
    async with scene() as at:
        await at.later(40)
        await at.eve.ok("join", room=at.room)
        await at.ann.ok("move", room=at.room, move="discard")
        await at.later(10)
        await at.ann.ok("say", room=at.room, text="hm")
        await at.ann.ok("save", room=at.room)
        assert kinds(at.ann, at.room) == ["move", "say", "saved"]
        await at.later(19)
        await at.eve.settle()
        assert at.eve.events() == []
        await at.later(1)
        await at.eve.settle()
        assert kinds(at.eve, at.room) == ["move"]
        await at.later(9.999)
        await at.eve.settle()
        assert kinds(at.eve, at.room) == ["move"]
        await at.later(0.001)
        await told(at.eve, at.room, "saved")
        assert at.eve.events() == at.ann.events()
        assert [event["at"] for event in at.eve.events()] == [40_000, 50_000, 50_000]


async def test_no_way_of_asking_says_more() -> None:
    """Joins, heads, history, views, hints, saves, downloads, the lobby, the answer to a comment."""
    async with scene() as at:
        await at.later(60)
        joined = await at.eve.ok("join", room=at.room)
        await at.eve.ok("lobby")
        await at.ann.ok("move", room=at.room, move="discard")
        await at.ann.ok("resign", room=at.room)
        head = [joined["seq"], joined["hash"]]
        assert head[0] == 2
        assert (await at.eve.ok("ping"))["heads"] == {at.room: head}
        again = await at.eve.ok("join", room=at.room)
        assert again["view"] == joined["view"] and [again["seq"], again["hash"]] == head
        ahead = (await at.ann.ok("ping"))["heads"][at.room]
        resumed = await at.eve.ok("join", room=at.room, from_=ahead[0], hash=ahead[1])
        assert resumed["fork"] and resumed["seq"] == 2
        assert len((await at.eve.ok("history", room=at.room, to=99))["events"]) == 2
        assert (await at.eve.ok("moves", room=at.room))["seq"] == 2
        assert (await at.eve.refused("bad-option", "view", room=at.room, at=3))["seq"] == 2
        for t, fields in (
            ("history", {"open": True}),
            ("save", {}),
            ("cheat", {}),
            ("fork", {"at": 1}),
            ("present", {}),
            ("rematch", {}),
        ):
            code = "forbidden" if t in ("history", "present") else "not-seated"
            await at.eve.refused(code, t, room=at.room, **fields)
        said = await at.eve.ok("say", room=at.room, text="and now?")
        assert said.keys() == {"t", "i", "room"}
        (entry,) = (await at.eve.ok("rooms"))["rooms"]
        assert (entry["seq"], entry["status"], entry["moves"]) == (2, "open", 0)
        assert (entry["delay"], entry["updated"]) == (DELAY, START_MS)
        base = f"/rooms/{at.room}/"
        status, body = await fetch(at.running.http, base + "replay.json")
        replay = json.loads(body)
        assert (status, replay["seq"], len(replay["events"])) == (200, 2, 2)
        assert "open" not in replay
        status, text = await fetch(at.running.http, base + "replay.txt", at.eve.token)
        assert (status, b"discard" in text, b"??" in text) == (200, False, True)
        assert (await fetch(at.running.http, base + "save.txt"))[0] == 403
        status, body = await fetch(at.running.http, base + "replay.json", at.ann.token)
        assert json.loads(body)["seq"] == 6 and b'"open":' in body
        await at.eve.until(lambda: [p for p in at.eve.pushes if p["t"] == "presence"])
        pushed = [push["room"] for push in at.eve.pushes if push["t"] == "lobby"]
        assert all(room["seq"] == 2 for room in pushed)
        await at.later(30)
        await told(at.eve, at.room, "ended")
        (entry,) = (await at.eve.ok("rooms"))["rooms"]
        assert (entry["seq"], entry["status"], entry["moves"]) == (6, "resigned", 1)
        assert (await at.eve.ok("history", room=at.room, open=True))["events"]
        assert (await fetch(at.running.http, base + "save.txt"))[0] == 200


async def test_who_sits_down_sees_what_happens_at_once() -> None:
    async with scene() as at:
        await at.later(40)
        await at.eve.ok("join", room=at.room)
        await at.ann.ok("move", room=at.room, move="discard")
        joined = await at.eve.ok("join", room=at.room, role="player")
        assert (joined["seat"], joined["seq"]) == (2, 4)
        await at.ann.ok("move", room=at.room, move="discard")
        await at.eve.settle()
        assert [event["seq"] for event in at.eve.events()] == [5]
        assert (await at.eve.ok("undo", room=at.room))["seq"] == 6
        await at.eve.ok("leave", room=at.room)
        back = await at.eve.ok("join", room=at.room)
        assert (back["role"], back["seq"]) == ("spectator", 2)
        await at.later(40)
        await at.eve.settle()
        seqs = [event["seq"] for event in at.eve.events()]
        assert seqs == [5, 6, 7, 3, 4, 5, 6, 7], "once as a player, once as one who looks on"


async def test_who_gives_his_seat_up_is_told_nothing_more_on_another_connection() -> None:
    async with scene() as at, talking(at.running.url, name="Bob") as bob:
        await at.later(40)
        await seat(at.room, bob)
        async with talking(at.running.url, token=bob.token) as second:
            assert (await second.ok("join", room=at.room))["seq"] == 3
            await bob.ok("leave", room=at.room)
            await at.ann.ok("move", room=at.room, move="discard")
            await second.settle()
            assert "move" not in kinds(second, at.room)
            assert (await second.ok("ping"))["heads"][at.room][0] == 2
            await at.later(30)
            await told(second, at.room, "move")


async def test_a_player_s_other_connection_is_no_spectator() -> None:
    async with scene() as at, talking(at.running.url, token=at.ann.token) as again:
        joined = await again.ok("join", room=at.room)
        assert (joined["role"], joined["seq"]) == ("spectator", 2)
        await at.ann.ok("move", room=at.room, move="discard")
        await told(again, at.room, "move")


async def test_a_race_can_be_shown_late_instead_of_masked() -> None:
    """Racers see their own board; those who look on see all of them, later."""
    async with (
        scene(mode="race", policy={"delay": DELAY}) as at,
        talking(at.running.url, name="Bob") as bob,
    ):
        await seat(at.room, bob)
        await begin(at.running, at.fake, at.room, at.ann, bob)
        await at.ann.ok("move", room=at.room, move="discard")
        await bob.settle()
        assert kinds(bob, at.room)[-1] == "hidden"
        await at.later(26)
        joined = await at.eve.ok("join", room=at.room)
        assert (
            joined["view"]["boards"]
            == [{"piles": {}, "status": "open", "moves": 0, "score": 0, "counters": {}}] * 2
        )
        await at.later(4)
        moved = await told(at.eve, at.room, "move")
        assert moved["fx"] and "hidden" not in kinds(at.eve, at.room)
        boards = (await at.eve.ok("join", room=at.room))["view"]["boards"]
        assert [board["moves"] for board in boards] == [1, 0]
        assert all(board["piles"] for board in boards)


@pytest.mark.parametrize("ended", [False, True])
async def test_a_restart_lets_nothing_out(tmp_path: Path, ended: bool) -> None:
    """The log's own entry says how the room really is; nobody is shown that."""
    fake = Fake()
    async with (
        running_server(SqliteLog(tmp_path / "log"), fake.world) as running,
        talking(running.url) as ann,
    ):
        old = (await ann.ok("create", game="montana"))["room"]
        room = (await ann.ok("create", **{**WISH, "game": "klondike", "deal": None}))["room"]
        await later(running, fake, 40)
        await ann.ok("move", room=room, move="discard")
        if ended:
            await ann.ok("resign", room=room)
        seq = (await ann.ok("ping"))["heads"][room][0]
        token = ann.token
    fake.pass_time(20)
    async with (
        running_server(SqliteLog(tmp_path / "log"), fake.world) as running,
        talking(running.url) as eve,
    ):
        await wake(running)
        await eventually(lambda: len(running.app.rooms) == 1)
        rooms = {info["id"]: info for info in (await eve.ok("rooms"))["rooms"]}
        assert rooms.keys() == {old, room}
        assert (rooms[room]["seq"], rooms[room]["status"]) == (2, "open")
        status, body = await fetch(running.http, f"/rooms/{room}/replay.json")
        assert (status, json.loads(body)["seq"]) == (200, 2)
        assert (await fetch(running.http, f"/rooms/{room}/save.txt"))[0] == 403
        assert (await eve.ok("join", room=room))["seq"] == 2
        async with talking(running.url, token=token) as ann:
            assert (await ann.ok("join", room=room, role="player"))["seq"] == seq
        await later(running, fake, 10)
        await told(eve, room, "ended" if ended else "move")
        rooms = {info["id"]: info for info in (await eve.ok("rooms"))["rooms"]}
        assert rooms[room]["seq"] == seq


async def test_a_room_of_which_nothing_is_due_is_not_listed_after_a_restart() -> None:
    fake, log = Fake(), MemoryLog()
    async with running_server(log, fake.world) as running, talking(running.url) as ann:
        room = (await ann.ok("create", **WISH))["room"]
    async with running_server(log, fake.world) as running, talking(running.url) as eve:
        await wake(running)
        assert (await eve.ok("rooms"))["rooms"] == []
        assert (await fetch(running.http, f"/rooms/{room}/replay.json"))[0] == 403
        assert (await eve.refused("forbidden", "join", room=room))["retry_ms"] == 30_000
        await later(running, fake, 30)
        assert [info["id"] for info in (await eve.ok("rooms"))["rooms"]] == [room]


async def test_a_delayed_room_stays_until_all_is_shown() -> None:
    """Nobody is in it, yet the lobby has to hear of its end."""
    async with scene(save=NEAR_WIN, deal=None, mode="solo") as at:
        await at.later(40)
        for move in WINNING:
            await at.ann.ok("move", room=at.room, move=move)
        await at.ann.drop()
        room = await at.running.app.rooms.get(at.room)
        await eventually(lambda: room.people.is_empty())
        at.fake.seconds += 1000
        at.running.app.rooms.sweep()
        assert len(at.running.app.rooms) == 1
        await at.later(30)
        (entry,) = (await at.eve.ok("rooms"))["rooms"]
        assert entry["status"] == "won"
        at.fake.seconds += 1000
        at.running.app.rooms.sweep()
        assert len(at.running.app.rooms) == 0
