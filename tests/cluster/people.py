"""Those who write into the same rooms by different servers, and those who look on.

Each is a script that knows nothing of deaths: every command has a name for good, and is asked
until it is answered. What the rules forbid because somebody else was faster is an answer, too.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from random import Random
from typing import Any

from chaos.ledger import Ledger
from chaos.voice import IN_LOG, Places, Voice
from websockets.asyncio.client import ClientConnection

from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.hashing import chain
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Error, EventList, Ok
from kibitz.protocol.wire import Encoding

SEATS = 8
BURSTS = 1, 1, 1, 1, 2, 5
"""Commands that are sent behind one another without waiting."""
COMMANDS = 400
"""After so many a room is left for another one."""
PAGE = 100
"""Most events of the past that somebody asks for."""
LOOK_SECONDS = 0.2
"""Between two looks at whether a room is still open."""
LATER = ErrorCode.INTERNAL, ErrorCode.DRAINING
"""What says nothing about the request."""
OLD = 20
"""Rooms that were left, and may be looked at."""


class Person(Voice):
    """One who asks again if a server could not say what became of it."""

    def __init__(self, name: str, encoding: Encoding, ledger: Ledger, seed: str) -> None:
        super().__init__(name, encoding, ledger, seed)
        self.seconds: list[tuple[float, float]] = []
        """Of everything acknowledged: when, and how long it took."""
        self.asked_again = 0
        self._outside: set[str] = set()
        """Rooms in which we are no more on this connection: they could not be taken up again."""
        self._begun: dict[int | str, float] = {}

    def begin(self, t: str, **fields: Any) -> asyncio.Future[Any]:
        """Ask; note when."""
        answer = super().begin(t, **fields)
        self._begun[next(reversed(self._open))] = asyncio.get_running_loop().time()
        return answer

    def _answered(self, i: int | str, reply: Any) -> None:
        loop = asyncio.get_running_loop()
        request, _ = self._open.get(i, ({}, None))
        if request and isinstance(reply, Error):
            if reply.code in LATER:
                self.asked_again += 1
                wait = (reply.retry_ms or 100) / 1000
                loop.call_later(wait, self._ask_again, i, self._socket)
                return
            if reply.code is ErrorCode.NO_ROOM and request.get("room") in self._outside:
                return  # it stood behind the `join`: the next connection begins with both
            self.ledger.refused.add((self.id, str(i)))
        begun = self._begun.pop(i, None)
        if begun is not None and isinstance(reply, Ok) and request["t"] in IN_LOG:
            self.seconds.append((loop.time(), loop.time() - begun))
        super()._answered(i, reply)

    def _ask_again(self, i: int | str, on: ClientConnection | None) -> None:
        if i in self._open and self._socket is on is not None:  # a later one has asked already
            self._sending.put_nowait(self._open[i][0])

    def _resumed(self, room: str, before: int, reply: Any) -> None:
        if isinstance(reply, Error) and reply.code in LATER:
            self.asked_again += 1
            self._outside.add(room)
            self.wander()  # another server may be able to read it
        else:
            self._outside.discard(room)
            super()._resumed(room, before, reply)

    def wander(self) -> None:
        """Lose the connection: on the next one, perhaps elsewhere, everything goes on."""
        if self._socket is not None:
            self._socket.transport.abort()


class Town:
    """All of them, and the rooms they are in."""

    def __init__(self, rooms: int, writers: int, tails: int, seed: str) -> None:
        self.ledger = Ledger()
        self.going_home = False
        """Whether those who look on come to an end with what they are about."""
        self.stopping = False
        """Whether those who write do."""
        self.open: list[str] = []
        self.old: list[str] = []
        self.made: set[str] = set()
        self._done: dict[str, int] = {}
        """Commands acknowledged in the open rooms."""
        self._full: set[str] = set()
        """Rooms that are left, or will be as soon as there is another one."""
        self._count = rooms
        self._rng = Random(seed)
        kinds = ["host"] + ["writer"] * writers + ["tail"] * tails
        self._voices = [
            Person(f"{kind} {n}", list(Encoding)[n % 2], self.ledger, seed)
            for n, kind in enumerate(kinds)
        ]
        self._host, self._writers = self._voices[0], self._voices[1 : writers + 1]
        self._tails = self._voices[writers + 1 :]

    async def begin(self, group: asyncio.TaskGroup, places: Places) -> None:
        """Let everybody come, and begin."""
        self._living = [group.create_task(voice.live(places)) for voice in self._voices]
        for _ in range(self._count):
            await self._open_one()
        self._writing = [group.create_task(self._write(writer)) for writer in self._writers]
        self._looking = [group.create_task(self._look_on(tail)) for tail in self._tails]

    async def end(self) -> None:
        """Let everybody come to his end: the last thing each sees is the last there is."""
        self.going_home = True
        await asyncio.wait(self._looking)
        rooms = list(self.open)  # the writers go on meanwhile
        await asyncio.gather(*(tail.do("join", room=r) for tail in self._tails for r in rooms))
        self.stopping = True
        await asyncio.wait(self._writing)
        heads = {room: self.ledger.head(room) for room in rooms}
        await asyncio.gather(*(self._see_the_end(tail, heads) for tail in self._tails))
        for living in self._living:
            living.cancel()

    def acknowledged_after(self, moment: float) -> bool:
        """Whether something was acknowledged that was asked later than this."""
        return any(at - took > moment for v in self._writers for at, took in v.seconds[-1:])

    @property
    def seconds(self) -> list[tuple[float, float]]:
        """Of everything acknowledged: when, and how long it took, in order."""
        return sorted(each for voice in self._voices for each in voice.seconds)

    @property
    def asked_again(self) -> int:
        """How often a server could not say what became of a command."""
        return sum(voice.asked_again for voice in self._voices)

    async def _open_one(self) -> None:
        answer = await self._host.do("create", game="klondike", mode="coop", seats=SEATS)
        room: str = answer.room
        self.made.add(room)
        self._done[room] = 0
        self.open.append(room)
        await self._host.do("leave", room=room)
        self._host.session.forget(room)

    async def _write(self, writer: Person) -> None:
        while not self.stopping:
            room = writer.rng.choice(self.open)
            if room not in writer.session.mirrors:
                await writer.begin("join", room=room, role="player")  # refused: it is full
                if room not in writer.session.mirrors:
                    continue
            size, before = writer.rng.choice(BURSTS), (writer._socket, writer.asked_again)
            kinds, asked = zip(*(self._command(writer, room) for _ in range(size)), strict=True)
            answers = zip(kinds, await asyncio.gather(*asked), strict=True)
            done = [(kind, said.seq) for kind, said in answers if isinstance(said, Ok) and said.seq]
            in_order(done, calm=before == (writer._socket, writer.asked_again))
            self._done[room] += len(done)
            if self._done[room] > COMMANDS and room not in self._full:
                self._full.add(room)
                await self._open_one()
                self.open.remove(room)
                self.old = [*self.old, room][-OLD:]
            if room not in self.open or writer.rng.random() < 0.02:
                await self._leave(writer, room)
            if writer.rng.random() < 0.01:
                writer.wander()

    def _command(self, writer: Person, room: str) -> tuple[str, asyncio.Future[Any]]:
        kind = writer.rng.random()
        if kind < 0.3:
            return "say", writer.begin("say", room=room, text=writer.name_it())
        if kind < 0.4:
            return "undo", writer.begin("undo", room=room)
        move = "reset" if kind > 0.9 else "discard"
        return "move", writer.begin("move", room=room, move=move)

    async def _leave(self, voice: Person, room: str) -> None:
        await voice.do("leave", room=room)
        voice.session.forget(room)

    async def _look_on(self, tail: Person) -> None:
        while not self.going_home:
            room = tail.rng.choice([*self.open, *self.old])
            await tail.do("join", room=room)
            mirror = tail.session.mirrors[room]
            for _ in range(tail.rng.randrange(1, 4)):
                goal = mirror.seq + tail.rng.randrange(1, 40)
                await self._see(tail, mirror, goal)
                if tail.rng.random() < 0.4:
                    tail.wander()
                if tail.rng.random() < 0.4:
                    await self._read_past(tail, room, mirror.seq)
            await self._leave(tail, room)

    async def _see(self, tail: Person, mirror: Mirror, goal: int) -> None:
        """Wait until a room is so far, or nothing more will come."""
        while not (mirror.seq >= goal or mirror.room not in self.open or self.going_home):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await tail.until(lambda: mirror.seq >= goal)

    async def _read_past(self, tail: Person, room: str, seq: int) -> None:
        """What was, from any number on, leads from what everybody knows to what everybody knows."""
        start = tail.rng.randrange(1, seq + 1)
        page = await tail.do("history", room=room, from_=start, limit=PAGE)
        assert isinstance(page, EventList)
        seqs = [event.seq for event in page.events]
        assert seqs == list(range(start, start + len(seqs))) and seqs, f"{room}: {start}, {seqs}"
        known = self.ledger.told[room].get(start - 1) if start > 1 else ""
        if known is None:
            return
        hash_ = bytes.fromhex(known)
        for event in page.events:
            hash_ = chain(hash_, event)
            self.ledger.note(room, event.seq, hash_.hex())

    async def _see_the_end(self, tail: Person, heads: dict[str, int]) -> None:
        """All that was told anybody comes to him by itself, and nothing else."""
        for room, head in heads.items():
            mirror = tail.session.mirrors[room]
            await tail.until(lambda m=mirror, h=head: m.seq >= h)  # type: ignore[misc]
            assert mirror.seq == head, f"{room}: {mirror.seq}, and nobody was told of it, {head}"


def in_order(done: Sequence[tuple[str, int]], *, calm: bool) -> None:
    """What was sent behind one another stands so in the room; the rules refuse no comment.

    Args:
        done: Kind and number of what was granted, in the order in which it was sent.
        calm: Whether nothing was asked twice. If not, a move whose refusal was lost on the way
            may be granted when it is asked again, behind what was sent later.

    Raises:
        AssertionError: It does not.

    """
    numbers = [number for _, number in done]
    assert len(numbers) == len(set(numbers)), f"one number twice: {done}"
    said = [number for kind, number in done if calm or kind == "say"]
    assert said == sorted(said), f"not in order: {done}"
