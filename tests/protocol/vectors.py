"""What every client of the protocol must make of the same frames: written to ``vectors.json``.

Real rooms of all games, played on a server whose time and chance are fixed, rooms whose events are
written by hand (:mod:`protocol.courses`), and corner cases. Any client in any language can be
checked against the file. Make it anew after a change on purpose::

    PYTHONPATH=tests .venv/bin/python -m protocol.vectors
"""

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from plays import NEAR_WIN, WINNING, legal
from protocol.courses import COURSES, course_vector
from servers import Running, running_server
from talk import Plain, Talk, talking
from worlds import Fake

from kibitz.engine.games import GAMES
from kibitz.engine.notation import read_fact, write_piles
from kibitz.engine.table import Table, fold
from kibitz.protocol.hashing import chain
from kibitz.protocol.views import Event, View
from kibitz.protocol.wire import decode_reply
from kibitz.server.room.room import Room
from kibitz.server.room.state import state_at

FILE = Path(__file__).parent / "vectors.json"
STEPS = 14
"""Commands in the room of each game."""
DRAWN_AT_START = 2
"""Secrets for which a server draws as it starts: those of the first one are kept."""

Facts = list[list[Any]]


async def make() -> Plain:
    """Everything in the file."""
    fake = Fake()
    async with running_server(world=fake.world) as running:
        fake.draws = DRAWN_AT_START
        async with (
            talking(running.url, name="Zoë 🂡") as ann,
            talking(running.url, name="Bob") as bob,
            talking(running.url, name="Cy") as cy,
        ):
            play = partial(_play, fake, running, (ann, bob, cy))
            rooms = [await play(game, deal="7") for game in GAMES]
            rooms.append(await play("klondike", save=NEAR_WIN))
    return {
        "about": "made by tests/protocol/vectors.py",
        "rooms": rooms,
        "courses": [course_vector(course) for course in COURSES],
        "facts": [_fact_vector(facts) for facts in FACTS],
        "hashes": [_hash_vector(event) for event in _odd_events()],
        "sessions": _sessions(rooms),
        "unreadable": UNREADABLE,
    }


async def _play(
    fake: Fake,
    running: Running,
    talks: Sequence[Talk],
    game: str,
    **start: str,
) -> Plain:
    """One game: what a spectator was told, and the room after each event as the server has it."""
    ann, bob, cy = talks
    rng = Random(game)
    name = f"{game} {'save' in start}"
    wish: Plain = {"mode": "coop", "seats": 2, **start}
    id_ = (await ann.ok("create", name, game=game, **wish))["room"]
    joined = await bob.ok("join", room=id_)
    before = (await bob.ok("history", room=id_, to=joined["seq"]))["events"]
    room = await running.app.rooms.get(id_)
    commands = [("move", {"move": move}) for move in WINNING] if "save" in start else None
    for step in range(STEPS):
        fake.pass_time(rng.choice([0, 0.001, 1.5, 70]))
        if room.state.over:
            break
        if step == 2:
            await cy.ok("join", room=id_, role="player")
        if step == 10:
            await cy.ok("leave", room=id_)
        kind, fields = commands[step] if commands else _command(rng, room, step)
        await ann.ask(kind, f"{name} {step}", room=id_, **fields)
    if not room.state.over:
        await ann.ok("resign", room=id_)
    await ann.ok("say", room=id_, text='gg — ñ 中 🂡 \U0010ffff \u2028 " \\ ')
    await running.abreast()
    await bob.settle()
    events = bob.events(id_)
    records = await room._log.read(id_)
    after = [_as_held(state_at(records, e["seq"]).view(), e["seq"], room) for e in events]
    return {"before": before, "joined": joined, "events": events, "after": after}


def _command(rng: Random, room: Room, step: int) -> tuple[str, Plain]:
    moves = legal(room.state)
    say: Plain = {"text": "x" * rng.choice([1, 31, 32, 255, 256])}
    if step in (4, 9):
        return "undo", {}
    if step == 5:
        return "redo", {}
    if step == 7 or not moves:
        return "say", say
    return ("restart", {}) if step == 11 else ("move", {"move": rng.choice(moves)})


def _as_held(view: View, seq: int, room: Room) -> Plain:
    """A view in few words: piles as lines of cells."""
    board = view.boards[0]
    return {
        "seq": seq,
        "hash": room.live.hash_at(seq),
        "piles": {name: " ".join(cells) for name, cells in board.piles.items()},
        "counters": board.counters,
        "board": [board.status, board.moves, board.score],
        "seats": [[seat.seat, seat.id, seat.name] for seat in view.seats],
        "status": view.status,
    }


