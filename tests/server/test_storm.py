"""Many steps by chance in many rooms at once: whatever happens, everybody holds the truth."""

import os
from contextlib import AsyncExitStack
from random import Random
from typing import Any

import msgspec
import pytest
from guests import Guest
from plays import NEAR_WIN
from races import wake
from servers import Running, running_server
from talk import Plain
from worlds import Fake

from kibitz.engine.games import GAMES
from kibitz.protocol.hashing import chain
from kibitz.protocol.views import Event, View
from kibitz.protocol.wire import Encoding
from kibitz.server.log.memory import MemoryLog
from kibitz.server.room.audience import Audience
from kibitz.server.room.state import RoomState

STEPS, MOST_STEPS = 1500, 6000
"""Steps, and how many there may be until everything has happened that has to."""
SETTLED = 4
"""Steps from one look at everything to the next."""
RACES = 150
"""Steps from one race that is sure to begin to the next."""
ROOMS = 9
"""Rooms that are looked after at the same time; the oldest is forgotten."""
NEAR: Plain = {"game": "klondike", "save": NEAR_WIN}
WISHES: list[Plain] = [
    {"mode": "solo"},
    NEAR | {"mode": "coop", "policy": {"delay": 3}},
    NEAR | {"mode": "race", "seats": 3, "countdown": 1},
    {"mode": "coop", "seats": 3},
    {"mode": "solo", "policy": {"delay": 7}},
    {"mode": "coop", "seats": 2, "policy": {"delay": 4}},
    {"mode": "race", "seats": 4, "countdown": 1, "limit": 60},
    {"mode": "race", "seats": 3, "countdown": 2, "limit": 40},
    {"mode": "race", "seats": 3, "countdown": 1, "limit": 60, "policy": {"delay": 5}},
]


