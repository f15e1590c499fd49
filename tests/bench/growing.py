"""What many rooms cost the NATS servers, and how long moves wait when one of those goes.

    python -m bench.growing [--only rooms,followed,stalls] [--rooms 20000]       from tests/

`rooms`: memory and disk of one NATS server for so many rooms, and for the moves in them.
`followed`: what it costs a NATS server and one that follows to have rooms listened to in which
nothing happens. `stalls`: the longest time that an append took while one of three NATS servers
went, in several ways; they sync always.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

import nats
from bench.log import Moves
from brokers import NatsCluster, NatsServer, leader_of_rooms
from nats.aio.msg import Msg

from kibitz.server.log.nats.log import NatsLog

TICKS = os.sysconf("SC_CLK_TCK")
TOGETHER = 500
"""Appends that are under way at a time."""
MOVES = 50
"""In each of the rooms that are played."""
IDLE_SECONDS = 20.0
CONFIG = """jetstream { sync_interval: always }
lame_duck_grace_period: "5s"
lame_duck_duration: "30s"
"""


def resident(pid: int) -> int:
    """Bytes of memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def busy(pid: int) -> float:
    """Seconds of processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def stored(folder: Path) -> int:
    """Bytes on the disk."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def pid_of(server: NatsServer) -> int:
    assert server._process is not None
    return server._process.pid


async def fill(log: NatsLog, moves: Moves, rooms: int, after: int, until: int) -> None:
    """Play on in so many rooms."""
    for seq in range(after, until):
        record, info = moves.at(seq + 1)
        for begin in range(0, rooms, TOGETHER):
            some = range(begin, min(rooms, begin + TOGETHER))
            await asyncio.gather(*(log.append(f"{n:024x}", seq, [record], info) for n in some))


