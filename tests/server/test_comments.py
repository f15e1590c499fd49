"""Comments: on and off, never, and how many."""

from races import kinds, told
from servers import ANY, Running, running_server
from talk import talking
from worlds import Fake

from kibitz.server.limits.rates import Rate


async def test_players_turn_comments_off_and_on(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as eve:
        room = (await ann.ok("create", game="klondike"))["room"]
        joined = await eve.ok("join", room=room)
        assert "comments" not in joined["view"]
        await eve.refused("not-seated", "comments", room=room, on=False)
        same = await ann.ok("comments", room=room, on=True)
        assert same["seq"] == 2, "they are on already"
        await ann.ok("comments", room=room, on=False)
        assert (await told(eve, room, "comments"))["on"] is False
        for talk in (ann, eve):
            await talk.refused("forbidden", "say", room=room, text="hm")
        assert (await eve.ok("join", room=room))["view"]["comments"] is False
        await ann.ok("comments", room=room, on=True)
        await eve.until(lambda: len(kinds(eve, room)) == 2)
        await eve.ok("say", room=room, text="at last")
        await told(ann, room, "say")
        assert "comments" not in (await eve.ok("join", room=room))["view"]
        assert kinds(ann, room) == ["comments", "comments", "say"]
        await ann.ok("resign", room=room)
        await ann.ok("comments", room=room, on=False)  # after the game, too
        await eve.refused("forbidden", "say", room=room, text="hm")


async def test_a_room_may_take_no_comments_for_good(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", policy={"say": False}))["room"]
        for on in (False, True):
            await ann.refused("forbidden", "comments", room=room, on=on)
        await ann.refused("forbidden", "say", room=room, text="hm")


async def test_a_named_switch_is_thrown_once(running: Running) -> None:
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        off = await ann.ok("comments", "c1", room=room, on=False)
        await ann.ok("comments", "c2", room=room, on=True)
        assert await ann.ok("comments", "c1", room=room, on=False) == off
        await ann.refused("bad-message", "comments", "c1", room=room, on=True)
        await ann.refused("bad-message", "say", "c1", room=room, text="hm")
        assert "comments" not in (await ann.ok("join", room=room, role="player"))["view"]


async def test_so_many_comments_of_one_identity_in_one_room() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world, requests=ANY, says=Rate(0.5, 3)) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        other = (await ann.ok("create", game="klondike"))["room"]
        await bob.ok("join", room=room)
        for number in range(3):
            await ann.ok("say", f"s{number}", room=room, text=f"{number}")
        refused = await ann.refused("rate-limited", "say", room=room, text="too much")
        assert (refused["retry_ms"], refused["room"]) == (2000, room)
        async with talking(running.url, token=ann.token) as again:
            await again.ok("join", room=room)
            await again.refused("rate-limited", "say", room=room, text="from elsewhere")
        await ann.ok("say", "s1", room=room, text="1")  # answered again, and not counted
        await bob.ok("say", room=room, text="another")
        await ann.ok("say", room=other, text="elsewhere")
        await ann.ok("move", room=room, move="discard")
        fake.pass_time(2)
        await ann.ok("say", room=room, text="one more")
        await ann.refused("rate-limited", "say", room=room, text="too much")
        assert kinds(bob, room).count("say") == 5
