"""A room that an operator has closed: nobody plays in it any more, and no card is opened."""

import asyncio
import json
from typing import Any

import pytest
from server.admin.operators import operated
from talk import Plain, Talk, eventually, fetch, talking
from worlds import Fake

from kibitz.server.log.memory import MemoryLog

HIDDEN = "??"


async def close(op: Any, room: str, *talks: Talk, reason: str | None = "enough") -> None:
    """Close a room and wait until these have heard of it."""
    await op.order("close", room=room, reason=reason)
    for talk in talks:
        await talk.until(lambda to=talk: [e for e in to.events(room) if e["kind"] == "closed"])  # type: ignore[misc]


async def test_everybody_is_told_and_nobody_plays_on() -> None:
    async with (
        operated() as (running, op),
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        room = (await ann.ok("create", game="klondike", deal="1", policy={"cheat": True}))["room"]
        await bob.ok("join", room=room)
        first = await ann.ok("move", "named", room=room, move="discard")
        await close(op, room, ann, bob)
        told = bob.events(room)[-1]
        assert told["text"] == "enough" and "by" not in told and "opened" not in told
        for request, fields in REQUESTS:
            refused = await ann.refused("game-over", request, room=room, **fields)
            assert refused["message"] == "the room has been closed", request
        for request, fields in READS:
            await ann.refused("forbidden", request, room=room, **fields)
        assert await ann.ok("move", "named", room=room, move="discard") == first
        assert (await ann.ok("moves", room=room))["moves"] == []
        await bob.refused("game-over", "join", room=room, role="player")
        await bob.refused("game-over", "fork", room=room)
        await bob.refused("game-over", "say", room=room, text="why?")
        await op.order("close", room=room)
        await ann.settle()
        assert ann.events(room)[-1]["seq"] == told["seq"], "closing it again does nothing"
        await ann.ok("leave", room=room)
        await ann.ok("create", game="klondike")


REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("move", {"move": "discard"}),
    *[(each, {}) for each in ("undo", "redo", "restart", "resign", "save", "cheat", "fork")],
    ("save", {"format": "solvitaire"}),
    ("comments", {"on": False}),
    ("say", {"text": "hello"}),
]
"""What a player might ask for."""
READS: list[tuple[str, dict[str, Any]]] = [
    ("history", {"open": True}),
    ("rematch", {}),
    ("present", {}),
]
"""What is there once a game has ended, which this one has not."""


async def test_no_way_leads_to_a_hidden_card() -> None:
    async with (
        operated() as (running, op),
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        made = await ann.ok("create", game="klondike", policy={"cheat": True})
        room = made["room"]
        before = hidden(made["view"])
        assert before
        await bob.ok("join", room=room)
        await close(op, room, ann, bob)
        async with talking(running.url) as late:
            joined = await late.ok("join", room=room)
            views = [joined["view"], (await ann.ok("view", room=room, at=1))["view"]]
        assert [hidden(view) for view in views] == [before, before]
        assert joined["view"]["status"] == joined["view"]["boards"][0]["status"] == "closed"
        status, body = await fetch(running.http, f"/rooms/{room}/replay.json", ann.token)
        replay = json.loads(body)
        assert status == 200 and "open" not in replay
        assert [event["kind"] for event in replay["events"]][-1] == "closed"
        status, body = await fetch(running.http, f"/rooms/{room}/replay.txt", ann.token)
        assert status == 200 and HIDDEN in body.decode()
        status, body = await fetch(running.http, f"/rooms/{room}/save.txt", ann.token)
        assert (status, body) == (400, b"the room has been closed\n")
        for frame in ann.frames + bob.frames:
            assert "seed" not in str(frame), "nothing was opened"


def hidden(view: Plain) -> int:
    """How many cards of a view nobody may know."""
    return sum(pile.count(HIDDEN) for board in view["boards"] for pile in board["piles"].values())


async def test_a_fork_of_a_live_game_is_closed_and_the_game_leaks_nothing() -> None:
    async with operated() as (running, op), talking(running.url) as ann:
        parent = (await ann.ok("create", game="klondike"))["room"]
        fork = (await ann.ok("fork", room=parent))["room"]
        await close(op, fork, ann)
        async with talking(running.url) as bob:
            view = (await bob.ok("join", room=fork))["view"]
            assert hidden(view) == hidden((await bob.ok("join", room=parent))["view"]) > 0
        await ann.ok("move", room=parent, move="discard")


async def test_the_game_that_a_live_one_was_forked_from_stays_shut_when_it_is_closed() -> None:
    async with operated() as (running, op), talking(running.url) as ann:
        parent = (await ann.ok("create", game="klondike"))["room"]
        fork = (await ann.ok("fork", room=parent))["room"]
        await close(op, parent, ann)
        await ann.refused("forbidden", "resign", room=fork)
        await ann.ok("move", room=fork, move="discard")


@pytest.mark.parametrize("begun", [False, True])
async def test_a_race_that_is_closed_shows_no_board_and_never_starts(begun: bool) -> None:
    async with (
        operated() as (running, op),
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url, name="Cy") as cy,
    ):
        room = (
            await ann.ok(
                "create", game="klondike", mode="race", seats=2, countdown=0 if begun else 60
            )
        )["room"]
        await bob.ok("join", room=room, role="player")
        await cy.ok("join", room=room)
        for talk in (ann, bob):
            await talk.ok("ready", room=room)
        last = "dealt" if begun else "countdown"
        await ann.until(lambda: ann.events(room)[-1]["kind"] == last)
        await bob.until(lambda: bob.events(room)[-1]["kind"] == last)
        if begun:
            await bob.ok("move", room=room, move="discard")
        await close(op, room, ann, bob, cy)
        roles = ((ann, "player"), (bob, "player"), (cy, "spectator"))
        joined = [await talk.ok("join", room=room, role=role) for talk, role in roles]
        boards = [each["view"]["boards"] for each in joined]
        shown = [[bool(board["piles"]) for board in each] for each in boards]
        assert shown == [[begun, False], [False, begun], [False, False]]
        assert {board["status"] for each in boards for board in each} == {"closed"}
        await bob.drop()
        await ann.refused("game-over", "ready", room=room)
        await asyncio.sleep(0.1)
        await ann.settle()
        assert ann.events(room)[-1]["kind"] == "closed"


