"""Rooms that go on without cards too: a race, comments and a next game, a replay room.

Their events are written here by hand, as a server may tell them to one viewer; what the Python
mirror makes of them is what every client must.
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Joined
from kibitz.protocol.views import Event
from kibitz.protocol.wire import decode_reply

Plain = dict[str, Any]

ALLOWED = {"undo": True, "save": True, "cheat": False, "hints": True, "say": True}
SALT = "5a" * 16
START = [["set", "Stock", ["??", "??"]], ["set", "A", ["Ks"]], ["count", "redeals", 2]]


@dataclass(frozen=True)
class Told:
    """What one viewer is told: the answer to ``join`` and the events after it."""

    name: str
    joined: Plain
    events: list[Plain]


def _event(at: int, kind: str, board: int = 0, **fields: Any) -> Plain:
    about = {"board": board} if board else {}
    return {"t": "event", "room": "r", "at": at, "kind": kind, **about, **fields}


def _hidden(at: int, board: int, **fields: Any) -> Plain:
    commit = sha256(f"{at} {board}".encode()).hexdigest()
    return _event(at, "hidden", board, commit=commit, **fields)


def _told(name: str, view: Plain, events: list[Plain], **joined: Any) -> Told:
    whole = {
        "game": "aces-up",
        "options": {},
        "seats": [{"seat": n + 1} for n in range(max(len(view["boards"]), 1))],
        "status": "open",
        "policy": ALLOWED,
        **view,
    }
    info = {"mode": view["mode"], "visibility": "public", "started": 0, "policy": ALLOWED}
    answer: Plain = {"t": "joined", "i": 1, "room": "r", "role": "spectator", "seq": 1}
    answer |= {"hash": "0123456789abcdef" * 2, "info": info, "view": whole, **joined}
    return Told(name, answer, [{**event, "seq": n} for n, event in enumerate(events, 2)])


def _bare(**fields: Any) -> Plain:
    return {"piles": {}, "status": "open", "moves": 0, "score": 0, "counters": {}, **fields}


def _race(own: int | None) -> list[Plain]:
    """A race of four seats, three of them taken, as the racer on a board is told it, or nobody."""

    def masked(board: int, at: int, kind: str, **fields: Any) -> Plain:
        if own == board or (own is not None and kind == "dealt"):
            by = {} if kind == "dealt" else {"by": "abc"[board]}
            return _event(at, kind, board, salt=SALT, **by, **fields)
        return _hidden(at, board, **{k: fields[k] for k in ("moves", "score") if k in fields})

    laid = [["set", "Stock", ["4c-", "9d-"]], ["set", "A", ["Ks"]]]
    return [
        _event(10, "joined", by="a", name="Ann", seat=1),
        _event(20, "joined", by="b", name="Bob", seat=2),
        _event(25, "joined", by="d", name="Dan", seat=4),
        _event(30, "ready", by="b", seat=2),
        _event(40, "ready", by="a", seat=1),
        _event(50, "ready", by="d", seat=4),
        _event(50, "countdown", begins=5050),
        _event(60, "unready", by="b", seat=2),
        _event(60, "countdown"),
        _event(70, "left", by="d", seat=4),
        _event(75, "joined", by="c", name="Cy 🂡", seat=3),
        _event(80, "ready", by="b", seat=2),
        _event(90, "ready", by="c", seat=3),
        _event(90, "countdown", begins=5090),
        _event(5090, "started", score=4),
        masked(0, 5090, "dealt", fx=START),
        masked(1, 6000, "move", move="d", fx=[["mv", "Stock", "A", ["Td"]]], moves=1, score=5),
        masked(0, 6100, "move", move="f 1", fx=[["up", "Stock", "2c"]], moves=1, score=6),
        masked(2, 6200, "stuck"),
        masked(0, 6300, "undo", move="f 1", fx=[["dn", "Stock"]], moves=0, score=4),
        _event(7000, "say", by="x", name="Eve", text="go"),
        _event(8000, "won", by="b", board=1, moves=9, ms=2910),
        _event(9000, "resigned", by="c", board=2),
        _event(65_090, "timeout"),
        _event(
            65_090,
            "ended",
            result="won",
            boards=[[*laid, ["count", "redeals", n]] for n in range(3)] + [[]],
            results=[],
            opened={"start": {}, "counters": {}, "seed": "00"},
        ),
        _event(70_000, "rematch", by="a", next="r2"),
    ]


RACE: Plain = {"mode": "race", "race": {"countdown": 5, "limit": 60}}
OPEN: Plain = {**RACE, "boards": [_bare()] * 4}
MASKED: Plain = {**RACE, "boards": [_bare(hidden=True)] * 4}
OWN: Plain = {**RACE, "boards": [_bare(), *[_bare(hidden=True)] * 3]}
DONE = [_bare(status="won", moves=9, score=5, ms=2910), _bare(status="empty", moves=0)]
UNDER_WAY: Plain = {
    "mode": "race",
    "race": {"countdown": 5, "limit": 60, "started": 100},
    "boards": [*DONE, _bare(piles={"A": ["Ks"], "Stock": ["??"]})],
    "seats": [{"seat": 1, "id": "a", "name": "Ann"}, {"seat": 2}, {"seat": 3, "id": "c"}],
    "series": {"first": "r0", "number": 3, "tally": [1, 0, 1]},
}
SOLO: Plain = {"mode": "solo", "boards": [_bare(piles={"A": ["Ks"]})]}
RECORDED: Plain = {"room": "r0", "seq": 90, "control": {"at": 1}, "since": 0}
REPLAY: Plain = {"mode": "replay", "boards": [], "recorded": RECORDED}

COURSES = [
    _told("a race that is masked", MASKED, _race(None)),
    _told("a race, as a racer sees it", OWN, _race(0), role="player", seat=1, board=0),
    _told("a race, with every board seen", OPEN, [e for e in _race(0) if e["kind"] != "hidden"]),
    _told(
        "a race that is under way",
        UNDER_WAY,
        [
            _event(5000, "move", board=2, move="d", fx=[["up", "Stock", "2c"]], moves=1, score=1),
            _event(5500, "resigned", by="c", board=2),
        ],
        role="player",
        seat=3,
        board=2,
    ),
    _told(
        "comments, and the next game",
        SOLO,
        [
            _event(10, "comments", by="a", on=False),
            _event(20, "comments", by="a", on=True),
            _event(30, "say", by="a", name="Ann", text="hm"),
            _event(40, "comments", by="a", on=False),
            _event(50, "won", by="a", moves=1, ms=50),
            _event(50, "ended", result="won"),
            _event(60, "rematch", by="a", next="r2"),
        ],
    ),
    _told(
        "a race that is closed: who is done stays done",
        UNDER_WAY,
        [_event(5500, "resigned", by="c", board=2), _event(6000, "closed", text="enough")],
    ),
    _told("a game that is closed", SOLO, [_event(10, "closed")]),
    _told(
        "a replay room",
        REPLAY,
        [
            _event(10, "joined", by="a", name="Ann", seat=1),
            _event(20, "control", by="a", control={"at": 4, "playing": True, "speed": 400}),
            _event(30, "control", by="a", control={"at": 9, "beat": 500}),
            _event(40, "control", by="a", control={"at": 90}),
            _event(50, "left", by="a", seat=1),
            _event(60, "ended", result="resigned"),
        ],
    ),
]


def course_vector(told: Told) -> Plain:
    """A course with how the mirror stands after each event."""
    joined = decode_reply(json.dumps(told.joined))
    assert isinstance(joined, Joined)
    mirror = Mirror(joined)
    after = []
    for plain in told.events:
        event = decode_reply(json.dumps(plain))
        assert isinstance(event, Event)
        assert mirror.apply(event)
        after.append(held(mirror))
    return {"name": told.name, "joined": told.joined, "events": told.events, "after": after}


def held(mirror: Mirror) -> Plain:
    """How a mirror stands: its number and hash, its own board's index, and its whole view."""
    view: Plain = msgspec.to_builtins(mirror.view)
    return {"seq": mirror.seq, "hash": mirror.hash, "own": mirror.own, "view": view}
