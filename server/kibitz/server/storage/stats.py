"""How much is in a file: one pass over the rooms' entries, in memory for none of them."""

import sqlite3
from collections import Counter
from pathlib import Path

import msgspec

from ..log.record import UNREADABLE, read_info
from ..room.ids import is_room_id
from .opening import has_archive, reading
from .schema import version_of


class Stats(msgspec.Struct):
    """What is in a file.

    Attributes:
        schema: The version of its form.
        size: Bytes of the file. free: Of them, those that will be used again.
        rooms, archived: Rooms as they were played, and those put away.
        records: Accepted commands of the former.
        games, modes, statuses: How many rooms of each.
        damaged: The rooms whose entry cannot be read; nothing more is known of them.
        oldest, newest: When the first room that is there was made, and when the last thing
            happened, Unix ms.

    """

    schema: int
    size: int
    free: int
    rooms: int = 0
    archived: int = 0
    records: int = 0
    games: dict[str, int] = {}
    modes: dict[str, int] = {}
    statuses: dict[str, int] = {}
    damaged: list[str] = []
    oldest: int | None = None
    newest: int | None = None


def stats_of(path: Path) -> Stats:
    """Count what is in a file.

    Raises:
        UnreadableFile: It is none of ours.
        sqlite3.Error: It is damaged.

    """
    with reading(path) as db:
        page, pages, free = (
            _one(db, f"pragma {name}") for name in ("page_size", "page_count", "freelist_count")
        )
        stats = Stats(version_of(db, path), page * pages, page * free)
        stats.records = _one(db, "select count(*) from record")
        if has_archive(db):
            stats.archived = _one(db, "select count(*) from archive")
        games, modes, statuses = Counter[str](), Counter[str](), Counter[str]()
        for id_, stored in db.execute("select id, info from room order by number"):
            stats.rooms += 1
            try:
                info = read_info(stored)
            except UNREADABLE:
                stats.damaged.append(id_ if is_room_id(id_) else ascii(id_))
                continue
            games[info.game] += 1
            modes[info.mode] += 1
            statuses[info.status] += 1
            stats.oldest = min(stats.oldest or info.started, info.started)
            stats.newest = max(stats.newest or 0, info.updated or info.started)
    stats.games, stats.modes, stats.statuses = dict(games), dict(modes), dict(statuses)
    return stats


def _one(db: sqlite3.Connection, query: str) -> int:
    (value,) = db.execute(query).fetchone()
    return int(value)
