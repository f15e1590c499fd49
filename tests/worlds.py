"""A world that tests turn by hand: time stands still, chance is counted, a log can be held."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from kibitz.protocol.views import RoomInfo
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record
from kibitz.server.world import World

START_MS = 1_700_000_000_000


@dataclass
class Fake:
    """The clock's hands and the number of the next draw."""

    ms: int = START_MS
    seconds: float = 1000.0
    seed: bytes = b"kibitz tests"
    draws: int = field(default=0, init=False)

    def pass_time(self, seconds: float) -> None:
        """Let both clocks run on."""
        self.ms += round(seconds * 1000)
        self.seconds += seconds

    def random_bytes(self, count: int) -> bytes:
        """The next bytes, always the same ones for the same seed and draw."""
        self.draws += 1
        label = self.seed + b":%d:" % self.draws
        return b"".join(
            hashlib.sha256(label + b"%d" % block).digest() for block in range(count // 32 + 1)
        )[:count]

    @property
    def world(self) -> World:
        """What the server is handed."""
        return World(lambda: self.ms, lambda: self.seconds, self.random_bytes)


class HeldLog(MemoryLog):
    """A log whose appends or reads wait while they are held."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = asyncio.Event()
        """Set while something waits."""
        self._held: set[str] = set()
        self._go = asyncio.Event()
        self._go.set()

    def hold(self, what: str = "append") -> None:
        """Let these calls wait from now on."""
        self._held.add(what)
        self._go.clear()

    def release(self) -> None:
        """Let everything through."""
        self._held.clear()
        self._go.set()

    async def _wait(self, what: str) -> None:
        if what in self._held:
            self.waiting.set()
            await self._go.wait()
            self.waiting.clear()

    def append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> asyncio.Future[None]:
        """Wait, then add the records."""
        return asyncio.ensure_future(self._append(room, expected, records, info))

    async def _append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> None:
        await self._wait("append")
        await super().append(room, expected, records, info)

    async def read(self, room: str, after: int = 0, limit: int | None = None) -> list[Record]:
        """Read what is there now, then wait."""
        records = await super().read(room, after, limit)
        await self._wait("read")
        return records
