"""Moves and their `ok` through a whole server, on NATS alone (R1), on three (R3), and on SQLite.

    python -m bench.nodes [--rooms 1,50,500] [--cycles 3]       from tests/

`kibitz bench` plays against each in turns: `rush`, where the next move is made as soon as the last
is ok, and `rooms`, where so many moves a second are made as the machine can take.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

from bench.nats import options
from brokers import NatsCluster, NatsServer
from processes import standby
from servers import FREELY

RATE = 200.0
"""Moves a second in all rooms together, where they come at a fixed rate."""
Row = dict[str, Any]


async def _servers(folder: Path, stack: AsyncExitStack, *, sync: bool) -> dict[str, str]:
    """The URL of one of each."""
    more = options(folder, sync=sync)
    alone, three = NatsServer(folder / "alone", *more), NatsCluster(folder / "three", *more)
    for each in (alone, three):
        stack.callback(each.stop)
    alone.start()
    await (await three.start()).close()
    urls = [word for url in three.urls for word in ("--nats", url)]
    where: dict[str, tuple[str, ...]] = {
        "SQLite": ("--data", str(folder / "kibitz.db")),
        "NATS, R1": ("--nats", alone.url),
        "NATS, R3": (*urls, "--nats-replicas", "3"),
    }
    return {
        name: await (await stack.enter_async_context(standby(None, *words, *FREELY))).start()
        for name, words in where.items()
    }


async def _played(url: str, rooms: int, seconds: float) -> dict[str, Row]:
    """What `kibitz bench` says of both loads."""
    rate = str(min(RATE / rooms, 20.0))
    words = ["rush", "rooms", "--server", url, "--watchers", "0", "--json", "--rate", rate]
    words += ["--rooms", str(rooms), "--seconds", str(seconds)]
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "kibitz.clients", "bench", *words)
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe)
    said, _ = await process.communicate()
    assert process.returncode == 0, said
    return {row["load"]: row for row in json.loads(said)["rows"]}


def _ok(played: Sequence[dict[str, Row]], load: str) -> tuple[str, ...]:
    """Milliseconds until it was ok, of half and of 99 in 100."""
    return tuple(f"{median(r[load]['ok_ms'][part] for r in played):.1f}" for part in ("p50", "p99"))


async def measure(counts: Sequence[int], cycles: int, seconds: float, *, sync: bool) -> None:
    """Print a row for each server and number of rooms."""
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {cycles} x {seconds:g} s of each"
    )
    head = ("moves/s", "ratio", "p50", "p99", "at/s", "p50", "p99")
    print(f"{'rooms':>6} {'':10}" + "".join(f"{word:>9}" for word in head))
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            urls = await _servers(Path(folder), stack, sync=sync)
            for count in counts:
                played: dict[str, list[dict[str, Row]]] = {name: [] for name in urls}
                for _ in range(cycles):
                    for name, url in urls.items():
                        played[name].append(await _played(url, count, seconds))
                rates = {n: [rows["rush"]["per_second"] for rows in played[n]] for n in urls}
                for name, all_ in played.items():
                    ratio = median(a / b for a, b in zip(rates[name], rates["SQLite"], strict=True))
                    fixed = median(rows["rooms"]["per_second"] for rows in all_)
                    told = (f"{median(rates[name]):,.0f}", f"{ratio:.2f}", *_ok(all_, "rush"))
                    told += (f"{fixed:,.0f}", *_ok(all_, "rooms"))
                    print(f"{count:6} {name:10}" + "".join(f"{t:>9}" for t in told), flush=True)
    print("ms from a move to its ok; first with as many moves as go through, then at a fixed rate;")
    print(f"medians of the cycles; load at the end: {os.getloadavg()[0]:.1f}")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", default="1,50,500")
    parser.add_argument("--cycles", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--sync", action="store_true", help="NATS waits for the disk, too")
    chosen = parser.parse_args()
    counts = [int(count) for count in chosen.rooms.split(",")]
    asyncio.run(measure(counts, chosen.cycles, chosen.seconds, sync=chosen.sync))


if __name__ == "__main__":
    main()
