"""Logs written by version 1 of the record format read for ever, into the same positions.

Each line of a golden file is one stored record, hex; ``records.json`` says where it leads. The
files were made once by ``python tests/server/test_golden.py`` and are never made again.
"""

import asyncio
import json
from pathlib import Path
from random import Random

import msgspec
import pytest
from worlds import Fake

from kibitz.engine.game import moves
from kibitz.engine.games import GAMES
from kibitz.protocol.requests import Create, Move, Restart, Say, Undo
from kibitz.server.identity import Identity
from kibitz.server.log_memory import MemoryLog
from kibitz.server.record import read_record, write_record
from kibitz.server.room import Room
from kibitz.server.rooms import Rooms

FOLDER = Path(__file__).parents[1] / "golden" / "v1"
EXPECTED = FOLDER / "records.json"
WHO = Identity("annannannann", "Ann")


def replayed(stored: list[bytes]) -> Room:
    """The room that the records make."""
    return Room("golden", MemoryLog(), Fake().world, [read_record(data) for data in stored])


def summary(room: Room) -> dict[str, object]:
    """Where a room stands: number, hash, and everything that everybody sees."""
    view: object = msgspec.to_builtins(room.state.view())
    return {"seq": room.seq, "hash": room.hash_at(room.seq), "view": view}


@pytest.mark.parametrize("game", GAMES)
def test_golden_log_leads_to_the_same_position(game: str) -> None:
    stored = [bytes.fromhex(line) for line in (FOLDER / f"{game}.records").read_text().split()]
    room = replayed(stored)
    expected = json.loads(EXPECTED.read_text())[game]
    assert json.loads(json.dumps(summary(room))) == expected
    assert [write_record(read_record(data)) for data in stored] == stored


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


def make() -> None:
    """Write the golden files; refuses to do it twice."""
    assert not EXPECTED.exists(), "golden files are made once"
    expected = {}
    for game in GAMES:
        stored = asyncio.run(played(game))
        (FOLDER / f"{game}.records").write_text("".join(data.hex() + "\n" for data in stored))
        expected[game] = summary(replayed(stored))
    EXPECTED.write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    make()
