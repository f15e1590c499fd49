"""What one hostile client costs the others: p99 of their ``ok`` and the server's memory.

python -m bench.hostile [--only flood,pings] [--seconds 2.5] [--cycles 3]

For each kind of hostility a server of its own, with the limits as they come and this machine
counted like any other. Ordinary players at 127.0.0.1 make moves when they are due; the hostile
client, at 127.0.0.66 and in a process of its own, is let loose and stopped in turns; it takes
of the processors what all others leave, as if it came from a machine of its own.

A machine that is shared makes p99 of ``ok`` mean little. So the server says, too, what its loop
did, in processor time: how much of it the loop took, and how long the turns were in which somebody
who comes just then finds himself (99 % of that time lies in turns at most so long).
"""

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from raw import CONT, PING, TEXT, Raw, frame, raw, request, upgrade

from kibitz.engine.deals import shuffled
from kibitz.engine.games import GAMES
from kibitz.engine.replays import Replay, Step, write
from kibitz.protocol.limits import MAX_MESSAGE, MAX_SAVE
from kibitz.protocol.wire import Encoding

JSON = Encoding.JSON
ENEMY = "127.0.0.66"
PLAYERS, EACH_A_SECOND = 20, 5.0
LONG = 600
"""Events of the long room that is read."""
PAGE = os.sysconf("SC_PAGE_SIZE")


async def _drain(client: Raw) -> None:
    with contextlib.suppress(Exception):
        while await client.read():
            client.messages.clear()
            client.frames.clear()
            client.answers.clear()
            client.events.clear()


def flooding(
    make: Callable[[int, str], bytes], *, first: bytes = b"", reads: bool = True
) -> "Kind":
    """Say the same as fast as it goes, on a new connection whenever one is closed."""

    async def attack(url: str, room: str) -> None:
        async with raw(url, local=ENEMY) as client:
            client.write(request(JSON, "join", i="j", room=room) + first)
            reading = asyncio.create_task(_drain(client)) if reads else None
            number = 0
            while not (reading and reading.done()):
                number += 1
                client.write(make(number, room))
                await client.writer.drain()
                await asyncio.sleep(0)

    return attack


def many(attack: "Kind", count: int) -> "Kind":
    """The same on many connections at the same time."""

    async def attacks(url: str, room: str) -> None:
        await asyncio.gather(*(_again(attack, url, room) for _ in range(count)))

    return attacks


async def _again(attack: "Kind", url: str, room: str) -> None:
    while True:
        with contextlib.suppress(OSError, EOFError, ConnectionError, AssertionError):
            await attack(url, room)
        await asyncio.sleep(0.001)


async def half_open(url: str, room: str) -> None:
    """Thousands of handshakes that nobody finishes."""
    at, held = urlsplit(url), []
    try:
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(
                    at.hostname, at.port, local_addr=(ENEMY, 0)
                )
                held.append(writer)
                writer.write(upgrade(url)[:40])
            if len(held) > 3000:
                held.pop(0).transport.abort()
    finally:
        for writer in held:
            writer.transport.abort()


async def slow_writer(url: str, room: str) -> None:
    """A large frame, byte by byte."""
    payload = request(JSON, "create", i=1, game="klondike", save="x" * MAX_SAVE)
    async with raw(url, local=ENEMY) as client:
        for at in range(len(payload)):
            client.write(payload[at : at + 1])
            await client.writer.drain()
            await asyncio.sleep(0)


async def half_frame(url: str, room: str) -> None:
    """A large frame, all but its end."""
    async with raw(url, local=ENEMY) as client:
        client.write(HUGE[:-1])
        while await client.read():
            pass


