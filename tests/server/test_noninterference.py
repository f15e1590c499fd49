"""What somebody may not see changes no byte of what he receives, whoever he is, however he asks.

Every case is played twice. The two runs agree on all that a viewer may see and differ in the rest:
in the cards that lie face down, in what the others play, in what happened within the delay. Then
all his frames and downloads are the same, byte for byte. With the masks off they are not.
"""

import asyncio
import os
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
import servers
from races import begin
from talk import Plain
from twins import (
    Plan,
    Twin,
    command,
    deals_alike,
    difference,
    looks_alike,
    plan,
    scores_alike,
    turned_round,
    twin,
)
from viewers import OUTSIDE, Case, probe, requests

from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES
from kibitz.engine.saves import write
from kibitz.engine.table import Table
from kibitz.protocol.wire import Encoding
from kibitz.server.neighbours.neighbours import Neighbours
from kibitz.server.room.people import People
from kibitz.server.room.room import Room

DELAY = 30
EVERY = bool(os.environ.get("KIBITZ_EVERY"))
"""Whether every case is played with every game, which is for a run by hand."""
STEPS = 12
"""Commands of each player that the runs are about."""


MASKED: Plain = {"masked": True}
LATE: Plain = {"delay": DELAY}
RACING = ("bob", "bob again")
"""Who still plays, and his other connection."""
DONE = ("cy", "cy again")
"""Who has given up."""
CASES = [
    Case("race", MASKED, "all", OUTSIDE),
    Case("race", MASKED, "rivals", (*RACING, *OUTSIDE)),
    Case("race", MASKED, "down", (*DONE, *RACING, *OUTSIDE)),
    Case("race", LATE, "rivals", RACING),
    Case("race", LATE, "down", (*DONE, *RACING, *OUTSIDE)),
    Case("race", LATE, "late", OUTSIDE),
    Case("race", LATE, "late", OUTSIDE, begun=False),
    Case("coop", {}, "down", (*RACING, *OUTSIDE)),
    Case("coop", LATE, "down", (*RACING, *OUTSIDE)),
    Case("coop", LATE, "late", OUTSIDE),
    Case("coop", LATE, "late", OUTSIDE, free=1),
    Case("solo", {}, "down", ("ann", "ann again", *OUTSIDE)),
    Case("solo", LATE, "down", ("ann", "ann again", *OUTSIDE)),
    Case("solo", LATE, "late", OUTSIDE),
    Case("solo", LATE, "late", OUTSIDE, begun=False, shown=False),
    Case("race", LATE, "late", OUTSIDE, begun=False, shown=False),
]


def some_games(number: int) -> list[str]:
    """The games of a case: three of them, or all; each game has its part of the cases."""
    games = list(GAMES)
    return games if EVERY else [games[(2 * number + n) % len(games)] for n in range(3)]


@cache
def tables(game: str, differ: str) -> tuple[Table, Table]:
    """The starts of the two runs."""
    if differ == "all":
        return deals_alike(GAMES[game])
    start = GAMES[game].deal(deck_of("31"))
    return start, turned_round(start)


@cache
def plans(game: str, differ: str) -> dict[str, Plan]:
    """What each player does in the two runs."""
    rules, starts = GAMES[game], tables(game, differ)
    apart = {"all": ("ann", "bob", "cy"), "rivals": ("ann", "cy")}.get(differ, ())
    return {
        who: plan(
            rules,
            starts,
            2 * STEPS,
            Random(f"{game} {who}"),
            scores_alike(rules) if who in apart else looks_alike,
        )
        for who in ("ann", "bob", "cy")
    }


# The scene


async def come(at: Twin, case: Case) -> None:
    """Everybody connects, in the same order in both runs, and a room of no interest is made."""
    for who in case.players:
        await at.comes(who, who)
        await at.comes(f"{who} again", who, at.talks[who].token)
    await at.comes("eve", "eve", encoding=Encoding.MSGPACK)
    await at.comes("namesake", "bob")
    await at.comes("lobby", "lou")
    await at.comes("zed", "zed")
    await at.talks["zed"].ok("create", game="montana", deal="1")


async def sit_down(at: Twin, case: Case, game: str) -> None:
    """The room is made, those who play sit down, the others look on as soon as they may."""
    ann, *others = case.players
    wish: Plain = {} if case.mode == "solo" else {"seats": len(case.players) + case.free}
    policy: Plain = {"save": case.differ == "late"} if case.mode != "race" else {}
    wish |= {"mode": case.mode, "policy": policy | case.policy}
    start = write(GAMES[game], tables(game, case.differ)[at.run])
    at.room = (await at.talks[ann].ok("create", game=game, save=start, **wish))["room"]
    for who in others:
        await at.talks[who].ok("join", room=at.room, role="player")
    for who in ("lobby", "eve"):
        await at.talks[who].ok("lobby")
        await at.talks[who].ok("tv")
    if case.policy is LATE and case.shown:
        await at.later(DELAY)
    outside = ("eve", "namesake", "zed") if case.shown else ()
    for who in (*(f"{who} again" for who in case.players), *outside):
        await at.talks[who].ok("join", room=at.room)
    await at.later(0)


