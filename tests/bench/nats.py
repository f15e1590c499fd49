"""Appends through the log on NATS, alone (R1) and on three servers (R3), beside SQLite.

    python -m bench.nats [--rooms 1,50,500] [--seconds 2] [--sync]       from tests/

Every room has one record on its way: when it is durable, the next one is handed over. The three
take turns in one process, in slices; the NATS servers are processes of their own, on the same
cores. SQLite waits for the disk at every commit. NATS syncs every two minutes, or with `--sync`
always.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from bench.log import Moves, Slice, through_log
from brokers import NatsCluster, NatsServer

from kibitz.server.log.log import EventLog
from kibitz.server.log.nats.log import NatsLog
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.operation import runtime

SLICES = 5
SYNC = "jetstream { sync_interval: always }\n"


def options(folder: Path, *, sync: bool) -> Sequence[str]:
    """Of a NATS server, as it comes or one that always waits for the disk."""
    if not sync:
        return ()
    config = folder / "sync.conf"
    config.write_text(SYNC)
    return ("--config", str(config))


async def opened(folder: Path, stack: AsyncExitStack, *, sync: bool) -> dict[str, EventLog]:
    """One of each."""
    more = options(folder, sync=sync)
    alone, three = NatsServer(folder / "alone", *more), NatsCluster(folder / "three", *more)
    for each in (alone, three):
        stack.callback(each.stop)
    alone.start()
    logs: dict[str, EventLog] = {
        "SQLite": SqliteLog(folder / "log.db"),
        "NATS, R1": await NatsLog.open([alone.url]),
        "NATS, R3": await three.start(),
    }
    for log in logs.values():
        stack.push_async_callback(log.close)
    return logs


def at(seconds: Sequence[float], part: float) -> float:
    """Milliseconds within which this part of them came."""
    some = sorted(seconds)
    return 1000 * some[min(len(some) - 1, int(len(some) * part))]


async def measure(counts: Sequence[int], seconds: float, *, sync: bool, folder: Path) -> None:
    """Print a row for each log and number of rooms."""
    moves = await asyncio.to_thread(Moves)
    record, info = moves.at(1)
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {SLICES} x {seconds:g} s of each"
    )
    print(
        f"{'rooms':>6} {'':10}{'records/s':>11}{'ratio':>7}{'p50 ms':>9}{'p99 ms':>9}{'loop us':>9}"
    )
    async with AsyncExitStack() as stack:
        logs = await opened(folder, stack, sync=sync)
        for count in counts:
            rooms = [f"{count:04x}{number:012x}" for number in range(count)]
            heads = {name: dict.fromkeys(rooms, 1) for name in logs}
            for log in logs.values():
                await asyncio.gather(*(log.append(room, 0, [record], info) for room in rooms))
            slices: dict[str, list[Slice]] = {name: [] for name in logs}
            for _ in range(SLICES):
                for name, log in logs.items():
                    slices[name].append(await through_log(log, moves, heads[name], seconds))
            rates = {n: [each.records / each.clock for each in all_] for n, all_ in slices.items()}
            for name, taken in slices.items():
                ratio = median(a / b for a, b in zip(rates[name], rates["SQLite"], strict=True))
                latencies = [each for one in taken for each in one.latencies]
                loop = median(each.loop / each.records for each in taken) * 1e6
                print(
                    f"{count:6} {name:10}{median(rates[name]):11,.0f}{ratio:7.2f}"
                    f"{at(latencies, 0.5):9.2f}{at(latencies, 0.99):9.2f}{loop:9.0f}",
                    flush=True,
                )
    print("ratio: records/s beside the slice of SQLite of the same round; loop: processor time of")
    print("the server's thread a record, the driver's in it; load at the end: ", end="")
    print(f"{os.getloadavg()[0]:.1f}")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", default="1,50,500")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--sync", action="store_true", help="NATS waits for the disk, too")
    chosen = parser.parse_args()
    runtime.set_up()
    counts = [int(count) for count in chosen.rooms.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        asyncio.run(measure(counts, chosen.seconds, sync=chosen.sync, folder=where))


if __name__ == "__main__":
    main()
