"""Servers on the same log: what happens on one is seen on the others, without a word to them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Sized
from dataclasses import dataclass
from functools import partial

import pytest
from brokers import NatsServer, nats_logs
from races import kinds, race, seat, told
from servers import Running, running_server
from talk import Plain, Talk, eventually, talking
from worlds import Fake

from kibitz.server.log.nats.log import NatsLog
from kibitz.server.neighbours.elsewhere import SILENT_SECONDS, Elsewhere
from kibitz.server.neighbours.neighbours import LOOK_SECONDS, TOGETHER_BYTES, Neighbours, together
from kibitz.server.neighbours.news import FORM, Ask, News, Please, RoomNews, read, size_of, write
from kibitz.server.room import writing
from kibitz.server.room.here import NOBODY, Here

KEY = "correct horse battery staple"


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path_factory.mktemp("neighbours") / "nats")
    server.start()
    yield server
    server.stop()


@dataclass(frozen=True)
class Two:
    """Two servers on one log, by one clock."""

    fake: Fake
    logs: list[NatsLog]
    a: Running
    b: Running


@contextlib.asynccontextmanager
async def two(nats: NatsServer) -> AsyncIterator[Two]:
    fake = Fake()
    async with (
        nats_logs(nats, 2) as logs,
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


async def test_who_looks_on_elsewhere_sees_everything_and_is_counted(nats: NatsServer) -> None:
    async with (
        two(nats) as servers,
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


async def test_a_room_is_listed_where_somebody_comes_in_before_it_was_heard_of(
    nats: NatsServer,
) -> None:
    async with (
        two(nats) as servers,
        talking(servers.a.url, name="Ann") as ann,
        talking(servers.b.url, name="Bob") as bob,
    ):
        made = [(await ann.ok("create", game="klondike"))["room"] for _ in range(2)]
        for room in made:
            await bob.ok("join", room=room)
        assert [entry["id"] for entry in (await bob.ok("rooms"))["rooms"]] == made[::-1]


async def test_a_game_that_nobody_is_in_for_the_moment_is_on_tv_everywhere(
    nats: NatsServer,
) -> None:
    async with two(nats) as servers, talking(servers.b.url) as eve:
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


async def test_a_race_begins_and_ends_whoever_is_where(nats: NatsServer) -> None:
    async with (
        two(nats) as servers,
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
    nats: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "GIVE_WAY_SECONDS", 3600)
    async with (
        two(nats) as servers,
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


async def test_a_race_waits_for_who_has_just_come_to_another_server(nats: NatsServer) -> None:
    async with (
        two(nats) as servers,
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
    nats: NatsServer,
) -> None:
    fake = Fake()
    async with nats_logs(nats, 2) as logs, running_server(logs[1], fake.world) as b:
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


async def test_the_deal_of_the_day_has_one_table(nats: NatsServer) -> None:
    async with (
        two(nats) as servers,
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


async def test_orders_of_the_operator_hold_on_every_server(nats: NatsServer) -> None:
    async with (
        two(nats) as servers,
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
    nats: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.server.app.REFRESH_SECONDS", 3600.0)
    async with (
        two(nats) as servers,
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


async def test_a_server_that_comes_later_knows_who_is_where(nats: NatsServer) -> None:
    fake = Fake()
    async with (
        nats_logs(nats, 2) as logs,
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


def entry(id_: str) -> RoomNews:
    return RoomNews(id_, Here(2, ["ann"], ["ann"]))


def test_what_was_missed_is_told_by_its_number() -> None:
    elsewhere = Elsewhere("us")
    assert elsewhere.take(News("a", 1, [entry("r1"), entry("r2")], whole=True), 0) == (
        {"r1", "r2"},
        False,
    )
    assert elsewhere.take(News("a", 2, [entry("r1")]), 1) == (set(), False)
    assert elsewhere.take(News("a", 4, [RoomNews("r1")]), 2) == ({"r1"}, True)
    assert elsewhere.take(News("b", 7, [entry("r2")]), 3) == ({"r2"}, True)
    assert elsewhere.here("r2") == Here(4, ["ann", "ann"], ["ann", "ann"])
    assert elsewhere.here("r1") == NOBODY
    assert elsewhere.take(News("b", 8, [], whole=True), 3) == ({"r2"}, False)
    assert elsewhere.rooms() == ["r2"] and len(elsewhere) == 2
    assert elsewhere.silent(2 + SILENT_SECONDS) == ["a"]
    assert elsewhere.forget("a") == {"r2"} and elsewhere.rooms() == []
    assert elsewhere.forget("never heard of") == set()


def test_one_server_sees_first_to_each_room() -> None:
    names = ["a", "b", "c"]
    views = {name: Elsewhere(name) for name in names}
    for name, view in views.items():
        for other in names:
            if other != name:
                view.take(News(other, 1, [], whole=True), 0)
    firsts: list[str] = []
    for number in range(100):
        ranks = {name: view.rank(f"room {number}") for name, view in views.items()}
        assert sorted(ranks.values()) == [0, 1, 2]
        firsts.append(min(ranks, key=lambda name: ranks[name]))
    assert set(firsts) == set(names)


def test_another_form_is_not_heard() -> None:
    said = News("a", 1, [entry("r1")], whole=True)
    assert read(write(said)) == said
    for data in (b"", b"\x02" + write(said)[1:], FORM, FORM + b"\xc0", write(said)[:-1]):
        assert read(data) is None


class Wire:
    """A channel that keeps what is told."""

    name = "us"

    def __init__(self) -> None:
        self.told: list[object] = []

    def tell(self, said: bytes) -> None:
        self.told.append(read(said))

    async def listen(self, hear: object) -> None:
        self.hear = hear


MANY = 20_000


class Rooms:
    """Rooms that remember what they are told of others."""

    def __init__(self) -> None:
        self.stirred: set[str] = set()
        self.got: list[str] = []
        self.seen: list[str] = []
        self.looks = 0

    def in_memory(self) -> list[str]:
        return [f"r{n}" for n in range(MANY)]

    def news(self, id_: str) -> RoomNews:
        return RoomNews(id_, due=5)

    def heard(self, news: RoomNews) -> None:
        self.got.append(news.id)

    def met(self, id_: str) -> None:
        self.seen.append(id_)

    def plays_elsewhere(self, id_: str, who: str) -> None:
        self.seen.append(f"{id_} {who}")

    async def look(self) -> None:
        self.looks += 1


async def test_who_has_missed_something_asks_and_is_told_everything() -> None:
    wire, rooms, fake = Wire(), Rooms(), Fake()
    us = Neighbours(wire, Elsewhere("us"), rooms, fake.world)
    await us.open()
    assert wire.told == [Ask("us")]
    rooms.in_memory = lambda: ["r1"]  # type: ignore[method-assign]
    us.tick()
    assert wire.told.pop() == News("us", 1, [RoomNews("r1", due=5)], whole=True)
    del rooms.in_memory
    wire.told.clear()
    rooms.stirred.add("r3")
    us.tick()
    assert wire.told == [News("us", 2, [RoomNews("r3", due=5)])]
    us.tick()
    assert wire.told[-1] == News("us", 3, []), "it says that it is there"
    await asyncio.sleep(0)
    assert rooms.looks == 0
    us._hear(write(News("them", 5, [entry("r9")])))
    assert wire.told.pop() == Ask("us", "them") and rooms.got == rooms.seen == ["r9"]
    us.tick()
    await asyncio.sleep(0)
    assert rooms.looks == 1
    wire.told.clear()
    asked: list[str] = []
    us.on_please = asked.append
    us.please("r1")
    assert wire.told.pop() == Please("us", "r1")
    us._hear(write(Please("them", "r2")))
    us._hear(write(Please("us", "r1")))
    assert asked == ["r2"]
    us._hear(write(Ask("them", "others")))
    us._hear(write(Ask("us")))
    assert wire.told == [], "that was for somebody else, or from us"
    us._hear(write(Ask("them")))
    said = [news for news in wire.told if isinstance(news, News)]
    assert [news.number for news in said] == list(range(5, 5 + len(said))) and len(said) > 2
    assert [news.whole for news in said] == [True] + [False] * (len(said) - 1)
    assert sum(len(news.rooms) for news in said) == MANY
    us._hear(write(News("them", 9, [], whole=True)))
    us.tick()
    await asyncio.sleep(0)
    assert rooms.looks == 1, "not yet again"
    fake.pass_time(LOOK_SECONDS)
    us.tick()
    await asyncio.sleep(0)
    assert rooms.looks == 2, "what it said before that was missed, and may be gone from its memory"


def test_what_is_said_goes_into_messages_that_are_not_too_large() -> None:
    large = RoomNews("r", Here(100, ["x" * 128] * 100, ["x" * 128] * 100))
    parts = list(together([large] * 10))
    assert sum(len(part) for part in parts) == 10
    assert all(sum(map(size_of, part)) < TOGETHER_BYTES + size_of(large) + 1 for part in parts)
    assert list(together([])) == [[]]


async def test_what_nobody_said_any_more_is_looked_up(
    nats: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        two(nats) as servers,
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


async def test_a_room_is_listed_by_who_has_come_before_he_heard_of_it(nats: NatsServer) -> None:
    async with (
        two(nats) as servers,
        talking(servers.a.url, name="Ann") as ann,
        talking(servers.b.url, name="Bob") as bob,
    ):
        first = (await ann.ok("create", game="klondike"))["room"]
        second = (await ann.ok("create", game="klondike"))["room"]
        await bob.ok("join", room=second)
        await bob.ok("join", room=first)
        rooms = (await bob.ok("rooms"))["rooms"]
        assert {entry["id"] for entry in rooms} == {first, second}


async def test_whoever_plays_on_another_server_is_replaced_here(nats: NatsServer) -> None:
    async with two(nats) as servers, talking(servers.a.url, name="Ann") as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        async with talking(servers.b.url, token=ann.token) as looking:
            await looking.ok("join", room=room)
            async with talking(servers.b.url, token=ann.token) as again:
                await again.ok("join", room=room, role="player")
                assert await ann.closed() == 4409
                await again.ok("move", room=room, move="discard")
            await looking.ok("rooms")


async def test_nobody_is_left_in_the_list_of_a_room_shown_late(nats: NatsServer) -> None:
    async with two(nats) as servers, talking(servers.a.url, name="Ann") as ann:
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
