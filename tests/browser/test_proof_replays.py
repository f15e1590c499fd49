"""The page's verifier on the vectors, on games played by chance, and on what somebody made of them.

It shares no line with the server's side: both were written from the text of the format.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from browser.games import WINS
from browser.modules import module_page, run
from browser.test_vectors import ALIKE
from msgspec.structs import replace
from playwright.async_api import Browser
from positions import begun
from servers import Running
from talk import Talk, fetch, talking

from kibitz.engine.deals import deck_of
from kibitz.engine.game import Move, Transfer, moves, object_to
from kibitz.engine.games import GAMES as RULES
from kibitz.engine.games import TEXTS
from kibitz.engine.notation import read_fact, write_fact
from kibitz.engine.table import fold
from kibitz.protocol.hashing import chain
from kibitz.protocol.views import Event
from kibitz.protocol.wire import decode_reply

Change = Callable[[list[Any]], None]
"""What somebody does to events."""
VECTORS = Path(__file__).parents[1] / "fairness" / "vectors"
GAMES = 8
"""Games by chance of each of the five."""
STEPS = 50
FLIPS = 150
"""Bits that are turned in each replay."""

VERIFY = """
  const { verify } = await import("/modules/proof/verify.js");
  const { verifyText } = await import("/modules/proof/text.js");
  const said = ({ checks }) => Object.fromEntries(
    Object.entries(checks).map(([name, { status }]) => [name, status]));
"""
SAID = (
    VERIFY
    + """
  return JSON.parse(given).map((text) => said((text[0] === "{" ? verify : verifyText)(text)));
"""
)
FLIP = (
    VERIFY
    + """
  const { text, flips } = JSON.parse(given);
  const bytes = new TextEncoder().encode(text);
  for (const [at, bit] of flips) {
    const turned = bytes.slice();
    turned[at] ^= 1 << bit;
    const other = new TextDecoder().decode(turned);
    const { file } = said(text[0] === "{" ? verify(other) : verifyText(other));
    if (file !== "failed") wrong.push([at, bit, file]);
  }
  return wrong;
