"""What every event log promises, run against every event log."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from brokers import nats_logs
from msgspec.structs import replace
from records import add, record
from server.storage.files import entry as info

from kibitz.protocol.views import Event, RoomInfo
from kibitz.server.log.log import AWAY, Conflict, EventLog, LogFailure
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record, Secret
from kibitz.server.log.sqlite import SqliteLog

Make = Callable[[], EventLog]


@pytest.fixture(params=["memory", "sqlite", "nats"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EventLog]:
    if request.param == "nats":
        async with nats_logs(request.getfixturevalue("nats_server")) as (nats,):
            yield nats
        return
    made: EventLog = MemoryLog() if request.param == "memory" else SqliteLog(tmp_path / "k.db")
    yield made
    await made.close()


def hand_over(log: EventLog, room: str, *counts: int, after: int) -> asyncio.Future[None]:
    """Records of so many events each, handed over at once."""
    made = []
    last = after
    for count in counts:
        made.append(record(last + 1, count))
        last += count
    return log.append(room, after, made, info(room, last))


async def test_what_is_appended_is_read_in_order(log: EventLog) -> None:
    made = [await add(log, "r", 0, 2), await add(log, "r", 2), await add(log, "r", 3, 3)]
    assert await log.read("r") == made
    assert await log.read("r", 2) == made[1:]
    assert await log.read("r", 4) == made[2:], "a record that reaches past the number is there"
    assert await log.read("r", 6) == []
    assert await log.read("other") == []
    assert await log.read("r", 0, limit=2) == made[:2]
    assert await log.read("r", 2, limit=1) == made[1:2]
    assert await log.read("r", 2, limit=9) == made[1:]


async def test_a_record_comes_back_whole(log: EventLog) -> None:
    event = Event(
        seq=1, at=0, kind="created", fx=[["set", "a", ["Qh-"]]], game="montana", options={"x": "1"}
    )
    whole = Record(
        events=[event],
        by="ann",
        i="name",
        secret=Secret("ab", "old12", "hash"),
        visibility="private",
    )
    await log.append("r", 0, [whole], info("r", 1))
    assert await log.read("r") == [whole]


@pytest.mark.parametrize("expected", [0, 1, 3, 99])
async def test_the_wrong_number_is_a_conflict_and_writes_nothing(
    log: EventLog, expected: int
) -> None:
    made = await add(log, "r", 0, 2)
    with pytest.raises(Conflict) as caught:
        await add(log, "r", expected)
    assert caught.value.head == 2
    assert await log.read("r") == [made]
    assert [entry.seq for entry in await log.rooms()] == [2]


async def test_of_many_that_expect_the_same_number_one_wins(log: EventLog) -> None:
    results = await asyncio.gather(*(add(log, "r", 0) for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(result, Record) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 19
    assert len(await log.read("r")) == 1


async def test_several_records_at_once_come_back_as_they_are(log: EventLog) -> None:
    await hand_over(log, "r", 1, 3, 1, after=0)
    await hand_over(log, "r", 2, 1, after=5)
    assert [(r.first, r.last) for r in await log.read("r")] == [
        *((1, 1), (2, 4), (5, 5)),
        *((6, 7), (8, 8)),
    ]
    assert [entry.seq for entry in await log.rooms()] == [8]


async def test_records_that_conflict_are_not_written_at_all(log: EventLog) -> None:
    made = await add(log, "r", 0, 2)
    for after in (0, 1, 3):
        with pytest.raises(Conflict) as caught:
            await hand_over(log, "r", 1, 1, 1, after=after)
        assert caught.value.head == 2
        assert await log.read("r") == [made]
    assert [entry.seq for entry in await log.rooms()] == [2]


async def test_the_order_of_calls_is_the_order_of_the_log(log: EventLog) -> None:
    told: list[int] = []
    waiting = []
    for seq in range(100):
        room, after = ("r", seq - seq // 3 - 1) if seq % 3 else (f"r{seq}", 9)
        done = hand_over(log, room, 1, after=after)
        done.add_done_callback(lambda _, seq=seq: told.append(seq))  # type: ignore[misc]
        waiting.append(done)
        if seq % 10 == 9:
            await asyncio.sleep(0)
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [isinstance(result, Conflict) for result in results] == [
        seq % 3 == 0 for seq in range(100)
    ]
    assert told == list(range(100))
    assert [r.first for r in await log.read("r")] == list(range(1, 67))


async def test_nobody_needs_to_wait_for_one_append_before_the_next(log: EventLog) -> None:
    first, second = hand_over(log, "r", 1, 2, after=0), hand_over(log, "r", 2, after=3)
    await second
    assert first.done() and first.exception() is None
    assert [r.last for r in await log.read("r")] == [1, 3, 5]


async def test_what_builds_upon_what_is_refused_is_refused(log: EventLog) -> None:
    made = [await add(log, "r", seq) for seq in range(3)]
    first = hand_over(log, "r", 1, after=3)
    stale = [hand_over(log, "r", 1, after=seq) for seq in (3, 4, 5)]
    await first  # it is at the number that the second of the others expects
    results = await asyncio.gather(*stale, return_exceptions=True)
    assert [type(result) for result in results] == [Conflict] * 3
    assert [r.last for r in await log.read("r")] == [1, 2, 3, 4]
    assert (await log.read("r"))[:3] == made
    await add(log, "r", 4)
    assert [entry.seq for entry in await log.rooms()] == [5]


async def test_who_waits_no_longer_disturbs_nothing(log: EventLog) -> None:
    async def wait(room: str) -> None:
        await hand_over(log, room, 1, after=0)

    tasks = [asyncio.create_task(wait(f"r{n}")) for n in range(4)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    hand_over(log, "r0", 1, after=1).cancel()
    hand_over(log, "r1", 1, after=7).cancel()  # nor does what was refused
    await asyncio.wait(tasks)
    await asyncio.sleep(0)
    await add(log, "r0", 2)
    await add(log, "r1", 1)
    for room, count in (("r0", 3), ("r1", 2), ("r2", 1), ("r3", 1)):
        assert len(await log.read(room)) == count


async def test_what_cannot_be_stored_is_the_fault_of_no_other(log: EventLog) -> None:
    event = Event(seq=2, at=1, kind="say", text="\ud800")
    good = hand_over(log, "r", 1, after=0)
    bad = log.append("r", 1, [record(2), Record(events=[event])], info("r", 3))
    others = [hand_over(log, "r", 1, after=3), hand_over(log, "x", 1, after=0)]
    results = await asyncio.gather(good, bad, *others, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), LogFailure, Conflict, type(None)]
    assert [len(await log.read(room)) for room in ("r", "x")] == [1, 1]
    await add(log, "r", 1)


async def test_rooms_do_not_mix_and_are_listed_in_order_of_creation(log: EventLog) -> None:
    async def fill(room: str) -> None:
        for seq in range(30):
            await add(log, room, seq)

    names = [f"r{n}" for n in range(10)]
    for name in names:
        await add(log, name, 0)
    await asyncio.gather(*(fill(f"x{n}") for n in range(10)))
    entries = await log.rooms()
    assert [entry.id for entry in entries][:10] == names
    assert {entry.seq for entry in entries[10:]} == {30}
    for n in range(10):
        assert [r.first for r in await log.read(f"x{n}")] == list(range(1, 31))


async def test_follow_catches_up_then_is_live_without_gap_or_duplicate(log: EventLog) -> None:
    for seq in range(5):
        await add(log, "r", seq)
    seen: list[int] = []
    started, done = asyncio.Event(), asyncio.Event()

    async def follow() -> None:
        async for made in log.follow("r", 2):
            seen.append(made.last)
            started.set()
            if made.last == 40:
                done.set()

    task = asyncio.create_task(follow())
    for seq in range(5, 40):
        await add(log, "r", seq)
        if seq == 20:
            await started.wait()
        await add(log, "other", seq - 5)
    async with asyncio.timeout(10):
        await done.wait()
    task.cancel()
    await asyncio.wait([task])
    assert seen == list(range(3, 41))


async def test_rooms_are_listed_page_by_page(log: EventLog) -> None:
    names = [f"r{n}" for n in range(9)]
    for name in names:
        await add(log, name, 0)
    await add(log, "r2", 1)
    assert [entry.id for entry in await log.rooms(limit=4)] == names[5:]
    for name in ("r5", "r4"):  # what is put away meanwhile moves nothing
        await log.put_away(name, 1, b"")
    assert [entry.id for entry in await log.rooms("r5", 3)] == names[1:4]
    assert [entry.id for entry in await log.rooms("r3")] == names[:3]
    assert await log.rooms("r0") == [] == await log.rooms("unknown")
    assert await log.rooms(limit=0) == []


def day(info: RoomInfo, date: str) -> RoomInfo:
    """An entry of a room for the deal of a day."""
    return replace(info, daily=date, owner="ann")


async def test_of_a_room_that_is_put_away_its_entry_and_what_is_kept_stay(log: EventLog) -> None:
    for name in ("a", "b", "c"):
        await add(log, name, 0, 2)
        await add(log, name, 2)
    before = {entry.id: entry for entry in await log.rooms()}
    await log.put_away("b", 3, b"kept\0\xff")
    assert await log.find_away("b") == (before["b"], b"kept\0\xff")
    assert await log.read("b") == []
    assert await log.find_away("a") is None is await log.find_away("unknown")
    assert await log.rooms() == [before["a"], before["c"]]
    assert [r.last for r in await log.read("a")] == [2, 3]
    for expected in (0, 2, 3, AWAY):
        with pytest.raises(Conflict):
            await add(log, "b", expected)
        with pytest.raises(Conflict):
            await log.put_away("b", expected, b"again")
    assert await log.read("b") == [], "its id is never given to another room"
    assert await log.find_away("b") == (before["b"], b"kept\0\xff")


async def test_a_room_that_has_gone_on_is_not_put_away(log: EventLog) -> None:
    made = await add(log, "r", 0, 2)
    later = hand_over(log, "r", 1, after=2)
    for room, expected in (("r", 2), ("r", 0), ("r", 9), ("none", 0), ("none", 3)):
        with pytest.raises(Conflict):
            await log.put_away(room, expected, b"")
    await later
    assert [r.last for r in await log.read("r")] == [made.last, 3]
    assert await log.find_away("r") is None
    await log.put_away("r", 3, b"")


async def test_a_deal_of_the_day_stays_in_its_table(log: EventLog) -> None:
    for name in ("a", "b", "c"):
        entry = info(name, 1)
        await log.append(name, 0, [record(1)], entry if name == "b" else day(entry, "2026-11-28"))
    assert await log.days_away() == []
    for name in ("a", "b"):
        await log.put_away(name, 1, b"")
    assert [entry.id for entry in await log.days_away()] == ["a"]


async def test_a_secret_is_the_first_one_given_under_its_name(log: EventLog) -> None:
    assert await log.secret("daily", b"one") == b"one"
    assert await log.secret("daily", b"two") == b"one"
    assert await log.secret("other", b"two\0\xff") == b"two\0\xff"
    assert await log.secret("daily", b"") == b"one"
    assert await log.rooms() == [], "it is in no room"
    await add(log, "daily", 0)
    assert await log.secret("daily", b"three") == b"one"


async def test_of_many_that_bring_a_secret_at_the_same_time_one_wins(log: EventLog) -> None:
    async def bring(number: int) -> bytes:
        await add(log, f"r{number}", 0)  # while the log is being written to
        return await log.secret("daily", b"%d" % number)

    kept = set(await asyncio.gather(*(bring(number) for number in range(30))))
    assert len(kept) == 1
    assert await log.secret("daily", b"late") in kept


async def test_a_value_is_the_last_one_kept_under_its_name(log: EventLog) -> None:
    assert await log.kept() == {}
    await log.keep("a/1", b"one")
    await log.keep("a/1", b"two\0\xff")
    await log.keep("a/2", b"")
    await log.keep("b", b"other")
    assert await log.kept("a/") == {"a/1": b"two\0\xff", "a/2": b""}
    assert list(await log.kept()) == ["a/1", "a/2", "b"]
    await log.keep("a/1", None)
    await log.keep("never", None)
    assert await log.kept() == {"a/2": b"", "b": b"other"}
    assert await log.secret("b", b"secret") == b"secret", "a secret is something else"
    assert await log.rooms() == []


@pytest.mark.parametrize("prefix", ["a%", "a_", "A", "*", "ä"])
async def test_the_beginning_of_a_name_is_meant_as_it_is_written(
    log: EventLog, prefix: str
) -> None:
    for name in ("ab", "axb", "äb", "a"):
        await log.keep(name, b"x")
    assert list(await log.kept(prefix)) == [n for n in ("äb",) if n.startswith(prefix)]


async def test_values_are_kept_while_the_log_is_being_written_to(log: EventLog) -> None:
    async def both(number: int) -> None:
        await add(log, f"r{number}", 0)
        await log.keep(f"{number:02}", b"%d" % number)

    await asyncio.gather(*(both(number) for number in range(30)))
    assert await log.kept() == {f"{number:02}": b"%d" % number for number in range(30)}
    assert len(await log.rooms()) == 30