FACTS: list[Facts] = [
    [],
    [["set", "a", []], ["set", "b", ["As"]], ["mv", "b", "a", ["As"]]],
    [["set", "a", ["As", "??", "Kd"]], ["dn", "a"], ["up", "a", "Qc"]],
    [["set", "a", ["As", "Kd"]], ["dn", "a", "Kd-"], ["set", "b", []], ["mv", "a", "b", []]],
    [["set", "a", ["Ts-", "9h"]], ["set", "b", []], ["mv", "a", "b", ["??", "9h"]]],
    [["count", "n", 3], ["count", "m", 0], ["count", "n", None], ["count", "gone", None]],
    [["set", "Zoë 🂡", ["2c"]], ["set", "Zoë 🂡", ["??"]], ["count", "Zoë", 2**53 - 1]],
    [["set", "10", ["2c"]], ["set", "2", ["3c"]], ["set", "a", []], ["mv", "10", "2", ["2c"]]],
    [["set", "constructor", ["2c"]], ["count", "toString", 1]],
]


def _fact_vector(facts: Facts) -> Plain:
    table = Table()
    tables = []
    for fact in facts:
        table = fold([read_fact(fact)], table)
        tables.append({"piles": write_piles(table), "counters": dict(table.counters)})
    return {"facts": facts, "tables": tables}


NUMBERS = [
    *(0, 1, 127, 128, 255, 256, 65535, 65536, 2**31, 2**32 - 1, 2**32, 2**53 - 1),
    *(-1, -32, -33, -128, -129, -32768, -32769, -(2**31), -(2**31) - 1, -(2**53) + 1),
]


def _odd_events() -> list[Plain]:
    """Events that no room has, for every form a value can take."""
    base: Plain = {"t": "event", "room": "r", "seq": 1, "at": 0, "kind": "say"}
    opened = {"start": {}, "counters": {}, "seed": ""}
    keys = ["z", "a", "Z", "é", "\uffff", "\ue000", "\U00010000", "\ud7ff", "aa", "", "10", "9"]
    return [
        base,
        {**base, "by": "x", "name": "Zoë 🂡", "text": ""},
        {**base, "kind": "joined", "seat": 2, "name": "\U0010ffff\ufffd\u0000\n\u2028"},
        *({**base, "text": letter * n} for n in (15, 31, 32, 127, 128, 255) for letter in "aé中🂡"),
        {**base, "text": "ab" * 128 + "c" * 300},
        {**base, "kind": "move", "fx": [["set", "a", ["As"] * n] for n in (0, 15, 16, 52)]},
        {**base, "kind": "move", "fx": []},
        {**base, "kind": "move", "fx": [["count", "n", None]], "moves": 0, "score": 0},
        {**base, "kind": "move", "fx": [["x", True, False, 1.5, -0.25, {}, {"b": [], "a": {}}]]},
        {**base, "kind": "move", "fx": [["count", str(n), n] for n in NUMBERS]},
        {**base, "kind": "ended", "opened": opened, "result": "won", "ms": 2**40},
        {**base, "kind": "ended", "opened": {**opened, "counters": dict.fromkeys(keys, 1)}},
        {**base, "kind": "ended", "opened": {**opened, "start": {f"p{n}": [] for n in range(17)}}},
        {**base, "kind": "created", "options": {}, "started": 1_700_000_000_000},
        {**base, "kind": "created", "options": {f"o{n}": "" for n in range(15)}},
        {**base, "kind": "hidden", "board": 3, "score": 0, "moves": 1, "commit": "0f" * 32},
        {**base, "kind": "move", "fx": [["up", "a", "As"]], "salt": "a0" * 16},
        {**base, "kind": "move", "fx": [["up", "a", "As"]], "salt": ""},
        {**base, "kind": "ended", "boards": [[], [["set", "a", ["As"]]]], "result": "timeout"},
        {**base, "kind": "rematch", "next": "r2"},
        {**base, "kind": "comments", "on": False},
        {**base, "kind": "control", "control": {"at": 7, "playing": True, "speed": 400}},
    ]


def _hash_vector(plain: Plain) -> Plain:
    event = decode_reply(json.dumps(plain))
    assert isinstance(event, Event)
    return {"event": plain, "hash": chain(b"\x01\x02", event).hex()}


UNREADABLE = [
    *("", "nonsense", "[]", "1", "null", '"event"', "{}", '{"t": 1}', '{"t": null}', "{"),
    *('{"t": "event"}', '{"t": "event", "room": "r", "seq": "1", "at": 0, "kind": "say"}'),
    *('{"t": "joined", "i": 1, "room": "r"}', '{"t": "view", "room": "r", "seq": 1, "hash": ""}'),
    *('{"t": "error", "i": 1}', '{"t": "pong", "i": 1, "now": 1}', '{"t": "presence"}'),
]
"""Frames that are no messages, or known ones out of shape."""


