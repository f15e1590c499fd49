"""What is known of all rooms: an old word changes nothing, and looking them up holds nobody up."""

import asyncio
import itertools

import pytest
from msgspec.structs import replace
from records import record
from server.storage.files import entry
from worlds import START_MS, Fake

from kibitz.protocol.views import RoomInfo
from kibitz.server.lobby import directory
from kibitz.server.lobby.rooms import Rooms
from kibitz.server.log.memory import MemoryLog
from kibitz.server.neighbours.news import RoomNews


class SlowLog(MemoryLog):
    """A log that notes what is asked of it, and answers whatever it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    async def rooms(self, before: str | None = None, limit: int | None = None) -> list[RoomInfo]:
        self.said.append("page")
        return await super().rooms(before, limit)


def due_at(seconds: int, seq: int) -> RoomInfo:
    """An entry of a race that has to be woken."""
    return replace(entry("race", seq), visibility="public", due=START_MS + seconds * 1000)


async def opened(log: MemoryLog) -> Rooms:
    rooms = Rooms(log, Fake().world)
    await rooms.open()
    return rooms


async def test_others_come_to_their_turn_while_many_rooms_are_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(directory, "LOOK_PAGE", 10)
    monkeypatch.setattr(directory, "LOOK_REST_SECONDS", 0)
    log = SlowLog()
    for n in range(50):
        await log.append(f"r{n}", 0, [record(1)], entry(f"r{n}", 1))
    rooms = await opened(log)

    async def play() -> None:
        while True:
            log.said.append("turn")
            await asyncio.sleep(0)

    playing = asyncio.create_task(play())
    log.said.clear()
    await rooms.directory.look()
    playing.cancel()
    pages = [n for n, said in enumerate(log.said) if said == "page"]
    assert len(pages) == 6
    assert all("turn" in log.said[a:b] for a, b in itertools.pairwise(pages))


async def test_an_old_entry_does_not_change_when_a_room_is_due() -> None:
    log = MemoryLog()
    rooms = await opened(log)
    new = due_at(600, seq=3)
    rooms.directory.heard(RoomNews("race", due=START_MS + 600_000, entry=new))
    for seq, seconds in ((2, 0), (3, 700)):
        old = replace(due_at(seconds, seq), due=None) if not seconds else due_at(seconds, seq)
        log._order, log._infos = ["race"], {"race": old}
        await rooms.directory.look()
        assert rooms.clock.due("race") == START_MS + (seconds or 600) * 1000


async def test_a_deal_of_the_day_that_was_closed_does_not_come_back() -> None:
    days = (await opened(MemoryLog())).days
    mine = replace(entry("mine", 4), daily=days.today, game="montana")
    days.note(mine)
    assert len(days._placed(days.today, "montana")) == 1
    days.note(replace(mine, seq=5, status="closed"))
    days.note(mine)
    assert days._placed(days.today, "montana") == []
