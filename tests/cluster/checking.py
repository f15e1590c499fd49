"""Many write and look on by several servers, servers of both kinds die, and the log is right.

    python -m cluster.checking --seconds 300 --rooms 4 --writers 12 --tails 12

in `tests`: no gap, one event for each number, whatever was `ok` is there once and for all, nothing
twice, nothing that was refused; everybody was told the same, and that is what the log says.
"""

import argparse
import asyncio
import itertools
import os
import signal
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from cluster.nodes import Nodes, cluster
from cluster.people import Town

DOWN_SECONDS = 1.0
"""How long a NATS server is away."""
PAUSE_SECONDS = 4.0
"""At most so long between that all is well again and the next death."""
RESUMES_SECONDS = 60.0
"""In which it must go on after a death: an election takes up to eight, on a quiet machine."""
DEATHS = {
    "a node": 6,
    "a node, asked to go": 3,
    "the leader of the rooms": 4,
    "another NATS server": 3,
    "the leader, asked to go": 2,
    "all NATS servers": 2,
}
"""What happens, and how often beside the others."""


@dataclass
class Figures:
    """What came of it."""

    counts: Counter[str]
    mistakes: Counter[str]
    met: Counter[str]
    """What servers counted of their log until they died."""
    asked_again: int
    seconds: list[float]
    """Of every acknowledged command how long it took, in order."""
    per_second: float
    stalls: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By what happened, the longest time in which nothing was acknowledged."""


async def happen(nodes: Nodes, what: str) -> None:
    """Let something happen, and everything be there again but for what grows together itself."""
    match what:
        case "a node" | "a node, asked to go":
            await nodes.lose(signal.SIGTERM if "asked" in what else signal.SIGKILL)
            await nodes.bear()
        case "another NATS server":
            await nodes.break_down([await nodes.follower()], DOWN_SECONDS, signal.SIGKILL)
        case "all NATS servers":
            await nodes.break_down(["n1", "n2", "n3"], DOWN_SECONDS, signal.SIGKILL)
        case _:
            number = signal.SIGTERM if "asked" in what else signal.SIGKILL
            await nodes.break_down([await nodes.leader()], DOWN_SECONDS, number)


async def check(
    folder: Path,
    deaths: list[str] | float,
    *,
    nodes: int,
    rooms: int,
    writers: int,
    tails: int,
    seed: str,
) -> Figures:
    """Do all of it: these deaths, or by chance for so many seconds.

    Raises:
        AssertionError: Something was not as it must be.

    """
    rng, loop = Random(seed), asyncio.get_running_loop()
    town = Town(rooms, writers, tails, seed)
    times: list[tuple[str, float, float]] = []
    async with cluster(folder, rng) as (home, log), asyncio.TaskGroup() as group:
        await home.bear(nodes)
        await town.begin(group, home)
        begun = loop.time()

        async def go_on_without(what: str) -> None:
            since = loop.time()
            await happen(home, what)
            now = loop.time()
            async with asyncio.timeout(RESUMES_SECONDS):
                while not town.acknowledged_after(now):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            times.append((what, since, loop.time()))

        if isinstance(deaths, list):
            for what in deaths:
                await go_on_without(what)
        else:
            while loop.time() - begun < deaths:
                await asyncio.sleep(rng.uniform(0, PAUSE_SECONDS))
                await go_on_without(*rng.choices([*DEATHS], [*DEATHS.values()]))
        took = loop.time() - begun
        async with asyncio.timeout(RESUMES_SECONDS):
            await town.end()
        await home.close()
        counts = await town.ledger.hold_against(log)
        made = {info.id for info in await log.rooms()}
        assert made == town.made, f"nobody has made {made - town.made}"
    assert not home.mistakes["gone back"], "a room was dropped of which the log had everything"
    acknowledged = town.seconds
    figures = Figures(
        *(counts, home.mistakes, home.met, town.asked_again),
        sorted(each for _, each in acknowledged),
        len(acknowledged) / took,
    )
    for what, since, until in times:
        moments = [since, *(at for at, _ in acknowledged if since < at < until), until]
        figures.stalls[what].append(max(b - a for a, b in itertools.pairwise(moments)))
    return figures


def _of(seconds: list[float]) -> str:
    some = sorted(seconds)
    at = [some[min(len(some) - 1, int(len(some) * part))] for part in (0.5, 0.99, 1)]
    return " / ".join(f"{1000 * each:,.0f}" for each in at) + " ms"


def main() -> None:
    """By hand; see the top."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--rooms", type=int, default=4)
    parser.add_argument("--writers", type=int, default=12)
    parser.add_argument("--tails", type=int, default=12)
    parser.add_argument("--seed", default=str(int.from_bytes(os.urandom(4))))
    chosen = parser.parse_args()
    how = {name: getattr(chosen, name) for name in ("nodes", "rooms", "writers", "tails", "seed")}
    print(how, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(check(Path(folder), chosen.seconds, **how))
    print(f"all is as it must be: {dict(figures.counts)}")
    print(f"{figures.per_second:.0f} acknowledged a second, p50 / p99 / max {_of(figures.seconds)}")
    for what, stalls in sorted(figures.stalls.items()):
        print(f"{len(stalls):4} x {what}: nothing acknowledged for p50 / p99 / max {_of(stalls)}")
    print(f"asked again because a server could not say: {figures.asked_again}")
    print(f"what servers met in their log: {dict(figures.met)}")
    print(f"what servers logged of their own failures: {dict(figures.mistakes)}")


if __name__ == "__main__":
    main()
