"""kill -9 in the middle of a race: it starts and ends when due, and what was ``ok`` is there."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from guests import Guest
from plays import NEAR_WIN, WINNING
from processes import Process, standby
from talk import Plain, eventually
from websockets.exceptions import WebSocketException

from kibitz.protocol.course import standings
from kibitz.protocol.hashing import chain
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Joined
from kibitz.protocol.views import Event, Standing
from kibitz.protocol.wire import Encoding
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.room.audience import public
from kibitz.server.room.state import RoomState

RACERS = 6
PACE = 0.02
"""Seconds from one command of a racer to the next."""
LATEST_MS = 8000
"""How late a start or an end may be on a busy machine, in milliseconds; far more than it is."""
GONE = (WebSocketException, OSError)
"""How a connection ends when its server is killed."""


class Racer(Guest):
    """Plays until the race is over, over as many connections as it takes."""

    def __init__(self, number: int) -> None:
        super().__init__("", f"racer {number}", list(Encoding)[number % 2])
        self.oks: dict[int, str] = {}
        self.pending: Plain | None = None
        self.room = ""
        self._number = number
        self._named = 0
        self._plan = self._commands()

    @property
    def mirror(self) -> Mirror:
        """The race as this racer has it."""
        return self.session.mirrors[self.room]

    def _commands(self) -> Iterator[Plain]:
        """Two win after a while, one gives up, the others go to and fro."""
        win, lose = {0: 12, 1: 60}.get(self._number), {2: 30}.get(self._number)
        while True:
            yield {"t": "move", "move": WINNING[0]}
            if win is not None and len(self.oks) >= win:
                yield {"t": "move", "move": WINNING[1]}
            if lose is not None and len(self.oks) >= lose:
                yield {"t": "resign"}
            yield from ({"t": "undo"}, {"t": "redo"}, {"t": "restart"})

    async def play(self) -> None:
        """Play until the server is gone or the own board is done."""
        with suppress(*GONE):
            await self.until(lambda: self.mirror.course.is_released())
            while self.mirror.board.status == "open":
                await self._do_next()
                await asyncio.sleep(PACE)

    async def is_over(self) -> None:
        """Wait for the end, and ask again what was not answered before it."""
        await self.until(lambda: self.mirror.status != "open")
        if self.pending is not None:
            await self._do_next()

    async def _do_next(self) -> None:
        """Do the command that was not answered, or else a new one."""
        if self.pending is None:
            self._named += 1
            self.pending = {"i": f"{self.name}: {self._named}", **next(self._plan)}
        ok = await self.ask(**self.pending, room=self.room)
        self.pending = None
        if ok["t"] == "ok":
            assert ok["seq"] not in self.oks, "two commands made the same event"
            self.oks[ok["seq"]] = ok["hash"]
        else:
            assert ok["code"] == "game-over", ok


class Arena:
    """The servers, one after the other on one file, and those who race there."""

    def __init__(self, data: Path, stack: AsyncExitStack) -> None:
        self.data = data
        self.racers = [Racer(number) for number in range(RACERS)]
        self.room = ""
        self._stack = stack
        self._serving: Process
        self._waiting: Process
        self._playing: list[asyncio.Task[None]] = []

    async def _prepare(self) -> None:
        self._waiting = await self._stack.enter_async_context(standby(self.data))

    async def start(self) -> None:
        """A server; everybody comes, or comes back and goes on."""
        if not self.room:
            await self._prepare()
        self._serving = self._waiting
        url = await self._serving.start()
        await self._prepare()
        for racer in self.racers:
            racer.url = url
            await racer.connect()
            assert not self.room or self.room in racer.session.mirrors, "the seat is his"
        self._playing = [asyncio.create_task(each.play()) for each in self.racers if self.room]

    async def kill(self) -> None:
        """The server is gone, in the midst of what it did."""
        await self._serving.kill()
        await asyncio.gather(*self._playing)
        for racer in self.racers:
            await racer.talk.closed()
            await racer.close()

    async def create(self, **wish: Any) -> None:
        """A race in which all sit, and are ready."""
        near: Plain = {"game": "klondike", "save": NEAR_WIN, "mode": "race", "seats": RACERS}
        first, *others = self.racers
        self.room = (await first.ask("create", **near, **wish))["room"]
        for racer in others:
            await racer.ask("join", room=self.room, role="player")
        for racer in self.racers:
            racer.room = self.room
            assert (await racer.ask("ready", room=self.room))["t"] == "ok"
        self._playing = [asyncio.create_task(racer.play()) for racer in self.racers]

    @property
    def begins(self) -> int:
        """When it begins, Unix ms."""
        mirror = self.racers[-1].mirror
        assert mirror.course.race and mirror.course.race.begins is not None
        return mirror.info.started + mirror.course.race.begins

    @property
    def due(self) -> int:
        """When its time is up, Unix ms."""
        mirror = self.racers[-1].mirror
        race = mirror.course.race
        assert race and race.started is not None
        return mirror.info.started + race.started + race.limit * 1000

    async def played(self, commands: int) -> None:
        """Wait until so many commands more were granted."""
        last = sum(len(racer.oks) for racer in self.racers)
        await eventually(lambda: sum(len(r.oks) for r in self.racers) >= last + commands)

    async def is_over(self) -> None:
        """Wait until everybody has heard the end."""
        await asyncio.gather(*self._playing)
        for racer in self.racers:
            await racer.is_over()

    async def check(self) -> RoomState:
        """What everybody has, what a newcomer is told and what the log says is one and the same."""
        results = await self._told_to_a_newcomer()
        for racer in self.racers:
            view = racer.mirror.view
            assert standings(view.boards, view.seats) == results
        assert await self._serving.terminate() == 0
        log = SqliteLog(self.data)
        first, *rest = await log.read(self.room)
        await log.close()
        state = RoomState(first)
        for record in rest:
            state.apply(record)
        events = [event for record in (first, *rest) for event in record.events]
        view = state.view()
        assert events[-1].results == results == standings(view.boards, view.seats)
        assert view == self.racers[0].mirror.view
        self._check_acknowledged(events)
        return state

    async def _told_to_a_newcomer(self) -> list[Standing]:
        """The table, as somebody folds it from the history alone."""
        guest = Guest(self._serving.url, "newcomer", Encoding.MSGPACK)
        await guest.connect()
        joined = await guest.ask("join", room=self.room)
        followed = guest.session.mirrors[self.room]
        await guest.until(lambda: followed.status != "open")
        first = await guest.ask("view", room=self.room, at=1)
        plain = {key: value for key, value in (joined | first).items() if key not in ("i", "t")}
        mirror = Mirror(msgspec.convert(plain | {"t": "joined"}, Joined))
        start: int | None = 2
        events: list[Event] = []
        while start:
            page = await guest.ask("history", room=self.room, from_=start, limit=500)
            events += msgspec.convert(page["events"], list[Event])
            start = page.get("next")
        mirror.apply_all(events)
        assert (mirror.seq, mirror.hash) == (followed.seq, followed.hash)
        assert mirror.view == followed.view
        await guest.close()
        results = events[-1].results
        assert results == standings(mirror.view.boards, mirror.view.seats)
        assert results is not None
        return results

    def _check_acknowledged(self, events: list[Event]) -> None:
        """Every ``ok`` stands for an event of him who got it, and for no other."""
        hash_, hashes = b"", {}
        for event in events:
            hash_ = chain(hash_, public(event, self.room))
            hashes[event.seq] = hash_.hex()
        kinds = ("move", "undo", "redo", "restart", "resigned")
        for racer in self.racers:
            done = [e.seq for e in events if e.by == racer.id and e.kind in kinds]
            assert len(done) == len(racer.oks) > 2
            assert {seq: hashes[seq] for seq in racer.oks} == racer.oks


@asynccontextmanager
async def arena(data: Path) -> AsyncIterator[Arena]:
    """A server, and everybody is here."""
    async with AsyncExitStack() as stack:
        made = Arena(data, stack)
        await made.start()
        yield made


async def moment(unix_ms: int) -> None:
    """Wait for a time of day."""
    await asyncio.sleep(max(0.0, unix_ms / 1000 - time.time()))


async def test_killed_before_the_start_in_the_middle_and_before_the_end(tmp_path: Path) -> None:
    async with arena(tmp_path / "log") as at:
        await at.create(countdown=2, limit=16)
        await at.kill()
        await at.start()
        await at.played(20)
        for _ in range(2):
            await at.kill()
            await at.start()
            await at.played(40)
        await moment(at.due - 300)
        await at.kill()
        await at.start()
        await at.is_over()
        state = await at.check()
        race = state.course.race
        assert race and race.started is not None and race.begins is not None
        assert race.begins <= race.started <= race.begins + LATEST_MS
        end = race.started + race.limit * 1000
        assert end <= state.at <= end + LATEST_MS
        statuses = [line.status for line in state.course.lines]
        assert statuses == ["won", "won", "resigned", "timeout", "timeout", "timeout"]


async def test_away_when_it_starts_and_when_it_ends(tmp_path: Path) -> None:
    """Then both happen as soon as there is a server again."""
    async with arena(tmp_path / "log") as at:
        await at.create(countdown=1, limit=5, policy={"delay": 1})
        await at.kill()
        await moment(at.begins + 200)
        began = time.time_ns() // 1_000_000
        await at.start()
        await at.played(30)
        due = at.due
        assert began <= due - 5000 <= began + LATEST_MS
        await at.kill()
        await moment(due + 200)
        ended = time.time_ns() // 1_000_000
        await at.start()
        await at.is_over()
        state = await at.check()
        assert ended <= state.started + state.at <= ended + LATEST_MS
        assert state.status in ("won", "timeout")
