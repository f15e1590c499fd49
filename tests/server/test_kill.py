"""kill -9 at any moment: whatever was answered with ``ok`` is there, and nothing is there twice."""

import asyncio
import os
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random

import msgspec
from plays import endless
from processes import standby
from talk import Plain, Talk, talking
from websockets.exceptions import WebSocketException

from kibitz.protocol.hashing import chain
from kibitz.protocol.views import Event
from kibitz.protocol.wire import Encoding

KILLS = 50
BOTS = 6
LOUD = ("--says", "1000")
"""Comments come as fast as moves here."""
GONE = (WebSocketException, OSError)
"""How a connection ends when its server is killed."""


class Bot:
    """Plays for ever, over as many connections as it takes, and remembers every ``ok``."""

    def __init__(self, number: int, seed: int) -> None:
        self.encoding = list(Encoding)[number % 2]
        self.rng = Random(f"{seed}:{number}")
        self.token: str | None = None
        self.room: str | None = None
        self.oks: dict[int, str] = {}
        self.commands = 0
        self.pending: Plain | None = None
        self.ready = asyncio.Event()
        self._moves = endless(self.rng)
        self._checked = 0
        self._hash = b""

    async def play(self, url: str) -> None:
        """Play until the server is gone."""
        try:
            await self._play(url)
        finally:
            self.ready.set()

    async def _play(self, url: str) -> None:
        with suppress(*GONE):
            async with talking(url, self.encoding, token=self.token) as talk:
                self.token = talk.token
                await self._come_back(talk)
                self.ready.set()
                while True:
                    await self.do_next(talk)

    async def _come_back(self, talk: Talk) -> None:
        if self.room is None:
            self.room = (await talk.ok("create", game="klondike"))["room"]
        joined = await talk.ok("join", room=self.room, role="player")
        assert joined["seat"] == 1
        await self.check(talk)
        if self.pending:
            await self.do_next(talk)

    async def do_next(self, talk: Talk) -> None:
        """Do the command that was not answered, or else a new one."""
        if self.pending is None:
            name = self.rng.randbytes(8).hex()
            if self.rng.random() < 0.3:
                self.pending = {"t": "say", "i": name, "text": f"no. {self.commands}"}
            else:
                t, move = next(self._moves)
                self.pending = {"t": t, "i": name, "move": move}
        ok = await talk.ok(**self.pending, room=self.room)
        assert ok["seq"] not in self.oks, "two commands made the same event"
        self.oks[ok["seq"]] = ok["hash"]
        self.pending = None
        self.commands += 1

    async def check(self, talk: Talk, *, anew: bool = False) -> list[Event]:
        """Read what there is to read on in the history; it holds every ``ok`` so far."""
        if anew:
            self._checked, self._hash = 0, b""
        events: list[Event] = []
        start: int | None = self._checked + 1
        while start:
            page = await talk.ok("history", room=self.room, from_=start, limit=500)
            events += msgspec.convert(page["events"], list[Event])
            start = page.get("next")
        for event in events:
            assert event.seq == self._checked + 1
            self._checked, self._hash = event.seq, chain(self._hash, event)
            assert self.oks.get(event.seq, self._hash.hex()) == self._hash.hex()
        assert self._checked >= max(self.oks, default=0), "what was ok is gone"
        return events


async def test_fifty_kills(tmp_path: Path) -> None:
    seed = int(os.environ.get("KILL_SEED") or int.from_bytes(os.urandom(4)))
    print(f"again with KILL_SEED={seed}")
    rng = Random(seed)
    bots = [Bot(number, seed) for number in range(BOTS)]
    data = tmp_path / "log"
    async with AsyncExitStack() as processes:
        waiting = await processes.enter_async_context(standby(data, *LOUD))
        for _ in range(KILLS):
            serving = waiting
            url = await serving.start()
            waiting = await processes.enter_async_context(standby(data, *LOUD))
            for bot in bots:
                bot.ready.clear()
            playing = [asyncio.create_task(bot.play(url)) for bot in bots]
            if rng.random() < 0.8:
                await asyncio.gather(*(bot.ready.wait() for bot in bots))
            await asyncio.sleep(rng.uniform(0, 0.15))
            await serving.kill()
            await asyncio.gather(*playing)
        await check_all(await waiting.start(), bots)
        assert await waiting.terminate() == 0


async def check_all(url: str, bots: list[Bot]) -> None:
    """The whole of every history: all commands, each once."""
    for bot in bots:
        async with talking(url, bot.encoding, token=bot.token) as talk:
            assert bot.room
            await talk.ok("join", room=bot.room, role="player")
            if bot.pending:
                await bot.do_next(talk)
            events = await bot.check(talk, anew=True)
        kinds = [event.kind for event in events]
        assert kinds[:2] == ["created", "joined"]
        done = [event for event in events[2:] if event.kind != "stuck"]
        assert len(done) == bot.commands == len(bot.oks) > KILLS
        texts = [event.text for event in events if event.kind == "say"]
        assert len(texts) == len(set(texts))
