"""A large crowd is told now and then: nothing is lost, late, or told twice by that; a storm."""

import asyncio
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from lookers import Ear, Lookers

from kibitz.protocol.wire import Encoding
from kibitz.server.room import fanout as fanouts
from kibitz.server.room.audience import EVERYTHING, NOTHING
from kibitz.server.sockets import turn as turns


class Hands:
    """The clock of the loop, turned by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def turn(self, seconds: float) -> None:
        """Let time pass, and happen what is due."""
        self.now += seconds
        for _ in range(20):
            await asyncio.sleep(0)


@pytest.fixture
async def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    """Time that stands still; five are a large crowd, told once in ten seconds."""
    monkeypatch.setattr(turns, "SLICE", 3)
    monkeypatch.setattr(fanouts, "GATHER_FROM", 5)
    monkeypatch.setattr(fanouts, "GATHER_SECONDS", 10.0)
    hands = Hands()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", hands)
    return hands


def check(lookers: Lookers) -> None:
    """Everybody has everything."""
    for ear, due in lookers.due.items():
        assert ear.got == due, ear


async def test_what_comes_alone_is_told_at_once(hands: Hands) -> None:
    lookers = Lookers()
    everybody = lookers.come(8)
    for _ in range(3):
        await hands.turn(10)
        before = [ear.writes for ear in everybody]
        lookers.tell()
        await hands.turn(0)
        check(lookers)
        assert [ear.writes for ear in everybody] == [count + 1 for count in before]


async def test_what_comes_next_waits_for_its_time_and_no_longer(
    hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, timers = asyncio.get_running_loop(), 0
    call_at = loop.call_at

    def counted(*given: Any) -> Any:
        nonlocal timers
        timers += 1
        return call_at(*given)

    monkeypatch.setattr(loop, "call_at", counted)
    lookers = Lookers()
    everybody = lookers.come(8)
    lookers.tell()
    await hands.turn(0)
    told, before = everybody[5].got, everybody[5].writes
    for _ in range(3):
        lookers.tell()
        await hands.turn(2.5)
    assert everybody[5].got == told, "it is told once in ten seconds"
    await hands.turn(2.4)
    assert everybody[5].got == told
    await hands.turn(0.2)
    check(lookers)
    assert everybody[5].writes == before + 1, "all together"
    assert timers == 1, "however many come"


async def test_who_asks_while_it_waits_hears_it_first_and_once(hands: Hands) -> None:
    lookers = Lookers()
    everybody = lookers.come(8)
    lookers.tell()
    await hands.turn(0)
    lookers.tell()
    lookers.hurry(everybody[0])
    lookers.tell()
    lookers.hurry(everybody[1])
    lookers.hurry(everybody[1])
    lookers.add(everybody[2], NOTHING)
    lookers.remove(everybody[3])
    (new,) = lookers.come(1)
    lookers.tell()
    everybody[4].slow = True
    everybody[5].full = True
    await hands.turn(1)
    assert everybody[0].got != lookers.due[everybody[0]], "what comes behind it waits again"
    await hands.turn(9.1)
    check(lookers)
    assert everybody[5] not in lookers.lanes and new in lookers.lanes


async def test_a_crowd_that_has_become_small_is_told_all_the_same(hands: Hands) -> None:
    lookers = Lookers()
    everybody = lookers.come(6)
    lookers.tell()
    await hands.turn(1)
    lookers.tell()
    await hands.turn(1)
    for ear in everybody[:4]:
        lookers.remove(ear)
    lookers.tell()
    await hands.turn(9)
    check(lookers)
    for ear in everybody[4:]:
        lookers.remove(ear)
    lookers.tell()
    lookers.come(2)
    lookers.tell()
    await hands.turn(0)
    check(lookers)


async def test_a_small_crowd_waits_for_nothing(hands: Hands) -> None:
    lookers = Lookers()
    lookers.come(4)
    for _ in range(3):
        lookers.tell()
        await hands.turn(0)
        check(lookers)


def steps(rng: Random, lookers: Lookers, everybody: list[Ear]) -> Iterator[None]:
    """What may happen to a crowd, one thing after the other."""
    while True:
        ear = rng.choice(everybody)
        match rng.choice(["come", "come", "go", "tell", "tell", "tell", "ask", "slow", "full"]):
            case "come":
                lookers.add(ear, rng.choice([EVERYTHING, NOTHING]))
            case "go" if ear in lookers.lanes:
                lookers.remove(ear)
            case "tell":
                for _ in range(rng.randint(1, 3)):
                    lookers.tell()
            case "ask":
                lookers.hurry(ear)
            case "slow":
                ear.slow = not ear.slow
            case "full" if ear in lookers.lanes:
                ear.full = rng.random() < 0.3
        yield


@pytest.mark.parametrize("seconds", [0.0, 0.002])
@pytest.mark.parametrize("slice_", [1, 3, 7, 1000])
async def test_a_storm(monkeypatch: pytest.MonkeyPatch, slice_: int, seconds: float) -> None:
    monkeypatch.setattr(turns, "SLICE", slice_)
    monkeypatch.setattr(fanouts, "GATHER_FROM", 5)
    monkeypatch.setattr(fanouts, "GATHER_SECONDS", seconds)
    for seed in range(25):
        rng, lookers = Random(seed), Lookers()
        everybody = [
            Ear(f"ear {number}", lookers.turn, rng.choice(list(Encoding)))
            for number in range(rng.choice([3, 8, 20]))
        ]
        happening = steps(rng, lookers, everybody)
        for _ in range(200):
            next(happening)
            if rng.random() < 0.4:
                await asyncio.sleep(0)
            if rng.random() < 0.02:
                await lookers.settle()
        await lookers.settle()
        assert lookers.last > 50
