"""What somebody may not see changes no byte of what he receives, whoever he is, however he asks.

Every case is played twice. The two runs agree on all that a viewer may see and differ in the rest:
in the cards that lie face down, in what the others play, in what happened within the delay. Then
all his frames and downloads are the same, byte for byte. With the masks off they are not.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

import pytest
from races import begin
from talk import Plain, Talk
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

from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES
from kibitz.engine.saves import write
from kibitz.engine.table import Table
from kibitz.protocol.wire import Encoding

DELAY = 30
STEPS = 12
"""Commands of each player that the runs are about."""


@dataclass(frozen=True)
class Case:
    """A kind of room, and who looks on.

    Attributes:
        mode, policy: The room.
        differ: What is different: ``all`` cards and moves; the moves of the ``rivals`` and what
            lies face down; only what lies face ``down``; what was done ``late``.
        viewers: Who must not notice.
        begun: Whether a race starts before the difference.
        free: Seats for which there is nobody at first.

    """

    mode: str
    policy: Plain
    differ: str
    viewers: tuple[str, ...]
    begun: bool = True
    free: int = 0

    def __str__(self) -> str:
        kind = "-".join(self.policy) or "plain"
        more = "" if self.begun else "-start"
        return f"{self.mode}-{kind}-{self.differ}{more}{'-free' * self.free}"

    @property
    def players(self) -> tuple[str, ...]:
        """Who has a seat from the first."""
        return {"race": ("ann", "bob", "cy"), "coop": ("ann", "bob"), "solo": ("ann",)}[self.mode]


MASKED: Plain = {"masked": True}
LATE: Plain = {"delay": DELAY}
OUTSIDE = ("eve", "namesake", "lobby", "nobody")
"""No seat: two who look on, one of them called like a racer; one in the lobby; HTTP alone."""
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
]


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
    if case.policy is LATE:
        await at.later(DELAY)
    for who in (*(f"{who} again" for who in case.players), "eve", "namesake", "zed"):
        await at.talks[who].ok("join", room=at.room)


async def do(at: Twin, case: Case, game: str, who: str, number: int) -> None:
    """One command of a player's plan."""
    found = plans(game, case.differ)[who]
    if number < len(found):
        kind, fields = command(found[number], at.run)
        await at.talks[who].ok(kind, room=at.room, **fields)


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
            await do(at, case, game, who, number if case.mode == "race" else number // 2)
            if case.mode != "race":
                break  # the others have the same board
        if at.run and case.mode == "race":
            await in_vain(at, "ann", Random(number))
        if number % 4 == 1:
            await probe(at, case, rng, whole=False)
    await at.later(1)
    await probe(at, case, rng, whole=True)
    if case.policy is LATE:
        await at.later(DELAY / 2)
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
            if who:
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
        if number == 1:
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
    yield "zed", "say", {"text": "over"}
    yield "ann", "fork", {"at": 8}
    yield "ann", "rematch", {}
    yield "ann", "say", {"text": "again"}


async def seen(case: Case, game: str, run: int) -> dict[str, list[bytes]]:
    """What every viewer received in one of the runs."""
    async with twin(run) as at:
        await come(at, case)
        await sit_down(at, case, game)
        scene = play_late if case.differ == "late" else play_at_once
        await scene(at, case, game, Random(f"{case} {game}"))
        return {who: at.seen(who) for who in case.viewers}


# The viewers' requests


def requests(seq: int, rng: Random) -> Iterator[tuple[str, Plain]]:
    """Everything that one can ask about a room without changing it, granted or not."""
    yield "ping", {}
    for board in (None, 0, 1, 2, 7):
        yield "moves", {"board": board}
        yield "save", {"board": board}
        yield "fork", {"at": 99_999, "board": board}
    for at in (1, 2, rng.randint(1, seq), seq, seq + 1, seq + 50):
        yield "view", {"at": at}
    yield "history", {"limit": 500}
    yield "history", {"from_": rng.randint(1, seq), "limit": rng.randint(1, 9)}
    yield "history", {"from_": seq, "to": seq + 50}
    yield "history", {"open": True}
    yield "cheat", {}
    yield "present", {}
    yield "rematch", {}
    yield "rooms", {}
    yield "rooms", {"status": "open"}
    yield "tv", {}
    yield "join", {"from_": 0}
    yield "join", {"from_": rng.randint(1, seq)}
    yield "join", {"from_": seq + 1, "hash": "0" * 32}
    yield "save", {"format": "solvitaire"}


LINES = ("sw", "discard", "d", "s", "tt 1 2", "zzz")
BY_STRANGERS: list[tuple[str, Plain]] = [
    *(("move", {"move": line}) for line in LINES),
    ("move", {"from_": "STOCK", "to": "WASTE"}),
    ("move", {"move": "d", "board": 1}),
    ("undo", {}),
    ("undo", {"expect": 1}),
    ("restart", {}),
    ("resign", {}),
    ("ready", {}),
    ("comments", {"on": False}),
    ("fork", {"at": 1}),
    ("say", {"text": "hm"}),
]
"""What those without a seat may ask without getting one."""
BY_RACERS: list[tuple[str, Plain]] = [
    ("move", {"move": "zzz"}),
    ("move", {"from_": "nowhere", "to": "WASTE"}),
    ("move", {"move": "d", "board": 7}),
    ("undo", {"expect": 1}),
    ("fork", {"at": 99, "board": 0}),
]
"""What who plays may ask, on either connection, without changing his board."""
DOWNLOADS = (
    *("replay.json", "replay.txt", "save.txt", "replay.txt?board=x"),
    *(f"replay.txt?board={board}" for board in range(4)),
    *(f"save.txt?board={board}" for board in range(2)),
)


async def probe(at: Twin, case: Case, rng: Random, *, whole: bool) -> None:
    """Let the viewers ask; ``whole``: everything there is to be asked."""
    for who in case.viewers:
        token = None
        if who != "nobody":
            token = at.talks[who].token
            await ask_all(at, case, who, rng, whole=whole)
        for name in DOWNLOADS if whole else rng.sample(DOWNLOADS, 2):
            await at.page(who, name, token)


async def ask_all(at: Twin, case: Case, who: str, rng: Random, *, whole: bool) -> None:
    """The requests of one viewer."""
    talk = at.talks[who]
    seq = await head(talk, at.room)
    wishes = [*requests(seq, rng), *(BY_STRANGERS if who in OUTSIDE else BY_RACERS)]
    if who in OUTSIDE and not case.free and who != "lobby":
        wishes.append(("join", {"role": "player"}))
    for kind, fields in wishes if whole else rng.sample(wishes, 6):
        if kind == "join":
            if who == "lobby":
                continue
            fields = {"role": "player" if who in case.players else None} | fields
        await talk.ask(kind, room=at.room, **fields)
    then = await talk.ask("view", room=at.room, at=rng.randint(1, seq))
    if then["t"] == "view":
        role = "player" if who in case.players else "spectator"
        fields = {"from_": then["seq"], "hash": then["hash"], "role": role}
        joined = await talk.ok("join", room=at.room, **fields)
        assert "fork" not in joined


async def head(talk: Talk, room: str) -> int:
    """How far a room is for somebody."""
    heads: dict[str, list[int]] = (await talk.ok("ping"))["heads"]
    return heads[room][0] if room in heads else 1


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is pushed but when the scene says so."""
    monkeypatch.setattr("kibitz.server.app.TICK_SECONDS", 3600)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("case", CASES, ids=str)
async def test_what_is_hidden_changes_no_byte(case: Case, game: str) -> None:
    one, other = [await seen(case, game, run) for run in range(2)]
    for who in case.viewers:
        assert len(one[who]) > 20
        assert not (found := difference(one[who], other[who])), f"{who} notices: {found}"


Unmask = Callable[[pytest.MonkeyPatch], None]
