"""The check finds what would be wrong: a log that lost, doubled or changed anything fails it."""

from collections.abc import AsyncIterator, Callable

import pytest
from chaos.ledger import Ledger
from msgspec.structs import replace
from servers import running_server
from talk import talking

from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record

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
