"""`fork`: a finished game's position as the start of a new room."""

import pytest
from plays import NEAR_WIN, WINNING
from servers import Running
from talk import Plain, talking


async def test_a_position_of_a_finished_game_begins_a_new_room(running: Running) -> None:
    async with talking(running.url) as ann:
        made = await ann.ok("create", game="klondike", save=NEAR_WIN)
        old = made["room"]
        await ann.ok("move", room=old, move=WINNING[0])
        await ann.refused("forbidden", "fork", room=old)
        await ann.ok("move", room=old, move=WINNING[1])
        await ann.refused("game-over", "fork", room=old, at=4)
        await ann.refused("bad-option", "fork", room=old, at=400)
        forked = await ann.ok("fork", "again", room=old)
        assert forked["room"] != old
        assert forked["role"] == "player"
        assert forked["view"]["boards"] == made["view"]["boards"]
        history = await ann.ok("history", room=forked["room"])
        assert history["events"][0]["origin"] == {"room": old, "seq": 1}
        assert (await ann.ok("fork", "again", room=old))["room"] == forked["room"]
        await ann.refused("bad-message", "fork", "again", room=old, at=3)
        middle = await ann.ok("fork", room=old, at=3)
        assert middle["view"]["boards"] != made["view"]["boards"]


@pytest.mark.parametrize(
    "made", [{"visibility": "unlisted"}, {"visibility": "private", "password": "x"}]
)
async def test_a_fork_tells_no_more_than_its_parent(running: Running, made: Plain) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        old = (await ann.ok("create", game="aces-up", **made))["room"]
        await ann.ok("resign", room=old)
        forked = (await ann.ok("fork", room=old))["room"]
        assert (await bob.ok("rooms"))["rooms"] == []
        joined = await bob.ok("join", room=forked)
        assert joined["info"]["visibility"] == "unlisted"
        history = await bob.ok("history", room=forked)
        assert old not in str(history)


async def test_a_fork_of_a_public_game_may_be_unlisted(running: Running) -> None:
    async with talking(running.url) as ann:
        old = (await ann.ok("create", game="aces-up"))["room"]
        await ann.ok("resign", room=old)
        await ann.ok("fork", room=old, unlisted=True)
        assert [room["id"] for room in (await ann.ok("rooms"))["rooms"]] == [old]
