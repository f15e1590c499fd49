"""Games of an honest server, as it writes them down: every way in which a room comes to be."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from plays import NEAR_WIN, WINNING, legal
from servers import ANY
from worlds import Fake

from kibitz.engine.game import moves
from kibitz.protocol import requests as ask
from kibitz.protocol.requests import Create, Move, Redo, Resign, Restart, Say, Undo
from kibitz.protocol.views import Event
from kibitz.server.admin.orders import close
from kibitz.server.dealing.drawing import Wish, first_winnable
from kibitz.server.dealing.winnable import Asker, WinnableDeals
from kibitz.server.identity import Identity
from kibitz.server.lobby.creation import Start
from kibitz.server.lobby.pledges import Pledge
from kibitz.server.lobby.rooms import Rooms
from kibitz.server.lobby.succession import start_at
from kibitz.server.log.memory import MemoryLog
from kibitz.server.operation.metrics import Metrics
from kibitz.server.room.past import Past
from kibitz.server.room.room import Room

Plain = dict[str, Any]
Checks = dict[str, str]

ANN, BOB = Identity("annannannann", "Ann"), Identity("bobbobbobbob", "Bob")
ALL_OK: Checks = {"file": "ok", "chain": "ok", "openings": "ok", "deal": "ok", "rules": "ok"}
RUNNING: Checks = ALL_OK | {"deal": "open"}
"""Of a game that has not ended nobody can know yet where its deal came from."""
UNKNOWN: Checks = RUNNING | {"rules": "open"}
"""Nor what shuffles follow from, nor what lies on boards that are not shown."""
OLD: Checks = ALL_OK | {"openings": "open", "deal": "open"}
"""A room that has committed itself to nothing."""


class Desk:
    """A server without sockets, whose time and chance are fixed."""

    def __init__(self, seed: bytes = b"fairness") -> None:
        self.world = Fake(seed=seed)
        self.log = MemoryLog()
        self.rooms = Rooms(self.log, self.world.world, ANY)
        self.past = Past(self.log)

    async def create(self, start: Start | None = None, **wish: Any) -> Room:
        """A new room of Ann's."""
        return await self.rooms.create(Create(**wish), ANN, start)

    async def do(self, room: Room, who: Identity, *requests: ask.Change) -> None:
        """Let somebody do some things, a second each."""
        for request in requests:
            self.world.pass_time(1)
            await room.submit(request, who)

    async def moves(self, room: Room, *lines: str) -> None:
        """Some moves of Ann's."""
        await self.do(room, ANN, *(Move(room=room.id, move=line) for line in lines))

    async def by_chance(
        self, room: Room, steps: int, seed: int = 1, shuffles: bool = False
    ) -> None:
        """Moves of Ann's by chance, with everything in between that can be taken back."""
        rng = Random(seed)
        for step in range(steps):
            lines = [line for line in legal(room.state) if shuffles or line != "s"]
            if room.state.over:
                return
            if step % 7 == 5:
                await self.do(room, ANN, Undo(room=room.id))
                await self.do(room, ANN, Redo(room=room.id))
            elif lines:
                await self.moves(room, rng.choice(lines))

    async def race(self, **wish: Any) -> Room:
        """A race of Ann and Bob that has begun."""
        room = await self.create(mode="race", seats=2, begins=self.world.ms + 5000, **wish)
        await room.sit(BOB)
        self.world.pass_time(5)
        await room.wake()
        return room

    async def text(self, room: Room, who: Identity | None = None) -> str:
        """The replay as JSON, as somebody gets it."""
        id_ = who.id if who else None
        stage = room.people.stage(id_)
        said = await self.past.replay_json(room, stage, stage.state.audience(id_))
        return said.decode()

    def close(self) -> None:
        """Let the worker go."""
        self.past.close()


@dataclass(frozen=True)
class Told:
    """What somebody has downloaded, and what a verifier must make of it."""

    text: str
    checks: Checks


Play = Callable[[Desk], Awaitable[Told]]


async def klondike_running(desk: Desk) -> Told:
    room = await desk.create(game="klondike", nonce="Ann-s_nonce")
    await desk.by_chance(room, 60, seed=3)
    await desk.do(room, ANN, Restart(room=room.id), Say(room=room.id, text="once more: ♠ “so”"))
    return Told(await desk.text(room), RUNNING)


