"""The page's verifier on the vectors, on games played by chance, and on what somebody made of them.

It shares no line with the server's side: both were written from the text of the format.
"""

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from browser.games import WINS
from browser.modules import module_page, run
from browser.test_vectors import ALIKE
from playwright.async_api import Browser
from servers import Running
from talk import Talk, fetch, talking

from kibitz.protocol.hashing import chain
from kibitz.protocol.views import Event
from kibitz.protocol.wire import decode_reply

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
