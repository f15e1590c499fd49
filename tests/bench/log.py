"""Durable records/s through SqliteLog, beside bare sqlite3: the same rows in groups, one by one.

Every room has one record on its way: when it is durable, the next one is handed over. The bare
loops write what the log writes, encoded beforehand; their groups are of one record a room. All on
one core, in alternating slices. Half of the loop's processor time is this driver.
"""

import argparse
import asyncio
import os
import sqlite3
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from statistics import median

import msgspec
from worlds import Fake

from kibitz.protocol.requests import Create, Move
from kibitz.protocol.views import RoomInfo
from kibitz.server.identity import Identity
from kibitz.server.lobby.rooms import Rooms
from kibitz.server.log.log import EventLog
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record, write_info, write_record
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.operation import runtime

SLICES = 5
Row = tuple[str, int, bytes]
RECORD = "insert into record values (?, ?, ?)"
ROOM = (
    "insert into room (id, last, info) values (?, ?, ?)"
    " on conflict (id) do update set last = excluded.last, info = excluded.info"
)


@dataclass
class Slice:
    """What came of one slice: records, and seconds: by the clock, of the loop, of all threads."""

    records: int = 0
    clock: float = 0.0
    loop: float = 0.0
    all: float = 0.0
    latencies: list[float] = field(default_factory=list)
    """Seconds from handing a record over until it was durable."""

    def begin(self) -> None:
        """Start the clocks."""
        self.clock -= time.perf_counter()
        self.loop -= time.thread_time()
        self.all -= time.process_time()

    def end(self) -> None:
        """Stop them."""
        self.clock += time.perf_counter()
        self.loop += time.thread_time()
        self.all += time.process_time()


class Moves:
    """The records of a room in which a card is drawn over and over, and its entry after each."""

    def __init__(self) -> None:
        self._record, self._info = asyncio.run(self._made())
        self._made_so_far: list[tuple[Record, RoomInfo]] = []

    async def _made(self) -> tuple[Record, RoomInfo]:
        log, fake = MemoryLog(), Fake()
        who = Identity("annannannann", "Ann")
        room = await Rooms(log, fake.world).create(Create(game="klondike", deal="1"), who)
        for number in range(4):
            fake.pass_time(1)
            await room.submit(Move(room=room.id, move="discard", i=f"move-{number}"), who)
        return (await log.read(room.id))[-1], room.whole_entry()

    def at(self, seq: int) -> tuple[Record, RoomInfo]:
        """The one whose only event has this number."""
        replace = msgspec.structs.replace
        while len(self._made_so_far) < seq:
            n = len(self._made_so_far) + 1
            event = replace(self._record.events[0], seq=n, at=n * 1000)
            record = replace(self._record, events=[event])
            self._made_so_far.append((record, replace(self._info, seq=n)))
        return self._made_so_far[seq - 1]


async def through_log(log: EventLog, moves: Moves, heads: dict[str, int], seconds: float) -> Slice:
    """Every room hands its next record over when the one before is durable."""
    done, taken = asyncio.Event(), Slice()
    loop = asyncio.get_running_loop()
    begun: dict[str, float] = {}
    flying = 0

    def hand_over(room: str) -> None:
        nonlocal flying
        flying += 1
        seq = heads[room]
        record, info = moves.at(seq + 1)
        begun[room] = time.perf_counter()
        log.append(room, seq, [record], info).add_done_callback(following[room])

    def follow(room: str, future: asyncio.Future[None]) -> None:
        nonlocal flying
        future.result()
        flying -= 1
        heads[room] += 1
        taken.records += 1
        taken.latencies.append(time.perf_counter() - begun[room])
        if loop.time() < end:
            hand_over(room)
        elif not flying:
            done.set()

    following = {room: partial(follow, room) for room in heads}
    end = loop.time() + seconds
    taken.begin()
    for room in heads:
        hand_over(room)
    await done.wait()
    taken.end()
    return taken


