"""One name stands for one request, also of those that make rooms in other ways."""

from servers import Running
from talk import talking


async def test_the_name_of_a_room_is_no_name_for_the_deal_of_the_day(running: Running) -> None:
    async with talking(running.url) as ann:
        made = await ann.ok("create", "mine", game="klondike", deal="1")
        await ann.refused("bad-message", "create", "mine", game="klondike", daily=True)
        assert (await ann.ok("create", "mine", game="klondike", deal="1"))["room"] == made["room"]
        day = await ann.ok("create", "day", game="klondike", daily=True)
        assert (await ann.ok("create", "day", game="klondike", daily=True))["room"] == day["room"]


async def test_the_name_of_a_rematch_is_one_like_others(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", "mine", game="klondike", deal="1"))["room"]
        await ann.ok("move", "first", room=room, move="discard")
        await ann.ok("resign", room=room)
        await ann.refused("bad-message", "rematch", "mine", room=room)
        await ann.refused("bad-message", "rematch", "first", room=room)
        again = await ann.ok("rematch", "on", room=room)
        assert (await ann.ok("rematch", "on", room=room))["room"] == again["room"]
        await ann.refused("bad-message", "say", "on", room=room, text="hm")