async def test_it_leaves_the_open_games_and_the_day_and_the_screen() -> None:
    fake = Fake()
    async with (
        operated(world=fake.world) as (running, op),
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        await bob.ok("lobby")
        await bob.ok("tv")
        room = (await ann.ok("create", game="klondike"))["room"]
        day = (await ann.ok("create", game="montana", daily=True))["room"]
        await bob.until(lambda: [push for push in bob.strays if push["t"] == "tv" and push["room"]])
        assert len((await bob.ok("daily", game="montana"))["rows"]) == 1
        for each in (room, day):
            await close(op, each, ann)
        assert (await bob.ok("rooms", status="open"))["rooms"] == []
        assert [info["status"] for info in (await bob.ok("rooms"))["rooms"]] == ["closed"]
        assert (await bob.ok("daily", game="montana"))["rows"] == []
        again = await ann.ok("create", game="montana", daily=True)
        assert again["room"] == day and again["view"]["status"] == "closed", "one try a day"
        await bob.until(lambda: bob.strays[-1] == {"t": "tv", "room": None})
        pushed = [push["room"]["status"] for push in bob.pushes if push["t"] == "lobby"]
        assert pushed[-1] == "closed"


async def test_it_is_closed_after_a_restart_and_where_nobody_is() -> None:
    log = MemoryLog()
    async with operated(log=log) as (running, op), talking(running.url, name="Ann") as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        day = (await ann.ok("create", game="montana", daily=True))["room"]
        for each in (room, day):
            await close(op, each)
    async with operated(log=log) as (running, op), talking(running.url, token=ann.token) as ann:
        (listed,) = (await ann.ok("rooms"))["rooms"]
        assert (listed["id"], listed["status"]) == (room, "closed")
        assert (await ann.ok("daily", game="montana"))["rows"] == []
        other = (await ann.ok("create", game="klondike"))["room"]
        found = [each["info"] for each in (await op.order("rooms"))["rooms"]]
        assert {info["id"]: info["status"] for info in found}[other] == "open"
    async with operated(log=log) as (running, op):
        (away,) = (await op.order("rooms", status="open"))["rooms"]
        assert [seat["id"] for seat in away["seats"]] == [ann.id] and "loaded" not in away
        assert running.app.rooms.peek(other) is None, "it was looked at, and is not kept"
        await close(op, other)
        await op.refused("no-room", "close", room="nosuchroom")


async def test_a_game_that_has_ended_is_not_closed() -> None:
    async with operated() as (running, op), talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        await ann.ok("resign", room=room)
        await op.refused("game-over", "close", room=room)
        assert hidden((await ann.ok("join", room=room))["view"]) == 0


async def test_those_who_see_it_later_are_told_later() -> None:
    fake = Fake()
    async with (
        operated(world=fake.world) as (running, op),
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        made = await ann.ok("create", game="klondike", policy={"delay": 60})
        room = made["room"]
        fake.pass_time(61)
        await asyncio.sleep(0.6)
        await bob.ok("join", room=room)
        await close(op, room, ann)
        await bob.settle()
        assert not bob.events(room)
        fake.pass_time(61)
        await bob.until(lambda: bob.events(room))
        assert bob.events(room)[-1]["kind"] == "closed"
        assert hidden((await bob.ok("join", room=room))["view"]) == hidden(made["view"])


async def test_a_closed_room_keeps_its_password() -> None:
    async with operated() as (running, op), talking(running.url) as ann:
        made = await ann.ok(
            "create", game="klondike", visibility="private", password="cats", seat=False
        )
        await close(op, made["room"])
        async with talking(running.url) as bob:
            await bob.refused("forbidden", "join", room=made["room"])


async def test_who_goes_from_a_closed_race_lets_none_begin() -> None:
    async with (
        operated() as (running, op),
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as cy,
    ):
        room = (await ann.ok("create", game="klondike", mode="race", seats=3))["room"]
        for talk in (bob, cy):
            await talk.ok("join", room=room, role="player")
        for talk in (ann, bob):
            await talk.ok("ready", room=room)
        await close(op, room, ann, bob, cy)
        live = running.app.rooms.peek(room)
        assert live is not None
        await cy.drop()
        await eventually(lambda: cy.id not in live.people.here() and not live._unsettled)
        await ann.settle()
        assert ann.events(room)[-1]["kind"] == "closed"
