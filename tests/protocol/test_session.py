"""Both ends of a connection, joined without a socket."""

import pytest
from msgspec.structs import replace

from kibitz.protocol.codes import CloseCode
from kibitz.protocol.hashing import chain
from kibitz.protocol.mirror import Gap, Mirror
from kibitz.protocol.replies import Info, Joined, Ok, Position, Presence
from kibitz.protocol.requests import Hello, Join, Move, Ping
from kibitz.protocol.session import (
    Answered,
    ClientSession,
    Missed,
    MustClose,
    Pushed,
    ServerSession,
)
from kibitz.protocol.views import BoardView, Event, Policy, Seat, View
from kibitz.protocol.wire import Encoding, encode

POLICY = Policy()
VIEW = View(
    game="aces-up",
    options={},
    mode="solo",
    boards=[BoardView({"a": ["??", "As"], "b": []}, "open", 0, 0, {"n": 2})],
    seats=[Seat(1)],
    status="open",
    policy=POLICY,
)
INFO = Info(mode="solo", visibility="public", started=0, policy=POLICY)
JOINED = Joined(i=1, room="r", role="spectator", seq=0, hash="", info=INFO, view=VIEW)
EVENTS = [
    Event(room="r", seq=1, at=0, kind="joined", by="ann", name="Ann", seat=1),
    Event(
        room="r",
        seq=2,
        at=5,
        kind="move",
        move="t",
        fx=[["mv", "a", "b", ["As"]], ["up", "a", "Kd"], ["count", "n", 1]],
        moves=1,
        score=1,
    ),
    Event(room="r", seq=3, at=6, kind="resigned", by="ann"),
    Event(room="r", seq=4, at=6, kind="ended", result="resigned", fx=[]),
]


@pytest.mark.parametrize("encoding", list(Encoding))
def test_a_conversation(encoding: Encoding) -> None:
    client, server = ClientSession(encoding), ServerSession(encoding)
    first = client.number(Hello(name="Ann"))
    assert server.receive(client.send(first)) == first
    second = client.number(Ping())
    assert server.receive(client.send(second)) == second
    assert (first.i, second.i) == (1, 2)
    named = client.number(Move(room="r", move="s", i="name"))
    assert named.i == "name"
    answered = client.receive(encode(Ok(i="name", room="r", seq=3, hash="00"), encoding))
    assert answered == Answered("name", Ok(i="name", room="r", seq=3, hash="00"), [])


def test_hello_comes_first_and_once() -> None:
    client, server = ClientSession(Encoding.JSON), ServerSession(Encoding.JSON)
    with pytest.raises(MustClose) as caught:
        server.receive(client.send(Ping()))
    assert caught.value.code is CloseCode.AUTH
    server.receive(client.send(Hello()))
    with pytest.raises(MustClose) as caught:
        server.receive(client.send(Hello()))
    assert caught.value.code is CloseCode.PROTOCOL


@pytest.mark.parametrize("encoding", list(Encoding))
def test_the_wrong_kind_of_frame_closes(encoding: Encoding) -> None:
    other = next(e for e in Encoding if e is not encoding)
    with pytest.raises(MustClose) as caught:
        ServerSession(encoding).receive(encode(Hello(), other))
    assert caught.value.code is CloseCode.PROTOCOL


@pytest.mark.parametrize("encoding", list(Encoding))
def test_a_mirror_follows_the_events(encoding: Encoding) -> None:
    client = ClientSession(encoding)
    client.receive(encode(JOINED, encoding))
    pushes = [client.receive(encode(event, encoding)) for event in EVENTS]
    assert pushes == [Pushed(event) for event in EVENTS]
    mirror = client.mirrors["r"]
    assert mirror.seats == [Seat(1, "ann", "Ann")]
    assert mirror.board == BoardView({"a": ["Kd"], "b": ["As"]}, "resigned", 1, 1, {"n": 1})
    assert (mirror.seq, mirror.status) == (4, "resigned")
    expected = b""
    for event in EVENTS:
        expected = chain(expected, event)
    assert mirror.hash == expected.hex()


def test_doubled_events_are_dropped_and_gaps_are_noticed() -> None:
    client = ClientSession()
    client.receive(encode(JOINED, client.encoding))
    assert client.receive(encode(EVENTS[0], client.encoding)) == Pushed(EVENTS[0])
    assert client.receive(encode(EVENTS[0], client.encoding)) is None
    mirror = client.mirrors["r"]
    missed = client.receive(encode(EVENTS[2], client.encoding))
    assert missed == Missed(Join(room="r", from_=1, hash=mirror.hash))
    with pytest.raises(Gap):
        mirror.apply(EVENTS[2])
    resumed = replace(JOINED, seq=4, view=None, events=EVENTS[1:])
    answer = client.receive(encode(resumed, client.encoding))
    assert isinstance(answer, Answered)
    assert answer.events == EVENTS[1:]
    assert mirror.seq == 4


def test_a_fresh_view_takes_the_place_of_missed_events() -> None:
    client = ClientSession()
    client.receive(encode(JOINED, client.encoding))
    fresh = Position(room="r", seq=9, hash="ab" * 16, view=replace(VIEW, status="won"))
    assert client.receive(encode(fresh, client.encoding)) == Pushed(fresh)
    mirror = client.mirrors["r"]
    assert (mirror.seq, mirror.hash, mirror.status) == (9, "ab" * 16, "won")


def test_what_concerns_unknown_rooms_changes_nothing() -> None:
    client = ClientSession()
    assert client.receive(encode(EVENTS[0], client.encoding)) is None
    here = Presence(room="r", spectators=1, players=[])
    assert client.receive(encode(here, client.encoding)) == Pushed(here)
    assert Mirror(JOINED).seq == 0
