"""A bot whose seat was written down, or not, or twice at once: each seat has one that plays."""

import asyncio
from collections.abc import Sequence

import pytest
from apart import DIES, IDLE
from races import kinds, race, told
from servers import Running, running_server
from talk import eventually, talking

from kibitz.protocol.views import RoomInfo
from kibitz.server.bots import child, house
from kibitz.server.log.log import LogFailure, Undecided
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record


@pytest.fixture(autouse=True)
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "PLAYER", IDLE)
    monkeypatch.setattr(house, "AGAIN_SECONDS", 0.01)


class DoubtfulLog(MemoryLog):
    """A log that does not say whether it has written, as often as ``fails`` says.

    Attributes:
        keeps: Whether it has.
        error: What it says in place of that.

    """

    def __init__(self) -> None:
        super().__init__()
        self.fails = 0
        self.keeps = False
        self.error: type[LogFailure] = Undecided

    def append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> asyncio.Future[None]:
        if not self.fails:
            return super().append(room, expected, records, info)
        self.fails -= 1
        if self.keeps:
            super().append(room, expected, records, info)
        failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        failed.set_exception(self.error("as it is told to"))
        return failed


def at_work(running: Running) -> list[bool]:
    """The bots that have a process, or soon will."""
    return [not each.in_doubt for each in running.app.house._playing.values()]


async def test_one_whose_seat_was_written_in_doubt_plays_once_that_is_known() -> None:
    log = DoubtfulLog()
    async with running_server(log) as running, talking(running.url, name="Ann") as ann:
        room = await race(ann, seats=5)
        log.fails, log.keeps = 1, True
        refused = await ann.refused("internal", "bot", "one", room=room)
        assert "nobody knows yet" in refused["message"]
        assert at_work(running) == [False]
        await told(ann, room, "joined")
        await eventually(lambda: at_work(running) == [True])
        await ann.ok("bot", "one", room=room)
        assert at_work(running) == [True] and kinds(ann, room).count("joined") == 1


@pytest.mark.parametrize("kept", [True, False])
async def test_who_asks_again_meanwhile_has_the_same_one(
    kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "AGAIN_SECONDS", 60)
    log = DoubtfulLog()
    async with running_server(log) as running, talking(running.url, name="Ann") as ann:
        room = await race(ann, seats=5)
        log.fails, log.keeps = 1, kept
        await ann.refused("internal", "bot", room=room)
        await ann.ok("bot", room=room)
        assert at_work(running) == [True] and kinds(ann, room).count("joined") == 1


async def test_one_that_has_no_seat_holds_its_place_not_for_ever() -> None:
    log = DoubtfulLog()
    async with running_server(log) as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        log.fails = 1
        await ann.refused("internal", "bot", room=room)
        await eventually(lambda: not running.app.house._playing)
        assert "joined" not in kinds(ann, room)
        log.fails, log.error = 1, LogFailure
        await ann.refused("internal", "bot", room=room)
        assert not running.app.house._playing, "that was not written: nothing is in doubt"


async def test_a_seat_that_could_not_be_freed_is_freed_when_it_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "PLAYER", DIES)
    log = DoubtfulLog()
    async with running_server(log) as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        await ann.ok("bot", room=room)
        log.fails = 3
        assert (await told(ann, room, "left"))["seat"] == 2
        await eventually(lambda: not running.app.house._playing)


async def test_asked_on_two_servers_at_once_two_come() -> None:
    """Each server would give the first seat to the same one."""
    async with running_server(nodes=2) as running, talking(running.url, name="Ann") as ann:
        room = await race(ann, seats=5)
        async with talking(running.url, token=ann.token) as again:
            await again.ok("join", room=room)
            for each in (ann, again):
                await each.send({"t": "bot", "i": 7, "room": room})
            for each in (ann, again):
                await each.until(lambda to=each: 7 in to.answers)  # type: ignore[misc]
                assert each.answers[7]["t"] == "ok"
        playing = [who for app in running.apps for _, who in app.house._playing]
        assert len(set(playing)) == len(playing) == 2
