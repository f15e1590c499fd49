"""Several `kibitz serve --nats` on three NATS servers, and the ways in which each of them dies."""

import asyncio
import contextlib
import json
import signal
from collections import Counter, deque
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

from brokers import NatsCluster, leader_of_rooms
from processes import Process, standby
from scraped import scrape
from servers import FREELY

from kibitz.server.log.nats.connection import NotSent, Unknown
from kibitz.server.log.nats.log import NatsLog

GONE_SECONDS = 0.05
"""Before somebody knocks again where nobody was at home."""
ASK_SECONDS = 0.1
PATIENCE = 60.0
"""Seconds in which a server ends that was told to, and NATS servers agree on who leads."""
MET = "conflicts", "retries", "unknowns", "disconnects", "gaps", "catch_ups"
"""What a server counts of its log that is no failure."""
LAST_LINES = 30
UNFINISHED = 1
"""How a server ends that could not write everything in the time it had."""
DRAIN = ("--drain", "5")


class Node:
    """One server process that is heard until its end."""

    def __init__(self, process: Process) -> None:
        self.url = ""
        self.mistakes: Counter[str] = Counter()
        """What it has logged as its own failures, by kind."""
        self.last: deque[str] = deque(maxlen=LAST_LINES)
        """What it has logged last."""
        self._process = process

    async def start(self) -> None:
        self.url = await self._process.start()
        self._hearing = asyncio.create_task(self._hear())

    async def _hear(self) -> None:
        assert self._process.process.stderr
        async for line in self._process.process.stderr:
            self.last.append(line.decode())
            with contextlib.suppress(ValueError):
                said = json.loads(line)
                if said["level"] in ("error", "critical"):
                    self.mistakes[said["event"]] += 1

    async def end(self, number: int) -> int:
        """End it with a signal; the status."""
        self._process.process.send_signal(number)
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.wait([self._hearing])
                self._hearing.result()
                return await self._process.process.wait()
        except TimeoutError:
            why = f"{self.url} does not end on signal {number}: {''.join(self.last)}"
            raise AssertionError(why) from None


class Nodes:
    """All servers, and where those are that live."""

    def __init__(self, brokers: NatsCluster, log: NatsLog, rng: Random) -> None:
        self.living: list[Node] = []
        self.mistakes: Counter[str] = Counter()
        self.met: Counter[str] = Counter()
        """What servers met while they appended, counted."""
        self._brokers = brokers
        self._log = log
        self._rng = rng
        self._born = asyncio.Event()
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> "Nodes":
        return self

    async def __aexit__(self, *how: object) -> None:
        for node in self.living:  # only if something has failed
            await node.end(signal.SIGKILL)
        await self._stack.aclose()

    async def next(self, number: int) -> tuple[int, str]:
        """Any of those that live."""
        if number:
            await asyncio.sleep(GONE_SECONDS)
        while not self.living:
            self._born.clear()
            await self._born.wait()
        return number + 1, self._rng.choice(self.living).url

    async def bear(self, count: int = 1) -> None:
        """Start more of them."""
        urls = [word for url in self._brokers.urls for word in ("--nats", url)]
        where = (*urls, "--nats-replicas", str(len(self._brokers.servers)), *FREELY, *DRAIN)
        nodes = [
            Node(await self._stack.enter_async_context(standby(None, *where))) for _ in range(count)
        ]
        await asyncio.gather(*(node.start() for node in nodes))
        self.living += nodes
        self._born.set()

    async def lose(self, number: int, *, well: bool = False) -> None:
        """End one of them with a signal.

        Args:
            number: The signal.
            well: Whether all streams have had leaders for a while. If not, one that is asked to go
                may have to go before it knows what became of the last that it has written.

        """
        node = self._rng.choice(self.living)
        self.living.remove(node)
        await self._look_at(node)
        status = await node.end(number)
        if number == signal.SIGKILL:
            assert status == -number, status
        elif status == UNFINISHED and not well:
            self.met["unfinished ends"] += 1
        else:
            assert status == 0, f"{status}: {''.join(node.last)}"
        self.mistakes += node.mistakes

    async def _look_at(self, node: Node) -> None:
        """Count what it has met, as it is about to end."""
        async with asyncio.timeout(PATIENCE):
            page = await scrape(node.url.replace("ws://", "http://").removesuffix("/ws"))
        for what in MET:
            self.met[what] += int(page[f"kibitz_log_{what}_total"])

    async def close(self) -> None:
        """End all of them; each must be able to come to its end."""
        while self.living:
            await self.lose(signal.SIGTERM, well=True)

    # NATS servers

    async def leader(self) -> str:
        """Who leads the stream of rooms, as soon as anybody does."""
        async with asyncio.timeout(PATIENCE):
            while True:
                with contextlib.suppress(NotSent, Unknown):
                    if (name := await leader_of_rooms(self._log)) is not None:
                        return name
                await asyncio.sleep(ASK_SECONDS)

    async def follower(self) -> str:
        """Somebody who does not."""
        return self._rng.choice(sorted(self._brokers.servers.keys() - {await self.leader()}))

    async def break_down(self, names: list[str], seconds: float, number: int) -> None:
        """End NATS servers with a signal, and start them again so much later."""
        servers = [self._brokers.servers[name] for name in names]
        for server in servers:
            await asyncio.to_thread(server.kill, number)
        await asyncio.sleep(seconds)
        for server in servers:
            server.begin()


@contextlib.asynccontextmanager
async def cluster(folder: Path, rng: Random) -> AsyncIterator[tuple[Nodes, NatsLog]]:
    """Three NATS servers, no node yet, and a log to look at what is written."""
    brokers = NatsCluster(folder)
    try:
        log = await brokers.start()
        try:
            async with Nodes(brokers, log, rng) as nodes:
                yield nodes, log
        finally:
            await log.close()
    finally:
        brokers.stop()
