"""Many clients who are dropped together: how long until each is live again.

    python -m bench.reconnect [--clients 2000] [--processes 4]       from tests/

Three times: the server resets them all, a network in between resets them all, the server is killed
and started anew. Live is who has been answered behind everything that he missed. The clients are
the real ones, with their jitter; they use more of the machine than the server does, so its share
of processor time stands beside the seconds. Then all have what somebody has who never went away.
"""

import argparse
import asyncio
import json
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

from bench.processes import Process
from chaos.crowd import crowd, sight
from chaos.nursery import Life, nursery
from chaos.proxy import Weather, proxy
from servers import FREELY

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


async def _work(url: str, room: str, count: int) -> None:
    """A share of the crowd: lines in, answers out."""
    loop = asyncio.get_running_loop()
    async with crowd(url, room, count) as everybody:
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
async def _workers(url: str, room: str, clients: int, count: int) -> AsyncIterator[list[Worker]]:
    pipe = asyncio.subprocess.PIPE
    async with AsyncExitStack() as stack:
        workers = []
        for _ in range(count):
            command = (sys.executable, "-m", "bench.reconnect", "--room", room, "--url", url)
            share = str(clients // count)
            process = await asyncio.create_subprocess_exec(
                *command, "--clients", share, stdin=pipe, stdout=pipe, limit=2**24
            )
            stack.callback(_end, process)
            workers.append(Worker(process))
        await asyncio.gather(*(worker.ask() for worker in workers))
        yield workers


async def _main(clients: int, processes: int) -> None:
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

                async with _workers(url, room, clients, processes) as workers:
                    await dropped("reset by the server", workers, reset)
                    await dropped("reset by the server", workers, reset)
                    await dropped("killed, started anew", workers, restart)
                async with _workers(entrance, room, clients, processes) as workers:
                    await dropped("reset by a network", workers, network.cut)


def main() -> None:
    """Measure, or be a share of the crowd."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--room", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.url:
        asyncio.run(_work(chosen.url, chosen.room, chosen.clients))
    else:
        asyncio.run(_main(chosen.clients, chosen.processes))


if __name__ == "__main__":
    main()
