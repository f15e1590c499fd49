"""The form of the file: which version it has, and how one becomes the next.

Promises: a file is brought forward step by step, each in one transaction, so that whoever is
killed in the middle leaves the file as it was before that step. A file of a later version and one
of another program are left alone, and one with anything in its schema that is not ours, such as a
trigger: it could undo what has been acknowledged. Never: records, what they mean, or a step back.
"""

import contextlib
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import structlog

MAGIC = b"SQLite format 3\0"
"""How every SQLite file begins."""
_FIRST_NEEDED = {("table", "record"), ("table", "room")}
"""What a file of the first version has: some had no secrets yet. A later one has all of ours."""
_OF_SQLITE = {("table", f"sqlite_stat{number}") for number in (1, 3, 4)}
"""What SQLite may add by itself, when somebody lets it count."""
MAX_WORDS = 60
"""Characters that are shown of what a file calls something."""

_FIRST = (
    """create table if not exists record (
        room text not null, last integer not null, data blob not null, primary key (room, last)
    ) without rowid""",
    """create table if not exists room (
        number integer primary key, id text not null unique, last integer not null,
        info blob not null
    )""",
    "create table if not exists secret (name text not null primary key, value blob not null)",
)
_ARCHIVE = (
    """create table archive (
        number integer primary key, id text not null unique, last integer not null, daily text,
        info blob not null, data blob not null
    )""",
    "create index archive_daily on archive (daily) where daily is not null",
)
_KEPT = ("create table kept (name text not null primary key, value blob not null)",)
STEPS: Sequence[Sequence[str]] = (_FIRST, _ARCHIVE + _KEPT)
"""The statements that lead from version 0, an empty file, to 1, from there to 2, ..."""
SCHEMA_VERSION = len(STEPS)


log = structlog.get_logger("kibitz.storage")


class UnreadableFile(Exception):
    """The file is no log, or one of a later version."""


def is_sqlite(path: Path) -> bool:
    """Whether a file is an SQLite file, or an empty one.

    Not in the process that has it open with SQLite: closing it would drop the locks.
    """
    with path.open("rb") as file:
        return file.read(len(MAGIC)) in (b"", MAGIC)


def version_of(db: sqlite3.Connection, path: Path) -> int:
    """The version of the file, 0 of an empty one; looked at before anything is changed.

    Raises:
        UnreadableFile: It is a later one, or the file is another program's, or changed by one.

    """
    (version,) = db.execute("pragma user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise UnreadableFile(
            f"{path} was written by a later version of kibitz: its schema is {version},"
            f" this version reads up to {SCHEMA_VERSION}"
        )
    found, ours = _objects(db), _ours(max(version, 0))
    needed = ours.keys() if version > 1 else _FIRST_NEEDED
    if (found and version < 1) or (version and not found.keys() >= needed):
        raise UnreadableFile(f"{path} is a database of another program")
    for (kind, name), made in found.items():
        if (kind, name) in _OF_SQLITE:
            continue
        if (kind, name) not in ours:
            raise UnreadableFile(
                f"{path} has something that is not ours, the {_shown(kind)} {_shown(name)}"
            )
        if made != ours[kind, name]:
            raise UnreadableFile(f"{path} has another {kind} {name} than ours")
    return int(version)


Objects = Mapping[tuple[str, str], tuple[str, str]]
"""What there is in a schema, by kind and name: its table, and the statement that makes it."""


def _objects(db: sqlite3.Connection) -> Objects:
    rows = db.execute("select type, name, tbl_name, sql from sqlite_schema")
    return {
        (str(kind), str(name)): (str(table), " ".join(str(sql).split()))
        for kind, name, table, sql in rows
    }


@cache
def _ours(version: int) -> Objects:
    """What is in a file of a version that nobody else has touched."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        for step in STEPS[:version]:
            for statement in step:
                db.execute(statement)
        return _objects(db)


def _shown(found: str) -> str:
    """What a file says, on one line and as plain letters."""
    return ascii(found[:MAX_WORDS])[1:-1]


def migrate(db: sqlite3.Connection, path: Path) -> None:
    """Bring the file to the present version.

    Raises:
        UnreadableFile: It is a later one, or the file is another program's.
        sqlite3.Error: It cannot be written; it is at one of the versions between.

    """
    version = version_of(db, path)
    for step in range(version if version > 1 else 0, SCHEMA_VERSION):  # the first 1 had no secrets
        _step(db, step)
        if version:
            log.info("upgraded", schema=step + 1)


def _step(db: sqlite3.Connection, step: int) -> None:
    db.execute("begin immediate")
    try:
        for statement in STEPS[step]:
            db.execute(statement)
        db.execute(f"pragma user_version={step + 1}")
        db.execute("commit")
    except BaseException:
        db.execute("rollback")
        raise