async def _through_file(path: str, moves: Moves, heads: dict[str, int], seconds: float) -> Slice:
    log = SqliteLog(path)
    try:
        return await through_log(log, moves, heads, seconds)
    finally:
        await log.close()


def through_sqlite(
    path: str, moves: Moves, heads: dict[str, int], seconds: float, *, grouped: bool
) -> Slice:
    """The same rows, without a log: one commit for all rooms, or one each."""
    db, taken = sqlite3.connect(path, isolation_level=None), Slice()
    db.execute("pragma synchronous=full")
    end = time.perf_counter() + seconds
    taken.begin()
    while time.perf_counter() < end:
        taken.end()  # the rows are made outside
        records, rooms = [], []
        for room in heads:
            heads[room] += 1
            record, info = moves.at(heads[room])
            records.append((room, record.last, write_record(record)))
            rooms.append((room, record.last, write_info(info)))
        taken.begin()
        if grouped:
            commit(db, records, rooms)
        else:
            for record_row, room_row in zip(records, rooms, strict=True):
                commit(db, [record_row], [room_row])
        taken.records += len(records)
    taken.end()
    db.close()
    return taken


def commit(db: sqlite3.Connection, records: list[Row], rooms: list[Row]) -> None:
    """Write rows in one transaction."""
    db.execute("begin immediate")
    db.executemany(RECORD, records)
    db.executemany(ROOM, rooms)
    db.execute("commit")


async def _made(path: str, moves: Moves, rooms: list[str]) -> dict[str, int]:
    """A file with these rooms, each with one record; the number of their last event."""
    log = SqliteLog(path)
    record, info = moves.at(1)
    await asyncio.gather(*(log.append(room, 0, [record], info) for room in rooms))
    await log.close()
    return dict.fromkeys(rooms, 1)


def row(name: str, slices: list[Slice], beside: list[Slice]) -> None:
    """Print one line; the ratio is to the slices right after."""
    rates = [taken.records / taken.clock for taken in slices]
    ratio = median(r / (b.records / b.clock) for r, b in zip(rates, beside, strict=True))
    loop = median(taken.loop / taken.records for taken in slices) * 1e6
    writer = median(max(0, taken.all - taken.loop) / taken.records for taken in slices) * 1e6
    print(f"{name:>20}{median(rates):>12,.0f}{ratio:>8.2f}{loop:>11.1f}{writer:>11.1f}")


def main() -> None:
    """Print a row a way of writing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=3.0)
    chosen = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    runtime.set_up()
    moves = Moves()
    rooms = [f"{number:016x}" for number in range(chosen.rooms)]
    slices: dict[str, list[Slice]] = {"log": [], "groups": [], "one by one": []}
    seconds = chosen.seconds
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: f"{folder}/{name}.db" for name in slices}
        heads = {name: asyncio.run(_made(path, moves, rooms)) for name, path in paths.items()}
        for _ in range(SLICES):
            for name, path in paths.items():
                if name == "log":
                    taken = asyncio.run(_through_file(path, moves, heads[name], seconds))
                else:
                    grouped = name == "groups"
                    taken = through_sqlite(path, moves, heads[name], seconds, grouped=grouped)
                slices[name].append(taken)
    record, info = moves.at(99)
    print(
        f"{chosen.rooms} rooms, {SLICES} slices of {seconds:g} s of each;"
        f" {len(write_record(record))} + {len(write_info(info))} bytes a record"
    )
    print(f"{'':>20}{'records/s':>12}{'ratio':>8}{'loop us':>11}{'writer us':>11}")
    row("SqliteLog", slices["log"], slices["groups"])
    row("sqlite3, in groups", slices["groups"], slices["groups"])
    row("sqlite3, one by one", slices["one by one"], slices["groups"])
    print("ratio: records/s beside the slice of sqlite3 in groups right after it; loop, writer:")
    print("processor time a record in the server's thread (the driver is in it) and in the log's")


if __name__ == "__main__":
    main()