"""
)

RUNNING = {"file": "ok", "chain": "ok", "openings": "ok", "deal": "open"}
ENDED = {"file": "ok", "chain": "ok", "openings": "ok", "deal": "ok", "rules": "ok"}
TOLD = {"file": "ok", "chain": "open", "openings": "open", "deal": "ok", "rules": "ok"}


async def test_vectors(browser: Browser) -> None:
    """What a verifier must say of honest servers and of others."""
    vectors = [json.loads(path.read_text()) for path in sorted(VECTORS.glob("*.json"))]
    assert len(vectors) > 12
    async with module_page(browser) as page:
        said = await run(page, SAID, json.dumps([vector["replay"] for vector in vectors]))
    assert {vector["name"]: checks for vector, checks in zip(vectors, said, strict=True)} == {
        vector["name"]: vector["checks"] for vector in vectors
    }


async def by_chance(server: Running, game: str) -> AsyncIterator[tuple[str, str, str]]:
    """Replays of games by chance: while they run, when they have ended, and that as a text."""
    async with talking(server.url, name="Cyd") as cyd:
        for n in range(GAMES):
            rng = Random(f"{game} {n}")
            wish = rng.choice(({}, {"deal": str(n)}, {"nonce": "a-nonce_1"}))
            room = (await cyd.ok("create", game=game, **wish))["room"]
            await play(cyd, room, rng)
            running = await read(server, room, "json")
            await cyd.ok("resign", room=room)
            yield running, await read(server, room, "json"), await read(server, room, "txt")


async def read(server: Running, room: str, kind: str) -> str:
    return (await fetch(server.http, f"/rooms/{room}/replay.{kind}"))[1].decode()


async def play(cyd: Talk, room: str, rng: Random) -> None:
    """Moves by chance, with much taken back; remarks in every script."""
    for _ in range(STEPS):
        can = await cyd.ok("moves", room=room)
        undo, redo = can.get("undo"), can.get("redo")
        what = rng.choices(("move", "undo", "redo", "say", "restart"), (20, 3, 3, 1, 0.4))[0]
        if what == "say":
            await cyd.ok("say", room=room, text=rng.choice(["é 中 🂡", 'a "b" \\ c', "# x: y"]))
        elif what == "restart" or (what == "move" and not can["moves"]):
            await cyd.ok("restart", room=room)
        elif what == "move":
            await cyd.ok("move", room=room, move=rng.choice(can["moves"]))
        elif undo if what == "undo" else redo:
            await cyd.ok(what, room=room)


@pytest.mark.parametrize("game", WINS)
async def test_games_by_chance(browser: Browser, server: Running, game: str) -> None:
    replays = [replay async for each in by_chance(server, game) for replay in each]
    async with module_page(browser) as page:
        said = await run(page, SAID, json.dumps(replays))
    for running, ended, text in zip(said[::3], said[1::3], said[2::3], strict=True):
        shuffled = game == "montana" and running["rules"] == "open"
        assert running == RUNNING | {"rules": "open" if shuffled else "ok"}
        assert ended == ENDED
        assert text == TOLD


async def test_no_bit_can_be_turned(browser: Browser, server: Running) -> None:
    async with module_page(browser) as page:
        for game in WINS:
            rng = Random(game)
            async for each in by_chance(server, game):
                for text in each:
                    size = len(text.encode())
                    bits = [(rng.randrange(size), rng.randrange(8)) for _ in range(FLIPS)]
                    ends = [(at, bit) for at in range(size - 80, size) for bit in range(8)]
                    given = {"text": text, "flips": bits + ends * text.startswith("{")}
                    assert await run(page, ALIKE + FLIP, json.dumps(given)) == [], text
                break


def sealed(replay: dict[str, Any]) -> str:
    """What somebody made of a replay, its hashes and its digest made to fit."""
    hash_ = b""
    for event in replay["events"]:
        read_back = decode_reply(json.dumps(event))
        assert isinstance(read_back, Event)
        hash_ = chain(hash_, read_back)
    text = json.dumps({k: v for k, v in replay.items() if k != "sha256"} | {"hash": hash_.hex()})
    return f'{text[:-1]},"sha256":"{hashlib.sha256(text[:-1].encode()).hexdigest()}"}}'


def forged(text: str, rng: Random) -> str | None:
    """A replay in which one thing of one event is another one."""
    replay = json.loads(text)
    n = rng.randrange(len(replay["events"]) - 1)
    both = [replay["events"][n], *([replay["open"][n]] if "open" in replay else [])]
    event = both[0]
    played = event["kind"] in ("move", "undo", "redo", "restart")
    if not played and event["kind"] != "created":
        return None
    keys = ["move", "score", "moves", "fx", "at", "by", "kind"] if played else ["fx"]
    key = rng.choice([key for key in keys if key in event])
    fact, place = rng.randrange(99), rng.randrange(99)
    card, other = rng.choice("A23456789TJQK") + rng.choice("cdhs"), rng.choice(("undo", "won"))
    for each in both:
        match key:
            case "fx" if not each["fx"]:
                return None
            case "fx":
                chosen = each["fx"][fact % len(each["fx"])]
                if chosen[0] == "count":
                    chosen[2] = place
                elif chosen[0] == "up":
                    chosen[2] = card
                elif not chosen[-1] or chosen[0] == "dn":
                    return None
                else:
                    at = place % len(chosen[-1])
                    if chosen[-1][at] == "??":
                        return None
                    chosen[-1][at] = card + chosen[-1][at][2:]
            case "kind":
                each["kind"] = other
            case "move" | "by":
                each[key] = {"move": "s", "by": "nobody"}[key]
            case "at":
                each["at"] = 2**40
            case _:
                each[key] += 1
    made = sealed(replay)
    return None if json.loads(made)["events"] == json.loads(text)["events"] else made


FORGERIES = 300


@pytest.mark.parametrize("game", WINS)
async def test_what_is_made_to_fit_is_found(browser: Browser, server: Running, game: str) -> None:
    """Hashes and digest say nothing against it: the cards, the deal or the rules do."""
    rng = Random(game)
    made: list[str] = []
    async for running, ended, _ in by_chance(server, game):
        for text in (running, ended):
            tried = (forged(text, rng) for _ in range(FORGERIES // GAMES))
            made += [each for each in tried if each is not None]
    async with module_page(browser) as page:
        said = await run(page, SAID, json.dumps(made))
    assert len(made) > FORGERIES
    for text, checks in zip(made, said, strict=True):
        assert (checks["file"], checks["chain"]) == ("ok", "ok"), text
        assert "failed" in checks.values(), text


def at(kind: str, key: str, value: Any, nth: int = 0) -> Change:
    """One key of an event of a kind is another one."""

    def change(events: list[Any]) -> None:
        [event for event in events if event["kind"] == kind][nth][key] = value

    return change


def inside(kind: str, key: str, *path: Any, value: Any) -> Change:
    """Something deep in an event is another one."""

    def change(events: list[Any]) -> None:
        here = next(event for event in events if event["kind"] == kind)[key]
        for step in path[:-1]:
            here = here[step]
        assert here[path[-1]] != value
        here[path[-1]] = value

    return change


def without(*kinds: str) -> Change:
    """Events of some kinds are missing."""

    def change(events: list[Any]) -> None:
        events[:] = [event for event in events if event["kind"] not in kinds]

    return change


def behind(kind: str, /, **event: Any) -> Change:
    """There is one event more."""

    def change(events: list[Any]) -> None:
        n = next(n for n, each in enumerate(events) if each["kind"] == kind)
        events.insert(n + 1, {**events[n], "fx": [], "kind": "say", **event})
        for gone in [key for key in ("fx", "move", "by") if event.get(key, "") is None]:
            del events[n + 1][gone]

    return change


WON, RACE = "klondike-won-from-a-save", "race-ended"
LIES: dict[str, tuple[str, Change]] = {
    "an open card at the end": (WON, at("ended", "fx", [["set", "Discard", ["As-"]]])),
    "the time it took": (WON, at("won", "ms", 5)),
    "the moves it took": (WON, at("won", "moves", 1)),
    "the number of a move": (WON, at("move", "moves", 2)),
    "how it ended": (WON, at("ended", "result", "resigned")),
    "nothing was won": (WON, without("won", "ended")),
    "no end": (WON, without("ended")),
    "won too early": (WON, behind("joined", kind="won", moves=0, ms=0)),
    "a seat for nobody": (WON, without("joined")),
    "two in a seat": (WON, behind("joined", kind="joined", by="tybqmtjzgvis", fx=None)),
    "a move afterwards": (WON, behind("ended", kind="undo", by="nobody", moves=0, score=0)),
    "a seat afterwards": (WON, behind("ended", kind="joined", by="nobody", seat=1, fx=None)),
    "a showing of a game": (WON, behind("joined", kind="control", control={"at": 1}, fx=None)),
    "cheating where none is": (WON, behind("joined", kind="cheated", fx=None)),
    "a seat too many": (WON, at("created", "seats", 2)),
    "seats without number": (WON, at("created", "seats", 10**8)),
    "a race of one": (RACE, at("created", "seats", 1)),
    "another start": (WON, inside("ended", "opened", "start", "Stock", 0, value="Kc-")),
    "a card more at the end of a race": (
        RACE,
        inside("ended", "boards", 0, 0, 2, 0, value="2c"),
    ),
    "the first of a race": (RACE, inside("ended", "results", 0, "score", value=51)),
    "no start of a race": (RACE, without("started")),
    "no deal in a race": (RACE, without("dealt")),
    "stuck by chance": (RACE, behind("dealt", kind="stuck", by=None, fx=None)),
    "time up too early": (RACE, behind("dealt", kind="timeout", by=None, fx=None)),
}


@pytest.mark.parametrize("lie", LIES)
async def test_what_no_honest_server_writes(browser: Browser, lie: str) -> None:
    name, change = LIES[lie]
    vector = json.loads((VECTORS / f"{name}.json").read_text())
    replay = json.loads(vector["replay"])
    for key in ("events", "open"):
        change(replay[key])
        for seq, event in enumerate(replay[key], 1):
            event["seq"] = seq
    made = sealed(replay | {"seq": len(replay["events"])})
    async with module_page(browser) as page:
        honest, lied = await run(page, SAID, json.dumps([vector["replay"], made]))
    assert "failed" not in honest.values()
    assert (lied["file"], lied["chain"], lied["rules"]) == ("ok", "ok", "failed"), made


async def test_a_promise_that_was_taken_out(browser: Browser) -> None:
    vector = json.loads((VECTORS / f"{WON}.json").read_text())
    replay = json.loads(vector["replay"])
    for key in ("events", "open"):
        del replay[key][0]["fair"]
    async with module_page(browser) as page:
        (said,) = await run(page, SAID, json.dumps([sealed(replay)]))
    assert (said["file"], said["chain"]) == ("failed", "ok")


async def test_a_move_against_the_rules(browser: Browser) -> None:
    """It makes what such a move would make, and nobody ever committed himself to anything."""
    game = RULES["montana"]
    table = game.deal(deck_of("1"))
    gap = next(pile for pile, cells in table.piles.items() if not cells)
    right = moves(game, table)[0]
    wrong = next(
        wish
        for source, cells in table.piles.items()
        if cells and object_to(game, table, wish := Transfer(source, gap)) is not None
    )
    texts: list[str] = []
    made: tuple[Move, ...] = (right, wrong)
    for each in made:
        facts = [write_fact(fact) for fact in game.effect(table, each, Random(0))]
        after = fold(map(read_fact, facts), table)
        events = [
            begun(game, table),
            Event(seq=2, at=0, by="ann", kind="joined", seat=1, name="Ann"),
            Event(
                seq=3,
                at=0,
                by="ann",
                kind="move",
                move=TEXTS["montana"].write(each),
                fx=facts,
                moves=1,
                score=game.score(after),
            ),
        ]
        plain = [json.loads(msgspec.json.encode(replace(event, room="r"))) for event in events]
        head = {"format": "kibitz-replay-json-1", "room": "r", "game": "montana", "seq": 3}
        texts.append(sealed({**head, "hash": "", "events": plain}))
    async with module_page(browser) as page:
        honest, lied = await run(page, SAID, json.dumps(texts))
    assert honest["rules"] == "ok"
    assert lied["rules"] == "failed"