async def rooms(moves: Moves, count: int, folder: Path) -> None:
    """Many rooms, then many moves in some of them."""
    server = NatsServer(folder / "nats")
    server.start()
    heard: list[int] = []

    async def hear(message: Msg) -> None:
        heads = "".join(f"{key}: {value}\r\n" for key, value in (message.headers or {}).items())
        heard.append(len(message.data) + len(heads) + len(message.subject))

    try:
        log = await NatsLog.open([server.url])
        client = await nats.connect(server.url)
        steps: list[tuple[str, int, Callable[[], Coroutine[None, None, None]]]] = [
            ("a room with its first record", count, lambda: fill(log, moves, count, 0, 1)),
            ("a move", count // 10 * MOVES, lambda: fill(log, moves, count // 10, 1, MOVES + 1)),
        ]
        for what, many, step in steps:
            memory, disk = resident(pid_of(server)), stored(server.folder)
            own, used, begun = resident(os.getpid()), busy(pid_of(server)), time.monotonic()
            await step()
            seconds = time.monotonic() - begun
            await asyncio.sleep(3)
            print(
                f"{what}: {many:,} of them, {many / seconds:,.0f}/s; each"
                f" {(resident(pid_of(server)) - memory) / many:,.0f} B of memory and"
                f" {(stored(server.folder) - disk) / many:,.0f} B of disk of the NATS server,"
                f" {(busy(pid_of(server)) - used) / many * 1e6:,.0f} us of its time,"
                f" {(resident(os.getpid()) - own) / many:,.0f} B of ours",
                flush=True,
            )
        await client.subscribe("lv.>", cb=hear)
        await client.flush()
        await fill(log, moves, 10, MOVES + 1, MOVES + 11)
        await client.flush()
        print(f"what is heard of a move: {sum(heard) / len(heard):,.0f} B with its headers")
        await client.close()
        await log.close()
    finally:
        server.stop()


async def followed(moves: Moves, count: int, folder: Path) -> None:
    """Rooms in which nothing happens, listened to."""
    server = NatsServer(folder / "nats")
    server.start()
    try:
        log = await NatsLog.open([server.url])
        await fill(log, moves, count, 0, 1)
        await asyncio.sleep(2)
        theirs, ours = resident(pid_of(server)), resident(os.getpid())
        seen = 0

        async def follow(room: str) -> None:
            nonlocal seen
            async for _ in log.follow(room):
                seen += 1

        begun = time.monotonic()
        tasks = [asyncio.create_task(follow(f"{n:024x}")) for n in range(count)]
        while seen < count:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        took = time.monotonic() - begun
        used = 1.0
        while used > 0.3:  # until it has looked again, as whoever begins does
            used = busy(os.getpid())
            await asyncio.sleep(2)
            used = (busy(os.getpid()) - used) / 2
        theirs, ours = resident(pid_of(server)) - theirs, resident(os.getpid()) - ours
        server_time, own_time = busy(pid_of(server)), busy(os.getpid())
        await asyncio.sleep(IDLE_SECONDS)
        print(
            f"{count:,} rooms followed: {took:.1f} s to begin; each {theirs / count:,.0f} B of the"
            f" NATS server and {ours / count:,.0f} B of ours; idle, the NATS server is busy"
            f" {(busy(pid_of(server)) - server_time) / IDLE_SECONDS:.1%} and we are"
            f" {(busy(os.getpid()) - own_time) / IDLE_SECONDS:.1%} of a core",
            flush=True,
        )
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await log.close()
    finally:
        server.stop()


class Writer:
    """Appends to a room without a pause, and how long the longest took."""

    def __init__(self, log: NatsLog, moves: Moves) -> None:
        self._log, self._moves, self._head = log, moves, 0
        self.longest, self.count = 0.0, 0

    async def run(self) -> None:
        while True:
            record, info = self._moves.at(self._head + 1)
            begun = time.monotonic()
            await self._log.append("played", self._head, [record], info)
            self._head += 1
            self.count += 1
            self.longest = max(self.longest, time.monotonic() - begun)


async def stalls(moves: Moves, folder: Path) -> None:
    """Moves in one room while NATS servers go and come back."""
    config = folder / "sync.conf"
    config.write_text(CONFIG)
    cluster = NatsCluster(folder / "three", "--config", str(config))
    log = await cluster.start()
    writer = Writer(log, moves)
    task = asyncio.create_task(writer.run())

    async def lead(*, leads: bool) -> NatsServer:
        while (name := await leader_of_rooms(log)) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        others = [each for key, each in cluster.servers.items() if key != name]
        return cluster.servers[name] if leads else others[0]

    async def gone(what: str, number: int, *servers: NatsServer) -> None:
        writer.longest, writer.count = 0.0, 0
        for server in servers:
            os.kill(pid_of(server), number)
        await asyncio.gather(*(asyncio.to_thread(server.kill, number) for server in servers))
        await asyncio.sleep(1)
        for server in servers:
            await asyncio.to_thread(server.start)
        before = writer.count
        while writer.count < before + 50:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        print(f"{what}: the longest append took {writer.longest:.2f} s", flush=True)
        await asyncio.sleep(8)  # until it has caught up

    try:
        await asyncio.sleep(2)
        print(f"nothing happens: {writer.longest:.3f} s", flush=True)
        for _ in range(3):
            await gone("a follower, SIGKILL", signal.SIGKILL, await lead(leads=False))
            await gone("the leader, SIGTERM", signal.SIGTERM, await lead(leads=True))
            await gone("the leader, SIGKILL", signal.SIGKILL, await lead(leads=True))
        await gone("the leader, SIGUSR2 (lame duck)", signal.SIGUSR2, await lead(leads=True))
        two = [await lead(leads=True), await lead(leads=False)]
        await gone("two of three, SIGKILL", signal.SIGKILL, *two)
        await gone("all three, SIGKILL", signal.SIGKILL, *cluster.servers.values())
    finally:
        task.cancel()
        await asyncio.wait([task])
        with contextlib.suppress(Exception):
            await log.close()
        cluster.stop()


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="rooms,followed,stalls")
    parser.add_argument("--rooms", type=int, default=20_000)
    chosen = parser.parse_args()
    moves = Moves()
    for name in chosen.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            match name:
                case "rooms":
                    asyncio.run(rooms(moves, chosen.rooms, Path(folder)))
                case "followed":
                    asyncio.run(followed(moves, chosen.rooms, Path(folder)))
                case _:
                    asyncio.run(stalls(moves, Path(folder)))


if __name__ == "__main__":
    main()
