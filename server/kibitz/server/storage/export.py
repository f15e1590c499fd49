"""Rooms of a file as replay texts and as JSON, one file each.

Promises: as the server would show them to anybody: finished games whole, of the others nothing
that has not been turned up; ``whole`` names every card. One room is in memory at a time; one that
is damaged costs no other.
"""

import os
import sqlite3
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

from kibitz.protocol.codes import Refused

from ..log.memory import MemoryLog
from ..log.record import UNREADABLE, read_info, read_record
from ..room.audience import EVERYTHING
from ..room.ids import is_room_id
from ..room.past import Past
from ..room.room import Room
from ..visitor import checked_board
from ..world import World
from .backup import NotCopied, put
from .check import Fault, misnamed, words_of
from .kept import read_kept
from .opening import has_archive, reading

MODE, FOLDER_MODE = 0o600, 0o700
"""Of what is written: rooms that are not for everybody, and their names, are for the operator."""


class NoRoom(Exception):
    """There is no such room in the file."""


async def export(
    data: Path, folder: Path, world: World, *, room: str | None, whole: bool, force: bool
) -> AsyncIterator[Path | Fault]:
    """Write the replays of rooms into a folder.

    Args:
        data: The file.
        folder: Where they go; made if it is not there.
        world: Tells which of a game that is shown late may be seen.
        room: The one that is wanted; ``None``: all.
        whole: Whether hidden cards are named.
        force: Whether what is there is written anew.

    Yields:
        Each file, once it is there; of a room that cannot be read, what is wrong.

    Raises:
        NoRoom: There is none.
        NotCopied: One could not be written.
        UnreadableFile: The file is none of ours.

    """
    found = False
    with reading(data) as db:
        _make(folder)
        query = "select id, info from room where ?1 is null or id = ?1 order by number"
        for id_, stored in db.execute(query, (room,)):
            found = True
            if not is_room_id(id_):  # the file would be written where it says
                yield misnamed(id_)
                continue
            try:
                async for name, text in _replays(*await _read(db, id_, stored, world), whole):
                    yield _written(folder / f"{id_}.{name}", text, force)
            except NotCopied:
                raise
            except Exception as error:  # whatever it is that it holds: the others are sound
                yield Fault(id_, f"it cannot be read: {words_of(error)}")
        query = "select id, data from archive where ?1 is null or id = ?1 order by number"
        for id_, stored in db.execute(query, (room,)) if has_archive(db) else ():
            found = True
            if not is_room_id(id_):
                yield misnamed(id_)
                continue
            try:
                boards = read_kept(stored).texts
            except (*UNREADABLE, zlib.error) as error:
                yield Fault(id_, f"its archive cannot be read: {words_of(error)}")
                continue
            for board, kept in enumerate(boards):
                if kept:
                    path = folder / f"{id_}.{_name(board, len(boards))}"
                    yield _written(path, kept.encode(), force)
    if room is not None and not found:
        raise NoRoom(f"there is no room {room} in {data}")


async def _read(db: sqlite3.Connection, id_: str, info: bytes, world: World) -> tuple[Room, Past]:
    """A room of the file, in memory."""
    log = MemoryLog()
    rows = db.execute("select data from record where room = ? order by last", (id_,))
    records = [read_record(data) for (data,) in rows]
    if not records:
        raise ValueError("it has no records")
    await log.append(id_, 0, records, read_info(info))
    return Room(id_, log, world, records), Past(log)


async def _replays(room: Room, past: Past, whole: bool) -> AsyncIterator[tuple[str, bytes]]:
    """What there is of a room: its events, and a text of each board."""
    stage = room.live if whole else room.people.public_stage()
    if stage is None:  # it is shown late, and nothing yet
        return
    state = stage.state
    audience = EVERYTHING if whole else state.audience(None)
    yield "replay.json", await past.replay_json(room, stage, audience, whole=whole)
    for board in range(len(state.positions)):
        try:
            checked_board(state, board, audience)
        except Refused:
            continue
        name = _name(board, len(state.positions))
        yield name, await past.replay_text(room, stage, board, whole=whole)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise NotCopied(f"{folder}: {error.strerror}") from error


def _name(board: int, boards: int) -> str:
    return f"{board}.replay.txt" if boards > 1 else "replay.txt"


def _written(path: Path, text: bytes, force: bool) -> Path:
    if path.exists() and not force:
        raise NotCopied(f"{path} is there already; --force writes it anew")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE), "wb") as file:
            file.write(text)
        put(part, path)
    except OSError as error:
        raise NotCopied(f"{path}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    return path
