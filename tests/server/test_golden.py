"""Logs written by version 1 of the record format read for ever, into the same positions.

Each line of a golden file is one stored record, hex; ``records.json`` says where it leads, and
``rooms.json`` of rooms that are more than one board: races, the deal of the day, a replay room, a
room that is shown late, what follows from another one; ``fair-rooms.json`` of rooms that have
committed themselves to their cards. The files were made once by
``PYTHONPATH=tests python tests/server/test_golden.py``, which leaves those that are there as they
are, and are never made again.
"""

import asyncio
import dataclasses
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import msgpack
import msgspec
import pytest
from plays import NEAR_WIN, WINNING
from servers import ANY
from worlds import START_MS, Fake

from kibitz.engine.game import moves
from kibitz.engine.games import GAMES
from kibitz.protocol.course import standings
from kibitz.protocol.requests import (
    Change,
    Comments,
    Create,
    Move,
    PolicyWish,
    Present,
    Ready,
    Redo,
    Resign,
    Restart,
    Say,
    Steer,
    Undo,
)
from kibitz.protocol.views import Control
from kibitz.server.identity import Identity
from kibitz.server.lobby.rooms import Rooms
from kibitz.server.lobby.succession import start_at
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import read_record, write_record
from kibitz.server.room.audience import NOTHING
from kibitz.server.room.room import Room

FOLDER = Path(__file__).parents[1] / "golden" / "v1"
EXPECTED = FOLDER / "records.json"
ROOMS = FOLDER / "rooms.json"
FAIR_ROOMS = FOLDER / "fair-rooms.json"
WHO = Identity("annannannann", "Ann")
BOB, CID = Identity("bobbobbobbob", "Bob"), Identity("cidcidcidcid", "Cid")
DELAY = 60


def plain(stored: bytes) -> object:
    """What a stored record says, in its order; how wide msgpack's headers are says nothing."""
    return msgpack.unpackb(stored, object_pairs_hook=list)


def replayed(stored: list[bytes]) -> Room:
    """The room that the records make."""
    return Room("golden", MemoryLog(), Fake().world, [read_record(data) for data in stored])


def summary(room: Room) -> dict[str, object]:
    """Where a room stands: number, hash, and everything that everybody sees."""
    view: object = msgspec.to_builtins(room.state.view())
    return {"seq": room.seq, "hash": room.live.hash_at(room.seq), "view": view}


@pytest.mark.parametrize("game", GAMES)
def test_golden_log_leads_to_the_same_position(game: str) -> None:
    stored = [bytes.fromhex(line) for line in (FOLDER / f"{game}.records").read_text().split()]
    room = replayed(stored)
    expected = json.loads(EXPECTED.read_text())[game]
    assert json.loads(json.dumps(summary(room))) == expected
    assert [plain(write_record(read_record(data))) for data in stored] == [*map(plain, stored)]


async def played(game: str) -> list[bytes]:
    """The records of a game played by chance, with everything in it that a log can hold."""
    world, rng = Fake(), Random(7)
    log = MemoryLog()
    room = await Rooms(log, world.world).create(Create(game=game, deal="golden"), WHO)
    for step in range(60):
        world.pass_time(0.5)
        state = room.state
        legal = moves(state.game, state.positions[0].board.table)
        if step == 20:
            await room.submit(Undo(room=room.id), WHO)
        elif step == 25:
            await room.submit(Say(room=room.id, text="so far, so good"), WHO)
        elif step == 40:
            await room.submit(Restart(room=room.id), WHO)
        elif legal:
            line = state.text.write(rng.choice(legal))
            await room.submit(Move(room=room.id, move=line, i=f"step-{step}"), WHO)
    return [write_record(record) for record in await log.read(room.id)]


class Stage:
    """A server without sockets, on which a room is played for a golden file."""

    def __init__(self) -> None:
        self.world = Fake(seed=b"golden rooms")
        self.log = MemoryLog()
        self.rooms = Rooms(self.log, self.world.world, ANY)

    async def create(self, **wish: object) -> Room:
        """A new room of Ann's."""
        return await self.rooms.create(Create(**wish), WHO)  # type: ignore[arg-type]

    async def do(self, room: Room, who: Identity, *requests: Change) -> None:
        """Let somebody do some things, a second each."""
        for request in requests:
            self.world.pass_time(1)
            await room.submit(request, who)

    async def race(self, *racers: Identity, **wish: object) -> Room:
        """A race that has begun, after a false start."""
        room = await self.create(mode="race", seats=len(racers) + 1, **wish)
        for racer in racers[1:]:
            await room.sit(racer)
        for on in (True, False, True):
            for racer in racers:
                await self.do(room, racer, Ready(room=room.id, on=on))
        await room.stand_up(racers[-1])
        await room.sit(racers[-1])
        await self.do(room, racers[-1], Ready(room=room.id))
        self.world.pass_time(5)
        await room.wake()
        return room

    async def finished(self, **wish: object) -> Room:
        """A game that has been won."""
        room = await self.create(game="klondike", save=NEAR_WIN, **wish)
        await self.do(room, WHO, *(Move(room=room.id, move=move) for move in WINNING))
        return room


