"""`tv`: the public room most worth watching, and that it stays there while something happens."""

from contextlib import AsyncExitStack
from itertools import permutations

from msgspec.structs import replace
from races import begin, later, seat
from server.storage.files import entry
from servers import running_server
from talk import Plain, Talk, talking
from worlds import START_MS, Fake

from kibitz.server.lobby.tv import Tv

GAME: Plain = {"game": "klondike", "deal": "1"}


async def on_air(talk: Talk) -> str | None:
    """What is pushed next."""
    said = await talk.stray()
    assert said["t"] == "tv" and set(said) == {"t", "room"}
    return said["room"] and said["room"]["id"]  # type: ignore[no-any-return]


async def test_tv_stays_with_a_game_until_it_is_over_or_quiet() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as eve,
    ):
        await eve.ok("tv")
        assert await on_air(eve) is None
        first = (await ann.ok("create", **GAME))["room"]
        assert await on_air(eve) == first
        second = (await ann.ok("create", game="aces-up"))["room"]
        await bob.ok("join", room=second)  # more look on there, but it stays
        await ann.ok("move", room=second, move="d")
        await ann.ok("lobby")
        await ann.until(lambda: [p for p in ann.pushes if p["t"] == "lobby"])
        assert eve.strays == []
        await ann.ok("resign", room=first)
        assert await on_air(eve) == second
        third = (await ann.ok("create", game="montana"))["room"]
        fake.pass_time(59)
        await ann.ok("say", room=third, text="hm")
        fake.pass_time(1)
        assert await on_air(eve) == third, "nothing has happened there for a minute"
        fake.pass_time(60)
        assert await on_air(eve) is None
        await eve.ok("tv", on=False)
        await ann.ok("move", room=second, move="d")
        await eve.ok("tv")
        assert await on_air(eve) == second, "asked anew, told anew"


async def test_most_spectators_then_the_best_score() -> None:
    fake = Fake()
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(running_server(world=fake.world))
        ann, bob, eve = [await stack.enter_async_context(talking(running.url)) for _ in range(3)]
        rooms = [(await ann.ok("create", **GAME))["room"] for _ in range(3)]
        await bob.ok("join", room=rooms[1])
        await ann.ok("lobby")
        await ann.until(
            lambda: [p for p in ann.pushes if p["t"] == "lobby" and p["room"]["spectators"]]
        )
        await eve.ok("tv")
        assert await on_air(eve) == rooms[1]


def test_of_equals_one_is_shown_in_whatever_order_they_are_looked_at() -> None:
    equals = [replace(entry(id_), updated=START_MS) for id_ in ("a", "b", "c")]
    shown = [Tv().look(some, START_MS) for some in permutations(equals)]
    assert None not in shown and all(each == shown[0] for each in shown)


async def test_what_not_everybody_may_see_at_once_is_not_on() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as eve,
    ):
        race = (await ann.ok("create", **GAME, mode="race", countdown=0))["room"]
        await seat(race, bob)
        await begin(running, fake, race, ann, bob)
        late = (await ann.ok("create", **GAME, policy={"delay": 90}))["room"]
        await ann.ok("create", **GAME, visibility="unlisted")
        await ann.ok("create", **GAME, visibility="private", password="x")
        await ann.ok("create", **GAME, password="x")
        await ann.ok("create", game="montana", daily=True)
        waiting: Plain = {"mode": "race", "policy": {"delay": 5}}
        await ann.ok("create", **GAME, **waiting)
        await later(running, fake, 6)
        old = (await ann.ok("create", **GAME))["room"]
        await ann.ok("resign", room=old)
        await ann.ok("present", room=old)
        await eve.ok("tv")
        assert await on_air(eve) is None
        await later(running, fake, 84)
        assert await on_air(eve) == late
        fake.pass_time(61)
        assert await on_air(eve) is None, "what is shown of it came a minute ago"
