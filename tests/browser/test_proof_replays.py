"""The page's verifier on the vectors, on games played by chance, and on what somebody made of them.

It shares no line with the server's side: both were written from the text of the format.
"""

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from browser.games import WINS
from browser.modules import run
from browser.test_vectors import ALIKE
from fairness.honest import ANN, Desk
from msgspec.structs import replace
from plays import legal
from playwright.async_api import Page
from positions import begun

from kibitz.clients.verifying.replay import verdict_on_file
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Move, Transfer, moves, object_to
from kibitz.engine.games import GAMES as RULES
from kibitz.engine.games import TEXTS
from kibitz.engine.notation import read_fact, write_fact
from kibitz.engine.table import fold
from kibitz.protocol import requests as ask
from kibitz.protocol.hashing import chain
from kibitz.protocol.views import Event
from kibitz.protocol.wire import decode_reply
from kibitz.server.room.room import Room

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
  const { checkDigest, read } = await import("/modules/proof/file.js");
  const isWhole = (text) => {
    try {
      return checkDigest(text, read(text)).status === "ok";
    } catch {
      return false;
    }
  };
  const { text, flips } = JSON.parse(given);
  const bytes = new TextEncoder().encode(text);
  for (const [at, bit] of flips) {
    const turned = bytes.slice();
    turned[at] ^= 1 << bit;
    const other = new TextDecoder().decode(turned);
    const whole = text[0] === "{" ? isWhole(other) : said(verifyText(other)).file !== "failed";
    if (whole) wrong.push([at, bit]);
  }
  return wrong;
"""
)

RUNNING = {"file": "ok", "chain": "ok", "openings": "ok", "deal": "open"}
ENDED = {"file": "ok", "chain": "ok", "openings": "ok", "deal": "ok", "rules": "ok"}
TOLD = {"file": "ok", "chain": "open", "openings": "open", "deal": "ok", "rules": "ok"}


async def test_vectors(modules: Page) -> None:
    """What a verifier must say of honest servers and of others."""
    vectors = [json.loads(path.read_text()) for path in sorted(VECTORS.glob("*.json"))]
    assert len(vectors) > 12
    said = await run(modules, SAID, json.dumps([vector["replay"] for vector in vectors]))
    assert {vector["name"]: checks for vector, checks in zip(vectors, said, strict=True)} == {
        vector["name"]: vector["checks"] for vector in vectors
    }


async def by_chance(game: str, count: int = GAMES) -> AsyncIterator[tuple[str, str, str]]:
    """Replays of games by chance: while they run, when they have ended, and that as a text."""
    desk = Desk(seed=game.encode())
    for n in range(count):
        rng = Random(f"{game} {n}")
        wish: dict[str, Any] = rng.choice(({}, {"deal": str(n)}, {"nonce": "a-nonce_1"}))
        room = await desk.create(game=game, **wish)
        await play(desk, room, rng)
        running = await desk.text(room)
        await desk.do(room, ANN, ask.Resign(room=room.id))
        text = (await desk.past.replay_text(room, room.people.stage(None), 0)).decode()
        yield running, await desk.text(room), text
    desk.close()


async def play(desk: Desk, room: Room, rng: Random) -> None:
    """Moves by chance, with much taken back; remarks in every script."""
    id_ = room.id
    for _ in range(STEPS):
        can, board = legal(room.state), room.state.positions[0].board
        what = rng.choices(("move", "undo", "redo", "say", "restart"), (20, 3, 3, 1, 0.4))[0]
        if what == "say":
            remark = rng.choice(["é 中 🂡", 'a "b" \\ c', "# x: y"])
            await desk.do(room, ANN, ask.Say(text=remark, room=id_))
        elif what == "restart" or (what == "move" and not can):
            await desk.do(room, ANN, ask.Restart(room=id_))
        elif what == "move":
            await desk.do(room, ANN, ask.Move(move=rng.choice(can), room=id_))
        elif what == "undo" and board.to_undo() is not None:
            await desk.do(room, ANN, ask.Undo(room=id_))
        elif what == "redo" and board.to_redo() is not None:
            await desk.do(room, ANN, ask.Redo(room=id_))


@pytest.mark.parametrize("game", WINS)
async def test_games_by_chance(modules: Page, game: str) -> None:
    replays = [replay async for each in by_chance(game) for replay in each]
    said = await run(modules, SAID, json.dumps(replays))
    for running, ended, text in zip(said[::3], said[1::3], said[2::3], strict=True):
        shuffled = game == "montana" and running["rules"] == "open"
        assert running == RUNNING | {"rules": "open" if shuffled else "ok"}
        assert ended == ENDED
        assert text == TOLD


async def test_no_bit_can_be_turned(modules: Page) -> None:
    for game in WINS:
        rng = Random(game)
        async for each in by_chance(game, 1):
            for text in each:
                size = len(text.encode())
                bits = [(rng.randrange(size), rng.randrange(8)) for _ in range(FLIPS)]
                ends = [(at, bit) for at in range(size - 80, size) for bit in range(8)]
                given = {"text": text, "flips": bits + ends * text.startswith("{")}
                assert await run(modules, ALIKE + FLIP, json.dumps(given)) == [], text


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


FORGERIES = 100
"""So many of each game."""
ALIKE_EVERY = 20
"""So many forgeries are shown to this verifier alone, and then one to that in Python, too."""


@pytest.mark.parametrize("game", WINS)
async def test_what_is_made_to_fit_is_found(modules: Page, game: str) -> None:
    """Hashes and digest say nothing against it: the cards, the deal or the rules do."""
    rng = Random(game)
    made: list[str] = []
    async for running, ended, _ in by_chance(game):
        for text in (running, ended):
            tried = (forged(text, rng) for _ in range(FORGERIES // GAMES))
            made += [each for each in tried if each is not None]
    said = await run(modules, SAID, json.dumps(made))
    assert len(made) > FORGERIES
    for n, (text, checks) in enumerate(zip(made, said, strict=True)):
        assert (checks["file"], checks["chain"]) == ("ok", "ok"), text
        assert "failed" in checks.values(), text
        if n % ALIKE_EVERY == 0:
            assert verdict_on_file(text.encode()).results == checks, text


async def test_a_move_against_the_rules(modules: Page) -> None:
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
    honest, lied = await run(modules, SAID, json.dumps(texts))
    assert honest["rules"] == "ok"
    assert lied["rules"] == "failed"
