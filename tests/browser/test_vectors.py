"""The page's own protocol modules make of all vectors what they say, and hash like Python."""

import json
from pathlib import Path
from random import Random
from typing import Any

from browser.modules import run
from playwright.async_api import Page

from kibitz.protocol.hashing import chain
from kibitz.protocol.views import Event
from kibitz.protocol.wire import decode_reply

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "protocol" / "vectors.json").read_text()
)

ALIKE = """
  const sorted = (value) => Array.isArray(value) ? value.map(sorted)
    : value !== null && typeof value === "object"
    ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
    : value ?? null;
  const wrong = [];
  const alike = (what, is, should) => {
    const [a, b] = [JSON.stringify(sorted(is)), JSON.stringify(sorted(should))];
    if (a !== b) wrong.push(`${what}: ${a.slice(0, 400)} instead of ${b.slice(0, 400)}`);
  };
"""

ROOMS = """
  const { Mirror } = await import("/modules/protocol/mirror.js");
  const { chain, toHex } = await import("/modules/protocol/hashing.js");
  const held = ({ seq, hash, board, table, view }) => ({
    seq, hash,
    piles: Object.fromEntries(Object.entries(table.piles).map(([k, v]) => [k, v.join(" ")])),
    counters: table.counters,
    board: [board.status, board.moves, board.score],
    seats: view.seats.map(({ seat, id, name }) => [seat, id, name]),
    status: view.status,
  });
  for (const { before, joined, events, after } of given) {
    alike("before", toHex(before.reduce(chain, new Uint8Array())), joined.hash);
    const untouched = JSON.stringify(joined);
    const mirror = new Mirror(joined);
    events.forEach((event, n) => {
      const [view, was] = [mirror.view, JSON.stringify(mirror.view)];
      alike(`event ${event.seq}`, [mirror.apply(event), held(mirror)], [true, after[n]]);
      alike("an older view", JSON.stringify(view), was);
    });
    alike("what came in", JSON.stringify(joined), untouched);
  }
  return wrong;
"""

COURSES = """
  const { Mirror } = await import("/modules/protocol/mirror.js");
  for (const { name, joined, events, after } of given) {
    const untouched = JSON.stringify(joined);
    const mirror = new Mirror(joined);
    events.forEach((event, n) => {
      const [view, was] = [mirror.view, JSON.stringify(mirror.view)];
      alike(`${name} ${event.seq}`, mirror.apply(event), true);
      const { seq, hash, own } = mirror;
      alike(`${name} ${event.seq}`, { seq, hash, own, view: mirror.view }, after[n]);
      alike("an older view", JSON.stringify(view), was);
    });
    alike("what came in", JSON.stringify(joined), untouched);
  }
  return wrong;
"""

SESSIONS = """
  const { ClientSession, WireError } = await import("/modules/protocol/session.js");
  const meaning = (met) => met === null ? null
    : met.kind === "missed" ? met
    : met.kind === "pushed" ? { kind: met.kind, t: met.reply.t, seq: met.reply.seq }
    : { kind: met.kind, t: met.reply.t, i: met.reply.i, events: met.events.map((e) => e.seq) };
  for (const { name, steps } of given.sessions) {
    const session = new ClientSession();
    steps.forEach(({ frame, means, held }, n) => {
      alike(`${name} ${n}`, meaning(session.receive(JSON.stringify(frame))), means);
      const mirrors = [...session.mirrors].map(([id, { seq, hash }]) => [id, [seq, hash]]);
      alike(`${name} ${n}`, Object.fromEntries(mirrors), held);
    });
  }
  for (const frame of [...given.unreadable, new ArrayBuffer(2), null, undefined]) {
    try {
      wrong.push(`${frame} meant ${JSON.stringify(new ClientSession().receive(frame))}`);
    } catch (error) {
      if (!(error instanceof WireError)) wrong.push(`${frame}: ${error}`);
    }
  }
  for (const frame of ["__proto__", "constructor", "toString"]) {
    alike(frame, new ClientSession().receive(JSON.stringify({ t: frame })), null);
  }
  return wrong;
"""

