"""Who sits where: roles, lost connections, seats taken over and given up."""

from typing import Any

import pytest
from servers import Running, running_server
from talk import Talk, eventually, talking
from worlds import Fake

from kibitz.protocol.wire import Encoding
from kibitz.server.identity import Identity
from kibitz.server.limits.settings import IDLE_SECONDS
from kibitz.server.room.decide import SEAT_HOLD_MS
from kibitz.server.room.room import Room

SEAT_HOLD = SEAT_HOLD_MS / 1000


async def room_of(running: Running, id_: str) -> Room:
    """The room itself."""
    return await running.app.rooms.get(id_)


async def started(talk: Talk, **wish: Any) -> str:
    """A new room."""
    room: str = (await talk.ok("create", **{"game": "klondike", "deal": "1", **wish}))["room"]
    return room


async def test_who_only_watches_changes_nothing(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = await started(ann)
        await bob.refused("no-room", "move", room=room, move="discard")
        await bob.ok("join", room=room)
        for t in ("move", "undo", "redo", "restart", "resign", "save", "cheat"):
            move = "discard" if t == "move" else None
            refused = await bob.refused("not-seated", t, room=room, move=move)
            assert refused["message"].startswith("not allowed")
        await bob.ok("moves", room=room)
        await bob.ok("say", room=room, text="hm")
        await bob.refused("full", "join", room=room, role="player")
        await bob.ok("say", room=room, text="still here")
        assert (await ann.ok("ping"))["heads"][room][0] == 4


async def test_somebody_with_a_seat_may_just_watch(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url, token=ann.token) as again:
        room = await started(ann)
        assert (await again.ok("join", room=room))["role"] == "spectator"
        await again.refused("not-seated", "move", room=room, move="discard")
        await again.ok("leave", room=room)
        await ann.ok("move", room=room, move="discard")
        assert (await room_of(running, room)).state.seat_of(ann.id)


async def test_two_joins_make_one_seat(running: Running) -> None:
    """B58."""
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = await started(ann, mode="coop", seats=3, seat=False)
        first = await bob.ok("join", room=room, role="player")
        second = await bob.ok("join", room=room, role="player")
        assert (first.get("already"), second["already"]) == (None, True)
        assert first["seat"] == second["seat"] == 1 and first["seq"] == second["seq"] == 2
        assert [s.get("id") for s in second["view"]["seats"]] == [bob.id, None, None]
        await ann.settle()
        assert [event["kind"] for event in ann.events()] == ["joined"]


async def test_a_board_played_together(running: Running) -> None:
    async with (
        talking(running.url, Encoding.MSGPACK, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url) as eve,
    ):
        room = await started(ann, mode="coop")
        assert (await bob.ok("join", room=room, role="player"))["seat"] == 2
        await eve.refused("full", "join", room=room, role="player")
        await eve.refused("no-room", "say", room=room, text="not even watching")
        await bob.ok("move", room=room, move="discard")
        await ann.until(lambda: len(ann.events(room)) == 2)
        await ann.ok("undo", room=room)
        await bob.ok("leave", room=room)
        await ann.until(lambda: len(ann.events(room)) == 4)
        await eve.ok("join", room=room, role="player")
        await eve.ok("redo", room=room)
        told = [(e["kind"], e["by"], e.get("seat")) for e in ann.events(room)]
        assert told == [
            ("joined", bob.id, 2),
            ("move", bob.id, None),
            ("undo", ann.id, None),
            ("left", bob.id, 2),
            ("joined", eve.id, 2),
            ("redo", eve.id, None),
        ]


async def test_a_seat_taken_over_closes_the_old_connection(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url, token=ann.token) as again:
        room = await started(ann)
        joined = await again.ok("join", room=room, role="player")
        assert (joined["seat"], joined["seq"]) == (1, 2)
        assert await ann.closed() == 4409
        await again.ok("move", room=room, move="discard")
        assert (await again.ok("ping"))["heads"][room][0] == 3
        await eventually(lambda: sum(len(app._connections) for app in running.apps) == 1)
        await running.abreast()
        there = await room_of(running, room)
        here = there.people.presence(there.state)
        assert (here.players, here.spectators) == ([1], 0)


async def test_a_token_brings_role_and_position_back(running: Running) -> None:
    """B55, B57: cut off without a close frame, back with the token."""
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = await started(ann)
        await bob.ok("join", room=room)
        await ann.ok("move", room=room, move="discard")
        before = await ann.ok("view", room=room, at=3)
        await ann.drop()
        await bob.drop()
        async with (
            talking(running.url, token=ann.token) as ann2,
            talking(running.url, token=bob.token) as bob2,
        ):
            assert (ann2.id, bob2.id) == (ann.id, bob.id)
            back = await ann2.ok("join", room=room, role="player")
            assert (back["role"], back["seat"], back["view"]) == ("player", 1, before["view"])
            assert (await bob2.ok("join", room=room))["view"] == before["view"]
            await bob2.refused("not-seated", "move", room=room, move="discard")
            await ann2.ok("move", room=room, move="discard")


@pytest.mark.parametrize("let_go", [False, True])
async def test_an_abandoned_seat_is_free_after_its_time(let_go: bool) -> None:
    """B57: without the token, also when the room was out of memory meanwhile."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        fake.pass_time(2 * SEAT_HOLD)
        id_ = await started(ann)
        await ann.drop()
        room = await room_of(running, id_)
        await eventually(lambda: not room.live.crowd)
        await bob.refused("full", "join", room=id_, role="player")
        if let_go:
            fake.pass_time(IDLE_SECONDS)
            running.app.rooms.sweep()
            assert len(running.app.rooms) == 0
        fake.pass_time(SEAT_HOLD - IDLE_SECONDS * let_go - 1)
        await bob.refused("full", "join", room=id_, role="player")
        fake.pass_time(1)
        joined = await bob.ok("join", room=id_, role="player")
        assert (joined["seat"], joined["seq"]) == (1, 4)
        page = await bob.ok("history", room=id_, from_=3)
        assert [(e["kind"], e["seat"]) for e in page["events"]] == [("left", 1), ("joined", 1)]
        async with talking(running.url, token=ann.token) as late:
            await late.refused("full", "join", room=id_, role="player")


async def test_who_is_there_keeps_a_seat_for_ever() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await started(ann)
        fake.pass_time(10 * SEAT_HOLD)
        await running.abreast()
        await bob.refused("full", "join", room=room, role="player")
        async with talking(running.url, token=ann.token) as watching:
            await watching.ok("join", room=room)
            await ann.drop()
            fake.pass_time(10 * SEAT_HOLD)
            await bob.refused("full", "join", room=room, role="player")


async def test_a_seat_cannot_be_taken_once_the_game_is_over(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = await started(ann, mode="coop")
        await ann.ok("resign", room=room)
        await bob.refused("game-over", "join", room=room, role="player")
        assert (await bob.ok("join", room=room))["view"]["status"] == "resigned"
        await ann.ok("leave", room=room)
        assert (await bob.ok("ping"))["heads"][room][0] == 4


async def test_a_stranger_s_token_is_no_way_in(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = await started(ann)
        assert ann.id != bob.id and ann.token not in str(bob.frames) + str(ann.frames[1:])
        await bob.ok("join", room=room)
        assert (await ann.ok("rooms"))["rooms"][0]["spectators"] in (0, 1)


@pytest.mark.parametrize("way", ["never sat", "left"])
async def test_a_room_made_again_by_name_gives_no_seat_that_is_taken(
    running: Running, way: str
) -> None:
    """A name brings the room back, not the right to its hidden cards."""
    async with talking(running.url) as ann, talking(running.url) as bob:
        wish: dict[str, Any] = {"game": "klondike", "policy": {"cheat": True}}
        made = await ann.ok("create", "mine", seat=way == "left", **wish)
        room = made["room"]
        if way == "left":
            await ann.ok("leave", room=room)
        await bob.ok("join", room=room, role="player")
        for seat in (True, False):
            again = await ann.ok("create", "mine", seat=seat, **wish)
            assert (again["room"], again["role"], again.get("seat")) == (room, "spectator", None)
        for t in ("save", "cheat"):
            await ann.refused("not-seated", t, room=room)
        if way == "left":
            await ann.ok("leave", room=room)
            await ann.ok("leave", "gone", room=room)


async def test_who_stood_up_elsewhere_plays_no_more(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = await started(ann)
        inside = await room_of(running, room)
        await inside.stand_up(Identity(ann.id, "Ann"))
        await bob.ok("join", room=room, role="player")
        for t in ("save", "undo", "resign"):
            await ann.refused("not-seated", t, room=room)
