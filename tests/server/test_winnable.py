"""Rooms with a deal that is known to be winnable: looked for in a process beside the server."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from races import begin
from scraped import scrape
from servers import EACH_COUNTS, EACH_HAS, UNLIMITED, USUAL, Running, running_server
from talk import Plain, Talk, eventually, fetch, talking
from worlds import Fake

from kibitz.clients.pledging import create_pledged
from kibitz.clients.session import connect
from kibitz.clients.verifying.file import read as read_replay
from kibitz.clients.verifying.replay import verdict_on_file
from kibitz.clients.verifying.texts import verdict_on_text
from kibitz.engine.deals import shuffled
from kibitz.engine.games import GAMES
from kibitz.engine.notation import read_table
from kibitz.engine.solving import Budget, Verdict, solve
from kibitz.protocol.codes import Refused
from kibitz.protocol.fairness import draw_of, drawn, seed_of
from kibitz.protocol.limits import MAX_DRAWS, MAX_NONCE
from kibitz.server.dealing import drawing, winnable, worker
from kibitz.server.dealing.drawing import Wish, deal_of, first_winnable

NEVER = (sys.executable, "-c", "import time; print(7, flush=True); time.sleep(600)")
"""In place of a worker: one that does not end."""
DIES = (sys.executable, "-c", "import os; os.kill(os.getpid(), 9)")
NONE = (sys.executable, "-c", f"print(500); raise SystemExit({worker.NONE})")
EASY = "thumb-and-pouch"


async def opened(talk: Talk, room: str) -> Plain:
    """What the end lays open."""
    await talk.ok("resign", room=room)
    await talk.until(lambda: talk.events(room)[-1]["kind"] == "ended")
    said: Plain = talk.events(room)[-1]["opened"]
    return said


def can_be_won(game: str, said: Plain) -> bool:
    """Whether a start that was laid open can be won, as the solver finds."""
    table = read_table(said["start"], said["counters"])
    return solve(GAMES[game], table, Budget(100_000)).verdict is Verdict.WIN


@pytest.mark.parametrize("nonce", [None, "n_1-" * (MAX_NONCE // 4)])
async def test_the_deal_can_be_won_and_follows_from_secret_nonce_and_draw(
    nonce: str | None,
) -> None:
    async with running_server() as running, talking(running.url) as ann:
        pledge = (await ann.ok("pledge"))["pledge"]
        wish = {"game": EASY, "winnable": True, "nonce": nonce, "pledge": pledge}
        joined = await ann.ok("create", **wish)
        assert joined["view"]["winnable"] is True
        fair = joined["info"]["fair"]
        found = draw_of(fair["nonce"])
        assert found is not None and found[0] == (nonce or "")
        said = await opened(ann, joined["room"])
        assert can_be_won(EASY, said)
        seed = seed_of(bytes.fromhex(said["secret"]), fair["nonce"])
        assert said["seed"] == seed.hex()
        deck = shuffled(seed)
        assert read_table(said["start"], said["counters"]) == GAMES[EASY].deal(deck)
        _, replay = await fetch(running.http, f"/rooms/{joined['room']}/replay.json")
        assert set(verdict_on_file(replay).results.values()) == {"ok"}
        assert b'"winnable":true' in replay
        _, text = await fetch(running.http, f"/rooms/{joined['room']}/replay.txt")
        assert not verdict_on_text(text).failed
        (entry,) = (await ann.ok("rooms"))["rooms"]
        assert entry["winnable"] is True


async def test_a_client_sees_that_the_pledge_was_kept() -> None:
    async with running_server() as running, connect(running.url) as client:
        mirror, kept = await create_pledged(client, EASY, winnable=True)
        assert kept and mirror.view.winnable
        other, kept = await create_pledged(client, EASY)
        assert kept and not other.view.winnable


async def test_what_is_no_winnable_deal_and_no_draw_is_no_replay() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = (await ann.ok("create", game=EASY, winnable=True, nonce="n"))["room"]
        await ann.ok("resign", room=room)
        _, honest = await fetch(running.http, f"/rooms/{room}/replay.json")
        recording, _ = read_replay(honest)
        assert recording is not None and recording.fair is not None
        number = draw_of(recording.fair.nonce)
        assert number is not None
        told = b'"nonce":"n.%d"' % number[1]
        assert told in honest
        for wrong in (
            honest.replace(b',"winnable":true', b""),
            honest.replace(told, b'"nonce":"n.501"'),
            honest.replace(told, b'"nonce":"n.0"'),
            honest.replace(told, b'"nonce":"n"'),
        ):
            assert wrong != honest
            assert verdict_on_file(wrong).results["rules"] == "failed"


async def test_races_and_the_next_of_a_series_have_them_too() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        wish: Plain = {"game": EASY, "mode": "race", "seats": 2, "winnable": True}
        room = (await ann.ok("create", **wish))["room"]
        await bob.ok("join", room=room, role="player")
        await begin(running, fake, room, ann, bob)
        for each in (ann, bob):
            await each.ok("resign", room=room)
        await ann.until(lambda: ann.events(room)[-1]["kind"] == "ended")
        assert can_be_won(EASY, ann.events(room)[-1]["opened"])
        after = await ann.ok("rematch", room=room)
        assert after["view"]["winnable"] is True
        assert draw_of(after["info"]["fair"]["nonce"]) is not None
        again = await bob.ok("rematch", room=room)
        assert again["room"] == after["room"]


async def test_what_is_named_is_not_looked_for() -> None:
    async with running_server() as running, talking(running.url) as ann:
        for more in ({"deal": "42"}, {"save": "Stock [ ]\n"}):
            said = await ann.refused("bad-option", "create", game="klondike", winnable=True, **more)
            assert said["message"] == (
                "a winnable deal is drawn by the server: no deal number and no save"
            )
        await ann.refused("bad-option", "create", game="klondike", daily=True, winnable=True)
        await ann.refused("bad-option", "create", game="chess", winnable=True)
        await ann.refused("bad-message", "create", game="klondike", winnable="very")
        assert (await scrape(running.http))['kibitz_winnable_deals_total{outcome="found"}'] == 0


async def test_an_operator_wants_none() -> None:
    operating = replace(USUAL, winnable_seconds=0.0)
    async with running_server(operating=operating) as running, connect(running.url) as client:
        assert client.welcome.limits["winnable"] == 0
        with pytest.raises(Refused, match="looks for no winnable deals"):
            await client.create(EASY, winnable=True)
    async with running_server() as running, connect(running.url) as client:
        assert client.welcome.limits["winnable"] == 20_000


@EACH_HAS
async def test_where_none_is_found_it_is_said_so_and_no_room_is_made(
    monkeypatch: pytest.MonkeyPatch, no_failures: None
) -> None:
    monkeypatch.setattr(winnable, "WORKER", NONE)
    async with running_server() as running, talking(running.url) as ann:
        said = await ann.refused("bad-option", "create", game="montana", winnable=True)
        assert said["message"].startswith(
            "none of 500 deals was found to be winnable (montana, shuffles 2)"
        )
        monkeypatch.setattr(winnable, "WORKER", DIES)
        await ann.refused("internal", "create", game="montana", winnable=True)
        monkeypatch.setattr(winnable, "WORKER", NEVER)
        monkeypatch.setattr(winnable, "PATIENCE", 0.0)
        late = await ann.refused("bad-option", "create", game="montana", winnable=True)
        assert late["message"].endswith("try again, or play any deal")
        assert (await ann.ok("rooms"))["rooms"] == []
        numbers = await scrape(running.http)
        for outcome, count in {"found": 0, "none": 2, "failed": 1}.items():
            assert numbers[f'kibitz_winnable_deals_total{{outcome="{outcome}"}}'] == count
        await ann.ok("create", game="montana")


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(winnable, "WORKER", NEVER)
    monkeypatch.setattr(winnable, "LOOK_SECONDS", 0.02)


def waiting(running: Running) -> int:
    deals = running.app._winnable
    assert deals is not None
    return len(deals._waiting)


@EACH_COUNTS
async def test_who_goes_is_not_waited_for_and_others_are_served_meanwhile(
    endless: None, monkeypatch: pytest.MonkeyPatch, no_failures: None
) -> None:
    monkeypatch.setattr(winnable, "MOST_WAITING", 3)
    wish: Plain = {"t": "create", "i": "w", "game": EASY, "winnable": True}
    async with running_server() as running, talking(running.url) as bob:
        async with talking(running.url) as ann, talking(running.url, token=ann.token) as twin:
            await ann.send(wish)
            await ann.until(lambda: any(stray.get("deals") == 7 for stray in ann.strays))
            await twin.send({**wish, "i": "x"})
            await eventually(lambda: waiting(running) == 2)
            async with talking(running.url, token=ann.token) as third:
                said = await third.refused("rate-limited", "create", game=EASY, winnable=True)
                assert said["limit"] == "winnable deals at once"
            async with talking(running.url) as cat, talking(running.url) as dan:
                await cat.send(wish)
                await eventually(lambda: waiting(running) == 3)
                said = await dan.refused("rate-limited", "create", game=EASY, winnable=True)
                assert said["limit"] == "winnable deals that are looked for"
                await dan.ok("create", game=EASY)
            assert (await scrape(running.http))["kibitz_winnable_deals_waiting"] >= 2
        await eventually(lambda: waiting(running) == 0)
        monkeypatch.undo()
        await bob.ok("create", game=EASY, winnable=True)


@EACH_COUNTS
async def test_a_crowd_at_one_address_is_one(endless: None, no_failures: None) -> None:
    wish: Plain = {"t": "create", "i": "w", "game": EASY, "winnable": True}
    limits = replace(UNLIMITED, count_loopback=True)
    async with (
        running_server(limits=limits) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as cat,
    ):
        for each in (ann, bob):
            await each.send(wish)
        await eventually(lambda: waiting(running) == 2)
        said = await cat.refused("rate-limited", "create", game=EASY, winnable=True)
        assert said["limit"] == "winnable deals at once"


@EACH_HAS
async def test_a_server_that_ends_does_not_wait_for_a_deal(
    endless: None, no_failures: None
) -> None:
    async with running_server() as running, talking(running.url) as ann:
        await ann.send({"t": "create", "i": "w", "game": EASY, "winnable": True})
        await eventually(lambda: waiting(running) == 1)
        async with asyncio.timeout(20):
            await running.app.stop()
        await ann.until(lambda: "w" in ann.answers)
        assert ann.answers["w"]["code"] == "draining"


async def test_a_named_room_is_looked_for_once() -> None:
    async with running_server() as running, talking(running.url) as ann:
        wish: dict[str, Any] = {"game": EASY, "winnable": True}
        first = await ann.ok("create", "mine", **wish)
        again = await ann.ok("create", "mine", **wish)
        assert again["room"] == first["room"]
        assert again["info"]["fair"] == first["info"]["fair"]
        await ann.refused("bad-message", "create", "mine", game=EASY)


def test_the_first_draw_that_is_found_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    wish = Wish("aces-up", {}, "5e" * 32, "n")
    begun: list[int] = []
    found = first_winnable(wish, lambda: False, begun.append)
    assert found is not None and begun == list(range(1, found + 1))
    game = GAMES["aces-up"]
    budgets = [
        solve(game, deal_of(wish, draw), Budget(drawing.NODES["aces-up"])).verdict
        for draw in range(1, found + 1)
    ]
    assert [verdict is Verdict.WIN for verdict in budgets] == [False] * (found - 1) + [True]
    monkeypatch.setattr(drawing, "NODES", {"aces-up": 1})
    begun.clear()
    assert first_winnable(wish, lambda: False, begun.append) is None
    assert begun == list(range(1, MAX_DRAWS + 1))
    assert first_winnable(wish, lambda: True, begun.append) is None


def test_a_draw_is_no_nonce_of_a_player() -> None:
    assert draw_of(drawn(None, 1)) == ("", 1)
    assert draw_of(drawn("n" * MAX_NONCE, MAX_DRAWS)) == ("n" * MAX_NONCE, MAX_DRAWS)
    for wrong in (
        None,
        "",
        "n",
        "n.",
        "n.0",
        "n.01",
        f"n.{MAX_DRAWS + 1}",
        "a.b.1",
        "n.1\n",
        "ä.1",
    ):
        assert draw_of(wrong) is None


def test_a_worker_whose_server_is_gone_ends() -> None:
    wish = msgspec.json.encode(Wish("montana", {"shuffles": "0"}, "5e" * 32, ""))
    command = [*winnable.WORKER, "1000", "0"]
    done = subprocess.run(command, input=wish, capture_output=True, timeout=100)
    assert (done.returncode, done.stderr) == (worker.NONE, b"")
    assert done.stdout == b"1\n"