class Storm:
    """The guests, the rooms and the dice."""

    def __init__(self, running: Running, fake: Fake, rng: Random) -> None:
        self.running = running
        self.fake = fake
        self.rng = rng
        self.rooms: list[str] = []
        self.guests: list[Guest] = []
        self.granted: dict[str, int] = {}
        """How often each kind of request was granted."""
        self.shown: dict[tuple[str, int, Audience], View] = {}
        """What was seen of a room at an event's number, by audience."""

    def lacks(self) -> list[str]:
        """What has not happened yet, of what has to for this to mean something."""
        kinds = ("move", "undo", "redo", "restart", "fork", "join", "leave", "view", "history")
        lacking = [kind for kind in (*kinds, "ready", "resign") if kind not in self.granted]
        racing = {
            (audience.everything, audience.board is not None)
            for (_, _, audience), view in self.shown.items()
            if view.race and view.race.started is not None and view.status == "open"
        }
        eyes = {"all boards": (True, False), "his own": (False, True), "none": (False, False)}
        lacking += [f"a race of which one sees {name}" for name in eyes if eyes[name] not in racing]
        statuses = {view.status for view in self.shown.values()}
        return [*lacking, *({"won", "resigned", "timeout"} - statuses)]

    async def state(self, room: str) -> RoomState:
        """A room as the server has it."""
        return (await self.running.app.rooms.get(room)).state

    async def try_(self, guest: Guest, t: str, **fields: Any) -> Plain:
        """Ask, and count what was granted."""
        answer = await guest.ask(t, **fields)
        if answer["t"] != "error":
            self.granted[t] = self.granted.get(t, 0) + 1
        return answer

    def adopt(self, answer: Plain) -> None:
        """Look after a new room."""
        if answer["t"] == "joined" and answer["room"] not in self.rooms:
            self.rooms = [*self.rooms, answer["room"]][-ROOMS:]

    async def step(self) -> None:
        """One thing that somebody does."""
        guest, rng = self.rng.choice(self.guests), self.rng
        mirrors = guest.session.mirrors
        own = [room for room, mirror in mirrors.items() if mirror.role == "player"]
        room = rng.choice([*self.rooms, *mirrors, *own * 12])
        if room not in guest.session.mirrors:
            await self.join(guest, room)
            return
        deeds = [self.play] * 24 + [self.get_ready] * 6 + [self.seek, self.read, self.cut] * 2
        deeds += [self.join, self.say, self.leave, self.resign]
        if (await self.state(room)).over:
            deeds = [self.seek, self.read, self.fork, self.go_on, self.present, self.leave]
        elif rng.random() < 0.05:
            deeds = [self.fork]
        harmless = [self.join, self.seek, self.read, self.say, self.leave, self.cut]
        await rng.choice(harmless if guest.looks_on else deeds)(guest, room)

    # What one does

    async def create(self, guest: Guest, wish: Plain) -> None:
        """A new room."""
        wish = {"game": self.rng.choice(list(GAMES))} | wish
        self.adopt(await self.try_(guest, "create", **wish))

    async def race(self) -> None:
        """A race that begins soon: three who run, one of whom gives up, and others look on."""
        wish = self.rng.choice([wish for wish in WISHES if wish["mode"] == "race"])
        *racers, first, second = self.rng.sample(self.guests[:5], 5)
        await self.create(racers[0], wish)
        room = self.rooms[-1]
        for racer in racers[1:]:
            await self.try_(racer, "join", room=room, role="player")
        for racer in racers:
            await self.try_(racer, "ready", room=room)
        for guest in (first, second):
            await self.try_(guest, "join", room=room)
        for _ in range(5):
            await self.settle()
            for racer in racers:
                await self.play(racer, room)
        if self.rng.random() < 0.5:
            await self.try_(racers[0], "resign", room=room)

    async def play(self, guest: Guest, room: str) -> None:
        """A move, mostly a legal one, or something taken back."""
        kind = self.rng.choice(["move"] * 7 + ["undo", "undo", "redo", "redo", "restart"])
        line = None
        if kind == "move":
            legal = (await guest.ask("moves", room=room)).get("moves")
            line = self.rng.choice([*(legal or ["d", "sw"]), *(legal or [])[:1] * 4])
        expect = self.rng.choice([None, None, guest.session.mirrors[room].seq])
        await self.try_(guest, kind, room=room, move=line, expect=expect)
        if kind == "undo" and self.rng.random() < 0.4:
            await self.try_(guest, "redo", room=room)

    async def get_ready(self, guest: Guest, room: str) -> None:
        """Be ready, or no longer; a good many times."""
        on = None if self.rng.random() < 0.85 else False
        await self.try_(guest, "ready", room=room, on=on)

    async def join(self, guest: Guest, room: str) -> None:
        """Come in, sit down or only look on from now on."""
        state = await self.state(room)
        sits = self.rng.random() < 0.7 or state.seat_of(guest.id)
        role = "player" if sits and not guest.looks_on else "spectator"
        mirror = guest.session.mirrors.get(room)
        resume: Plain = {}
        if mirror and self.rng.random() < 0.5:
            resume = {"from_": mirror.seq, "hash": mirror.hash}
        answer = await self.try_(guest, "join", room=room, role=role, **resume)
        if answer["t"] == "error" and role == "player":
            await self.try_(guest, "join", room=room)

    async def leave(self, guest: Guest, room: str) -> None:
        """Go out of a room."""
        await self.try_(guest, "leave", room=room)
        guest.session.forget(room)

    async def cut(self, guest: Guest, room: str) -> None:
        """Lose the connection."""
        await guest.cut()

    async def seek(self, guest: Guest, room: str) -> None:
        """Look at the room as it was; the same as was seen then."""
        at = self.rng.randint(1, guest.session.mirrors[room].seq)
        answer = await self.try_(guest, "view", room=room, at=at)
        if answer["t"] == "error":
            return
        state = (await self.running.app.rooms.get(room)).people.stage(guest.id).state
        seen = self.shown.get((room, at, state.audience(guest.id)))
        view = msgspec.convert(answer["view"], View)
        assert seen is None or view == seen

    async def read(self, guest: Guest, room: str) -> None:
        """A page of the history; the hashes lead through it."""
        mirror = guest.session.mirrors[room]
        first, limit = self.rng.randint(1, mirror.seq), self.rng.randint(1, 40)
        page = await self.try_(guest, "history", room=room, from_=first, limit=limit)
        events = msgspec.convert(page.get("events", []), list[Event])
        assert [event.seq for event in events] == list(range(first, first + len(events)))
        live = (await self.running.app.rooms.get(room)).live
        hash_ = bytes.fromhex(live.hash_at(first - 1))
        for event in events:
            hash_ = chain(hash_, event)
            assert hash_.hex() == live.hash_at(event.seq)

    async def say(self, guest: Guest, room: str) -> None:
        """A comment, or none any more."""
        if self.rng.random() < 0.2:
            await self.try_(guest, "comments", room=room, on=self.rng.random() < 0.5)
        await self.try_(guest, "say", room=room, text=f"at {self.fake.ms}")

    async def fork(self, guest: Guest, room: str) -> None:
        """Go on from some event: of a finished game, or of one's own."""
        at, board = self.rng.randint(1, guest.session.mirrors[room].seq), None
        if self.rng.random() < 0.3:
            board = self.rng.randint(0, 2)
        self.adopt(await self.try_(guest, "fork", room=room, at=at, board=board))

    async def go_on(self, guest: Guest, room: str) -> None:
        """The next deal."""
        self.adopt(await self.try_(guest, "rematch", room=room))

    async def resign(self, guest: Guest, room: str) -> None:
        """Give up, now and then; somebody makes a new room."""
        await self.try_(guest, "resign", room=room)
        await self.create(guest, self.rng.choice(WISHES))

    async def present(self, guest: Guest, room: str) -> None:
        """Show a finished game, or move about in it."""
        recorded = guest.session.mirrors[room].course.recorded
        if recorded:
            control = {"at": self.rng.randint(1, recorded.seq), "playing": True}
            await self.try_(guest, "control", room=room, control=control)
        else:
            self.adopt(await self.try_(guest, "present", room=room))

    # What holds

    async def settle(self) -> None:
        """Let a little time pass, and compare what everybody holds with what the server has."""
        self.fake.pass_time(self.rng.choice([0.0, 0.1, 0.5, 1.5]))
        await wake(self.running)
        self.running.app.rooms.tell_presence()
        for guest in self.guests * 2:  # who comes back may be seen by others
            await guest.ask("ping")
        for guest in self.guests:
            heads = (await guest.ask("ping"))["heads"]
            assert heads.keys() >= guest.session.mirrors.keys()
            for room, mirror in guest.session.mirrors.items():
                stage = (await self.running.app.rooms.get(room)).people.stage(guest.id)
                audience = stage.state.audience(guest.id)
                assert (mirror.seq, mirror.hash) == (stage.seq, stage.hash_at(stage.seq))
                assert tuple(heads[room]) == (mirror.seq, mirror.hash)
                assert mirror.view == stage.state.view(audience), f"{guest.name} in {room}"
                self.shown[room, mirror.seq, audience] = mirror.view
        self.running.app.rooms.sweep()


