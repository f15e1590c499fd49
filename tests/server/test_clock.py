"""What happens by itself happens in time, whatever the wall clock does, and once."""

import asyncio
import time

import pytest
from races import told, wake
from servers import EACH_HAS, REAL, running_server
from structlog.testing import capture_logs
from talk import PATIENCE, Plain, eventually, talking
from worlds import START_MS, Fake

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.server.limits.settings import IDLE_SECONDS
from kibitz.server.room import clock as clocks
from kibitz.server.room.clock import Clock

Woken = list[tuple[str, int]]


class Bed:
    """A clock that runs, and what it woke when."""

    def __init__(self) -> None:
        self.fake = Fake()
        self.woken: Woken = []
        self.fails = 0
        self.error: Exception = OSError("the log is full")
        self.news = asyncio.Event()
        self.clock = Clock(self.fake.world, self._wake)
        self._task = asyncio.create_task(self.clock.run())

    async def _wake(self, room: str) -> None:
        self.woken.append((room, self.fake.ms - START_MS))
        self.news.set()
        if self.fails:
            self.fails -= 1
            raise self.error

    async def rooms(self, count: int) -> list[str]:
        """The rooms woken so far, once they are so many."""
        async with asyncio.timeout(PATIENCE):
            while len(self.woken) < count:
                self.news.clear()
                await self.news.wait()
        return [room for room, _ in self.woken]

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


async def test_rooms_are_woken_when_due_and_not_before() -> None:
    bed = Bed()
    for room, due in (("c", 30), ("a", 10), ("b", 20), ("never", None)):
        bed.clock.set(room, due and START_MS + due)
    bed.clock.set("now", START_MS)
    assert await bed.rooms(1) == ["now"]
    bed.fake.ms += 20
    assert await bed.rooms(3) == ["now", "a", "b"]
    bed.fake.ms += 10
    assert (await bed.rooms(4))[3:] == ["c"]
    await bed.stop()


async def test_the_last_word_counts() -> None:
    bed = Bed()
    for due in (10, 50, 20, 40):
        bed.clock.set("moved", START_MS + due)
    bed.clock.set("called off", START_MS + 10)
    bed.clock.set("called off", None)
    bed.clock.set("mark", START_MS + 39)
    bed.fake.ms += 39
    assert await bed.rooms(1) == ["mark"]
    bed.fake.ms += 1
    assert await bed.rooms(2) == ["mark", "moved"]
    bed.clock.set("moved", START_MS + 40)  # the same time again, after it was woken
    assert await bed.rooms(3) == ["mark", "moved", "moved"]
    await bed.stop()


async def test_a_new_time_cuts_the_sleep_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "LONGEST_SLEEP", 3600)
    bed = Bed()
    for number in range(3):
        bed.clock.set("far", START_MS + 3_600_000 + number)
        for _ in range(20):
            await asyncio.sleep(0)  # until it is asleep
        bed.clock.set(f"now {number}", bed.fake.ms)
        assert (await bed.rooms(number + 1))[-1] == f"now {number}"
    await bed.stop()


async def test_the_wall_clock_set_forward_wakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at again and again, so a sleep begun before does not matter."""
    monkeypatch.setattr(clocks, "LONGEST_SLEEP", 0.01)
    bed = Bed()
    bed.clock.set("r", START_MS + 3_600_000)
    bed.fake.ms -= 3_600_000
    bed.clock.set("back", bed.fake.ms)
    assert await bed.rooms(1) == ["back"]
    bed.fake.ms += 3 * 3_600_000
    assert await bed.rooms(2) == ["back", "r"]
    await bed.stop()


async def test_a_room_that_could_not_be_woken_is_woken_again() -> None:
    bed = Bed()
    bed.fails = 2
    bed.clock.set("r", START_MS)
    for again in range(1, 4):
        await bed.rooms(again)
        bed.fake.ms += clocks.AGAIN_MS
        bed.clock.set("other", bed.fake.ms + 10**9)  # it looks at the time
    assert [at for _, at in bed.woken] == [0, 1000, 2000]
    bed.fake.ms += 10 * clocks.AGAIN_MS
    bed.clock.set("last", bed.fake.ms)
    assert (await bed.rooms(4))[3] == "last", "the third time it went well"
    await bed.stop()


async def test_a_race_in_real_time_begins_when_it_is_due() -> None:
    """Not before; how long after is measured by ``bench.race``."""
    async with (
        running_server(world=REAL) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        begins = time.time_ns() // 1_000_000 + 300
        made = await ann.ok("create", game="klondike", mode="race", begins=begins)
        room = made["room"]
        await bob.ok("join", room=room, role="player")
        started = await told(ann, room, "started")
        assert time.time_ns() // 1_000_000 >= begins
        assert started["at"] >= begins - made["info"]["started"] > 0


@EACH_HAS
async def test_a_race_that_nobody_follows_begins_all_the_same() -> None:
    """It has left memory meanwhile."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        wish: Plain = {"game": "klondike", "mode": "race", "begins": START_MS + 600_000}
        room = (await ann.ok("create", **wish))["room"]
        await bob.ok("join", room=room, role="player")
        await ann.drop()
        await bob.drop()
        rooms = running.app.rooms
        await eventually(lambda: next(iter(rooms)).idle)
        fake.pass_time(IDLE_SECONDS)
        rooms.sweep()
        assert len(rooms) == 0 and rooms.clock._due == {room: START_MS + 600_000}
        fake.pass_time(600 - IDLE_SECONDS)
        await wake(running)
        async with talking(running.url) as eve:
            (entry,) = (await eve.ok("rooms"))["rooms"]
            assert "waiting" not in entry and entry["due"] == START_MS + 600_000 + 3_600_000


async def test_the_end_of_a_room_s_time_wakes_no_more() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = (await ann.ok("create", game="klondike", mode="race", countdown=0, limit=5))["room"]
        await bob.ok("join", room=room, role="player")
        await ann.ok("ready", room=room)
        await bob.ok("ready", room=room)
        await told(ann, room, "dealt")
        assert running.app.rooms.clock._due == {room: START_MS + 5000}
        await ann.ok("resign", room=room)
        await bob.ok("resign", room=room)
        await eventually(lambda: running.app.rooms.clock._due == {})
        ahead = (await ann.ok("ping"))["heads"][room]
        fake.pass_time(60)
        running.app.rooms.clock.set(room, fake.ms)  # woken for nothing
        await eventually(lambda: running.app.rooms.clock._due == {})
        assert (await ann.ok("ping"))["heads"][room] == ahead


async def test_a_room_that_is_not_there_is_given_up() -> None:
    bed = Bed()
    bed.fails, bed.error = 1, Refused(ErrorCode.NO_ROOM, "there is no room r")
    bed.clock.set("r", START_MS)
    with capture_logs() as lines:
        await bed.rooms(1)
        bed.fake.ms += 10 * clocks.AGAIN_MS
        bed.clock.set("other", bed.fake.ms)
        assert await bed.rooms(2) == ["r", "other"]
    assert [line["event"] for line in lines] == ["nothing to wake"]
    assert bed.clock.due("r") is None
    await bed.stop()
