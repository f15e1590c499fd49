"""A crowd told in slices: whoever comes, goes, asks or lags meanwhile gets everything once."""

import asyncio
from collections.abc import Callable

import pytest
from lookers import Ear, Lookers

from kibitz.protocol.views import Event
from kibitz.protocol.wire import Encoding
from kibitz.server.room import fanout as fanouts
from kibitz.server.room.audience import EVERYTHING, NOTHING, Audience
from kibitz.server.room.fanout import Fanout, Told
from kibitz.server.sockets import turn as turns


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of three; five are a large crowd, but nothing waits for what comes next."""
    monkeypatch.setattr(turns, "SLICE", 3)
    monkeypatch.setattr(fanouts, "GATHER_FROM", 5)
    monkeypatch.setattr(fanouts, "GATHER_SECONDS", 0.0)


@pytest.fixture
async def lookers() -> Lookers:
    """Nobody looks on yet."""
    return Lookers()


def told_by_now(everybody: list[Ear]) -> list[bool]:
    """Who has got anything behind his snapshot."""
    return [b"e1" in ear.got for ear in everybody]


async def half_told(lookers: Lookers, count: int = 10) -> tuple[list[Ear], list[Ear]]:
    """A delivery that is just under way: who has been told and who has not."""
    everybody = lookers.come(count)
    await lookers.settle()
    lookers.tell()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    told = [ear for ear in everybody if b"e1" in ear.got]
    others = [ear for ear in everybody if ear not in told]
    assert told and others and len(told) % 3 == 0
    return told, others


@pytest.mark.parametrize("encoding", list(Encoding))
def test_who_may_not_see_an_event_gets_its_stub(encoding: Encoding) -> None:
    event = Event(seq=1, at=0, kind="move", board=1, salt="aa", text="secret")
    told = Told(event)
    whole, hidden = told.to(EVERYTHING, encoding), told.to(NOTHING, encoding)
    assert b"secret" in whole and b"secret" not in hidden and b"hidden" in hidden
    assert told.to(Audience(board=1), encoding) is whole, "encoded once"
    assert told.to(Audience(board=0), encoding) is hidden
    said = Told(Event(seq=2, at=0, kind="say", text="for all"))
    assert b"for all" in said.to(NOTHING, encoding)


async def test_a_crowd_is_told_in_slices(lookers: Lookers) -> None:
    everybody = lookers.come(10)
    await lookers.settle()
    lookers.tell()
    counts: list[int] = []
    while not counts or counts[-1] < 10:
        counts.append(sum(told_by_now(everybody)))
        await asyncio.sleep(0)
    assert set(counts) == {0, 3, 6, 9, 10}
    await lookers.settle()


async def test_what_is_told_during_a_delivery_comes_after_it(lookers: Lookers) -> None:
    await half_told(lookers)
    for _ in range(4):
        lookers.tell()
        await asyncio.sleep(0)
    await lookers.settle()


@pytest.mark.parametrize("more", [False, True], ids=["", "more is told"])
@pytest.mark.parametrize(
    "happens",
    [
        lambda lookers, ear: lookers.remove(ear),
        lambda lookers, ear: lookers.add(ear),
        lambda lookers, ear: lookers.add(ear, NOTHING),
        lambda lookers, ear: lookers.add(Ear("new", lookers.turn)),
        lambda lookers, ear: lookers.add(Ear("new", lookers.turn, Encoding.MSGPACK), NOTHING),
        lambda lookers, ear: lookers.hurry(ear),
        lambda lookers, ear: setattr(ear, "slow", True),
        lambda lookers, ear: setattr(ear, "full", True),
        lambda lookers, ear: ear.offer(b""),
    ],
    ids=["goes", "again", "sees less", "new", "new, sees less", "asks", "slow", "full", "told"],
)
async def test_somebody_in_the_middle_of_a_delivery(
    lookers: Lookers, happens: Callable[[Lookers, Ear], None], more: bool
) -> None:
    told, others = await half_told(lookers)
    for ear in (told[0], others[0], others[-1]):
        if more:
            lookers.tell()
        happens(lookers, ear)
        lookers.tell()
        lookers.hurry(told[1])
        lookers.hurry(others[1])
    await lookers.settle()
    lookers.tell()
    await lookers.settle()


async def test_everybody_goes_and_others_come(lookers: Lookers) -> None:
    told, others = await half_told(lookers)
    lookers.tell()
    for ear in told + others:
        lookers.remove(ear)
    lookers.come(4)
    lookers.tell()
    await lookers.settle()


async def test_a_crowd_that_is_told_much_keeps_no_other_waiting(lookers: Lookers) -> None:
    small = Fanout(lookers.turn, lambda ear: None)
    ear = Ear("small", lookers.turn)
    small.add(ear, EVERYTHING)  # type: ignore[arg-type]
    _, others = await half_told(lookers, 30)
    small.tell(Told(Event(seq=1, at=0, kind="say", text="small")))
    for _ in range(3):
        await asyncio.sleep(0)
    assert b"small" in ear.got and b"e1" not in others[0].got
    await lookers.settle()
