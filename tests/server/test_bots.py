"""Bots that sit down by request: they play to the end, within limits, and are nobody else."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from apart import DIES, workers
from certificates import Authority
from operators import SECRET, token
from races import NEAR, begin, kinds, later, race, seat, told
from scraped import scrape
from server.access.tokens import access
from servers import EACH_COUNTS, EACH_ENDS, EACH_HAS, UNLIMITED, Running, running_server
from talk import eventually, fetch, talking
from worlds import Fake

from kibitz.clients.verifying.replay import verdict_on_file
from kibitz.protocol.bots import Exit
from kibitz.protocol.views import Bot
from kibitz.server.bots import child
from kibitz.server.bots.tickets import Ticket
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.settings import Limits

NO_PACE = {"pace": 0}


def players() -> list[int]:
    """Ids of the processes of bots, and of what runs in their place."""
    return workers("kibitz.clients.seated", "sys.stdin.read()")


@asynccontextmanager
async def allowing(**limits: int | bool) -> AsyncIterator[Running]:
    async with running_server(limits=replace(UNLIMITED, **limits)) as running:  # type: ignore[arg-type]
        yield running


async def bots(running: Running) -> float:
    return (await scrape(running.http))["kibitz_bots_playing"]


async def counted(running: Running, outcome: str) -> float:
    return (await scrape(running.http))[f'kibitz_bots_total{{outcome="{outcome}"}}']


@pytest.mark.parametrize("strategy", ["fast", "greedy", "strong"])
async def test_a_race_against_a_bot_from_start_to_end(strategy: str) -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        assert ann.answers[1]["limits"]["bots"] == Limits().bots
        room = await race(ann, **NEAR, countdown=0)
        done = await ann.ok("bot", room=room, strategy=strategy, **NO_PACE)
        sat = await told(ann, room, "joined")
        bot = {"strategy": strategy, "pace": 0}
        assert (sat["name"], sat["seat"], sat["bot"]) == (f"{strategy} bot", 2, bot)
        assert done["seq"] == sat["seq"], "whoever asked has it that it sits"
        assert (await told(ann, room, "ready"))["by"] == sat["by"]
        await ann.ok("ready", room=room)
        assert (await told(ann, room, "won"))["by"] == sat["by"]
        await ann.ok("resign", room=room)
        results = (await told(ann, room, "ended"))["results"]
        assert [(row["name"], row["status"]) for row in results] == [
            (f"{strategy} bot", "won"),
            ("Ann", "resigned"),
        ]
        replay = (await fetch(running.http, f"/rooms/{room}/replay.json"))[1]
        assert not verdict_on_file(replay).failed, "to a verifier it is a racer like any other"
        view = (await ann.ok("join", room=room))["view"]
        assert view["seats"][1] == {"seat": 2, "id": sat["by"], "name": sat["name"], "bot": bot}
        await eventually(lambda: not running.app.house._playing)
        assert await bots(running) == await counted(running, "failed") == 0


async def test_it_comes_into_a_closed_room_of_a_server_with_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    async with (
        running_server(tls=authority.files) as running,
        talking(running.url, name="Ann", trust=authority.trust) as ann,
    ):
        room = await race(ann, **NEAR, countdown=0, visibility="private", password="cats")
        await ann.ok("bot", room=room, strategy="fast", **NO_PACE)
        await told(ann, room, "ready")


async def test_it_needs_no_token_of_the_operators(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(SECRET)
    async with (
        running_server(access=access(key)) as running,
        talking(running.url, token=token(key=SECRET, alg="HS256", name="Ann")) as ann,
    ):
        room = await race(ann, countdown=0)
        await ann.ok("bot", room=room, strategy="fast")
        await told(ann, room, "ready")


@EACH_COUNTS
async def test_no_more_than_the_operator_allows(idle: None) -> None:
    async with (
        allowing(bots=3, bots_per_identity=2) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        mine, theirs = await race(ann, seats=5), await race(bob, seats=5)
        for _ in range(2):
            await ann.ok("bot", room=mine)
        refused = await ann.refused("full", "bot", room=mine)
        assert refused["limit"] == "bots per identity"
        said = f"too many bots per identity (2 at most); give one up first, in {mine}"
        assert refused["message"] == said
        assert ann.answers[1]["limits"]["bots_per_identity"] == 2
        solo = (await ann.ok("create", game="klondike"))["room"]
        refused = await ann.refused("illegal", "bot", room=solo)
        assert "races only" in refused["message"], "what is so of the room comes first"
        await bob.ok("bot", room=theirs)
        refused = await bob.refused("full", "bot", room=theirs)
        assert refused["limit"] == "bots" and "try again later" in refused["message"]
        assert await bots(running) == 3
        await eventually(lambda: len(players()) == 3)
        assert (await counted(running, "started"), await counted(running, "refused")) == (3, 2)
        names = [s.get("name") for s in (await ann.ok("join", room=mine))["view"]["seats"]]
        assert names == ["Ann", "strong bot", "strong bot 2", None, None]


@EACH_COUNTS
async def test_bots_are_numbered_among_those_that_play_alike(idle: None) -> None:
    async with allowing(bots=9, bots_per_identity=9) as running, talking(running.url) as ann:
        room = await race(ann, seats=5)
        for strategy in ("greedy", "fast", "greedy"):
            await ann.ok("bot", room=room, strategy=strategy)
        await ann.ok("bot", room=room, on=False, seat=2)
        await ann.ok("bot", room=room, strategy="greedy")
        seats = (await ann.ok("join", room=room))["view"]["seats"]
        names = [seat["name"] for seat in seats if "bot" in seat]
        assert names == ["greedy bot", "fast bot", "greedy bot 2"]
    assert not players(), "none is left when the server has ended"


@EACH_COUNTS
async def test_a_crowd_of_identities_at_one_address_is_one(idle: None) -> None:
    async with (
        allowing(bots_per_address=1, count_loopback=True) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        await ann.ok("bot", room=await race(ann))
        refused = await bob.refused("full", "bot", room=await race(bob))
        assert refused["limit"] == "bots per address"


async def test_an_operator_wants_none() -> None:
    async with allowing(bots=0) as running, talking(running.url, name="Ann") as ann:
        assert ann.answers[1]["limits"]["bots"] == 0
        await ann.refused("unsupported", "bot", room=await race(ann))


async def test_who_may_ask_and_when(idle: None) -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        room = await race(ann)
        await ann.refused("bad-message", "bot", room=room, strategy="clever")
        await ann.refused("bad-message", "bot", room=room, pace=-1)
        await ann.refused("bad-message", "bot", room=room, on=False)
        await bob.refused("no-room", "bot", room=room)
        await seat(room, bob)
        await bob.refused("forbidden", "bot", room=room)
        await ann.refused("full", "bot", room=room)
        for number in (1, 9):
            await ann.refused("bad-option", "bot", room=room, on=False, seat=number)
        solo = (await ann.ok("create", game="klondike"))["room"]
        await ann.refused("illegal", "bot", room=solo)
        await begin(running, fake, room, ann, bob)
        await ann.refused("full", "bot", room=room)
        assert await counted(running, "started") == 0
        assert not running.app.house._playing, "who was refused holds nothing"


async def test_what_was_asked_twice_under_one_name_is_done_once(idle: None) -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann, seats=5)
        first = await ann.ok("bot", "b1", room=room)
        async with talking(running.url, token=ann.token) as again:
            await again.ok("join", room=room)
            assert await again.ok("bot", "b1", room=room) == first
            await again.refused("bad-message", "ready", "b1", room=room)
            await again.refused("bad-message", "bot", "b1", room=room, strategy="greedy")
            await again.refused("bad-message", "bot", "b1", room=room, on=False, seat=2)
        assert kinds(ann, room).count("joined") == 1
        await ann.ok("bot", "b2", room=room)
        gone = await ann.ok("bot", "b3", room=room, on=False, seat=2)
        await ann.refused("bad-message", "bot", "b3", room=room, on=False, seat=3)
        assert await ann.ok("bot", "b3", room=room, on=False, seat=2) == gone


async def test_one_that_is_sent_away_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        await ann.ok("bot", room=room, strategy="fast")
        await told(ann, room, "ready")
        await ann.ok("bot", "away", room=room, on=False, seat=2)
        assert (await told(ann, room, "left"))["seat"] == 2
        await ann.refused("bad-option", "bot", room=room, on=False, seat=2)
        await eventually(lambda: not running.app.house._playing)
        await ann.ok("bot", "away", room=room, on=False, seat=2)
        assert kinds(ann, room).count("left") == 1


@EACH_ENDS
async def test_who_comes_to_an_end_starts_none(idle: None) -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        running.app.drain()
        await ann.refused("draining", "bot", room=room)


@EACH_HAS
async def test_one_whose_process_dies_frees_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "PLAYER", DIES)
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        await ann.ok("bot", room=room)
        assert (await told(ann, room, "left"))["seat"] == 2
        await eventually(lambda: not running.app.house._playing)
        assert await counted(running, "failed") == 1
        monkeypatch.setattr(child, "PLAYER", ("/nowhere/python",))
        await ann.ok("bot", room=room)
        await ann.until(lambda: kinds(ann, room).count("left") == 2)


@EACH_HAS
async def test_one_that_plays_elsewhere_now_keeps_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    replaced = (sys.executable, "-c", f"raise SystemExit({Exit.REPLACED.value})")
    monkeypatch.setattr(child, "PLAYER", replaced)
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        await ann.ok("bot", room=room)
        await eventually(lambda: not running.app.house._playing)
        await ann.settle()
        assert "left" not in kinds(ann, room) and await counted(running, "failed") == 0


@EACH_HAS
async def test_one_whose_process_dies_in_the_race_gives_its_board_up(idle: None) -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        room = await race(ann, seats=3)
        await seat(room, bob)
        await ann.ok("bot", room=room)
        bot = (await told(ann, room, "joined"))["by"]
        await begin(running, fake, room, ann, bob)
        await eventually(players)
        (process,) = players()
        os.kill(process, signal.SIGKILL)
        gone = await told(ann, room, "resigned")
        assert (gone["by"], gone["board"]) == (bot, 2)


@EACH_ENDS
async def test_a_game_goes_on_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "kibitz.db"
    async with running_server(SqliteLog(file)) as running, talking(running.url, name="Ann") as ann:
        room = await race(ann, **NEAR, countdown=0)
        await ann.ok("bot", room=room, strategy="fast", pace=60_000)
        bot = (await told(ann, room, "ready"))["by"]
        await ann.ok("ready", room=room)
        await told(ann, room, "dealt")
    assert not players()
    async with (
        running_server(SqliteLog(file)) as running,
        talking(running.url, token=ann.token) as ann,
    ):
        joined = await ann.ok("join", room=room, role="player")
        view = joined["view"]
        assert [board["status"] for board in view["boards"]] == ["open", "open"]
        assert view["seats"][1]["id"] == bot
        await ann.until(lambda: any(event.get("board") == 1 for event in ann.events(room)))


async def test_it_comes_along_into_the_next_race(idle: None) -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        room = await race(ann, seats=3)
        await seat(room, bob)
        await ann.ok("bot", room=room, strategy="greedy", pace=5)
        await begin(running, fake, room, ann, bob)
        for each in (ann, bob):
            await each.ok("resign", room=room)
        await ann.ok("bot", room=room, on=False, seat=3)
        await told(ann, room, "ended")
        after = await ann.ok("rematch", room=room)
        last = after["view"]["seats"][2]
        assert (last["name"], last["bot"]) == ("greedy bot", {"strategy": "greedy", "pace": 5})
        held = [each for each, _ in running.app.house._playing]
        assert after["room"] in held, "another process plays for it there"


async def test_bots_alone_begin_no_race(idle: None) -> None:
    async with running_server() as running, talking(running.url) as bob:
        async with talking(running.url, name="Ann") as ann:
            room = await race(ann, seats=3, countdown=0)
            for _ in range(2):
                await ann.ok("bot", room=room, strategy="fast", **NO_PACE)
        await bob.ok("join", room=room)
        tickets = [Ticket(room, number, Bot("fast", 0)) for number in range(2)]
        one, two = map(running.app.house._tickets.token, tickets)
        async with (
            talking(running.url, token=one) as left,
            talking(running.url, token=two) as right,
        ):
            for bot in (left, right):
                await bot.ok("join", room=room, role="player")
                await bot.ok("ready", room=room)
            assert "countdown" not in kinds(right, room)
            async with talking(running.url, token=ann.token) as again:
                await again.ok("join", room=room, role="player")
                await again.ok("ready", room=room)
                await told(bob, room, "countdown")


@pytest.mark.parametrize("arranged", [False, True])
async def test_bots_that_are_left_alone_begin_no_race_either(idle: None, arranged: bool) -> None:
    """The one who was ready stands up while it is counted down, or before the time that was set."""
    fake = Fake()
    async with running_server(world=fake.world) as running, talking(running.url) as ann:
        begins = fake.world.now_ms() + 9000 if arranged else None
        room = await race(ann, seats=3, countdown=3, begins=begins)
        for number in range(2):
            await ann.ok("bot", room=room, strategy="fast", **NO_PACE)
            token = running.app.house._tickets.token(Ticket(room, number, Bot("fast", 0)))
            async with talking(running.url, token=token) as bot:
                await bot.ok("join", room=room, role="player")
                await bot.ok("ready", room=room)
        await ann.ok("ready", room=room)
        await ann.ok("leave", room=room)
        await ann.ok("join", room=room)
        await later(running, fake, 20)
        assert "started" not in kinds(ann, room)
        await ann.ok("join", room=room, role="player")
        await ann.ok("ready", room=room)
        await later(running, fake, 20)
        await told(ann, room, "started")


@EACH_COUNTS
async def test_asked_at_once_under_one_name_it_is_one_bot(idle: None) -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = await race(ann, seats=4)
        async with talking(running.url, token=ann.token) as again:
            await again.ok("join", room=room)
            for each in (ann, again):
                await each.send({"t": "bot", "i": "one", "room": room, "on": True})
            for each in (ann, again):
                await each.until(lambda to=each: "one" in to.answers)  # type: ignore[misc]
                assert each.answers["one"]["t"] == "ok"
            assert await bots(running) == 1
            assert (await again.ok("history", room=room))["events"][-1]["seat"] == 2
