"""A tenth of those who look on is stopped (SIGSTOP): what the others notice of it.

    python -m bench.stopped [--spectators 1000] [--rounds 6]       from tests/

Ten processes of spectators in one room, in which somebody moves and says something long so many
times a second. In turns one process is stopped and it is not, in one run; compared are the medians
over the rounds of the others' p99: from the sending of a comment to its arrival, and to its ok.
The memory is the server's.
"""

import argparse
import asyncio
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from chaos.nursery import nursery
from chaos.onlookers import GRAIN, Onlookers, onlookers
from chaos.test_stopped import resident
from servers import FREELY

from kibitz.clients.session import Client, connect

PROCESSES = 10
FILLER = "🂡" * 400
SECONDS = 5.0
"""How long a round is."""
LIMITS = ("--connections", "100000", "--unfinished", "100000")


def p99(counted: Counter[int]) -> float:
    """Milliseconds that 99 of 100 stay below."""
    left = sum(counted.values()) * 0.99
    for grains, many in sorted(counted.items()):
        left -= many
        if left <= 0:
            return grains * GRAIN * 1000
    return 0.0


async def _say(player: Client, room: str, a_second: float) -> list[float]:
    """Say something again and again for a round; seconds to each ``ok``."""
    loop = asyncio.get_running_loop()
    began, took = loop.time(), list[float]()
    while (n := len(took)) < SECONDS * a_second:
        await asyncio.sleep(max(0.0, began + n / a_second - loop.time()))
        sent = time.monotonic_ns()
        await player.say(room, f"sent {sent} {FILLER}")
        took.append((time.monotonic_ns() - sent) / 1e9)
    return took


async def _main(spectators: int, rounds: int, a_second: float) -> None:
    async with nursery() as home:
        with tempfile.TemporaryDirectory() as folder:
            arguments = ("--port", "0", "--data", str(Path(folder) / "log"), *FREELY, *LIMITS)
            life = await home.begin("chaos.onlookers:prepare", {}, *arguments)
            url = await life.listening()
            assert url, life.said
            async with connect(url, name="player") as player:
                room = (await player.create("klondike")).room
                each = spectators // PROCESSES
                async with onlookers(url, room, PROCESSES, each, light=True) as everybody:
                    await _measure(life.pid, player, room, everybody, rounds, a_second)
        life.send(signal.SIGTERM)
        await life.ended()


async def _measure(
    pid: int,
    player: Client,
    room: str,
    everybody: list[Onlookers],
    rounds: int,
    a_second: float,
) -> None:
    stopped, *others = everybody
    seen: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    await _say(player, room, a_second)  # warm
    before = most = resident(pid)
    for number in range(2 * rounds):
        stops = number % 2 == 1
        await asyncio.gather(*(one.ask("late") for one in everybody))
        if stops:
            stopped.process.send_signal(signal.SIGSTOP)
        took = await _say(player, room, a_second)
        most = max(most, resident(pid))
        await asyncio.sleep(0.5)
        late: Counter[int] = Counter()
        for part in await asyncio.gather(*(one.ask("late") for one in others)):
            late.update(dict(part))
        told = sum(late.values()) / (len(took) * len(others))
        ok = sorted(took)[len(took) * 99 // 100] * 1000
        seen[stops].append((p99(late), ok))
        name = "one stopped" if stops else "all read"
        print(f"{name:12} told p99 {p99(late):7.1f} ms, ok p99 {ok:7.1f} ms, {told:.2f} each")
        stopped.process.send_signal(signal.SIGCONT)
        await asyncio.sleep(1.0)
    for index, what in enumerate(("told", "ok")):
        without, with_ = (median(pair[index] for pair in seen[stops]) for stops in (False, True))
        print(f"{what:5} p99, medians: {without:.1f} ms, with some stopped {with_:.1f} ms")
        print(f"      ratio {with_ / without:.3f}")
    print(f"memory {before:.0f} MiB, at most {most:.0f} MiB")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--rate", type=float, default=20.0, help="comments a second")
    chosen = parser.parse_args()
    asyncio.run(_main(chosen.spectators, chosen.rounds, chosen.rate))


if __name__ == "__main__":
    main()
