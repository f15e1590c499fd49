"""Servers whose clocks differ show one time: nothing is due anywhere before it is due."""

import time

import pytest
from brokers import NatsServer, nats_logs
from races import kinds, race, seat
from servers import REAL, running_server
from structlog.testing import capture_logs
from talk import talking

from kibitz.server import agreed
from kibitz.server.agreed import Agreed
from kibitz.server.log.log import LogFailure
from kibitz.server.log.memory import MemoryLog
from kibitz.server.world import World

HOUR = 3_600_000


def ahead() -> int:
    return REAL.now_ms() + HOUR


async def test_a_server_an_hour_ahead_shows_nothing_early_and_ends_nothing_early(
    nats_server: NatsServer,
) -> None:
    async with nats_logs(nats_server, 2) as logs:
        clock = Agreed(ahead, time.monotonic)
        with capture_logs() as said:
            await clock.agree(logs[1])
        assert [line["event"] for line in said] == ["clock differs"]
        assert abs(logs[1].meter.clock_offset + HOUR / 1000) < 60
        world = World(clock.now_ms, time.monotonic, REAL.random_bytes)
        async with (
            running_server(logs[0]) as a,
            running_server(logs[1], world) as b,
            talking(a.url, name="Ann") as ann,
            talking(a.url, name="Bob") as bob,
            talking(b.url, name="Eve") as eve,
        ):
            late = await ann.ok("create", game="klondike", policy={"delay": 600})
            await eve.refused("forbidden", "join", room=late["room"])
            room = await race(ann, begins=REAL.now_ms() + 600_000)
            await seat(room, bob)
            await eve.ok("join", room=room)
            await eve.ok("say", room=room, text="what is due happens before this")
            await ann.until(lambda: "say" in kinds(ann, room))
            assert "started" not in kinds(ann, room)


class There(MemoryLog):
    """A log that is kept where the clock shows something else."""

    ms: int | None = 1_000_000

    async def time_ms(self) -> int:
        if self.ms is None:
            raise LogFailure("nobody answers")
        return self.ms


async def test_a_clock_is_brought_near_little_by_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreed, "KEEP_SECONDS", 0)
    monkeypatch.setattr(agreed, "PAUSE_SECONDS", 0)
    seconds, there = 0.0, There()
    clock = Agreed(lambda: 4_000_000 + int(seconds * 1000), lambda: seconds)
    there.ms = None
    with pytest.raises(LogFailure):
        await clock.agree(there)
    there.ms = 1_000_000
    await clock.agree(there)
    assert clock.now_ms() == 1_000_000 and there.meter.clock_offset == -3000

    class Enough(Exception):
        """It has been asked often enough."""

    asked: list[int] = []

    async def answer() -> int:
        asked.append(1)
        if len(asked) == 1:
            raise LogFailure("nobody answers")
        if len(asked) == 3:
            raise Enough
        return 4_000_000

    there.time_ms = answer  # type: ignore[method-assign]
    with pytest.raises(Enough), capture_logs() as said:
        await clock.keep(there)
    assert [line["event"] for line in said] == ["clock agrees"]
    assert clock.now_ms() == 1_000_000, "no jump"
    seconds += 10
    assert clock.now_ms() == 1_011_000, "but soon"


async def test_a_log_without_a_clock_has_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreed, "KEEP_SECONDS", 0)
    log, clock = MemoryLog(), Agreed(ahead, time.monotonic)
    own = clock.now_ms
    await clock.agree(log)
    await clock.keep(log)
    assert clock.now_ms == own and log.meter.clock_offset == 0


async def test_how_the_machine_is_set_makes_no_difference_to_what_is_shown() -> None:
    seconds, wall, there = 100.0, 5_000_000, There()
    clock = Agreed(lambda: wall, lambda: seconds)
    await clock.agree(there)
    for set_to in (10**12, 0, 5_000_000):
        before = clock.now_ms()
        wall = set_to
        seconds += 1
        assert clock.now_ms() == before + 1000