async def a_race(stage: Stage) -> Room:
    """One wins, one gives up, one runs out of time, one never came; then a rematch."""
    room = await stage.race(WHO, BOB, CID, game="klondike", save=NEAR_WIN, limit=100)
    id_ = room.id
    await stage.do(room, CID, Move(room=id_, move=WINNING[0], i="first"), Undo(room=id_))
    await stage.do(room, CID, Redo(room=id_), Restart(room=id_))
    await stage.do(room, WHO, Move(room=id_, move=WINNING[0]), Move(room=id_, move=WINNING[1]))
    await stage.do(room, BOB, Comments(room=id_, on=False), Comments(room=id_, on=True))
    await stage.do(room, BOB, Say(room=id_, text="well run"), Resign(room=id_))
    stage.world.pass_time(100)
    await room.wake()
    await stage.rooms.rematch(room, BOB)
    return room


async def a_race_by_chance(stage: Stage) -> Room:
    """Two play Aces Up until they are stuck; it has not ended."""
    room = await stage.race(WHO, BOB, game="aces-up", deal="golden")
    rng = Random(9)
    for _ in range(120):
        who = rng.choice((WHO, BOB))
        state = room.state
        table = state.positions[state.board_of(who.id)].board.table
        if legal := moves(state.game, table):
            line = state.text.write(rng.choice(legal))
            await stage.do(room, who, Move(room=room.id, move=line))
    return room


async def a_rematch(stage: Stage) -> Room:
    """The third game of a series, with a password."""
    room = await stage.finished(visibility="private", password="cats")
    for _ in range(2):
        room = await stage.rooms.rematch(room, WHO)
        await stage.do(room, WHO, Move(room=room.id, move="discard"), Resign(room=room.id))
    return room


async def a_daily(stage: Stage) -> Room:
    """The deal of the day, played on with a shuffle."""
    await stage.rooms.open()
    room = await stage.rooms.daily(Create(game="montana", daily=True), WHO)
    await stage.do(room, WHO, Move(room=room.id, move="s"), Undo(room=room.id))
    return room


async def a_replay(stage: Stage) -> Room:
    """A replay room in which the controls have changed hands."""
    old = await stage.finished()
    room = await stage.rooms.present(Present(room=old.id), old, WHO)
    controls = Control(at=3, playing=True, speed=400), Control(at=2, playing=True, beat=500)
    await stage.do(room, WHO, *(Steer(room=room.id, control=control) for control in controls))
    await room.stand_up(WHO)
    await room.sit(BOB)
    await stage.do(room, BOB, Steer(room=room.id, control=Control(at=6)))
    return room


async def a_delayed(stage: Stage) -> Room:
    """A room that those without a seat see a minute late."""
    policy = PolicyWish(delay=DELAY)
    room = await stage.create(game="klondike-single", deal="golden", mode="coop", policy=policy)
    await room.sit(BOB)
    for number in range(100):
        await stage.do(room, (WHO, BOB)[number % 2], Move(room=room.id, move="sw"))
    return room


async def a_fork(stage: Stage) -> Room:
    """A fork of a live game."""
    old = await stage.create(game="thumb-and-pouch", deal="golden")
    await stage.do(old, WHO, Move(room=old.id, move="sw"))
    start = start_at(old.id, old.state, 0)
    wish = Create(game=start.game.name, visibility="unlisted")
    start = dataclasses.replace(start, parent=old.id)
    room = await stage.rooms.create(wish, WHO, start)
    await stage.do(room, WHO, Move(room=room.id, move="sw"))
    return room


MADE = {
    "race": a_race,
    "race-by-chance": a_race_by_chance,
    "rematch": a_rematch,
    "daily": a_daily,
    "replay": a_replay,
    "delayed": a_delayed,
    "fork": a_fork,
}


async def a_fair_shuffle(stage: Stage) -> Room:
    """Montana, shuffled, taken back and shuffled again, with a nonce, to its end."""
    room = await stage.create(game="montana", nonce="golden", options={"shuffles": 3})
    shuffle = Move(room=room.id, move="s")
    await stage.do(room, WHO, shuffle, Undo(room=room.id), shuffle, shuffle, Resign(room=room.id))
    return room


