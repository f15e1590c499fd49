"""The check finds what would be wrong: a log that lost, doubled or changed anything fails it."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from chaos.ledger import Ledger
from chaos.voice import Serving, Voice
from cluster.people import Person, in_order
from msgspec.structs import replace
from servers import running_server
from talk import talking
from websockets.asyncio.client import ClientConnection

from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.replies import Error
from kibitz.protocol.wire import Encoding
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record

PATIENCE = 10.0
"""Seconds that anything may take."""

Fault = Callable[[list[Record]], list[Record]]


class FaultyLog(MemoryLog):
    """A log of which somebody reads something else than was written."""

    fault: Fault | None = None

    async def read(self, room: str, after: int = 0, limit: int | None = None) -> list[Record]:
        records = await super().read(room, after, limit)
        return self.fault(records) if self.fault else records


@pytest.fixture
async def played() -> AsyncIterator[tuple[FaultyLog, Ledger]]:
    """A log, and what somebody was told who wrote ten times and was refused once."""
    log, ledger = FaultyLog(), Ledger()
    async with running_server(log) as server, talking(server.url, name="ann") as ann:
        room = (await ann.ok("create", game="klondike", deal="7", i="create"))["room"]
        for n in range(10):
            done = await ann.ok("say", room=room, text=f"{n}", i=f"say-{n}")
            ledger.acknowledge(room, ann.id, f"say-{n}", (done["seq"], done["hash"]))
        await ann.refused("illegal", "move", room=room, move="move 1 suit", i="never")
        ledger.refused.add((ann.id, "never"))
        yield log, ledger


def dense(records: list[Record]) -> list[Record]:
    """The same records under numbers that have no gap."""
    numbers = iter(range(1, 1000))
    return [
        replace(record, events=[replace(event, seq=next(numbers)) for event in record.events])
        for record in records
    ]


def named(record: Record, i: str) -> Record:
    """The same record under another name."""
    return replace(record, i=i)


FAULTS: dict[str, tuple[Fault, str]] = {
    "the last one is lost": (lambda all_: all_[:-1], "what was told is not there"),
    "one is lost": (lambda all_: all_[:5] + all_[6:], "a gap"),
    "one is lost, and nothing is missing": (
        lambda all_: dense(all_[:5] + all_[6:]),
        "what was told is not there",
    ),
    "one is there again at the end": (
        lambda all_: dense([*all_, all_[5]]),
        "a command was done twice",
    ),
    "one is there twice": (lambda all_: dense(all_[:6] + all_[5:]), "what was told is not there"),
    "two have changed places": (
        lambda all_: dense([*all_[:4], all_[5], all_[4], *all_[6:]]),
        "what was told is not there",
    ),
    "another has won a number": (
        lambda all_: [*all_[:-1], named(all_[-1], "other")],
        "what was ok is not there",
    ),
    "what was refused is there": (
        lambda all_: dense([*all_, named(all_[-1], "never")]),
        "what was refused is there",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_found(played: tuple[FaultyLog, Ledger], name: str) -> None:
    log, ledger = played
    assert (await ledger.hold_against(log))["acknowledged"] == 10
    log.fault, why = FAULTS[name]
    with pytest.raises(AssertionError, match=why):
        await ledger.hold_against(log)


async def test_two_who_were_told_different_things_are_found(
    played: tuple[FaultyLog, Ledger],
) -> None:
    _, ledger = played
    (room,) = ledger.told
    with pytest.raises(AssertionError, match="two histories"):
        ledger.note(room, 5, "00" * 16)


def test_only_what_may_be_refused_may_be_late() -> None:
    late = [("move", 7), ("say", 5), ("say", 6)]
    in_order(late, calm=False)
    with pytest.raises(AssertionError, match="not in order"):
        in_order(late, calm=True)
    with pytest.raises(AssertionError, match="not in order"):
        in_order([("say", 6), ("move", 4), ("say", 5)], calm=False)
    with pytest.raises(AssertionError, match="one number twice"):
        in_order([("say", 5), ("say", 5)], calm=False)


async def test_what_stood_behind_a_join_that_had_to_wait_is_asked_again() -> None:
    ledger = Ledger()
    tail = Person("tail", Encoding.JSON, ledger, "seed")
    answers = [tail.begin("history", room=room) for room in ("r", "s")]
    tail._resumed("r", 3, Error(code=ErrorCode.INTERNAL, message="cannot be read", room="r"))
    for (i, (request, _)), answer in zip(list(tail._open.items()), answers, strict=True):
        tail._answered(i, Error(code=ErrorCode.NO_ROOM, message="", room=request["room"]))
        assert answer.done() == (request["room"] == "s"), "in that room we are, as far as we know"


class Leaving(Voice):
    """One who tells when he lets go of a connection."""

    def __init__(self) -> None:
        super().__init__("leaving", Encoding.JSON, Ledger(), "seed")
        self.lets_go = asyncio.Event()

    async def _send_on(self, socket: ClientConnection) -> None:
        try:
            await super()._send_on(socket)
        finally:
            self.lets_go.set()
            await asyncio.sleep(0)


async def test_who_is_to_end_while_he_lets_go_of_a_connection_ends() -> None:
    async with running_server(MemoryLog()) as server:
        voice, places = Leaving(), Serving()
        living = asyncio.create_task(voice.live(places))
        places.born(server.url)
        await voice.do("create", game="klondike")
        assert voice._socket is not None
        voice._socket.transport.abort()
        await voice.lets_go.wait()
        living.cancel()
        await asyncio.wait([living], timeout=PATIENCE)
        assert living.cancelled()
