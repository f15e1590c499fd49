"""Many clients who are dropped together: how long until each is live again.

    python -m bench.reconnect [--clients 2000] [--processes 4] [--light]       from tests/

Three times: the server resets them all, a network in between resets them all, the server is killed
and started anew. Live is who has been answered behind everything that he missed. The clients are
the real ones, with their jitter; they use far more of the machine than the server does, so its
share of processor time stands beside the seconds. ``--light`` takes onlookers instead that do the
same at a tenth of the cost. Then all have what somebody has who never went away.
"""

import argparse
import asyncio
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.processes import Process
from chaos.crowd import Sight, crowd, sight
from chaos.nursery import Life, nursery
from chaos.onlookers import Onlooker
from chaos.proxy import Weather, proxy
from servers import FREELY

from kibitz.clients import connection
from kibitz.clients.session import connect

FAIR = Weather("fair", calm=1.0, repeat=0.0, plain=True)
LIMITS = ("--connections", "100000", "--unfinished", "100000")


@dataclass(frozen=True)
class Worker:
    """A process with a share of the crowd."""

    process: asyncio.subprocess.Process

    async def ask(self, *words: str) -> Any:
        """What it answers to a line."""
        assert self.process.stdin and self.process.stdout
        if words:
            self.process.stdin.write(" ".join(words).encode() + b"\n")
        return json.loads(await self.process.stdout.readline())


class Returning(Onlooker):
    """One that comes back by itself, after as long as the real clients wait."""

    back: asyncio.Future[float]

    def __init__(self, url: str, room: str) -> None:
        super().__init__(url, room, None)
        at = urlsplit(url)
        self._host, self._port = at.hostname or "", at.port or 0
        self._tries = 0
        self._dialling: asyncio.Task[None]

    def connection_lost(self, exc: Exception | None) -> None:
        """Come back."""
        self._buffer.clear()
        self._is_open = False
        self._dialling = asyncio.create_task(self.dial())

    async def dial(self) -> None:
        """Connect, again and again, as long as nobody listens."""
        while True:
            most = min(connection.FIRST_DELAY * 2**self._tries, connection.MAX_DELAY)
            await asyncio.sleep(random.uniform(0, most))
            self._tries += 1
            with suppress(OSError):
                loop = asyncio.get_running_loop()
                await loop.create_connection(lambda: self, self._host, self._port)
                return

    def _take(self, payload: bytes) -> None:
        super()._take(payload)
        if b"joined" in payload[:16]:
            self._tries = 0
            if not self.back.done():
                self.back.set_result(time.monotonic())


class LightCrowd:
    """A share of them, as :class:`chaos.crowd.Crowd` is one."""

    def __init__(self, everybody: list[Returning], room: str) -> None:
        self._everybody = everybody
        self._room = room

    def expect(self) -> None:
        """They are about to be dropped."""
        for one in self._everybody:
            one.back = asyncio.get_running_loop().create_future()

    async def live_again(self, since: float) -> list[float]:
        """Wait until all are; seconds after ``since`` (monotonic), for each."""
        return [at - since for at in await asyncio.gather(*(one.back for one in self._everybody))]

    async def sights(self, seq: int) -> Counter[Sight]:
        """What they have, once each has come to an event."""
        await asyncio.gather(*(one.has(seq) for one in self._everybody))
        return Counter(sight(one.session.mirrors[self._room]) for one in self._everybody)


@asynccontextmanager
async def _light_crowd(url: str, room: str, count: int) -> AsyncIterator[LightCrowd]:
    everybody = LightCrowd([Returning(url, room) for _ in range(count)], room)
    everybody.expect()
    await asyncio.gather(*(one.dial() for one in everybody._everybody))
    await everybody.live_again(0.0)
    yield everybody


