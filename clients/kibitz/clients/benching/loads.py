"""The loads: what one process does with its share, and what it sees.

Each prepares, waits for the word, and works from the moment that the word names; that moment is
the same in all processes, because they have the clock ``time.monotonic`` in common.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from .jobs import Job, Load, Part, counted
from .line import MOVE, Line, Lines

SETTLE_SECONDS = 5.0
"""How long events may be on their way after the last move was answered."""
LOOK_SECONDS = 0.02
LEAST_SECONDS = 0.05
"""A process that works for less has no share of a core to speak of."""
WARM_UP = 40
"""Connections that come and go before idle ones are weighed, in all."""

Word = Callable[[], Awaitable[float]]
"""Says that everything is prepared; when to begin."""


@dataclass(eq=False)
class Table:
    """A room: who plays, who watches, when each move was due, how long its answer took."""

    room: str
    player: Line
    watchers: list[Line]
    due: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    async def move(self, due: float) -> None:
        """Make the move that is due."""
        self.due.append(due)
        at, _ = await self.player.granted({"t": "move", "room": self.room, "move": MOVE})
        self.times.append(at - due)

    async def steady(self, start: float, rate: float, moves: int) -> None:
        """Make each move when it is due, whether or not the ones before have been answered.

        Raises:
            Lost: One of them was not answered; the others are not made then.

        """
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(moves):
                    due = start + number / rate
                    await _until(due)
                    group.create_task(self.move(due))
        except ExceptionGroup as lost:
            raise lost.exceptions[0] from None

    async def rush(self, start: float, seconds: float) -> None:
        """Make each move as soon as the one before has been answered."""
        await _until(start)
        while (now := time.monotonic()) < start + seconds:
            await self.move(now)


class Clock:
    """How long a load took, and what share of a core."""

    def __init__(self, start: float) -> None:
        self._start = start
        self._cpu = time.process_time()

    def part(self, done: int = 0, limited: int = 0) -> Part:
        """A report that ends now."""
        seconds = time.monotonic() - self._start
        used = time.process_time() - self._cpu
        cpu = used / seconds if seconds > LEAST_SECONDS else 0.0
        return Part(done=done, limited=limited, seconds=seconds, cpu=cpu)


async def rooms(job: Job, lines: Lines, word: Word) -> Part:
    """Many rooms with some watchers each, all of them in this process."""
    mine = range(job.number, job.rooms, job.of)
    tables = await asyncio.gather(*(_table(lines, job.watchers) for _ in mine))
    start = await word()
    await _until(start)
    clock = Clock(start)
    if job.load == "rush":
        await asyncio.gather(*(table.rush(start, job.seconds) for table in tables))
    else:
        apart = 1 / (job.rate * job.rooms)
        moves = moves_of(job)
        await asyncio.gather(
            *(
                table.steady(start + number * apart, job.rate, moves)
                for number, table in zip(mine, tables, strict=True)
            )
        )
    part = clock.part(sum(len(table.times) for table in tables), lines.limited)
    part.times = counted(time for table in tables for time in table.times)
    await _told(part, start, [(line, table.due) for table in tables for line in table.watchers])
    return part


async def crowd(job: Job, lines: Lines, word: Word) -> Part:
    """One room with many watchers; the first process plays, too."""
    table = Table(job.room, await lines.playing(job.room), []) if job.number == 0 else None
    watchers = await asyncio.gather(
        *(lines.watching(job.room) for _ in range(job.share(job.spectators)))
    )
    start = await word()
    await _until(start)
    clock = Clock(start)
    moves = moves_of(job)
    if table is not None:
        await table.steady(start, job.rate, moves)
        part = clock.part(len(table.times), lines.limited)
        part.times = counted(table.times)
    else:
        await _until(start + moves / job.rate)
        part = clock.part()
    due = [start + number / job.rate for number in range(moves)]
    await _told(part, start, [(line, due) for line in watchers])
    return part


async def joins(job: Job, lines: Lines, word: Word) -> Part:
    """Connections that come, greet and join a room, some at the same time."""
    if job.number == 0:
        await lines.playing(job.room)
    left, times = job.share(job.joins), []

    async def one_after_the_other() -> None:
        nonlocal left
        while left:
            left -= 1
            begun = time.monotonic()
            line = await lines.open()
            at, _ = await line.granted({"t": "join", "room": job.room})
            times.append(at - begun)

    start = await word()
    await _until(start)
    clock = Clock(start)
    await asyncio.gather(*(one_after_the_other() for _ in range(job.share(job.in_flight) or 1)))
    part = clock.part(len(times), lines.limited)
    part.times = counted(times)
    return part


async def idle(job: Job, lines: Lines, word: Word) -> Part:
    """Connections that greet and are silent; some have come and gone before."""
    for _ in range(job.share(WARM_UP)):
        await lines.open()
    await lines.close()
    start = await word()
    await _until(start)
    clock = Clock(start)
    mine = job.share(job.joins)
    for _ in range(mine):
        await lines.open()
    return clock.part(mine)


LOADS: dict[Load, Callable[[Job, Lines, Word], Awaitable[Part]]] = {
    "idle": idle,
    "rooms": rooms,
    "rush": rooms,
    "crowd": crowd,
    "joins": joins,
}


def moves_of(job: Job) -> int:
    """How many moves are due in a room."""
    return max(1, round(job.rate * job.seconds))


async def _table(lines: Lines, watchers: int) -> Table:
    player, room = await lines.new_room()
    return Table(
        room, player, await asyncio.gather(*(lines.watching(room) for _ in range(watchers)))
    )


async def _told(part: Part, start: float, watched: Iterable[tuple[Line, list[float]]]) -> None:
    """Wait for the events of all moves; the k-th event at a watcher is that of the k-th move.

    A watcher that has not got all of them was too slow and has been given a position instead;
    its events count, its times do not.
    """
    watched = list(watched)
    end = time.monotonic() + SETTLE_SECONDS
    late = [(line, due) for line, due in watched if len(line.arrived) < len(due)]
    while late and time.monotonic() < end:
        await asyncio.sleep(LOOK_SECONDS)
        late = [(line, due) for line, due in late if len(line.arrived) < len(due)]
    part.events = sum(len(line.arrived) for line, _ in watched)
    part.expected = sum(len(due) for _, due in watched)
    part.told = max((line.arrived[-1] for line, _ in watched if line.arrived), default=start)
    part.told -= start
    part.seen = counted(
        at - was_due
        for line, due in watched
        if len(line.arrived) == len(due)
        for at, was_due in zip(line.arrived, due, strict=True)
    )


async def _until(at: float) -> None:
    await asyncio.sleep(at - time.monotonic())