async def klondike_won_from_a_save(desk: Desk) -> Told:
    room = await desk.create(game="klondike", save=NEAR_WIN)
    await desk.moves(room, WINNING[0])
    await desk.do(room, ANN, Undo(room=room.id), Redo(room=room.id))
    await desk.moves(room, WINNING[1])
    return Told(await desk.text(room), ALL_OK)


async def klondike_single_resigned_with_a_nonce(desk: Desk) -> Told:
    pledge = Pledge()
    given = pledge.given(desk.world.random_bytes)
    wish = Create(
        game="klondike-single", nonce="x" * 64, pledge=given, options={"redeals": 1}, i="c1"
    )
    room = await desk.rooms.create(wish, ANN, pledge=pledge)
    await desk.by_chance(room, 90, seed=4)
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK)


async def thumb_and_pouch_running(desk: Desk) -> Told:
    room = await desk.create(game="thumb-and-pouch")
    await desk.by_chance(room, 80, seed=5)
    return Told(await desk.text(room), RUNNING)


async def aces_up_running(desk: Desk) -> Told:
    room = await desk.create(game="aces-up", mode="coop", seats=2)
    await room.sit(BOB)
    await desk.by_chance(room, 12, seed=6)
    return Told(await desk.text(room), RUNNING)


async def aces_up_of_a_deal_number_resigned(desk: Desk) -> Told:
    room = await desk.create(game="aces-up", deal="ms617", nonce="1")
    await desk.by_chance(room, 60, seed=7)
    await desk.do(room, ANN, Resign(room=room.id))
    text = await desk.text(room)
    assert '"kind":"stuck"' in text
    return Told(text, ALL_OK)


async def montana_running_without_a_shuffle(desk: Desk) -> Told:
    room = await desk.create(game="montana")
    await desk.by_chance(room, 9, seed=8)
    return Told(await desk.text(room), RUNNING)


async def _shuffled(desk: Desk, **wish: Any) -> Room:
    """Shuffle, take it back, shuffle again; take it back, move, and shuffle that."""
    room = await desk.create(game="montana", **wish)
    id_ = room.id
    await desk.by_chance(room, 4, seed=9)
    await desk.moves(room, "s")
    await desk.do(room, ANN, Undo(room=id_))
    await desk.moves(room, "s")
    await desk.do(room, ANN, Undo(room=id_))
    await desk.by_chance(room, 1, seed=10)
    await desk.moves(room, "s")
    await desk.by_chance(room, 3, seed=11)
    await desk.moves(room, "s")
    return room


async def montana_running_with_shuffles(desk: Desk) -> Told:
    room = await _shuffled(desk)
    return Told(await desk.text(room), UNKNOWN)


async def montana_resigned_with_shuffles(desk: Desk) -> Told:
    room = await _shuffled(desk, nonce="montana", options={"shuffles": 70})
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK)


async def nothing_has_happened(desk: Desk) -> Told:
    room = await desk.create(game="klondike-single")
    return Told(await desk.text(room), RUNNING)


async def _race(desk: Desk) -> Room:
    room = await desk.race(game="klondike-single", limit=100, deal="race")
    rng = Random(12)
    for _ in range(30):
        who = rng.choice((ANN, BOB))
        state = room.state
        table = state.positions[state.board_of(who.id)].board.table
        line = state.text.write(rng.choice(moves(state.game, table)))
        await desk.do(room, who, Move(room=room.id, move=line))
    return room


async def race_seen_by_a_racer(desk: Desk) -> Told:
    return Told(await desk.text(await _race(desk), BOB), UNKNOWN)


async def race_seen_by_a_stranger(desk: Desk) -> Told:
    return Told(await desk.text(await _race(desk)), UNKNOWN)


async def race_that_waits(desk: Desk) -> Told:
    room = await desk.create(game="montana", mode="race", seats=3)
    await room.sit(BOB)
    return Told(await desk.text(room), RUNNING)