async def a_fair_race(stage: Stage) -> Room:
    """A race with a deal of secret and nonce, of which both give up."""
    begins = stage.world.ms + 5000
    room = await stage.create(
        game="thumb-and-pouch", mode="race", seats=2, begins=begins, nonce="race"
    )
    await room.sit(BOB)
    stage.world.pass_time(5)
    await room.wake()
    for who in (WHO, BOB):
        await stage.do(room, who, Move(room=room.id, move="sw"), Resign(room=room.id))
    return room


async def a_fair_fork(stage: Stage) -> Room:
    """A room that begins with a position of another one."""
    old = await stage.create(game="klondike", deal="golden")
    await stage.do(old, WHO, Move(room=old.id, move="discard"), Resign(room=old.id))
    start = start_at(old.id, old.state, 0)
    room = await stage.rooms.create(Create(game=start.game.name), WHO, start)
    await stage.do(room, WHO, Move(room=room.id, move="discard"))
    return room


FAIR_MADE = {
    "fair-shuffle": a_fair_shuffle,
    "fair-race": a_fair_race,
    "fair-fork": a_fair_fork,
}


NEWER = {"password"}
"""What entries say only since these files were written."""


def whole_summary(room: Room) -> dict[str, object]:
    """The same of a room that not everybody sees in the same way, and what follows from it."""
    state = room.state
    views = {who.name: state.view(state.audience(who.id)) for who in (WHO, BOB, CID)}
    late: dict[str, object] = {}
    entry = msgspec.to_builtins(room.whole_entry())
    assert entry.get("password", False) is (state.secret.password is not None)
    if state.policy.delay:
        late = {
            "seq": room.people.stage(None).seq,
            "hash": room.people.stage(None).hash_at(room.people.stage(None).seq),
        }
    more = {
        "views": views,
        "masked": state.view(NOTHING),
        "table": standings(state.view().boards, state.seats) if state.mode == "race" else [],
        "entry": {key: value for key, value in entry.items() if key not in NEWER},
        "late": late,
        "secret": state.secret,
        "due": room.due,
    }
    return {**summary(room), **{key: msgspec.to_builtins(value) for key, value in more.items()}}


def stored_of(name: str) -> list[bytes]:
    """The stored records of a golden file."""
    return [bytes.fromhex(line) for line in (FOLDER / f"{name}.records").read_text().split()]


@pytest.mark.parametrize("name", [*MADE, *FAIR_MADE])
def test_golden_room_leads_to_the_same_room(name: str) -> None:
    stored = stored_of(name)
    room = at_the_end(stored)
    expected = json.loads((ROOMS if name in MADE else FAIR_ROOMS).read_text())[name]
    assert json.loads(json.dumps(whole_summary(room))) == expected
    assert [plain(write_record(read_record(data))) for data in stored] == [*map(plain, stored)]


@pytest.mark.parametrize("name", FAIR_MADE)
def test_golden_commitments_are_made_in_the_same_way(name: str) -> None:
    state = at_the_end(stored_of(name)).state
    tree = state.tree()
    assert tree is not None and state.fair is not None and state.fair.root == tree.root


def at_the_end(stored: list[bytes]) -> Room:
    """The room that the records make, at the time of the last one."""
    records = [read_record(data) for data in stored]
    last = records[-1].events[-1].at
    fake = Fake(ms=(records[0].events[0].started or START_MS) + last)
    return Room("golden", MemoryLog(), fake.world, records)


def make() -> None:
    """Write the golden files that are not there."""
    if not EXPECTED.exists():
        expected = {}
        for game in GAMES:
            stored = asyncio.run(played(game))
            _write(game, stored)
            expected[game] = summary(replayed(stored))
        EXPECTED.write_text(json.dumps(expected, indent=1) + "\n")
    for path, plays in ((ROOMS, MADE), (FAIR_ROOMS, FAIR_MADE)):
        if not path.exists():
            expected = {}
            for name, play in plays.items():
                stored = asyncio.run(_made(play))
                _write(name, stored)
                expected[name] = whole_summary(at_the_end(stored))
            path.write_text(json.dumps(expected, indent=1) + "\n")


async def _made(play: Callable[[Stage], Awaitable[Room]]) -> list[bytes]:
    stage = Stage()
    room = await play(stage)
    return [write_record(record) for record in await stage.log.read(room.id)]


def _write(name: str, stored: list[bytes]) -> None:
    path = FOLDER / f"{name}.records"
    assert not path.exists(), "golden files are made once"
    path.write_text("".join(data.hex() + "\n" for data in stored))


if __name__ == "__main__":
    make()