def http(path: str) -> "Kind":
    """A page, again and again."""

    async def attack(url: str, room: str) -> None:
        at = urlsplit(url)
        reader, writer = await asyncio.open_connection(at.hostname, at.port, local_addr=(ENEMY, 0))
        writer.write(f"GET {path.format(room=room)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        with contextlib.suppress(OSError):
            await reader.read()
        writer.transport.abort()

    return many(attack, 20)


def _dearest() -> str:
    game = GAMES["klondike"]
    return write(Replay(game, game.deal(shuffled(bytes(32))), (Step("restart"),) * 900))


Kind = Callable[[str, str], Awaitable[None]]


def ask(t: str, **fields: object) -> Callable[[int, str], bytes]:
    """Twenty requests at once, about the room if ``room`` is a field."""

    def make(number: int, room: str) -> bytes:
        named = {key: room if value == "ROOM" else value for key, value in fields.items()}
        return b"".join(request(JSON, t, i=number * 20 + k, **named) for k in range(20))

    return make


def in_turn(*makes: Callable[[int, str], bytes]) -> Callable[[int, str], bytes]:
    """One after the other."""
    return lambda number, room: makes[number % len(makes)](number, room)


HUGE = frame(TEXT, b'{"t":"x","x":"' + b"x" * (MAX_MESSAGE - 100) + b'"}')
FRAGMENTS = frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) * 500
KINDS: dict[str, Kind] = {
    "requests": flooding(ask("rooms", limit=100)),
    "requests x50": many(flooding(ask("ping")), 50),
    "creates": flooding(ask("create", game="klondike")),
    "join/leave": flooding(in_turn(ask("join", room="ROOM"), ask("leave", room="ROOM"))),
    "seats": flooding(ask("create", game="klondike", mode="coop", seats=8, visibility="unlisted")),
    "huge frames": flooding(lambda number, room: HUGE),
    "fragments": flooding(lambda number, room: FRAGMENTS),
    "passwords": flooding(ask("create", game="klondike", password="guess")),
    "history": flooding(ask("history", room="ROOM", limit=500)),
    "views": flooding(ask("view", room="ROOM", at=300)),
    "slow reader": many(flooding(ask("history", room="ROOM", limit=500), reads=False), 20),
    "replay.json": http("/rooms/{room}/replay.json"),
    "HTTP": http("/web/main.js"),
    "connections": http("/healthz"),
    "slow writer": many(slow_writer, 20),
    "half-open": half_open,
    "half frames": many(half_frame, 200),
    "pings": flooding(lambda number, room: frame(PING, b"x") * 500),
    "comments": flooding(ask("say", room="ROOM", text="x" * 500)),
    "forks": flooding(in_turn(ask("fork", room="ROOM"), ask("rematch", room="ROOM"))),
    "replay texts": flooding(ask("replay", text=_dearest())),
}


async def _attack(name: str, url: str, room: str) -> None:
    """Attack whenever a line comes, until the next one."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        attacking = asyncio.create_task(_again(KINDS[name], url, room))
        await loop.run_in_executor(None, sys.stdin.readline)
        attacking.cancel()
        await asyncio.gather(attacking, return_exceptions=True)


class Player:
    """Who makes a move and takes it back, whenever that is due."""

    def __init__(self, client: Raw, room: str) -> None:
        self._client, self._room, self._number = client, room, 0

    async def play(self, start: float, seconds: float) -> list[float]:
        """Seconds from when each was due to its ``ok``."""
        times = []
        for number in range(int(seconds * EACH_A_SECOND)):
            due = start + number / EACH_A_SECOND
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            self._number += 1
            t = "undo" if self._number % 2 == 0 else "move"
            fields = {"move": "discard"} if t == "move" else {}
            self._client.ask(t, i=self._number, room=self._room, **fields)
            answer = await self._client.until(self._number)
            assert answer["t"] == "ok", answer
            times.append(time.monotonic() - due)
        return times


def percentile(times: list[float], percent: float) -> float:
    """In milliseconds."""
    return sorted(times)[min(len(times) - 1, int(len(times) * percent / 100))] * 1000


def resident(pid: int) -> int:
    """Resident memory of a process, bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


@contextlib.contextmanager
def served() -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A server with the limits as they come; its process and its socket."""
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, "-c", SERVER, f"{folder}/kibitz.db"],
            stdin=pipe,
            stdout=pipe,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            yield process, f"ws://127.0.0.1:{int(process.stdout.readline())}/ws"
        finally:
            process.kill()


def turns(process: "subprocess.Popen[str]") -> list[float]:
    """The turns of the loop since the last time, shortest first: processor seconds."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return sorted(map(float, process.stdout.readline().split()))


def met(those: list[float]) -> float:
    """99 % of the loop's time lay in turns at most so long, ms."""
    left = sum(those) * 0.99
    for turn in those:
        left -= turn
        if left <= 0:
            return turn * 1000
    return 0.0


