"""What strong bots that think cost the others: p50 and p99 of `ok`, with them beside without.

    python -m bench.thinking [--bots 2] [--strategy greedy] [--pace 100] [--pairs 30]

One server with `--bots`. Some clients move, each a little while after its last move was ok;
meanwhile somebody races each of the bots on a Klondike and does nothing himself, one race after the
other. In turns the bots think and are all stopped (SIGSTOP), each for a short round, so that what
else the machine does befalls both. A round with bots is compared with the two beside it, and those
with each other, which says what is noise. Bots do not only think, their moves are written down too:
one that hardly thinks, at the same pace, says what that costs. Server, bots and clients (in this
process) share the machine.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import median

from apart import children
from bench.hostile import percentile
from processes import PATIENCE, Process, standby
from raw import Raw, raw
from servers import FREELY

from kibitz.clients.session import Client, connect
from kibitz.protocol.codes import Refused
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.views import Strategy

GAME = "klondike"
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


class Host:
    """Who races a bot, and makes no move himself."""

    def __init__(self, client: Client, strategy: Strategy, pace: int) -> None:
        self._client, self._strategy, self._pace = client, strategy, pace
        self._room = ""
        self.moved = 0
        """Moves of bots."""

    async def race(self, begun: asyncio.Event) -> None:
        """One race after the other, for ever; ``begun`` is set once a bot has moved."""
        while True:
            mirror = await self._client.create(GAME, mode="race", seats=2, countdown=0)
            self._room = mirror.room
            await self._client.seat_bot(mirror.room, self._strategy, self._pace)
            await self._client.ready(mirror.room)
            seen = 0
            while mirror.course.lines[1].status == "open":
                await self._client.until(partial(_is_past, mirror, mirror.seq))
                moves = mirror.view.boards[1].moves
                self.moved, seen = self.moved + moves - seen, moves
                if moves:
                    begun.set()
            await self.end()

    async def end(self) -> None:
        """Give the race up, and let the bot do so."""
        for done in (self._client.send_bot_away(self._room, 2), self._client.resign(self._room)):
            with contextlib.suppress(Refused):
                await done


def _is_past(mirror: Mirror, seq: int) -> bool:
    return mirror.seq > seq


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
async def racing(server: int, hosts: list[Host]) -> AsyncIterator[None]:
    """Have a bot play for each of them; in the end there is none any more."""
    begun = [asyncio.Event() for _ in hosts]
    races = [
        asyncio.create_task(host.race(event)) for host, event in zip(hosts, begun, strict=True)
    ]
    try:
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(event.wait() for event in begun))
        yield
    finally:
        await send(server, signal.SIGCONT)
        for task in races:
            task.cancel()
        ends = await asyncio.gather(*races, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends


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
        movers, hosts = list[Mover](), list[Host]()
        for _ in range(clients):
            client = await stack.enter_async_context(raw(url))
            client.ask("create", i="made", game=GAME)
            movers.append(Mover(client, (await client.until("made"))["room"], pause))
        for _ in range(bots):
            host = await stack.enter_async_context(connect(url, name="host"))
            hosts.append(Host(host, strategy, pace))
        pid = server.process.pid
        quiet, loud = list[Round](), list[Round]()
        async with racing(pid, hosts):
            for number in range(2 * pairs + 1):
                await send(pid, signal.SIGCONT if number % 2 else signal.SIGSTOP)
                rounds, name = (loud, "bots") if number % 2 else (quiet, "nobody")
                rounds.append(await _round(pid, movers, seconds, name))
        print(f"the bots made {sum(host.moved for host in hosts)} moves")
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