FACTS = """
  const { evolve, fold, EMPTY } = await import("/modules/protocol/table.js");
  for (const { facts, tables } of given) {
    let table = EMPTY;
    facts.forEach((fact, n) => {
      table = evolve(table, fact);
      alike(`${facts} ${n}`, table, tables[n]);
    });
    alike(facts, fold(facts), table);
  }
  const table = fold([["set", "a", ["As"]], ["set", "b", []]]);
  alike("an unknown fact", evolve(table, ["wink", "a"]), table);
  for (const fact of [
    ["mv", "a", "b", ["As", "2s"]], ["mv", "a", "c", ["As"]], ["mv", "c", "a", ["As"]],
    ["mv", "a", "b", ["Xx"]], ["mv", "a", "b", "As"], ["mv", "a", "b"], ["mv", "toString", "a", []],
    ["up", "b", "As"], ["up", "a"], ["up", "c", "As"], ["dn", "b"], ["dn", "a", 1],
    ["set", "a", [null]], ["set", "a"], ["set", 1, []], ["count", "n"], ["count", "n", "1"],
  ]) {
    try {
      wrong.push(`${JSON.stringify(fact)} made ${JSON.stringify(evolve(table, fact))}`);
    } catch (error) {
      if (!(error instanceof RangeError)) wrong.push(`${JSON.stringify(fact)}: ${error}`);
    }
  }
  return wrong;
"""

HASHES = """
  const { chain, toHex } = await import("/modules/protocol/hashing.js");
  const before = new Uint8Array([1, 2]);
  return given.map((text) => toHex(chain(before, JSON.parse(text))));
"""


async def test_rooms(modules: Page) -> None:
    assert await run(modules, ALIKE + ROOMS, VECTORS["rooms"]) == []


async def test_courses(modules: Page) -> None:
    """Races, comments, series and replay rooms."""
    assert await run(modules, ALIKE + COURSES, VECTORS["courses"]) == []


async def test_sessions(modules: Page) -> None:
    assert await run(modules, ALIKE + SESSIONS, VECTORS) == []


async def test_facts(modules: Page) -> None:
    assert await run(modules, ALIKE + FACTS, VECTORS["facts"]) == []


async def test_hashes(modules: Page) -> None:
    """The vectors, and hundreds of events made by chance."""
    rng = Random(0)
    texts = [json.dumps(vector["event"]) for vector in VECTORS["hashes"]]
    hashes = [vector["hash"] for vector in VECTORS["hashes"]]
    for _ in range(400):
        text = json.dumps(_odd(rng), ensure_ascii=rng.random() < 0.5)
        event = decode_reply(text)
        assert isinstance(event, Event)
        texts.append(text)
        hashes.append(chain(b"\x01\x02", event).hex())
    ours = await run(modules, HASHES, texts)
    assert [n for n, hash_ in enumerate(hashes) if ours[n] != hash_] == []


def _odd(rng: Random) -> dict[str, Any]:
    """An event with anything in it that an event may have."""
    opened = {"start": {}, "counters": {_text(rng): _number(rng) for _ in range(20)}, "seed": ""}
    event = {
        "text": _text(rng) * (1000 if rng.random() < 0.03 else 1),
        "options": {_text(rng): _text(rng) for _ in range(rng.randrange(20))},
        "fx": [[_value(rng) for _ in range(rng.randrange(5))] for _ in range(rng.randrange(18))],
        "score": _number(rng),
        "opened": opened,
    }
    chosen = {key: value for key, value in event.items() if rng.random() < 0.5}
    return {"t": "event", "room": "r", "kind": "say", "seq": 1, "at": _number(rng), **chosen}


def _value(rng: Random, deep: int = 0) -> Any:
    size = rng.randrange(20) if deep == 0 else rng.randrange(3)
    match rng.randrange(7 if deep < 3 else 5):
        case 0:
            return rng.choice([None, True, False])
        case 1 | 2:
            return _number(rng)
        case 3 | 4:
            return _text(rng)
        case 5:
            return [_value(rng, deep + 1) for _ in range(size)]
        case _:
            return {_text(rng): _value(rng, deep + 1) for _ in range(size)}


def _number(rng: Random) -> int:
    return rng.choice([1, -1]) * rng.randrange(2 ** rng.randrange(1, 54))


def _text(rng: Random) -> str:
    letters = [
        "a",
        "Z",
        "0",
        "é",
        "中",
        "\ud7ff",
        "\ue000",
        "\uffff",
        "🂡",
        "\U0010ffff",
        "\n",
        "\0",
    ]
    return "".join(rng.choices(letters, k=rng.choice([0, 1, 2, 9, 31, 32, 80])))
