"""A world that tests turn by hand: time stands still and chance is counted."""

import hashlib
from dataclasses import dataclass, field

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
