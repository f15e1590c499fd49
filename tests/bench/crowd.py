"""One room's fan-out: all who look on at one server, on two, and at one that has a file.

    python -m bench.crowd [--watchers 100,1000] [--rate 10] [--cycles 3]       from tests/

Two servers share a NATS server; the room's player is at the first, and who looks on is there, too,
or half of them at the second. What counts is the processor time that the busiest server has used
for a move, as it ends first: a second server is worth having if it takes half of that away.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from bench.growing import busy
from brokers import NatsServer
from processes import standby
from servers import FREELY

from kibitz.clients.benching.line import Line, Lines
from kibitz.clients.benching.loads import Table

PATIENCE_SECONDS = 10.0
"""How long events may be on their way after the last move."""
LOOK_SECONDS = 0.02
PLACES = ("one, SQLite", "one, NATS", "two, NATS")


@dataclass
class Server:
    """A process under measurement, and the connections to it."""

    pid: int
    lines: Lines


@dataclass
class Crowd:
    """A room with everybody in it, and what its slices have shown."""

    servers: list[Server]
    table: Table
    busiest: list[float] = field(default_factory=list)
    """Microseconds of the busiest server for a move, one a slice."""
    each: list[float] = field(default_factory=list)
    """Microseconds of all servers for an event that somebody was told."""
    late: list[float] = field(default_factory=list)
    """Milliseconds from a move to each who was told of it."""

    async def play(self, rate: float, seconds: float) -> None:
        """One slice."""
        watchers, moves = self.table.watchers, round(rate * seconds)
        before = [len(line.arrived) for line in watchers]
        used = [busy(server.pid) for server in self.servers]
        start, self.table.due = time.monotonic() + 0.1, []
        await self.table.steady(start, rate, moves)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while any(  # noqa: ASYNC110
                len(line.arrived) < had + moves for line, had in zip(watchers, before, strict=True)
            ):
                await asyncio.sleep(LOOK_SECONDS)
        spent = [
            1e6 * (busy(server.pid) - was) for server, was in zip(self.servers, used, strict=True)
        ]
        self.busiest.append(max(spent) / moves)
        self.each.append(sum(spent) / moves / len(watchers))
        self.late += [
            1e3 * (at - due)
            for line, had in zip(watchers, before, strict=True)
            for at, due in zip(line.arrived[had:], self.table.due, strict=True)
        ]


@asynccontextmanager
async def _crowds(folder: Path, watchers: int) -> AsyncIterator[dict[str, Crowd]]:
    """A room of each kind, everybody connected."""
    async with AsyncExitStack() as stack:
        nats = NatsServer(folder / "nats")
        stack.callback(nats.stop)
        nats.start()

        async def server(*words: str) -> Server:
            process = await stack.enter_async_context(standby(None, *words, *FREELY))
            lines = Lines(await process.start())
            stack.push_async_callback(lines.close)
            return Server(process.process.pid, lines)

        shared = ("--nats", nats.url)
        first, second = await server(*shared), await server(*shared)
        alone = await server("--data", str(folder / "kibitz.db"))
        crowds = {}
        for name, servers in zip(PLACES, ([alone], [first], [first, second]), strict=True):
            player, room = await servers[0].lines.new_room()
            places = [servers[number % len(servers)].lines for number in range(watchers)]
            told: list[Line] = await asyncio.gather(*(lines.watching(room) for lines in places))
            crowds[name] = Crowd(servers, Table(room, player, told))
        yield crowds


async def measure(counts: Sequence[int], cycles: int, rate: float, seconds: float) -> None:
    """Print a row for each way and number of watchers."""
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {cycles} x {seconds:g} s of each"
    )
    head = ("us/move", "ratio", "us/event", "p50", "p99")
    print(f"{'watchers':>8} {'servers':12}" + "".join(f"{word:>9}" for word in head))
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            async with _crowds(Path(folder), count) as crowds:
                for crowd in crowds.values():
                    await crowd.play(rate, 1.0)  # and forget it
                    crowd.busiest, crowd.each, crowd.late = [], [], []
                for _ in range(cycles):
                    for crowd in crowds.values():
                        await crowd.play(rate, seconds)
                one = crowds["one, NATS"].busiest
                for name, crowd in crowds.items():
                    ratio = median(a / b for a, b in zip(crowd.busiest, one, strict=True))
                    late = quantiles(crowd.late, n=100)
                    told: tuple[str, ...] = (f"{median(crowd.busiest):,.0f}", f"{ratio:.2f}")
                    told += (f"{median(crowd.each):.1f}", f"{late[49]:.1f}", f"{late[98]:.1f}")
                    print(f"{count:8} {name:12}" + "".join(f"{t:>9}" for t in told), flush=True)
    print("us of the busiest server for a move, and beside one server on NATS in the same cycle;")
    print("us of all of them for an event told; ms from a move to everybody who looks on")
    print(f"medians of the cycles; load at the end: {os.getloadavg()[0]:.1f}")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", default="100,1000")
    parser.add_argument("--rate", type=float, default=10.0, help="moves a second")
    parser.add_argument("--cycles", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0)
    chosen = parser.parse_args()
    counts = [int(count) for count in chosen.watchers.split(",")]
    asyncio.run(measure(counts, chosen.cycles, chosen.rate, chosen.seconds))


if __name__ == "__main__":
    main()