async def _work(url: str, room: str, count: int, light: bool) -> None:
    """A share of the crowd: lines in, answers out."""
    loop = asyncio.get_running_loop()
    coming = _light_crowd(url, room, count) if light else crowd(url, room, count)
    async with coming as everybody:
        print(json.dumps(count), flush=True)
        while words := (await loop.run_in_executor(None, sys.stdin.readline)).split():
            if words[0] == "expect":
                everybody.expect()
                answer: Any = True
            elif words[0] == "back":
                answer = await everybody.live_again(float(words[1]))
            else:
                seen = await everybody.sights(int(words[1]))
                answer = {_short(s): many for s, many in seen.items()}
            print(json.dumps(answer), flush=True)


def _short(seen: tuple[int, str, bytes]) -> str:
    return f"{seen[0]} {seen[1]} {sha256(seen[2]).hexdigest()}"


def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()


@asynccontextmanager
async def _workers(
    url: str, room: str, clients: int, count: int, light: bool
) -> AsyncIterator[list[Worker]]:
    pipe = asyncio.subprocess.PIPE
    async with AsyncExitStack() as stack:
        workers = []
        for _ in range(count):
            command = (sys.executable, "-m", "bench.reconnect", "--room", room, "--url", url)
            share = str(clients // count)
            process = await asyncio.create_subprocess_exec(
                *command,
                "--clients",
                share,
                *(["--light"] if light else []),
                stdin=pipe,
                stdout=pipe,
                limit=2**24,
            )
            stack.callback(_end, process)
            workers.append(Worker(process))
        await asyncio.gather(*(worker.ask() for worker in workers))
        yield workers


async def _main(clients: int, processes: int, light: bool) -> None:
    async with nursery() as home:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "log"

            async def serve(port: int) -> tuple[Life, str]:
                arguments = ("--port", str(port), "--data", str(data), *FREELY, *LIMITS)
                life = await home.begin("chaos.crowd:prepare", {}, *arguments)
                url = await life.listening()
                assert url, life.said
                return life, url

            life, url = await serve(0)
            port = int(url.rpartition(":")[2].partition("/")[0])
            async with (
                proxy(url, FAIR) as (network, entrance),
                connect(url, name="player") as player,
                connect(url, name="steady") as steady,
            ):
                room = (await player.create("klondike")).room
                mirror = await steady.join(room)

                async def dropped(name: str, workers: list[Worker], how: Any) -> None:
                    nonlocal life
                    await asyncio.gather(*(worker.ask("expect") for worker in workers))
                    used = Process(life.pid, 0).cpu()
                    began = time.monotonic()
                    await how()
                    used = 0.0 if how is restart else used
                    await player.move(room, "discard")
                    asked = (worker.ask("back", str(began)) for worker in workers)
                    seconds = sorted(s for part in await asyncio.gather(*asked) for s in part)
                    used = Process(life.pid, 0).cpu() - used
                    last = (await player.undo(room)).seq
                    await steady.until(lambda: mirror.seq >= (last or 0))
                    seen: Counter[str] = Counter()
                    for part in await asyncio.gather(*(w.ask("have", str(last)) for w in workers)):
                        seen.update(part)
                    same = seen == {_short(sight(mirror)): len(seconds)}
                    print(
                        f"{name:22} {len(seconds)} live again:"
                        f" median {seconds[len(seconds) // 2]:.2f} s,"
                        f" p99 {seconds[len(seconds) * 99 // 100]:.2f} s, last {seconds[-1]:.2f} s;"
                        f" server {used:.2f} s of processor; all the same: {same}"
                    )

                async def reset() -> None:
                    life.send(signal.SIGUSR1)

                async def restart() -> None:
                    nonlocal life
                    life.send(signal.SIGKILL)
                    await life.ended()
                    life, _ = await serve(port)

                async with _workers(url, room, clients, processes, light) as workers:
                    await dropped("reset by the server", workers, reset)
                    await dropped("reset by the server", workers, reset)
                    await dropped("killed, started anew", workers, restart)
                async with _workers(entrance, room, clients, processes, light) as workers:
                    await dropped("reset by a network", workers, network.cut)


def main() -> None:
    """Measure, or be a share of the crowd."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--room", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.url:
        asyncio.run(_work(chosen.url, chosen.room, chosen.clients, chosen.light))
    else:
        asyncio.run(_main(chosen.clients, chosen.processes, chosen.light))


if __name__ == "__main__":
    main()
