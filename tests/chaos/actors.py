"""What people do on servers that die: they write, look on, race, sit down, and look at the lobby.

Each is a script that knows nothing of deaths: every step is asked until it is answered.
"""

import asyncio
from collections.abc import Iterator

from chaos.ledger import Ledger
from chaos.voice import Serving, Voice
from plays import NEAR_WIN, WINNING, endless

from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import EventList, Ok, RoomList
from kibitz.protocol.wire import Encoding

WRITERS, WATCHERS, PAIRS, SITTERS = 4, 6, 2, 2
BURSTS = 1, 1, 1, 2, 5, 12
"""Commands that are sent behind one another without waiting."""
LATELY = 20
"""Finished rooms that somebody may come back to."""


class Troupe:
    """All of them, and the rooms they play in."""

    def __init__(self, seed: int) -> None:
        self.ledger = Ledger()
        self.serving = Serving()
        self.stopping = False
        """Whether everybody comes to an end with what he is about."""
        self.open: list[str] = []
        self.tables: list[str] = []
        """Open rooms with a free seat."""
        self.finished: list[str] = []
        self._seed = seed
        self.voices: list[Voice] = []

    async def play(self, group: asyncio.TaskGroup) -> list[asyncio.Task[None]]:
        """Begin; the tasks are done when everybody has come to his end."""
        scripts = [self._write(self._voice("writer"), n % 2 == 0) for n in range(WRITERS)]
        scripts += [self._watch(self._voice("watcher")) for _ in range(WATCHERS)]
        scripts += [self._sit(self._voice("sitter")) for _ in range(SITTERS)]
        scripts += [self._race(self._voice("racer"), self._voice("racer")) for _ in range(PAIRS)]
        scripts += [self._look_round(self._voice("lobbyist"))]
        self.living = [group.create_task(voice.live(self.serving)) for voice in self.voices]
        return [group.create_task(script) for script in scripts]

    def _voice(self, kind: str) -> Voice:
        number = len(self.voices)
        encoding = list(Encoding)[number % 2]
        self.voices.append(Voice(f"{kind} {number}", encoding, self.ledger, str(self._seed)))
        return self.voices[-1]

    def _begun(self, room: str, *, has_seat: bool = False) -> None:
        self.ledger.listed.add(room)
        self.open.append(room)
        if has_seat:
            self.tables.append(room)

    def _done(self, room: str) -> None:
        for rooms in (self.open, self.tables):
            if room in rooms:
                rooms.remove(room)
        self.finished = [*self.finished, room][-LATELY:]

    async def _leave(self, voice: Voice, room: str) -> None:
        await voice.do("leave", room=room)
        voice.session.forget(room)

    async def _write(self, voice: Voice, shares: bool) -> None:
        while not self.stopping:
            mode = {"mode": "coop", "seats": 2} if shares else {}
            room = (await voice.do("create", game="klondike", **mode)).room
            self._begun(room, has_seat=shares)
            commands = endless(voice.rng)
            for _ in range(voice.rng.randrange(5, 40)):
                await self._burst(voice, room, commands)
            await voice.do("resign", room=room)
            self._done(room)
            await self._leave(voice, room)

    async def _burst(
        self, voice: Voice, room: str, commands: Iterator[tuple[str, str | None]]
    ) -> None:
        """Several commands at once: all are done, each once, in their order."""
        answers = []
        for _ in range(voice.rng.choice(BURSTS)):
            if voice.rng.random() < 0.2:
                answers.append(voice.begin("say", room=room, text=voice.name_it()))
            else:
                t, move = next(commands)
                answers.append(voice.begin(t, room=room, move=move))
        seqs = []
        for answer in await asyncio.gather(*answers):
            assert isinstance(answer, Ok) and answer.seq, answer
            seqs.append(answer.seq)
        assert seqs == sorted(set(seqs)), f"{voice.name}: not in their order: {seqs}"

    async def _watch(self, voice: Voice) -> None:
        while not self.stopping:
            rooms = self.finished if voice.rng.random() < 0.3 else self.open
            if not rooms:
                await asyncio.sleep(0.01)
                continue
            room = voice.rng.choice(rooms)
            await voice.do("join", room=room)
            mirror = voice.session.mirrors[room]
            for _ in range(voice.rng.randrange(1, 5)):
                await self._follow(voice, mirror)
            await self._leave(voice, room)

    async def _follow(self, voice: Voice, mirror: Mirror) -> None:
        """Look on for a while; say something, read what was before."""
        goal = mirror.seq + voice.rng.randrange(1, 30)
        await voice.until(lambda: mirror.seq >= goal or mirror.status != "open" or self.stopping)
        if voice.rng.random() < 0.3:
            await voice.do("say", room=mirror.room, text=voice.name_it())
        if voice.rng.random() < 0.3:
            page = await voice.do("history", room=mirror.room, from_=1, limit=100)
            assert isinstance(page, EventList)
            seqs = [event.seq for event in page.events]
            assert seqs == list(range(1, len(seqs) + 1))

    async def _sit(self, voice: Voice) -> None:
        while not self.stopping:
            if not self.tables:
                await asyncio.sleep(0.01)
                continue
            room = self.tables.pop()
            await voice.begin("join", room=room, role="player")  # refused if it has just ended
            if room in voice.session.mirrors:
                await voice.begin("say", room=room, text=voice.name_it())
                await self._leave(voice, room)
                if room in self.open:
                    self.tables.append(room)
            await asyncio.sleep(0.01)

    async def _race(self, first: Voice, second: Voice) -> None:
        while not self.stopping:
            wish = {"game": "klondike", "save": NEAR_WIN, "mode": "race", "countdown": 0}
            room = (await first.do("create", seats=2, **wish)).room
            self._begun(room)
            await second.do("join", room=room, role="player")
            await self._run(room, (first, list(WINNING)), (second, list(WINNING[:1])))
            if first.rng.random() < 0.7:
                forked = (await first.do("fork", room=room)).room
                self._begun(forked)
                await first.do("move", room=forked, move=WINNING[0])
                await first.do("resign", room=forked)
                self._done(forked)
                await self._leave(first, forked)
            if first.rng.random() < 0.7:
                following = (await first.do("rematch", room=room)).room
                assert (await second.do("rematch", room=room)).room == following
                self._begun(following)
                await self._run(following, (first, ["discard"]), (second, ["discard"] * 2))
                for voice in (first, second):
                    await self._leave(voice, following)
            for voice in (first, second):
                await self._leave(voice, room)

    async def _run(self, room: str, *racers: tuple[Voice, list[str]]) -> None:
        """A race from the agreement to its end."""

        async def run(voice: Voice, moves: list[str]) -> None:
            mirror = voice.session.mirrors[room]
            await voice.do("ready", room=room)
            await voice.until(lambda: mirror.course.is_released())
            for move in moves:
                await voice.do("move", room=room, move=move)
            if mirror.board.status == "open":
                await voice.do("resign", room=room)
            await voice.until(lambda: mirror.status != "open")

        await asyncio.gather(*(run(voice, moves) for voice, moves in racers))
        self._done(room)

    # The lobby

    async def _look_round(self, voice: Voice) -> None:
        """After every start what is listed is not behind what anybody knew before."""
        number = 0
        while not self.stopping:
            number = await self.serving.after(number)
            await voice.do("lobby", on=True)
            known = {room: self.ledger.head(room) for room in self.open}
            page = await voice.do("rooms", limit=100)
            assert isinstance(page, RoomList)
            for info in page.rooms:
                assert info.seq >= known.get(info.id, 0), f"the lobby is behind in {info.id}"

    async def listed(self) -> dict[str, int]:
        """All that is listed now, and how far it is."""
        voice, after, seqs = self.voices[0], None, dict[str, int]()
        while True:
            page = await voice.do("rooms", limit=100, after=after)
            seqs |= {info.id: info.seq for info in page.rooms}
            after = page.next
            if after is None:
                return seqs
