"""`fork`: a finished game's position as the start of a new room."""

from plays import NEAR_WIN, WINNING
from servers import Running
from talk import talking


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
