"""What strong bots that think cost the others: p50 and p99 of `ok`, with them beside without.

    python -m bench.thinking [--bots 2] [--strategy greedy] [--pace 100] [--pairs 30]

One server with `--bots`. Some clients move, each a little while after its last move was ok;
meanwhile somebody races each of the bots on a Klondike and does nothing himself, one race after the
other. In turns the bots think and are all stopped (SIGSTOP), each for a short round, so that what
else the machine does befalls both. A round with bots is compared with the two beside it, and those
with each other, which says what is noise. Bots do not only think, their moves are written down too:
one that hardly thinks, at the same pace, says what that costs. Server, bots, clients (in this
process) and who races (in another) share the machine.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import tempfile
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import median

from apart import children
from bench.hostile import percentile
from bench.hosts import BEGUN, GAME
from processes import PATIENCE, Process, standby
from raw import Raw, raw
from servers import FREELY

from kibitz.protocol.views import Strategy

SETTLE = 0.1
"""Seconds in which a process begins, or a signal takes effect."""
TICKS = os.sysconf("SC_CLK_TCK")


class Mover:
    """Who makes a move and takes it back, one after the other."""

    def __init__(self, client: Raw, room: str, pause: float) -> None:
        self._client, self._room, self._pause, self._number = client, room, pause, 0

    async def play(self, seconds: float) -> list[float]:
        """Seconds to the `ok` of each."""
        times, ends = list[float](), time.monotonic() + seconds
        while time.monotonic() < ends:
            self._number += 1
            t, fields = ("move", {"move": "discard"}) if self._number % 2 else ("undo", {})
            sent = time.monotonic()
            self._client.ask(t, i=self._number, room=self._room, **fields)
            answer = await self._client.until(self._number)
            times.append(time.monotonic() - sent)
            assert answer["t"] == "ok", answer
            await asyncio.sleep(self._pause)
        return times


def used(server: int) -> float:
    """Seconds of the processor that a server's children have used so far."""
    ticks = sum(map(int, _stat(server)[13:15]))
    for child in children(server):
        with contextlib.suppress(OSError):
            ticks += sum(map(int, _stat(child)[11:13]))
    return ticks / TICKS


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


@contextlib.asynccontextmanager
async def racing(url: str, *races: object) -> AsyncIterator[None]:
    """Have bots play in races of people apart (:mod:`bench.hosts`); in the end they are told."""
    command = (sys.executable, "-m", "bench.hosts", url, *map(str, races))
    hosts = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert hosts.stdin is not None and hosts.stdout is not None
    async with asyncio.timeout(PATIENCE):
        assert await hosts.stdout.readline() == BEGUN
    try:
        yield
    finally:
        hosts.stdin.close()
        print((await hosts.stdout.read()).decode(), end="")
        assert await hosts.wait() == 0


async def send(server: int, number: int) -> None:
    """Send a signal to every bot, to one that is being started as well."""
    for _ in range(2):
        for child in children(server):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)
        await asyncio.sleep(SETTLE)


@dataclass(frozen=True)
class Round:
    """What was measured of one; milliseconds."""

    p50: float
    p99: float


async def _round(server: int, movers: list[Mover], seconds: float, name: str) -> Round:
    before = used(server)
    played = await asyncio.gather(*(mover.play(seconds) for mover in movers))
    share = (used(server) - before) / seconds
    times = [each for part in played for each in part]
    found = Round(percentile(times, 50), percentile(times, 99))
    said = f"{len(times):6} ok, p50 {found.p50:6.2f} ms, p99 {found.p99:7.2f} ms"
    print(f"{name:7} {said}, bots {share:4.0%} of a core", flush=True)
    return found


async def measure(
    bots: int, strategy: Strategy, pace: int, clients: int, pause: float, seconds: float, pairs: int
) -> None:
    """Measure and print."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        options = (*FREELY, "--bots", str(2 * bots))  # the next comes while the last still goes
        server = await stack.enter_async_context(standby(Path(folder) / "log", *options))
        url = await server.start()
        hearing = asyncio.create_task(_hear(server))
        movers = list[Mover]()
        for _ in range(clients):
            client = await stack.enter_async_context(raw(url))
            client.ask("create", i="made", game=GAME)
            movers.append(Mover(client, (await client.until("made"))["room"], pause))
        pid = server.process.pid
        quiet, loud = list[Round](), list[Round]()
        async with racing(url, bots, strategy, pace):
            for number in range(2 * pairs + 1):
                await send(pid, signal.SIGCONT if number % 2 else signal.SIGSTOP)
                rounds, name = (loud, "bots") if number % 2 else (quiet, "nobody")
                rounds.append(await _round(pid, movers, seconds, name))
            await send(pid, signal.SIGCONT)
        server.process.terminate()
        mistakes = await hearing
        await server.process.wait()
        assert not mistakes, mistakes
    for name in ("p50", "p99"):
        still = [getattr(each, name) for each in quiet]
        around = [sqrt(one * other) for one, other in pairwise(still)]
        ratios = [getattr(each, name) / rest for each, rest in zip(loud, around, strict=True)]
        noise = [other / one for one, other in pairwise(still)]
        print(f"{name} with / without: {_spread(ratios)}; without / without: {_spread(noise)}")


def _spread(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


async def _hear(server: Process) -> list[str]:
    assert server.process.stderr is not None
    return [line.decode() async for line in server.process.stderr if b'"error"' in line]


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=2)
    parser.add_argument("--strategy", default="strong", help="greedy: one that hardly thinks")
    parser.add_argument("--pace", type=int, default=0, help="of a bot, ms a move; 0: no pause")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.01, help="seconds from an ok to a move")
    parser.add_argument("--seconds", type=float, default=2.0, help="of a round")
    parser.add_argument("--pairs", type=int, default=30)
    chosen = parser.parse_args()
    asyncio.run(measure(**vars(chosen)))


if __name__ == "__main__":
    main()