def _sessions(rooms: list[Plain]) -> list[Plain]:
    """What frames mean, in order; ``room`` names the room above that they are from."""
    room = next(room for room in rooms if room["joined"]["view"]["game"] == "aces-up")
    joined, events, after = (room[key] for key in ("joined", "events", "after"))
    id_, first = joined["room"], joined["seq"]

    def held(n: int) -> Plain:
        """How the mirror stands after event ``n`` of these; -1: none of them."""
        at = after[n] if n >= 0 else joined
        return {id_: [at["seq"], at["hash"]]}

    def missed(n: int) -> Plain:
        at = held(n)[id_]
        resume = {"t": "join", "room": id_, "role": "spectator", "from": at[0], "hash": at[1]}
        return {"kind": "missed", "resume": resume}

    def pushed(n: int) -> Plain:
        return {"kind": "pushed", "t": "event", "seq": first + 1 + n}

    def answered(i: int | None, t: str, *seqs: int) -> Plain:
        return {"kind": "answered", "t": t, "i": i, "events": list(seqs)}

    come_back = {key: value for key, value in joined.items() if key != "view"}
    again = {**come_back, "i": 9, "seq": first + 3, "hash": after[2]["hash"], "events": events[:3]}
    fork = {**joined, "i": 9, "fork": True}
    lag = {"t": "view", "room": id_, "seq": first, "hash": joined["hash"], "view": joined["view"]}
    start = (joined, answered(joined["i"], "joined"), held(-1))
    scripts: dict[str, list[tuple[Plain, Plain | None, Plain]]] = {
        "events one after the other": [start, *((events[n], pushed(n), held(n)) for n in range(3))],
        "an event that came before": [
            start,
            (events[0], pushed(0), held(0)),
            (events[0], None, held(0)),
            (events[1], pushed(1), held(1)),
            (events[0], None, held(1)),
        ],
        "a gap, filled": [
            start,
            (events[0], pushed(0), held(0)),
            (events[2], missed(0), held(0)),
            (again, answered(9, "joined", first + 2, first + 3), held(2)),
            (events[2], None, held(2)),
            (events[3], pushed(3), held(3)),
        ],
        "nothing missed": [
            start,
            ({**come_back, "i": 9, "events": []}, answered(9, "joined"), held(-1)),
        ],
        "another history": [
            start,
            *((events[n], pushed(n), held(n)) for n in range(2)),
            (fork, answered(9, "joined"), held(-1)),
            (events[0], pushed(0), held(0)),
        ],
        "too slow: a fresh start": [
            start,
            *((events[n], pushed(n), held(n)) for n in range(2)),
            (lag, {"kind": "pushed", "t": "view", "seq": first}, held(-1)),
            (events[0], pushed(0), held(0)),
        ],
        "a look at the past is no fresh start": [
            start,
            (events[0], pushed(0), held(0)),
            ({**lag, "i": 5}, answered(5, "view"), held(0)),
        ],
        "rooms that are not followed": [
            (events[0], None, {}),
            (lag, {"kind": "pushed", "t": "view", "seq": first}, {}),
        ],
        "unknown pushes and keys": [
            start,
            ({"t": "wink", "room": id_}, None, held(-1)),
            (
                {"t": "presence", "room": id_, "spectators": 1, "players": [1], "new": [{}]},
                {"kind": "pushed", "t": "presence", "seq": None},
                held(-1),
            ),
            ({"t": "ok", "i": 4, "new": 1}, answered(4, "ok"), held(-1)),
            ({"t": "ok"}, answered(None, "ok"), held(-1)),
        ],
    }
    return [
        {
            "name": name,
            "steps": [{"frame": f, "means": means, "held": h} for f, means, h in steps],
        }
        for name, steps in scripts.items()
    ]


def text_of(vectors: Plain) -> str:
    """The file: one thing a line, so that changes can be read."""
    parts = []
    for key, value in vectors.items():
        if isinstance(value, list):
            lines = ",\n".join(_lines(one) for one in value)
            parts.append(f"{json.dumps(key)}: [\n{lines}\n]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(one: Any) -> str:
    if not (isinstance(one, dict) and any(isinstance(v, list) for v in one.values())):
        return json.dumps(one, ensure_ascii=True)
    inner = []
    for key, value in one.items():
        if isinstance(value, list):
            items = ",\n  ".join(json.dumps(item) for item in value)
            inner.append(f"{json.dumps(key)}: [\n  {items}\n]")
        else:
            inner.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{" + ",\n ".join(inner) + "}"


if __name__ == "__main__":
    FILE.write_text(text_of(asyncio.run(make())))
