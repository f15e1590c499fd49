"""`rematch`: the next deal with the same seats, and who has won how often."""

import asyncio
from pathlib import Path

import pytest
from plays import NEAR_WIN, WINNING
from races import begin, kinds, seat, told
from servers import Running, running_server
from talk import Plain, Talk, talking
from worlds import Fake, HeldLog

from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.sqlite import SqliteLog

NEAR: Plain = {"game": "klondike", "save": NEAR_WIN}


async def win(talk: Talk, room: str) -> None:
    for move in WINNING:
        await talk.ok("move", room=room, move=move)


async def test_solo_goes_on_with_a_fresh_deal(running: Running) -> None:
    async with talking(running.url, name="Ann") as ann, talking(running.url) as eve:
        old = (await ann.ok("create", **NEAR, policy={"say": False}))["room"]
        await eve.ok("join", room=old)
        await ann.refused("forbidden", "rematch", room=old)
        await win(ann, old)
        await eve.refused("not-seated", "rematch", room=old)
        new = await ann.ok("rematch", room=old)
        assert new["room"] != old and (new["role"], new["seat"]) == ("player", 1)
        view = new["view"]
        assert view["series"] == {"first": old, "number": 2, "tally": [1]}
        assert view["status"] == "open" and view["policy"]["say"] is False
        assert view["boards"][0]["score"] == 0 and new["info"]["visibility"] == "public"
        assert (await told(eve, old, "rematch"))["next"] == new["room"]
        assert (await eve.ok("join", room=old))["view"]["next"] == new["room"]
        assert (await ann.ok("rematch", room=old))["room"] == new["room"]
        await eve.ok("join", room=new["room"])
        assert kinds(eve, old).count("rematch") == 1
        await ann.ok("move", room=new["room"], move="discard")
        await eve.refused("full", "join", room=new["room"], role="player")


async def test_a_series_of_three_games_counts_who_has_won(running: Running) -> None:
    """The second is lost, by a player who has come in meanwhile; seats stay where they are."""
    async with talking(running.url, name="Ann") as ann, talking(running.url, name="Bob") as bob:
        first = (await ann.ok("create", **NEAR, mode="coop", seats=3))["room"]
        await seat(first, bob)
        await win(ann, first)
        await told(bob, first, "ended")
        second = await bob.ok("rematch", room=first)
        assert second["seat"] == 2
        seats = second["view"]["seats"]
        assert [one.get("name") for one in seats] == ["Ann", "Bob", None]
        assert second["view"]["series"] == {"first": first, "number": 2, "tally": [1, 1, 0]}
        assert (await ann.ok("rematch", room=first))["room"] == second["room"]
        await ann.ok("leave", room=second["room"])
        await bob.ok("resign", room=second["room"])
        await ann.ok("join", room=second["room"])
        await ann.refused("not-seated", "rematch", room=second["room"])
        third = await bob.ok("rematch", room=second["room"])
        assert [one.get("name") for one in third["view"]["seats"]] == [None, "Bob", None]
        assert third["view"]["series"] == {"first": first, "number": 3, "tally": [1, 1, 0]}
        page = await bob.ok("history", room=third["room"])
        assert page["events"][0]["series"] == third["view"]["series"]
        assert "origin" not in page["events"][0]


async def test_a_series_of_races(tmp_path: Path) -> None:
    """The first of the table wins; countdown and limit go on; over restarts too."""
    fake = Fake()
    wish: Plain = {"mode": "race", "countdown": 2, "limit": 600, "seats": 3}
    async with (
        running_server(SqliteLog(tmp_path / "log"), fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        first = (await ann.ok("create", **NEAR, **wish))["room"]
        await seat(first, bob)
        await begin(running, fake, first, ann, bob)
        await win(bob, first)
        await ann.ok("resign", room=first)
        second = await ann.ok("rematch", room=first)
        assert second["view"]["series"] == {"first": first, "number": 2, "tally": [0, 1, 0]}
        assert second["view"]["race"] == {"countdown": 2, "limit": 600}
        assert (second["board"], second["view"]["boards"][0]["piles"]) == (0, {})
        room = second["room"]
        await bob.ok("rematch", room=first)
        await begin(running, fake, room, ann, bob)
        fake.pass_time(1)
        await ann.ok("resign", room=room)
        await bob.ok("resign", room=room)  # both have the score 0: nobody has won
        tokens = ann.token, bob.token
    async with (
        running_server(SqliteLog(tmp_path / "log"), fake.world) as running,
        talking(running.url, token=tokens[0]) as ann,
        talking(running.url, token=tokens[1]) as bob,
    ):
        await ann.ok("join", room=room, role="player")
        third = await ann.ok("rematch", room=room)
        assert third["view"]["series"] == {"first": first, "number": 3, "tally": [0, 1, 0]}
        await bob.ok("join", room=first, role="player")
        assert (await bob.ok("rematch", room=first))["room"] == room


async def test_the_password_is_kept(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        wish: Plain = {"visibility": "private", "password": "cats"}
        old = (await ann.ok("create", **NEAR, **wish))["room"]
        await ann.ok("resign", room=old)
        new = await ann.ok("rematch", room=old)
        assert new["info"]["visibility"] == "private"
        await bob.refused("forbidden", "join", room=new["room"])
        await bob.ok("join", room=new["room"], password="cats")
        assert (await bob.ok("rooms"))["rooms"] == []


@pytest.mark.parametrize("held", [False, True])
async def test_asked_at_the_same_time_it_is_one_room(held: bool) -> None:
    log = HeldLog()
    async with (
        running_server(log) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        old = (await ann.ok("create", **NEAR, mode="coop"))["room"]
        await seat(old, bob)
        await ann.ok("resign", room=old)
        if held:
            log.hold()
        asked = [asyncio.create_task(talk.ok("rematch", room=old)) for talk in (ann, bob)]
        if held:
            await log.waiting.wait()
            log.release()
        made = [answer["room"] for answer in await asyncio.gather(*asked)]
        assert made[0] == made[1]
        await ann.ok("move", room=made[0], move="discard")
        await told(bob, made[0], "move")  # both are in the same room in memory
        assert kinds(ann, old).count("rematch") == 1
        assert [len(await log.read(room)) for room in made] == [2, 2]
        assert len(await running.app._log.rooms()) == 2


async def test_nothing_follows_a_deal_of_the_day_or_a_replay_room() -> None:
    async with running_server(MemoryLog()) as running, talking(running.url) as ann:
        daily = (await ann.ok("create", game="montana", daily=True))["room"]
        await ann.ok("resign", room=daily)
        await ann.refused("forbidden", "rematch", room=daily)
        old = (await ann.ok("create", **NEAR))["room"]
        await ann.ok("resign", room=old)
        shown = (await ann.ok("present", room=old))["room"]
        await ann.ok("resign", room=shown)
        await ann.refused("forbidden", "rematch", room=shown)