async def race_ended(desk: Desk) -> Told:
    room = await _race(desk)
    await desk.do(room, BOB, Resign(room=room.id))
    desk.world.pass_time(100)
    await room.wake()
    return Told(await desk.text(room), ALL_OK)


async def race_won(desk: Desk) -> Told:
    room = await desk.race(game="klondike", save=NEAR_WIN)
    await desk.moves(room, *WINNING)
    for line in WINNING:
        await desk.do(room, BOB, Move(room=room.id, move=line))
    return Told(await desk.text(room), ALL_OK)


async def race_of_shuffles_ended(desk: Desk) -> Told:
    room = await desk.race(game="montana")
    await desk.do(room, BOB, Move(room=room.id, move="s"), Move(room=room.id, move="s"))
    await desk.moves(room, "s")
    for racer in (BOB, ANN):
        await desk.do(room, racer, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK)


async def _fork(desk: Desk) -> Room:
    old = await desk.create(game="montana")
    await desk.moves(old, "s")
    await desk.do(old, ANN, Resign(room=old.id))
    start = start_at(old.id, old.state, 0)
    room = await desk.create(start, game=start.game.name)
    await desk.by_chance(room, 3, seed=13)
    await desk.moves(room, "s")
    return room


async def fork_running(desk: Desk) -> Told:
    return Told(await desk.text(await _fork(desk)), UNKNOWN)


async def fork_ended(desk: Desk) -> Told:
    room = await _fork(desk)
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK)


async def rematch_ended(desk: Desk) -> Told:
    old = await desk.create(game="thumb-and-pouch", nonce="first")
    await desk.do(old, ANN, Resign(room=old.id))
    room = await desk.rooms.rematch(old, ANN)
    await desk.by_chance(room, 20, seed=14)
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK)


async def daily_ended(desk: Desk) -> Told:
    await desk.rooms.open()
    room = await desk.rooms.daily(Create(game="klondike", daily=True), ANN)
    await desk.by_chance(room, 20, seed=15)
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK)


class Here(WinnableDeals):
    """Looks for winnable deals in this process."""

    async def draw(self, created: Event, secret: bytes, nonce: str | None, asker: Asker) -> int:
        """The first draw that is found to be winnable."""
        wish = Wish(created.game or "", created.options or {}, secret.hex(), nonce or "")
        draw = first_winnable(wish, lambda: False, lambda draw: None)
        assert draw is not None
        return draw


async def winnable_deal_ended(desk: Desk) -> Told:
    desk.rooms.winnable = Here(0, Metrics(desk.log.meter))
    room = await desk.create(game="aces-up", winnable=True, nonce="Ann")
    await desk.by_chance(room, 20, seed=17)
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK)


async def room_closed_by_an_operator(desk: Desk) -> Told:
    """Its cards stay as they lie: nobody will ever see how they were dealt."""
    room = await desk.create(game="klondike-single")
    await desk.by_chance(room, 6, seed=16)
    desk.world.pass_time(1)
    await room.order(partial(close, "that is all"))
    return Told(await desk.text(room), RUNNING)


async def room_without_commitments(desk: Desk) -> Told:
    """As rooms were before there were any."""
    said = json.loads((await klondike_won_from_a_save(desk)).text)
    for events in (said["events"], said["open"]):
        del events[0]["fair"], events[-1]["opened"]["secret"]
    del said["sha256"]
    from .tampers import chained, plain_text

    return Told(plain_text(chained(said)), OLD)


HONEST: dict[str, Play] = {
    play.__name__.replace("_", "-"): play
    for play in (
        *(klondike_running, klondike_won_from_a_save, klondike_single_resigned_with_a_nonce),
        *(thumb_and_pouch_running, aces_up_running, aces_up_of_a_deal_number_resigned),
        *(montana_running_without_a_shuffle, montana_running_with_shuffles),
        *(montana_resigned_with_shuffles, nothing_has_happened, race_seen_by_a_racer),
        *(race_seen_by_a_stranger, race_that_waits, race_ended, race_won),
        *(race_of_shuffles_ended, fork_running, fork_ended, rematch_ended, daily_ended),
        *(winnable_deal_ended, room_closed_by_an_operator, room_without_commitments),
    )
}
