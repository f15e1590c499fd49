"""A room without a server, whose log does nothing until a test lets it."""

import asyncio
from collections.abc import Callable, Sequence

from servers import ANY
from worlds import Fake

from kibitz.protocol import requests as ask
from kibitz.protocol.replies import Ok
from kibitz.protocol.views import Event, RoomInfo
from kibitz.server.identity import Identity, identify, new_token
from kibitz.server.lobby.rooms import Rooms
from kibitz.server.log.log import LogFailure
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record
from kibitz.server.room.room import Room

FAKE = Fake()


def somebody(name: str) -> Identity:
    """Somebody new."""
    return identify(new_token(FAKE.world), name)


class HandLog(MemoryLog):
    """A log that writes at once, or, while it is ``held``, when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.held = False
        self.batches: list[list[Record]] = []
        """What was to be written, append by append, since the log was held."""
        self._waiting: list[tuple[asyncio.Future[None], Callable[[], asyncio.Future[None]]]] = []

    def append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> asyncio.Future[None]:
        """Write now or later."""
        records, write = list(records), super().append
        if not self.held:
            return write(room, expected, records, info)
        self.batches.append(records)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((done, lambda: write(room, expected, records, info)))
        return done

    @property
    def waits(self) -> bool:
        """Whether something is to be written."""
        return bool(self._waiting)

    async def write(self) -> None:
        """Do what waits first; whether it can be written is the log's business."""
        done, write = self._waiting.pop(0)
        if error := write().exception():
            done.set_exception(error)
        else:
            done.set_result(None)
        await turns()

    async def fail(self) -> None:
        """Write nothing of what waits first."""
        done, _ = self._waiting.pop(0)
        done.set_exception(LogFailure("disk full"))
        await turns()

    async def go_on(self) -> None:
        """Write what waits, and what comes then, until nothing waits."""
        while self._waiting:
            await self.write()


async def turns() -> None:
    """Let happen what can."""
    for _ in range(6):
        await asyncio.sleep(0)


class Desk:
    """A room with two seats, and how everything asked in it was answered, in order."""

    def __init__(self, log: HandLog, room: Room, ann: Identity, bob: Identity) -> None:
        self.log = log
        self.room = room
        self.ann = ann
        self.bob = bob
        self.outcomes: list[tuple[int | str | None, Ok | Exception]] = []

    def take(self, request: ask.Change, who: Identity | None = None) -> None:
        """Ask for something."""
        self.room.take(
            request, who or self.ann, lambda outcome: self.outcomes.append((request.i, outcome))
        )

    def move(self, i: int | str, move: str = "discard", expect: int | None = None) -> None:
        """Ask for a move."""
        self.take(ask.Move(i=i, room=self.room.id, move=move, expect=expect))

    def say(self, i: int | str, text: str = "hm", who: Identity | None = None) -> None:
        """Ask for a comment."""
        self.take(ask.Say(i=i, room=self.room.id, text=text), who)

    @property
    def said(self) -> list[tuple[int | str | None, int | str | None]]:
        """Every answer in short: the number it names, or why not."""
        return [
            (i, getattr(outcome, "seq", None) if isinstance(outcome, Ok) else reason(outcome))
            for i, outcome in self.outcomes
        ]

    async def behind(self, text: str) -> None:
        """Let somebody else write a comment into the log, of which the room does not know."""
        last = (await self.log.read(self.room.id))[-1].last
        event = Event(seq=last + 1, at=last, by="another", kind="say", text=text)
        held, self.log.held = self.log.held, False
        await self.log.append(self.room.id, last, [Record(events=[event])], self.room.whole_entry())
        self.log.held = held

    async def afresh(self) -> Room:
        """The same room, read from the log."""
        records = await self.log.read(self.room.id)
        return Room(self.room.id, self.log, FAKE.world, records)

    async def check(self) -> None:
        """The room is what the log says, with everything numbered without a gap."""
        fresh = await self.afresh()
        records = await self.log.read(self.room.id)
        numbers = [event.seq for record in records for event in record.events]
        assert numbers == list(range(1, self.room.seq + 1))
        assert fresh.state.view() == self.room.state.view()
        assert fresh.state.answered == self.room.state.answered
        assert fresh.live._hashes == self.room.live._hashes
        assert fresh.entry() == self.room.entry()


def reason(error: Exception) -> str:
    """Why something was refused, in short."""
    return str(getattr(error, "code", type(error).__name__))


async def desk() -> Desk:
    """A new room in which ann sits, at event 2; from now on its log waits to be told."""
    log = HandLog()
    rooms = Rooms(log, FAKE.world, ANY)
    await rooms.open()
    ann, bob = somebody("ann"), somebody("bob")
    wish = ask.Create(game="klondike", mode="coop", seats=2, deal="1")
    room = await rooms.create(wish, ann)
    await room.sit(ann)
    log.held = True
    return Desk(log, room, ann, bob)
