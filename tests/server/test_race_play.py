"""A race under way: boards of one's own, and what everybody sees of it."""

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import dataclass
from random import Random

import msgspec
import pytest
from plays import WINNING
from races import (
    NEAR,
    begin,
    follow,
    kinds,
    later,
    mirror,
    race,
    rejoin,
    seat,
    told,
    view_of,
    whole,
)
from servers import running_server
from talk import Plain, Talk, talking
from worlds import Fake

from kibitz.engine.games import GAMES
from kibitz.protocol.course import standings
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.wire import Encoding
from kibitz.server.log.memory import MemoryLog
from kibitz.server.room.audience import public


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
        await ann.refused("stale", "move", room=room, move="sw", expect=seen - 1)  # not dealt yet
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


async def test_who_was_away_when_his_game_ended_comes_back_to_a_fresh_view() -> None:
    """What he missed leads on from stubs; he may see every board now, so he needs them whole."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann)
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        await bob.ok("move", room=room, move="sw")
        seq, hash_ = (await ann.ok("ping"))["heads"][room]
        await ann.ok("resign", room=room)
        await bob.ok("move", room=room, move="sw")
        async with talking(running.url, token=ann.token) as again:
            last = (await bob.ok("ping"))["heads"][room]
            for role in ("player", "spectator"):
                back = await again.ok("join", room=room, role=role, from_=seq, hash=hash_)
                assert "events" not in back and not any("hidden" in b for b in boards_of(back))
                assert [board["moves"] for board in boards_of(back)] == [0, 2]
                back = await again.ok("join", room=room, role=role, from_=last[0] - 1, hash="")
                assert back["fork"] and "events" not in back
            seen = await again.ok("join", room=room, from_=last[0], hash=last[1])
            assert seen["events"] == []


def boards_of(joined: Plain) -> list[Plain]:
    boards: list[Plain] = joined["view"]["boards"]
    return boards


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


@dataclass
class Follower:
    """A viewer over the socket and the room as he holds it."""

    talk: Talk
    client: Mirror
    role: str
    taken: int = 0

    async def check(self) -> None:
        """Take what was pushed; then he has what the server shows him."""
        seq, hash_ = (await self.talk.ok("ping"))["heads"][self.client.room]
        follow(self.client, self.talk.pushes[self.taken :])
        self.taken = len(self.talk.pushes)
        shown = await self.talk.ok("view", room=self.client.room, at=seq)
        assert view_of(self.client) == shown["view"]
        assert (self.client.seq, self.client.hash) == (seq, hash_) == (seq, shown["hash"])

    async def come_back(self) -> None:
        """Go, and come again with the number and hash of what was seen last."""
        room, seq, hash_ = self.client.room, self.client.seq, self.client.hash
        await self.talk.ok("leave", room=room)
        self.taken = len(self.talk.pushes)
        joined = await self.talk.ok("join", room=room, role=self.role, from_=seq, hash=hash_)
        assert not joined.get("fork")
        rejoin(self.client, joined)


@pytest.mark.parametrize("policy", [{}, {"delay": 1}], ids=["masked", "late"])
@pytest.mark.parametrize("game", GAMES)
async def test_whatever_is_played_everybody_has_what_the_server_shows_him(
    game: str, policy: Plain
) -> None:
    """By chance, with breaks: racers, those who are done, those who look on at once or late."""
    fake, rng = Fake(), Random(f"race of {game}")
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(running_server(world=fake.world))
        talks = [
            await stack.enter_async_context(talking(running.url, encoding))
            for encoding in (*Encoding, *Encoding)
        ]
        made = await talks[0].ok("create", game=game, mode="race", seats=4, policy=policy)
        room = made["room"]
        joined = [made, *await seat(room, *talks[1:3])]
        await later(running, fake, 1)
        joined.append(await talks[3].ok("join", room=room))
        people = [
            Follower(talk, mirror(one), one["role"])
            for talk, one in zip(talks, joined, strict=True)
        ]
        racers = people[:3]
        await begin(running, fake, room, *talks[:3])
        for step in range(90):
            await later(running, fake, rng.choice((0.1, 0.9)))
            for one in rng.sample(people, 2):
                await one.check()
            if step == 60:
                await racers[0].talk.ok("resign", room=room)
            racer = rng.choice(racers if step < 60 else racers[1:])
            legal = (await racer.talk.ok("moves", room=room))["moves"]
            t = rng.choice(("move", "move", "move", "undo", "redo", "restart", "say", "back"))
            if t == "back":
                await rng.choice(people).come_back()
            elif t == "say":
                await rng.choice(people).talk.ok("say", room=room, text="hm")
            elif t != "move":
                await racer.talk.ask(t, room=room)
            elif legal:
                await racer.talk.ok("move", room=room, move=rng.choice(legal))
        for racer in racers[1:]:
            await racer.talk.ok("resign", room=room)
        await later(running, fake, 1)
        for one in people:
            await one.check()
            assert "hidden" not in str(view_of(one.client)["boards"])
        views = [view_of(one.client) for one in people]
        assert all(view == views[0] for view in views)