async def test_a_storm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.server.app.TICK_SECONDS", 3600)
    seed = int(os.environ.get("STORM_SEED") or int.from_bytes(os.urandom(4)))
    print(f"again with STORM_SEED={seed}")
    fake, log = Fake(), MemoryLog()
    async with running_server(log, fake.world) as running, AsyncExitStack() as stack:
        storm = Storm(running, fake, Random(seed))
        for number in range(7):
            token = storm.guests[number - 5].token if number >= 5 else None
            guest = Guest(running.url, f"guest {number}", list(Encoding)[number % 2], token)
            await guest.connect()
            stack.push_async_callback(guest.close)
            storm.guests.append(guest)
        for wish in WISHES:
            await storm.create(storm.rng.choice(storm.guests[:5]), wish)
        for number in range(MOST_STEPS):
            await storm.step()
            if number % RACES == 0:
                await storm.race()
            if number % SETTLED == 0:
                await storm.settle()
            if number >= STEPS and number % 100 == 0 and not storm.lacks():
                break
        await storm.settle()
        assert not storm.lacks(), storm.granted
        for room in storm.rooms:
            first, *rest = await log.read(room)
            state = RoomState(first)
            for record in rest:
                state.apply(record)
            there = await running.app.rooms.get(room)
            assert state.open_view() == there.state.open_view()
            assert state.opened == there.state.opened
