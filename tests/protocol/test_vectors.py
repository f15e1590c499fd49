"""The vectors are what the server says now, and the Python client makes of them what they say."""

import json
from typing import Any

import pytest
from protocol.courses import held
from protocol.vectors import FILE, make, text_of

from kibitz.engine.notation import read_fact, write_piles
from kibitz.engine.table import Table, fold
from kibitz.protocol.hashing import chain
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Joined
from kibitz.protocol.session import Answered, ClientSession, Missed, Pushed
from kibitz.protocol.views import Event
from kibitz.protocol.wire import Encoding, WireError, decode_reply, encode

Plain = dict[str, Any]

VECTORS: Plain = json.loads(FILE.read_text())


def named(key: str) -> pytest.MarkDecorator:
    """One test for each of these."""
    return pytest.mark.parametrize("vector", VECTORS[key], ids=lambda one: one.get("name"))


def read(plain: Plain) -> Any:
    return decode_reply(json.dumps(plain))


async def test_the_file_is_what_the_server_says() -> None:
    assert text_of(await make()) == FILE.read_text(), "see the head of tests/protocol/vectors.py"


@named("facts")
def test_facts(vector: Plain) -> None:
    table = Table()
    for fact, after in zip(vector["facts"], vector["tables"], strict=True):
        table = fold([read_fact(fact)], table)
        assert {"piles": write_piles(table), "counters": table.counters} == after


@named("hashes")
def test_hashes(vector: Plain) -> None:
    assert chain(b"\x01\x02", read(vector["event"])).hex() == vector["hash"]


@named("rooms")
def test_rooms(vector: Plain) -> None:
    before = b""
    for event in vector["before"]:
        before = chain(before, read(event))
    joined = read(vector["joined"])
    assert isinstance(joined, Joined)
    assert before.hex() == joined.hash
    mirror = Mirror(joined)
    for plain, after in zip(vector["events"], vector["after"], strict=True):
        event = read(plain)
        assert isinstance(event, Event)
        assert mirror.apply(event)
        assert as_held(mirror) == after


@named("courses")
def test_courses(vector: Plain) -> None:
    joined = read(vector["joined"])
    assert isinstance(joined, Joined)
    mirror = Mirror(joined)
    for plain, after in zip(vector["events"], vector["after"], strict=True):
        assert mirror.apply(read(plain))
        assert held(mirror) == after


def as_held(mirror: Mirror) -> Plain:
    board = mirror.board
    return {
        "seq": mirror.seq,
        "hash": mirror.hash,
        "piles": {name: " ".join(cells) for name, cells in board.piles.items()},
        "counters": board.counters,
        "board": [board.status, board.moves, board.score],
        "seats": [[seat.seat, seat.id, seat.name] for seat in mirror.seats],
        "status": mirror.status,
    }


@named("sessions")
def test_sessions(vector: Plain) -> None:
    session = ClientSession(Encoding.JSON)
    for step in vector["steps"]:
        assert meaning(session.receive(json.dumps(step["frame"]))) == step["means"]
        assert {id_: [m.seq, m.hash] for id_, m in session.mirrors.items()} == step["held"]


def meaning(met: Answered | Pushed | Missed | None) -> Plain | None:
    match met:
        case Answered(i, reply, events):
            said = json.loads(encode(reply, Encoding.JSON))
            seqs = [event.seq for event in events]
            return {"kind": "answered", "t": said["t"], "i": i, "events": seqs}
        case Pushed(reply):
            said = json.loads(encode(reply, Encoding.JSON))
            return {"kind": "pushed", "t": said["t"], "seq": said.get("seq")}
        case Missed(resume):
            said = json.loads(encode(resume, Encoding.JSON))
            return {"kind": "missed", "resume": {"role": resume.role, **said}}
        case None:
            return None


@pytest.mark.parametrize("frame", VECTORS["unreadable"])
def test_unreadable_frames(frame: str) -> None:
    with pytest.raises(WireError):
        ClientSession(Encoding.JSON).receive(frame)