SERVER = """
import asyncio, os, sys, threading, time
from pathlib import Path
from kibitz.server.operation import runtime
from kibitz.server.app import running
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.settings import Limits, Listening, Settings
from kibitz.server.world import World
turns, begun = [], [0.0]
def watch(loop):
    once, select = loop._run_once, loop._selector.select
    def selected(timeout=None):
        found = select(timeout)
        begun[0] = time.thread_time()
        return found
    def run_once():
        once()
        turns.append(time.thread_time() - begun[0])
    loop._selector.select, loop._run_once = selected, run_once
def tell():
    for _ in sys.stdin:
        said = turns[:]
        del turns[:len(said)]
        print(*(f"{turn:.6f}" for turn in said), flush=True)
async def main():
    runtime.set_up()
    watch(asyncio.get_running_loop())
    threading.Thread(target=tell, daemon=True).start()
    world = World(lambda: time.time_ns() // 1_000_000, time.monotonic, os.urandom)
    limits = Limits(count_loopback=True)
    log = SqliteLog(Path(sys.argv[1]))
    async with running(Settings(Listening(port=0), limits), log, world) as app:
        runtime.settle()
        print(app.port, flush=True)
        await asyncio.Event().wait()
import structlog, logging
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
asyncio.run(main())
"""


async def measure(name: str, seconds: float, cycles: int) -> str:
    """One line of the table."""
    with served() as (server, url):
        async with contextlib.AsyncExitStack() as stack:
            players = []
            for _ in range(PLAYERS):
                client = await stack.enter_async_context(raw(url))
                client.ask("create", i="made", game="klondike", deal="1")
                players.append(Player(client, (await client.until("made"))["room"]))
            owner = await stack.enter_async_context(raw(url))
            owner.ask("create", i="made", game="klondike", deal="1")
            room = (await owner.until("made"))["room"]
            for number in range(LONG):
                t = "undo" if number % 2 else "move"
                owner.ask(t, i=number, room=room, **({"move": "discard"} if t == "move" else {}))
                await owner.until(number)
                await asyncio.sleep(0.004)
            draining = asyncio.create_task(_drain(owner))
            command = [sys.executable, "-m", "bench.hostile", "--attack", name, url, room]
            enemy = _started(command)
            assert enemy.stdin is not None
            try:
                await _slice(players, 1.0)
                before, most = resident(server.pid), 0
                quiet, loud = list[float](), list[float]()
                usual, busy = list[float](), list[float]()
                turns(server)
                for _ in range(cycles):
                    quiet += await _slice(players, seconds)
                    usual += turns(server)
                    enemy.stdin.write("\n")
                    enemy.stdin.flush()
                    loud += await _slice(players, seconds)
                    most = max(most, resident(server.pid))
                    enemy.stdin.write("\n")
                    enemy.stdin.flush()
                    busy += turns(server)
                    await asyncio.sleep(0.5)
                    turns(server)
            finally:
                enemy.kill()
                enemy.wait()
                draining.cancel()
        ratio = percentile(loud, 99) / percentile(quiet, 99)
        grown = (most - before) / 2**20
        numbers = f"{percentile(quiet, 50):7.1f} {percentile(loud, 50):7.1f}"
        numbers += f" {percentile(quiet, 99):8.1f} {percentile(loud, 99):8.1f} {ratio:7.2f}"
        share = [sum(those) / (seconds * cycles) for those in (usual, busy)]
        loop = f"{share[0]:6.0%} {share[1]:4.0%} {met(sorted(usual)):7.1f} {met(sorted(busy)):6.1f}"
        return f"{name:14} {numbers} {grown:+9.1f} {loop}"


def _started(command: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(command, stdin=subprocess.PIPE, text=True)


async def _slice(players: list[Player], seconds: float) -> list[float]:
    start = time.monotonic() + 0.05
    apart = 1 / EACH_A_SECOND / len(players)
    played = [each.play(start + n * apart, seconds) for n, each in enumerate(players)]
    return [each for times in await asyncio.gather(*played) for each in times]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--seconds", type=float, default=2.5)
    parser.add_argument("--cycles", type=int, default=3)
    parser.add_argument("--attack", nargs=3, metavar=("KIND", "URL", "ROOM"))
    chosen = parser.parse_args()
    if chosen.attack:
        asyncio.run(_attack(*chosen.attack))
        return
    print("ok p50: alone, with; p99: alone, with; ratio; MiB more; the loop: alone, with; turns ms")
    for name in chosen.only.split(","):
        print(asyncio.run(measure(name, chosen.seconds, chosen.cycles)), flush=True)


if __name__ == "__main__":
    main()