async def do(at: Twin, case: Case, game: str, who: str, number: int) -> None:
    """One command of a player's plan."""
    found = plans(game, case.differ)[who]
    if number < len(found):
        kind, fields = command(found[number], at.run)
        await at.talks[who].ok(kind, room=at.room, **fields)
        await at.running.abreast()


async def in_vain(at: Twin, who: str, rng: Random) -> None:
    """A player asks and does nothing: nobody else notices."""
    for kind, fields in rng.sample([each for each in requests(3, rng) if each[0] != "join"], 4):
        await at.talks[who].ask(kind, room=at.room, **fields)


async def play_at_once(at: Twin, case: Case, game: str, rng: Random) -> None:
    """The runs differ in what the viewers never see, from the first to the last moment."""
    await probe(at, case, rng, whole=case.mode == "race")
    if case.mode == "race":
        await begin(at.running, at.fake, at.room, *(at.talks[who] for who in case.players))
        for number in range(3):
            await do(at, case, game, "cy", number)
        await at.talks["cy"].ok("resign", room=at.room)
    for number in range(STEPS):
        await at.later(0.5)
        for who in case.players[:2]:
            await do(at, case, game, who, number)
            if case.mode != "race":
                break  # the others have the same board
        if at.run and case.mode == "race":
            await in_vain(at, "ann", Random(number))
        if number % 4 == 1:
            await probe(at, case, rng, whole=False)
    await at.later(1)
    await probe(at, case, rng, whole=True)
    if case.policy is LATE:
        await at.later(DELAY)
        await probe(at, case, rng, whole=True)


async def play_late(at: Twin, case: Case, game: str, rng: Random) -> None:
    """The runs are the same up to a moment, which the viewers have not yet seen at the end."""
    race = case.mode == "race"
    racers = [at.talks[who] for who in case.players]
    if race and case.begun:
        await begin(at.running, at.fake, at.room, *racers)
    for number in range(STEPS if case.begun else 0):
        await at.later(1)
        for who in case.players if race else ("ann",):
            await do(at, case, game, who, number)
    cut = at.fake.ms
    deeds = wildly(at, case, game) if at.run else iter(())
    if race and not case.begun and at.run:
        await begin(at.running, at.fake, at.room, *racers)
    for second in range(DELAY - 6):
        await at.later((cut + 1000 * (second + 6) - at.fake.ms) / 1000)
        for who, kind, fields in [next(deeds, None) or ("", "", {})] * bool(at.run):
            if kind == "present":
                await at.talks[who].ask(kind, room=at.room)  # refused as yet
            elif who:
                await at.talks[who].ok(kind, room=at.room, **fields)
        if second % 6 == 5:
            await probe(at, case, rng, whole=second > 12)
    if at.run:
        assert next(deeds, None) is None
        assert (await at.running.app.rooms.get(at.room)).state.over
    await at.later((cut + 1000 * DELAY - 1 - at.fake.ms) / 1000)
    await probe(at, case, rng, whole=True)


def wildly(at: Twin, case: Case, game: str) -> Iterator[tuple[str, str, Plain]]:
    """What happens in one of the runs only, up to the end of the game and after it."""
    first = STEPS if case.begun else 0
    for number, step in enumerate(plans(game, case.differ)["ann"][first : first + 6]):
        kind, fields = command(step, at.run)
        yield "ann", kind, fields
        if number == 1 and case.shown:
            yield "zed", "say", {"text": "oh"}
    yield "ann", "say", {"text": "ah"}
    yield "ann", "comments", {"on": False}
    yield "ann", "comments", {"on": True}
    if case.free:
        yield "zed", "join", {"role": "player"}
        yield "zed", "undo", {}
    if case.mode != "race":
        yield "ann", "save", {}
        yield "ann", "fork", {"at": 4}
        yield "ann", "resign", {}
    else:
        for who in case.players:
            yield who, "resign", {}
    if case.shown:
        yield "zed", "say", {"text": "over"}
    yield "ann", "fork", {"at": 14}
    yield "ann", "rematch", {}
    yield "ann", "present", {}
    yield "ann", "say", {"text": "again"}


