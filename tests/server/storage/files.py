"""The command ``kibitz admin``, and rooms to be kept in files."""

import contextlib
import os
import sqlite3
from pathlib import Path

from clients.commands import Command, Done
from servers import running_server
from talk import talking

from kibitz.protocol.views import RoomInfo
from kibitz.server.log.sqlite import SqliteLog

OLD = Path(__file__).parents[2] / "golden" / "files"
"""Files that servers of earlier versions have left, by the version of their schema."""


async def admin(folder: Path, *words: str) -> Done:
    """What the command says, run in a folder."""
    return await Command("", folder).run_here("admin", *words)


def names(folder: Path) -> list[str]:
    """All that is in a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


async def filled(path: Path, count: int = 4) -> list[str]:
    """A file with some rooms; their ids."""
    rooms = []
    async with running_server(SqliteLog(path)) as running, talking(running.url) as ann:
        for _ in range(count):
            room = (await ann.ok("create", game="klondike", deal="7"))["room"]
            rooms.append(room)
            for move in ("discard", "discard"):
                await ann.ok("move", room=room, move=move)
            if len(rooms) % 2:
                await ann.ok("resign", room=room)
            await ann.ok("leave", room=room)
    path.with_name(path.name + ".lock").unlink()
    return rooms


async def rooms_of(path: Path) -> list[str]:
    """The ids of the rooms in a file, as a server finds them."""
    log = SqliteLog(path)
    try:
        return [info.id for info in await log.rooms()]
    finally:
        await log.close()
        path.with_name(path.name + ".lock").unlink()


def pages_of(path: Path) -> list[str]:
    """What is on each page of a file, from the second on: a table, an index, or nothing."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
        (count,) = db.execute("pragma page_count").fetchone()
        kinds = [""] * (count + 1)
        for name, page in db.execute("select name, rootpage from sqlite_schema"):
            kinds[page] = str(name)
    return kinds


def spoil(path: Path, page: int, size: int = 4096) -> None:
    """Let a page of a file be what nobody wrote."""
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(os.urandom(size))


def entry(room: str, seq: int = 1) -> RoomInfo:
    """A room's entry in the lobby."""
    return RoomInfo(
        id=room,
        game="montana",
        mode="solo",
        players=["Ann"],
        seats=1,
        spectators=0,
        seq=seq,
        score=0,
        status="open",
        started=5,
        visibility="public",
    )
