"""Those who look on, without a server: what reaches them, and a plain model of what should."""

import asyncio
import dataclasses
from typing import Any

from websockets.protocol import OPEN

from kibitz.protocol.views import Event, Role
from kibitz.protocol.wire import Encoding
from kibitz.server.room.audience import EVERYTHING, Audience
from kibitz.server.room.fanout import Fanout, Told
from kibitz.server.sockets.turn import Turn


class Ear:
    """Somebody who looks on: what has reached him, by the fast path or by his outbox.

    He is his own socket, transport and protocol. ``slow``: something waits to be sent to him, so
    that only his outbox takes more; ``full``: not even that.
    """

    def __init__(self, name: str, turn: Turn, encoding: Encoding = Encoding.JSON) -> None:
        self.name = name
        self.encoding = encoding
        self.slow = self.full = False
        self.state = OPEN
        self.got = b""
        self.writes = 0
        self.out: list[bytes] = []
        self._turn = turn

    def __repr__(self) -> str:
        return self.name

    @property
    def socket(self) -> Any:
        return self

    transport = protocol = socket

    descriptor = -1
    """What is written to it goes the way of what the kernel does not take: to ``write``."""

    @property
    def ready(self) -> bool:
        return self.state is OPEN and not (self.out or self.slow or self.full)

    def look(self) -> bool:
        return self.ready

    def write(self, frames: bytes) -> None:
        assert not self.slow and not self.full and not self.out, (
            "the fast path is for whom nothing waits"
        )
        self.got += frames
        self.writes += 1

    def offer(self, frames: bytes) -> bool:
        if self.full:
            return False
        if not self.out:
            self._turn.sockets.append(self)
            self._turn.end_soon()
        self.out.append(frames)
        return True

    def fell_behind(self, role: Role) -> None:
        """Nobody counts it."""

    def flush(self) -> None:
        self.got += b"".join(self.out)
        self.out.clear()
        self.writes += 1

    @property
    def reached(self) -> bytes:
        """What has got as far as his outbox."""
        return self.got + b"".join(self.out)


@dataclasses.dataclass
class Lookers:
    """A fanout, a turn of its own, and a plain model of who has to get what."""

    turn: Turn = dataclasses.field(default_factory=Turn)
    due: dict[Ear, bytes] = dataclasses.field(default_factory=dict)
    """What everybody, who ever was here, has to have got in the end."""
    lanes: dict[Ear, Audience] = dataclasses.field(default_factory=dict)
    """Who is here."""
    last: int = 0
    """Number of the last event."""

    def __post_init__(self) -> None:
        self.fanout = Fanout(self.turn, self._give_up)

    def _give_up(self, ear: Any) -> None:
        assert ear.full
        self.remove(ear)

    def add(self, ear: Ear, audience: Audience = EVERYTHING) -> None:
        """He has been told everything so far: that is where he begins, again if he was here."""
        snapshot = b"<at %d>" % self.last
        if ear in self.lanes:
            self.fanout.remove(ear)  # type: ignore[arg-type]
        ear.offer(snapshot)
        self.due[ear] = ear.reached
        self.lanes[ear] = audience
        self.fanout.add(ear, audience)  # type: ignore[arg-type]

    def remove(self, ear: Ear) -> None:
        """He is here no longer: what he got is the beginning of what he was due."""
        self.fanout.remove(ear)  # type: ignore[arg-type]
        reached = ear.reached
        assert self.due[ear].startswith(reached)
        self.due[ear] = reached
        del self.lanes[ear]

    def come(self, count: int) -> list[Ear]:
        """So many come."""
        made = [Ear(f"ear {number}", self.turn) for number in range(count)]
        for ear in made:
            self.add(ear)
        return made

    def tell(self) -> None:
        """Tell everybody an event of a board that not everybody sees."""
        self.last += 1
        event = Event(seq=self.last, at=0, kind="move", board=0, salt="aa", text=f"e{self.last}")
        told = Told(event)
        for ear, audience in self.lanes.items():
            self.due[ear] += told.to(audience, ear.encoding)
        self.fanout.tell(told)

    def hurry(self, ear: Ear) -> None:
        """Afterwards he has, or has in his outbox, all that was told."""
        self.fanout.hurry(ear)  # type: ignore[arg-type]
        if ear in self.lanes:
            assert ear.reached == self.due[ear]

    async def settle(self) -> None:
        """Until nothing is under way; everybody has what he was due."""
        while self.turn._telling or self.turn._ending or self.fanout._timer:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        assert not self.fanout._pending and not self.fanout._under_way
        for ear, due in self.due.items():
            assert ear.got == due, ear