async def seen(
    case: Case, game: str, run: int, far: tuple[str, ...] = ()
) -> dict[str, list[bytes]]:
    """What every viewer received in one of the runs; some of them far from the room."""
    async with twin(run, far) as at:
        await come(at, case)
        await sit_down(at, case, game)
        scene = play_late if case.differ == "late" else play_at_once
        await scene(at, case, game, Random(f"{case} {game}"))
        assert not far or at.running.apps[-1].rooms.peek(at.room) is None
        return {who: at.seen(who) for who in case.viewers}


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is pushed but when the scene says so."""
    monkeypatch.setattr("kibitz.server.app.TICK_SECONDS", 3600)


@pytest.mark.parametrize(
    ("case", "game"),
    [
        pytest.param(case, game, id=f"{case}-{game}")
        for number, case in enumerate(CASES)
        for game in some_games(number)
        if (case.differ, game) != ("down", "montana")  # where nothing lies face down
    ],
)
async def test_what_is_hidden_changes_no_byte(case: Case, game: str) -> None:
    assert case.differ != "rivals" or apart(game, case.differ) >= 5
    assert case.differ in ("rivals", "late") or len(set(map(str, tables(game, case.differ)))) == 2
    one, other = [await seen(case, game, run) for run in range(2)]
    for who in case.viewers:
        assert len(one[who]) > 15
        assert not (found := difference(one[who], other[who])), f"{who} notices: {found}"


FAR = Case("coop", LATE, "late", OUTSIDE, free=1)


async def test_nor_does_it_on_a_server_that_only_hears_of_the_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(servers, "NODES", 2)
    one, other = [await seen(FAR, "klondike", run, ("lobby",)) for run in range(2)]
    for who in FAR.viewers:
        assert not (found := difference(one[who], other[who])), f"{who} notices: {found}"
    assert sum(b'"t":"lobby"' in said for said in one["lobby"]) > STEPS


async def test_nor_does_it_matter_how_late_servers_hear_of_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else what differs by chance would be taken for something that was noticed."""
    monkeypatch.setattr(servers, "NODES", 2)
    case = Case("race", MASKED, "down", (*DONE, *RACING, *OUTSIDE))
    hear = Neighbours._hear
    told = []
    for seconds in (0, 0.05):

        def late(self: Neighbours, data: bytes, seconds: float = seconds) -> None:
            asyncio.get_running_loop().call_later(seconds, hear, self, data)

        monkeypatch.setattr(Neighbours, "_hear", late if seconds else hear)
        async with twin(0) as at:
            await come(at, case)
            await sit_down(at, case, "klondike")
            told.append({who: at.seen(who) for who in case.viewers})
    one, other = told
    for who in case.viewers:
        assert not (found := difference(one[who], other[who])), f"{who} notices: {found}"


def apart(game: str, differ: str) -> int:
    """How many moves of a rival are others in the other run."""
    lines = [lines for _, lines in plans(game, differ)["ann"] if lines]
    return sum(one != other for one, other in lines)


# Without one of the masks

MASKS: dict[str, object] = {
    "room.audience.Audience.sees": lambda self, board: True,
    "room.audience.Audience.sees_event": lambda self, event: True,
    "room.audience.redact": lambda fact: fact,
    "room.state.redact_table": lambda table: table,
    "room.past.redact_table": lambda table: table,
    "room.people.People.stage": lambda self, who: self.live,
    "room.room.Room.entry": Room.whole_entry,
    "room.people.People.disclosed": True,
    "room.people.People.presence": lambda self, state, presence=People.presence: presence(
        self, self._state
    ),
}
"""What keeps a secret, and what does not."""
NOTICED = [
    ("race-masked-all", "room.audience.Audience.sees", "eve"),
    ("race-masked-all", "room.audience.Audience.sees_event", "namesake"),
    ("race-masked-all", "room.audience.Audience.sees_event", "nobody"),
    ("race-masked-rivals", "room.audience.Audience.sees", "bob"),
    ("race-masked-rivals", "room.audience.Audience.sees_event", "bob again"),
    ("race-delay-rivals", "room.audience.Audience.sees", "bob"),
    ("race-delay-rivals", "room.audience.Audience.sees_event", "bob again"),
    ("race-masked-down", "room.audience.redact", "cy"),
    ("race-masked-down", "room.state.redact_table", "cy again"),
    ("race-delay-down", "room.audience.redact", "eve"),
    ("coop-plain-down", "room.audience.redact", "eve"),
    ("coop-plain-down", "room.state.redact_table", "bob"),
    ("solo-plain-down", "room.past.redact_table", "nobody"),
    ("race-delay-late", "room.people.People.stage", "eve"),
    ("race-delay-late-start", "room.people.People.stage", "namesake"),
    ("coop-delay-late", "room.people.People.stage", "nobody"),
    ("coop-delay-late", "room.room.Room.entry", "lobby"),
    ("solo-delay-late", "room.people.People.disclosed", "lobby"),
    ("solo-delay-late-unseen", "room.room.Room.entry", "lobby"),
    ("solo-delay-late-unseen", "room.people.People.stage", "nobody"),
    ("coop-delay-late-free", "room.people.People.presence", "eve"),
]


@pytest.mark.parametrize(("kind", "mask", "who"), NOTICED)
async def test_without_the_mask_it_is_noticed(
    kind: str, mask: str, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case,) = (case for case in CASES if str(case) == kind)
    monkeypatch.setattr(f"kibitz.server.{mask}", MASKS[mask])
    one, other = [await seen(case, "klondike-single", run) for run in range(2)]
    assert difference(one[who], other[who])
