"""Who is counted for bots that play, and which of them go: sent away, closed, kicked, banned."""

import os
import signal
import sys

import pytest
from apart import IDLE
from races import begin, race, seat, told
from server.admin.operators import operated
from server.test_bots import allowing, players
from servers import EACH_COUNTS, EACH_HAS, Running, running_server
from structlog.testing import capture_logs
from talk import Talk, eventually, talking
from worlds import Fake

from kibitz.protocol.bots import Exit
from kibitz.protocol.views import Bot
from kibitz.server.bots import child, tickets
from kibitz.server.bots.tickets import Ticket

GOES = (sys.executable, "-S", "-c", f"raise SystemExit({Exit.REPLACED.value})")
"""In place of a bot: one that is gone at once and keeps its seat."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots that go by themselves never, and who have no work only for a moment."""
    monkeypatch.setattr(child, "PLAYER", IDLE)
    monkeypatch.setattr(child, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(child, "AWAY_LOOKS", sys.maxsize)


def held(running: Running) -> list[tuple[object, ...]]:
    """Who is counted for the bots that play."""
    return [each.holders for each in running.app.house._playing.values()]


async def left_by_bots(running: Running, ann: Talk, count: int, seats: int) -> str:
    """A race in which bots have their seats, and nobody plays for them."""
    room = await race(ann, seats=seats)
    for _ in range(count):
        await ann.ok("bot", room=room)
        await eventually(lambda: not held(running))
    return room


@EACH_COUNTS
async def test_a_bot_that_comes_brings_no_others_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "PLAYER", GOES)
    async with (
        allowing(bots=8, bots_per_identity=1) as running,
        talking(running.url, name="Ann") as ann,
    ):
        room = await left_by_bots(running, ann, 2, 9)
        monkeypatch.setattr(child, "PLAYER", IDLE)
        token = running.app.house._tickets.token(Ticket(room, 0, Bot("fast", 0)))
        async with talking(running.url, token=token) as bot:
            await bot.ok("join", room=room, role="player")
            assert not held(running)
        await ann.ok("join", room=room, role="player")
        assert held(running) == [(ann.id, None)], "one of two, as she may have"


@EACH_COUNTS
async def test_who_is_brought_back_counts_for_who_made_the_race(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "PLAYER", GOES)
    async with (
        allowing(bots=8, bots_per_identity=1, bots_per_address=2, count_loopback=True) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url, name="Cyd") as cyd,
    ):
        room, other = [await left_by_bots(running, ann, 1, 3) for _ in range(2)]
        third = await left_by_bots(running, cyd, 1, 3)
        monkeypatch.setattr(child, "PLAYER", IDLE)
        theirs = await race(bob)
        for there in (room, other, third):
            await seat(there, bob)
        assert held(running) == [
            (ann.id, ("address", "127.0.0.1")),
            (cyd.id, ("address", "127.0.0.1")),
        ]
        refused = await bob.refused("full", "bot", room=theirs)
        assert refused["limit"] == "bots per address", "he has none, but they play because of him"


@EACH_HAS
async def test_one_that_was_sent_away_holds_its_place_no_longer(impatient: None) -> None:
    async with (
        operated() as (running, op),
        talking(running.url, name="Ann") as ann,
    ):
        for sent in (True, False):
            room = await race(ann)
            await ann.ok("bot", room=room)
            await eventually(players)
            assert held(running)
            if sent:
                await ann.ok("bot", room=room, on=False, seat=2)
            else:
                await op.order("close", room=room)
            await eventually(lambda: not held(running))
            assert not players()
        assert running.app._metrics.bots["failed"] == 0, "it did nothing wrong"


@EACH_HAS
async def test_one_whose_race_is_over_holds_its_place_no_longer(impatient: None) -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        room = await race(ann, seats=3)
        await seat(room, bob)
        await ann.ok("bot", room=room)
        await begin(running, fake, room, ann, bob)
        assert held(running)
        await ann.ok("bot", room=room, on=False, seat=3)
        await told(ann, room, "resigned")
        await eventually(lambda: not held(running))


@EACH_HAS
async def test_whom_the_operator_sends_away_sits_down_no_more(
    impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tickets, "MOST_IN_A_ROOM", 2)
    async with (
        operated() as (running, op),
        talking(running.url, name="Ann") as ann,
    ):
        room = await race(ann)
        seen = []
        for act in ("kick", "ban"):
            await ann.ok("bot", room=room)
            seen.append((await told(ann, room, "joined"))["by"])
            if act == "kick":
                await op.order("kick", room=room, id=seen[-1])
            else:
                await ann.ok("bot", room=room, on=False, seat=2)
                await op.order("ban", id=seen[-1])
            await eventually(lambda: not held(running))
        assert len(set(seen)) == 2, "another one came"
        started = running.app._metrics.bots["started"]
        refused = await ann.refused("forbidden", "bot", room=room)
        assert "sent the other bots away" in refused["message"]
        assert (running.app._metrics.bots["started"], held(running)) == (started, [])
        await ann.ok("bot", room=await race(ann))


@EACH_HAS
async def test_whom_the_operator_has_banned_is_not_brought_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "PLAYER", GOES)
    async with (
        operated() as (running, op),
        talking(running.url, name="Ann") as ann,
    ):
        room = await left_by_bots(running, ann, 1, 2)
        await op.order("ban", id=(await told(ann, room, "joined"))["by"])
        monkeypatch.setattr(child, "PLAYER", IDLE)
        await ann.ok("join", room=room, role="player")
        assert not held(running)


@EACH_HAS
async def test_a_bot_that_seems_to_be_here_is_started_when_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As after the end of the server where it was, of which the others hear late."""
    monkeypatch.setattr(child, "PLAYER", GOES)
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await left_by_bots(running, ann, 1, 2)
        monkeypatch.setattr(child, "PLAYER", IDLE)
        token = running.app.house._tickets.token(Ticket(room, 0, Bot("fast", 0)))
        async with talking(running.url, token=token) as bot:
            await bot.ok("join", room=room, role="player")
            await ann.ok("join", room=room, role="player")
            running.app.house.tick()
            assert not held(running)
        await eventually(lambda: held(running))


@EACH_COUNTS
async def test_one_for_which_there_was_no_place_comes_when_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "PLAYER", GOES)
    async with allowing(bots=1) as running, talking(running.url, name="Ann") as ann:
        room = await left_by_bots(running, ann, 1, 2)
        monkeypatch.setattr(child, "PLAYER", IDLE)
        other = await race(ann)
        await ann.ok("bot", room=other)
        await ann.ok("join", room=room, role="player")
        await ann.ok("bot", room=other, on=False, seat=2)
        for process in players():
            os.kill(process, signal.SIGKILL)
        await eventually(lambda: [room for room, _ in running.app.house._playing] == [room])


@EACH_HAS
async def test_for_one_that_does_not_come_nobody_waits(
    impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that is stopped, or on a machine that lets it do nothing."""
    monkeypatch.setattr(child, "AWAY_LOOKS", 3)
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        with capture_logs() as lines:
            await ann.ok("bot", room=room)
            assert (await told(ann, room, "left"))["seat"] == 2
            await eventually(lambda: not held(running))
        (failed,) = [line for line in lines if line["event"] == "bot failed"]
        assert failed["why"] == "it is not in its room"


async def test_nobody_says_where_a_bot_sits() -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann, seats=3)
        await ann.refused("bad-option", "bot", room=room, seat=3)
        assert not held(running)
