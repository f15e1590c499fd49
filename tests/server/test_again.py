"""Once and once only: commands repeated by name, wins, rooms after a restart."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from plays import NEAR_WIN, WINNING
from servers import UNLIMITED, Running, running_server
from talk import PATIENCE, Plain, Talk, eventually, talking
from worlds import HeldLog

from kibitz.server.log.sqlite import SqliteLog


async def almost_won(talk: Talk) -> str:
    """A room one move (``move 1 suit``) before its end."""
    room: str = (await talk.ok("create", game="klondike", save=NEAR_WIN))["room"]
    await talk.ok("move", room=room, move=WINNING[0])
    return room


async def test_a_named_command_is_done_once(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        first = await ann.ok("move", "one", room=room, move="discard")
        assert await ann.ok("move", "one", room=room, move="discard") == first
        said = await ann.ok("say", "two", room=room, text="hm")
        assert (await ann.ok("move", "one", room=room, move="discard", expect=2)) == first
        assert (await ann.ok("move", 1, room=room, move="discard"))["seq"] == 5
        assert (await ann.ok("move", 1, room=room, move="discard"))["seq"] == 6
        async with talking(running.url, token=ann.token) as again, talking(running.url) as bob:
            await again.ok("join", room=room, role="player")
            assert await again.ok("move", "one", room=room, move="discard") == first
            assert await again.ok("say", "two", room=room, text="hm") == said
            await bob.ok("join", room=room)
            assert (await bob.ok("say", "two", room=room, text="mine"))["seq"] == 7
            saved = [await again.ok("save", "three", room=room) for _ in range(2)]
            assert saved[0] == saved[1]
            assert (await bob.ok("ping"))["heads"][room][0] == 8


async def test_the_newest_names_are_known_the_oldest_forgotten(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.server.room.state.MAX_ANSWERED", 2)
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        await bob.ok("join", room=room)
        first = await ann.ok("say", "1", room=room, text="hm")
        second = await ann.ok("say", "2", room=room, text="hm")
        for name in "345":
            await bob.ok("say", name, room=room, text="others push out no name of mine")
        assert await ann.ok("say", "1", room=room, text="hm") == first
        await ann.ok("say", "3", room=room, text="hm")
        assert await ann.ok("say", "2", room=room, text="hm") == second
        assert (await ann.ok("say", "1", room=room, text="hm"))["seq"] == 9


async def test_a_room_grows_so_long_then_it_can_only_be_ended() -> None:
    limits = replace(UNLIMITED, events_per_room=5)
    async with (
        running_server(limits=limits) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        await bob.ok("join", room=room)
        for i in ("1", "2", "3"):
            done = await ann.ok("move", i, room=room, move="discard")
        assert done["seq"] == 5
        for t in ("undo", "save"):
            refused = await ann.refused("full", t, room=room)
            assert refused["limit"] == "events per room"
            assert "resign, or fork it" in refused["message"]
        await bob.refused("full", "say", room=room, text="hm")
        assert await ann.ok("move", "3", room=room, move="discard") == done
        await ann.ok("fork", room=room)
        await ann.ok("resign", room=room)
        assert "has 5 events" in (await bob.refused("full", "say", room=room, text="hm"))["message"]
        await ann.ok("rematch", room=room)


async def test_what_was_refused_may_be_asked_again_under_its_name(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        await ann.refused("illegal", "move", "one", room=room, move="reset")
        assert (await ann.ok("move", "one", room=room, move="discard"))["seq"] == 3


async def test_a_named_room_is_made_once(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        made = [(await ann.ok("create", "mine", game="aces-up"))["room"] for _ in range(2)]
        assert made[0] == made[1]
        assert (await bob.ok("create", "mine", game="aces-up"))["room"] != made[0]
        async with talking(running.url, token=ann.token) as again:
            joined = await again.ok("create", "mine", game="aces-up")
            assert (joined["room"], joined["role"], joined["seat"]) == (made[0], "player", 1)


async def test_a_named_room_is_made_once_whatever_comes_between(tmp_path: Path) -> None:
    """Asked for twice at the same moment, and again after a restart."""
    async with (
        running_server(SqliteLog(tmp_path / "log")) as running,
        talking(running.url) as ann,
        talking(running.url, token=ann.token) as again,
    ):
        asked = (talk.ok("create", "mine", game="aces-up", seat=False) for talk in (ann, again))
        rooms = {joined["room"] for joined in await asyncio.gather(*asked)}
        assert len(rooms) == 1
        assert len((await ann.ok("rooms"))["rooms"]) == 1
    async with (
        running_server(SqliteLog(tmp_path / "log")) as running,
        talking(running.url, token=ann.token) as later,
    ):
        assert (await later.ok("create", "mine", game="aces-up"))["room"] in rooms


async def test_one_name_stands_for_one_room(running: Running) -> None:
    async with talking(running.url) as ann:
        made = await ann.ok("create", "c-1", game="klondike-single", deal="1")
        assert (await ann.ok("create", "c-1", game="klondike-single", deal="1"))["room"] == made[
            "room"
        ]
        for other in ({"deal": "9"}, {}, {"deal": "1", "policy": {"undo": False}}):
            await ann.refused("bad-message", "create", "c-1", game="klondike-single", **other)
        options = {"redeals": 1}
        await ann.refused(
            "bad-message", "create", "c-1", game="klondike-single", deal="1", options=options
        )


async def test_a_win_is_told_once_and_is_the_end(running: Running) -> None:
    """B14, B40."""
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = await almost_won(ann)
        await bob.ok("join", room=room)
        won = await ann.ok("move", room=room, move=WINNING[1])
        for t in ("undo", "redo", "restart", "resign"):
            await ann.refused("game-over", t, room=room)
        refused = await ann.refused("game-over", "move", room=room, move="move 1 2")
        assert "game is over" in refused["message"]
        await bob.settle()
        move, over, ended = bob.events(room)
        assert [move["kind"], over["kind"], ended["kind"]] == ["move", "won", "ended"]
        assert (over["moves"], over["by"], move["score"], ended["result"]) == (2, ann.id, 52, "won")
        assert won["seq"] == ended["seq"] and len(ended["opened"]["seed"]) == 64
        view = (await bob.ok("join", room=room))["view"]
        assert (view["status"], view["boards"][0]["status"]) == ("won", "won")
        assert view["boards"][0]["piles"]["Spades"][-1] == "Ks"
        await ann.ok("say", room=room, text="at last")
        await bob.ok("save", room=room)
        page = await bob.ok("history", room=room)
        assert [e["kind"] for e in page["events"]].count("won") == 1
        assert page["events"][-1]["kind"] == "say"


async def test_a_win_counts_though_the_winner_is_cut_off() -> None:
    """B41."""
    log = HeldLog()
    async with running_server(log) as running, talking(running.url) as bob:
        async with talking(running.url) as ann:
            room = await almost_won(ann)
            log.hold()
            await ann.send({"t": "move", "i": "last", "room": room, "move": WINNING[1]})
            await asyncio.wait_for(log.waiting.wait(), PATIENCE)
            await ann.drop()
        log.release()
        state = (await running.app.rooms.get(room)).state
        await eventually(lambda: state.over)
        assert state.status == "won"
        assert (await bob.ok("rooms"))["rooms"][0]["status"] == "won"
        async with talking(running.url, token=ann.token) as again:
            await again.ok("join", room=room, role="player")
            assert (await again.ok("move", "last", room=room, move=WINNING[1]))["seq"] == 6


def lasting(joined: Plain) -> Plain:
    """What of a room outlives a restart."""
    return {key: joined[key] for key in ("seat", "role", "seq", "hash", "info", "view")}


async def test_a_room_outlives_its_server(tmp_path: Path) -> None:
    """B82."""
    path = tmp_path / "log"
    async with (
        running_server(SqliteLog(path)) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url) as bob,
    ):
        wish: Plain = {"options": {"shuffles": 4}, "mode": "coop", "policy": {"say": True}}
        room = (await ann.ok("create", game="montana", seat=False, **wish))["room"]
        await bob.ok("join", room=room, role="player")
        await ann.ok("join", room=room, role="player")
        first = await ann.ok("move", "named", room=room, move="s")
        before = [lasting(await talk.ok("join", room=room, role="player")) for talk in (ann, bob)]
        moves = await ann.ok("moves", 99, room=room)
    async with (
        running_server(SqliteLog(path)) as running,
        talking(running.url, token=ann.token) as ann,
        talking(running.url, token=bob.token) as bob,
    ):
        after = [lasting(await talk.ok("join", room=room, role="player")) for talk in (ann, bob)]
        assert after == before
        assert (after[0]["seat"], after[1]["seat"]) == (2, 1)
        view = after[0]["view"]
        assert (view["options"], view["boards"][0]["counters"]) == (
            {"shuffles": "4"},
            {"shuffles": 3},
        )
        assert await ann.ok("moves", 99, room=room) == moves
        assert await ann.ok("move", "named", room=room, move="s") == first
        assert (await bob.ok("move", room=room, move="s"))["seq"] == first["seq"] + 1
        await bob.ok("undo", room=room)
        await ann.ok("undo", room=room)
        start = await ann.ok("view", room=room, at=1)
        now = await ann.ok("view", room=room, at=first["seq"] + 3)
        assert now["view"]["boards"] == start["view"]["boards"]
        await ann.refused("illegal", "undo", room=room)


async def test_a_name_stands_for_one_request(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        said = await ann.ok("say", "one", room=room, text="hm")
        await ann.refused("bad-message", "move", "one", room=room, move="discard")
        await ann.refused("bad-message", "say", "one", room=room, text="something else")
        assert await ann.ok("say", "one", room=room, text="hm") == said
        moved = await ann.ok("move", "two", room=room, move="discard")
        assert await ann.ok("move", "two", room=room, move=" DISCARD ") == moved
        await ann.refused("bad-message", "move", "two", room=room, move="move 1 2")
        await ann.ok("create", "three", game="klondike")
        for other in ({"game": "montana"}, {"game": "klondike", "visibility": "unlisted"}):
            await ann.refused("bad-message", "create", "three", **other)


async def test_every_save_that_shows_something_new_is_seen(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        first = await ann.ok("save", "one", room=room)
        assert await ann.ok("save", "one", room=room) == first
        await ann.ok("move", room=room, move="discard")
        assert (await ann.ok("save", "one", room=room))["text"] != first["text"]
        await ann.settle()
        assert [event["kind"] for event in ann.events(room)] == ["saved", "move", "saved"]


async def test_a_done_command_is_answered_again_whatever_the_role_is_now(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        first = await ann.ok("move", "one", room=room, move="discard")
        await ann.ok("join", room=room, role="spectator")
        assert await ann.ok("move", "one", room=room, move="discard") == first
        await ann.refused("not-seated", "move", "two", room=room, move="discard")


async def test_a_room_made_before_is_given_again_though_the_seat_is_lost(
    running: Running,
) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = (await ann.ok("create", "mine", game="klondike"))["room"]
        await ann.ok("leave", room=room)
        await bob.ok("join", room=room, role="player")
        again = await ann.ok("create", "mine", game="klondike")
        assert (again["room"], again["role"]) == (room, "spectator")
