"""A secret pledged, a nonce mixed in: what event 1 says, and for how many rooms it is good."""

import hashlib
from collections.abc import AsyncIterator

import pytest
from servers import Running, running_server
from talk import Plain, Talk, talking

from kibitz.engine.deals import shuffled
from kibitz.engine.games import GAMES
from kibitz.engine.notation import write_piles
from kibitz.protocol.fairness import seed_of
from kibitz.server.log.log import LogFailure
from kibitz.server.log.memory import MemoryLog


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    async with running_server() as running:
        yield running


async def ended(talk: Talk, room: str) -> Plain:
    """What the end lays open."""
    await talk.ok("resign", room=room)
    await talk.until(lambda: talk.events(room)[-1]["kind"] == "ended")
    opened: Plain = talk.events(room)[-1]["opened"]
    return opened


async def first(talk: Talk, room: str) -> Plain:
    """What a room has committed itself to, as event 1 has it and whoever joins is told."""
    page = await talk.ok("history", room=room, to=1)
    fair: Plain = page["events"][0]["fair"]
    return fair


@pytest.mark.parametrize("game", GAMES)
async def test_the_deck_follows_from_the_pledged_secret_and_the_nonce(
    running: Running, game: str
) -> None:
    async with talking(running.url) as ann:
        pledge = (await ann.ok("pledge"))["pledge"]
        assert (await ann.ok("pledge"))["pledge"] == pledge, "one is open at a time"
        joined = await ann.ok("create", game=game, nonce="my-own_1", pledge=pledge)
        fair = await first(ann, joined["room"])
        assert (fair["pledge"], fair["nonce"], "loaded" in fair) == (pledge, "my-own_1", False)
        assert joined["info"]["fair"] == fair
        opened = await ended(ann, joined["room"])
        secret = bytes.fromhex(opened["secret"])
        assert hashlib.sha256(secret).hexdigest() == pledge
        deal = GAMES[game].deal(shuffled(seed_of(secret, "my-own_1")))
        assert opened["start"] == write_piles(deal)
        assert (await ann.ok("pledge"))["pledge"] != pledge, "it is used up"


async def test_a_nonce_is_mixed_into_a_fresh_secret(running: Running) -> None:
    async with talking(running.url) as ann:
        joined = await ann.ok("create", game="aces-up", nonce="n" * 64)
        opened = await ended(ann, joined["room"])
        assert opened["seed"] == seed_of(bytes.fromhex(opened["secret"]), "n" * 64).hex()


async def test_a_pledge_is_good_once_and_on_its_connection(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url, token=ann.token) as again:
        pledge = (await ann.ok("pledge"))["pledge"]
        for talk, other in ((again, pledge), (ann, "0" * 64)):
            await talk.refused("bad-option", "create", game="aces-up", pledge=other)
        await ann.refused("bad-option", "create", game="chess", pledge=pledge)
        await ann.ok("create", game="aces-up", pledge=pledge)
        await ann.refused("bad-option", "create", game="aces-up", pledge=pledge)


async def test_a_named_room_is_the_same_on_the_next_connection(running: Running) -> None:
    async with talking(running.url) as ann:
        pledge = (await ann.ok("pledge"))["pledge"]
        wish: Plain = {"game": "montana", "nonce": "n", "pledge": pledge}
        room = (await ann.ok("create", "c1", **wish))["room"]
        token = ann.token
        await ann.drop()
    async with talking(running.url, token=token) as ann:
        again = await ann.ok("create", "c1", **wish)
        assert again["room"] == room and again["info"]["fair"]["pledge"] == pledge
        await ann.refused("bad-message", "create", "c1", **wish | {"nonce": "m"})
        await ann.refused("bad-option", "create", "c2", **wish)


async def test_a_secret_is_used_up_even_if_nobody_knows_whether_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = MemoryLog()
    async with running_server(log) as running, talking(running.url) as ann:
        pledge = (await ann.ok("pledge"))["pledge"]
        with monkeypatch.context() as patch:

            def fail(*_: object) -> None:
                raise LogFailure("full")

            patch.setattr(log, "append", fail)
            await ann.refused("internal", "create", game="aces-up", pledge=pledge)
        await ann.refused("bad-option", "create", game="aces-up", pledge=pledge)


@pytest.mark.parametrize("nonce", ["", "n" * 65, "a b", "ä", "a\n", "x;y"])
async def test_what_is_no_nonce(running: Running, nonce: str) -> None:
    async with talking(running.url) as ann:
        await ann.refused("bad-message", "create", game="aces-up", nonce=nonce)
        pledge = (await ann.ok("pledge"))["pledge"] + "\n"
        await ann.refused("bad-message", "create", game="aces-up", pledge=pledge)


async def test_nobody_adds_anything_to_the_deal_of_the_day(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        pledge = (await ann.ok("pledge"))["pledge"]
        for more in ({"nonce": "n"}, {"pledge": pledge}):
            await ann.refused("bad-option", "create", game="klondike", daily=True, **more)
        one, other = [await each.ok("create", game="klondike", daily=True) for each in (ann, bob)]
        assert one["info"]["fair"] == other["info"]["fair"], "the same deal for everybody"


@pytest.mark.parametrize(
    ("wish", "loaded"), [({"deal": "42"}, False), ({"save": True}, True), ({"fork": True}, True)]
)
async def test_what_is_loaded_says_so(running: Running, wish: Plain, loaded: bool) -> None:
    async with talking(running.url) as ann:
        if "deal" in wish:
            joined = await ann.ok("create", game="aces-up", **wish)
        else:
            old = (await ann.ok("create", game="aces-up"))["room"]
            if "fork" in wish:
                joined = await ann.ok("fork", room=old, at=1)
            else:
                save = (await ann.ok("save", room=old))["text"]
                joined = await ann.ok("create", game="aces-up", save=save)
        assert joined["info"]["fair"].get("loaded", False) is loaded
