"""Servers on the same log: what happens on one is seen on the others, without a word to them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sized
from dataclasses import dataclass
from functools import partial

import pytest
from brokers import NatsServer, nats_logs
from races import kinds, race, seat, told
from servers import Running, running_server
from talk import Plain, Talk, eventually, talking
from worlds import Fake

from kibitz.server.log.nats.log import NatsLog
from kibitz.server.neighbours.elsewhere import SILENT_SECONDS
from kibitz.server.room import writing

KEY = "correct horse battery staple"


@dataclass(frozen=True)
class Two:
    """Two servers on one log, by one clock."""

    fake: Fake
    logs: list[NatsLog]
    a: Running
    b: Running


@contextlib.asynccontextmanager
async def two(nats_server: NatsServer) -> AsyncIterator[Two]:
    fake = Fake()
    async with (
        nats_logs(nats_server, 2) as logs,
        running_server(logs[0], fake.world, admin_key=KEY) as a,
        running_server(logs[1], fake.world, admin_key=KEY) as b,
    ):
        yield Two(fake, logs, a, b)


def _has(some: Sized, count: int) -> bool:
    return len(some) == count


def presence(talk: Talk) -> list[tuple[int, list[int]]]:
    """What was said of who is here."""
    pushed = [push for push in talk.pushes if push["t"] == "presence"]
    return [(push["spectators"], push["players"]) for push in pushed]


async def test_who_looks_on_elsewhere_sees_everything_and_is_counted(
    nats_server: NatsServer,
) -> None:
    async with (
        two(nats_server) as servers,
        talking(servers.a.url, name="Ann") as ann,
        talking(servers.b.url, name="Bob") as bob,
        talking(servers.b.url) as eve,
    ):
        await eve.ok("lobby")
        await eve.ok("tv")
        room = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await eve.until(lambda: [push for push in eve.pushes if push["t"] == "lobby"])
        listed = (await eve.ok("rooms"))["rooms"]
        assert [(entry["id"], entry["players"]) for entry in listed] == [(room, ["Ann"])]
        await eve.until(lambda: [said for said in eve.strays if said["room"]])
        assert eve.strays[-1]["room"]["id"] == room
        seen = await bob.ok("join", room=room)
        for _ in range(3):
            done = await ann.ok("move", room=room, move="discard")
        await bob.until(lambda: len(bob.events(room)) == 3)
        heard = [event["seq"] for event in bob.events(room)]
        assert heard == [seen["seq"] + 1, seen["seq"] + 2, seen["seq"] + 3]
        assert (await bob.ok("join", room=room))["hash"] == done["hash"]
        await ann.until(lambda: (1, [1]) in presence(ann))
        await bob.until(lambda: (1, [1]) in presence(bob))
        await bob.ok("leave", room=room)
        await ann.until(lambda: presence(ann)[-1:] == [(0, [1])])
        await ann.ok("resign", room=room)
        listing = servers.b.app.rooms.listing
        await eventually(lambda: getattr(listing.entry(room), "status", None) == "resigned")


async def test_a_game_that_nobody_is_in_for_the_moment_is_on_tv_everywhere(
    nats_server: NatsServer,
) -> None:
    async with two(nats_server) as servers, talking(servers.b.url) as eve:
        await eve.ok("tv")
        async with talking(servers.a.url, name="Ann") as ann:
            room = (await ann.ok("create", game="klondike"))["room"]
            await ann.drop()

        await eve.until(lambda: [said for said in eve.strays if said.get("room")])
        await eventually(lambda: not servers.b.app.rooms.directory.elsewhere.rooms())
        on_air = servers.b.app.rooms.directory.look_at_tv()
        assert on_air is not None and on_air.id == room
        servers.fake.pass_time(61)
        assert servers.b.app.rooms.directory.look_at_tv() is None


async def test_a_race_begins_and_ends_whoever_is_where(nats_server: NatsServer) -> None:
    async with (
        two(nats_server) as servers,
        talking(servers.a.url, name="Ann") as ann,
        talking(servers.b.url, name="Bob") as bob,
    ):
        room = await race(ann, countdown=3)
        await seat(room, bob)
        await told(ann, room, "joined")
        await ann.until(lambda: presence(ann)[-1:] == [(0, [1, 2])])
        await ann.ok("ready", room=room)
        await told(bob, room, "ready")
        await bob.ok("ready", room=room)
        await told(ann, room, "countdown")
        servers.fake.pass_time(3)
        # both clocks are due at the same moment, and it happens once
        starts = [await told(talk, room, "started") for talk in (ann, bob)]
        assert starts[0] == starts[1]
        await ann.ok("move", room=room, move="sw")
        await bob.ok("move", room=room, move="sw")
        await ann.ok("resign", room=room)
        await bob.ok("resign", room=room)
        ends = [await told(talk, room, "ended") for talk in (ann, bob)]
        assert ends[0] == ends[1]
        kinds = [event["kind"] for event in ann.events(room)]
        assert kinds.count("started") == kinds.count("ended") == 1


async def test_who_never_comes_to_write_is_let_through(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "GIVE_WAY_SECONDS", 3600)
    async with (
        two(nats_server) as servers,
        talking(servers.a.url, name="Ann") as ann,
        talking(servers.b.url, name="Bob") as bob,
    ):
        room = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await bob.ok("join", room=room)
        here, there = (server.app.rooms.peek(room) for server in (servers.a, servers.b))
        assert here and there
        there.writing.on_crowded()
        await eventually(lambda: here.writing._giving_way)
        later = asyncio.create_task(ann.ok("move", room=room, move="discard"))
        await eventually(lambda: here.writing.busy)
        first = await bob.ok("say", room=room, text="at last")
        assert (await later)["seq"] == first["seq"] + 1


async def test_a_race_waits_for_who_has_just_come_to_another_server(
    nats_server: NatsServer,
) -> None:
    async with (
        two(nats_server) as servers,
        talking(servers.a.url, name="Ann") as ann,
        talking(servers.a.url, name="Bob") as bob,
        talking(servers.b.url, name="Cy") as cy,
    ):
        room = await race(ann, seats=3)
        await seat(room, bob)
        await seat(room, cy)
        await ann.until(lambda: kinds(ann, room).count("joined") == 2)
        for talk in (ann, bob):
            await talk.ok("ready", room=room)
        await ann.settle()
        assert "countdown" not in kinds(ann, room)
        await cy.ok("ready", room=room)
        await told(ann, room, "countdown")


async def test_a_start_that_is_arranged_happens_where_the_server_that_knew_it_is_gone(
    nats_server: NatsServer,
) -> None:
    fake = Fake()
    async with nats_logs(nats_server, 2) as logs, running_server(logs[1], fake.world) as b:
        async with (
            running_server(logs[0], fake.world) as a,
            talking(a.url, name="Ann") as ann,
            talking(a.url, name="Bob") as bob,
        ):
            at = fake.world.now_ms() + 60_000
            room = await race(ann, begins=at, visibility="unlisted")
            await seat(room, bob)
            await eventually(lambda: b.app.rooms.clock.due(room) == at)
            assert b.app.rooms.peek(room) is None
        await eventually(lambda: not b.app.rooms.directory.elsewhere.rooms())
        fake.pass_time(61)
        await eventually(lambda: b.app.rooms.peek(room))
        await eventually(lambda: b.app.rooms.peek(room).state.course.is_released())  # type: ignore[union-attr]


async def test_the_deal_of_the_day_has_one_table(nats_server: NatsServer) -> None:
    async with (
        two(nats_server) as servers,
        talking(servers.a.url, name="Ann") as ann,
        talking(servers.b.url, name="Bob") as bob,
    ):
        mine = await ann.ok("create", game="montana", daily=True)
        other = await bob.ok("create", game="montana", daily=True)
        assert mine["view"]["boards"] == other["view"]["boards"]

        async def names(talk: Talk) -> list[str]:
            table: Plain = await talk.ok("daily", game="montana")
            return sorted(row["name"] for row in table["rows"])

        day = servers.a.app.rooms.days.today, "montana"
        for server in (servers.a, servers.b):
            rooms = server.app.rooms.days._rooms[day]
            await eventually(partial(_has, rooms, 2))
        assert await names(ann) == await names(bob) == ["Ann", "Bob"]
        again = await ann.ok("resign", room=mine["room"])
        await eventually(
            lambda: servers.b.app.rooms.days._rooms[day][mine["room"]].status == "resigned"
        )
        assert again["seq"]


async def test_orders_of_the_operator_hold_on_every_server(nats_server: NatsServer) -> None:
    async with (
        two(nats_server) as servers,
        talking(servers.a.url) as op,
        talking(servers.b.url, name="Bob") as bob,
        talking(servers.b.url, name="Cy") as cy,
    ):
        await op.ok("admin", key=KEY, act="notice", text="Back at noon")
        assert (await bob.stray())["text"] == "Back at noon"
        room = (await bob.ok("create", game="klondike"))["room"]
        await cy.ok("join", room=room)
        await op.ok("admin", key=KEY, act="close", room=room, reason="enough")
        closed = [await told(talk, room, "closed") for talk in (bob, cy)]
        assert closed[0]["seq"] == closed[1]["seq"]
        muted = await op.ok("admin", key=KEY, act="mute", id=cy.id)
        assert (muted["count"], muted["elsewhere"]) == (0, True), "who is elsewhere it cannot know"
        await eventually(lambda: servers.b.app._bans.muted(cy.id))
        open_ = (await bob.ok("create", game="klondike"))["room"]
        await cy.ok("join", room=open_)
        await cy.refused("forbidden", "say", room=open_, text="hello")
        banned = await op.ok("admin", key=KEY, act="ban", id=bob.id)
        assert (banned["count"], banned["elsewhere"]) == (0, True)
        assert await bob.closed() == 4403


async def test_who_is_kicked_on_one_server_does_not_sit_down_again_on_another(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.server.app.REFRESH_SECONDS", 3600.0)
    async with (
        two(nats_server) as servers,
        talking(servers.a.url) as op,
        talking(servers.b.url, name="Cy") as cy,
    ):
        room = (await cy.ok("create", game="klondike", mode="coop"))["room"]
        await op.ok("admin", key=KEY, act="kick", room=room, id=cy.id, reason="too loud")
        await told(cy, room, "left")
        await eventually(lambda: servers.b.app._bans.kicked(room, cy.id))
        refused = await cy.refused("forbidden", "join", room=room, role="player")
        assert refused["message"] == "you may not sit down in this room: too loud"
        await op.ok("admin", key=KEY, act="unkick", room=room, id=cy.id)
        await eventually(lambda: not servers.b.app._bans.kicked(room, cy.id))
        assert (await cy.ok("join", room=room, role="player"))["role"] == "player"


async def test_a_server_that_comes_later_knows_who_is_where(nats_server: NatsServer) -> None:
    fake = Fake()
    async with (
        nats_logs(nats_server, 2) as logs,
        running_server(logs[0], fake.world) as a,
        talking(a.url, name="Ann") as ann,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        async with (
            running_server(logs[1], fake.world) as b,
            talking(b.url, name="Bob") as bob,
        ):
            assert b.app.rooms.directory.elsewhere.here(room).seated == [ann.id]
            await bob.ok("join", room=room)
            await bob.until(lambda: presence(bob)[-1:] == [(1, [1])])
            assert not await b.app.rooms.put_away(room, lambda room: None)  # type: ignore[arg-type,return-value]
        await ann.until(lambda: presence(ann)[-1:] == [(0, [1])])


async def test_what_nobody_said_any_more_is_looked_up(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        two(nats_server) as servers,
        talking(servers.a.url, name="Ann") as ann,
        talking(servers.a.url, name="Cat") as cat,
        talking(servers.b.url, name="Bob") as bob,
    ):

        async def listed() -> dict[str, str]:
            rooms = (await bob.ok("rooms"))["rooms"]
            return {entry["id"]: entry["status"] for entry in rooms}

        old = (await ann.ok("create", game="klondike", deal="7"))["room"]
        listing, days = servers.b.app.rooms.listing, servers.b.app.rooms.days
        await eventually(lambda: listing.entry(old))
        monkeypatch.setattr(servers.logs[0].channel, "tell", lambda said: None)  # it is dead
        await ann.ok("resign", room=old)
        daily = (await ann.ok("create", game="montana", daily=True))["room"]
        new = (await ann.ok("create", game="klondike", deal="8"))["room"]
        begins = servers.fake.world.now_ms() + 3_600_000
        due = await race(ann, begins=begins)
        await seat(due, cat)
        assert await listed() == {old: "open"}
        servers.fake.pass_time(SILENT_SECONDS)
        await eventually(lambda: servers.b.app.rooms.clock.due(due) == begins)
        assert await listed() == {old: "resigned", new: "open", due: "open"}
        assert [*days._rooms[days.today, "montana"]] == [daily]


async def test_a_room_is_listed_by_who_has_come_before_he_heard_of_it(
    nats_server: NatsServer,
) -> None:
    async with (
        two(nats_server) as servers,
        talking(servers.a.url, name="Ann") as ann,
        talking(servers.b.url, name="Bob") as bob,
    ):
        first = (await ann.ok("create", game="klondike"))["room"]
        second = (await ann.ok("create", game="klondike"))["room"]
        await bob.ok("join", room=second)
        await bob.ok("join", room=first)
        rooms = (await bob.ok("rooms"))["rooms"]
        assert {entry["id"] for entry in rooms} == {first, second}


async def test_whoever_plays_on_another_server_is_replaced_here(nats_server: NatsServer) -> None:
    async with two(nats_server) as servers, talking(servers.a.url, name="Ann") as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        async with talking(servers.b.url, token=ann.token) as looking:
            await looking.ok("join", room=room)
            async with talking(servers.b.url, token=ann.token) as again:
                await again.ok("join", room=room, role="player")
                assert await ann.closed() == 4409
                await again.ok("move", room=room, move="discard")
            await looking.ok("rooms")


async def test_nobody_is_left_in_the_list_of_a_room_shown_late(nats_server: NatsServer) -> None:
    async with two(nats_server) as servers, talking(servers.a.url, name="Ann") as ann:
        room = (await ann.ok("create", game="klondike", delay=60))["room"]
        servers.fake.pass_time(61)
        listing = servers.b.app.rooms.listing

        def spectators() -> int:
            return getattr(listing.entry(room), "spectators", -1)

        async with talking(servers.a.url) as bob:
            await bob.ok("join", room=room)
            await eventually(lambda: spectators() == 1)
        await ann.ok("leave", room=room)
        await eventually(lambda: spectators() == 0)
