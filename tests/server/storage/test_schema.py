"""Which files are opened, and what happens to those of other versions and of other programs."""

import contextlib
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from processes import run
from servers import running_server
from structlog.testing import capture_logs
from talk import fetch, talking

from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.storage.backup import back_up
from kibitz.server.storage.check import Check
from kibitz.server.storage.restore import restore
from kibitz.server.storage.schema import SCHEMA_VERSION, UnreadableFile

OLD = Path(__file__).parents[2] / "golden" / "files"
"""Files that servers of earlier versions have left, by the version of their schema."""
_MIGRATE = """
import os, signal, sqlite3, sys
from pathlib import Path
from kibitz.server.storage.schema import migrate

left = int(sys.argv[2])

def count(statement):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("pragma journal_mode=wal")
db.set_trace_callback(count)
migrate(db, Path(sys.argv[1]))
"""


def old_file(folder: Path, version: int) -> Path:
    """A file as a server of an earlier version has left it."""
    path = folder / "k.db"
    shutil.copy(OLD / f"schema-{version}.sqlite", path)
    return path


def form_of(path: Path) -> tuple[int, dict[str, list[tuple[object, ...]]]]:
    """The version of a file and all that is in its tables."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        (version,) = db.execute("pragma user_version").fetchone()
        names = [n for (n,) in db.execute("select name from sqlite_schema where type = 'table'")]
        return version, {name: db.execute(f"select * from {name}").fetchall() for name in names}


def test_there_is_an_old_file_of_every_version() -> None:
    versions = {int(path.stem.partition("-")[2]) for path in OLD.iterdir()}
    assert versions == set(range(1, SCHEMA_VERSION))


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
async def test_an_old_file_is_brought_forward_and_loses_nothing(
    tmp_path: Path, version: int
) -> None:
    path = old_file(tmp_path, version)
    _, before = form_of(path)
    with capture_logs() as said:
        log = SqliteLog(path)
    forms = [line["schema"] for line in said if line["event"] == "upgraded"]
    assert forms[-1:] == [SCHEMA_VERSION] and len(forms) <= SCHEMA_VERSION
    entries = await log.rooms()
    assert len(entries) == len(before["room"]) > 10
    async with running_server(log) as running, talking(running.url) as ann:
        for entry in entries:
            status, text = await fetch(running.http, f"/rooms/{entry.id}/replay.json")
            if status == 200:
                assert len(json.loads(text)["events"]) == entry.seq
            else:
                assert status == 403, "a password"
        made = await ann.ok("create", game="klondike", deal="1")
        await ann.ok("move", room=made["room"], move="discard")
    now, after = form_of(path)
    assert now == SCHEMA_VERSION
    for table, rows in before.items():
        assert set(rows) <= set(after[table]), table


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_who_is_killed_while_bringing_it_forward_leaves_a_whole_file(
    tmp_path: Path, version: int
) -> None:
    path = old_file(tmp_path, version)
    _, whole = form_of(path)
    reached = []
    for statements in range(100):
        old_file(tmp_path, version)
        command = (sys.executable, "-c", _MIGRATE, str(path), str(statements))
        code = subprocess.run(command, timeout=60, check=False).returncode
        now, tables = form_of(path)
        assert (now == version) == (set(tables) == set(whole)), (statements, now)
        assert all(tables[table] == rows for table, rows in whole.items())
        reached.append(now)
        if code == 0:
            break
    assert reached[0] == version and reached[-1] == SCHEMA_VERSION and len(reached) > 4
    assert reached == sorted(reached)


async def test_a_file_of_a_later_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "k.db"
    await SqliteLog(path).close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"pragma user_version={SCHEMA_VERSION + 7}")
    before = path.read_bytes()
    code, said = await run("--data", str(path))
    assert code == 2
    assert f"its schema is {SCHEMA_VERSION + 7}, this version reads up to {SCHEMA_VERSION}" in said
    assert path.read_bytes() == before


CHANGES = {
    "not ours, the trigger undo": """create trigger undo after insert on record
        when new.last > 1 begin delete from record where room = new.room; end""",
    "not ours, the view seen": "create view seen as select data from record",
    "not ours, the table other": "create table other (name text)",
    "not ours, the index other": "create unique index other on record (room, last)",
    "not ours, the table a\\x1b[2J": 'create table "a\x1b[2J" (name text)',
    "another table room than ours": """drop table room; create table room (
        number integer primary key, id text not null unique on conflict ignore,
        last integer not null, info blob not null)""",
}
"""What is said of a file, and what somebody has done to it."""


@pytest.mark.parametrize("version", [1, SCHEMA_VERSION])
async def test_a_file_whose_schema_somebody_changed_is_refused_and_left_alone(
    tmp_path: Path, version: int
) -> None:
    """A trigger could undo what has been acknowledged; neither check nor restore takes it."""
    path, sound = tmp_path / "k.db", tmp_path / "sound.db"
    if version == SCHEMA_VERSION:
        await SqliteLog(path).close()
    else:
        old_file(tmp_path, version)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript("pragma journal_mode=delete; analyze")  # which adds tables of SQLite's
    assert list(Check(path).faults()) == []
    path.rename(sound)
    for said, change in CHANGES.items():
        shutil.copy(sound, path)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(change)
        before = path.read_bytes()
        for opening in (
            lambda: SqliteLog(path),
            lambda: list(Check(path).faults()),
            lambda: restore(path, tmp_path / "new.db"),
            lambda: back_up(path, tmp_path / "copy.db", force=False),
        ):
            with pytest.raises(UnreadableFile, match=re.escape(said)):
                opening()
        assert path.read_bytes() == before
        assert not (tmp_path / "new.db").exists() and not (tmp_path / "copy.db").exists()


@pytest.mark.parametrize("version", [0, 1, SCHEMA_VERSION])
async def test_a_database_of_another_program_is_refused_and_left_alone(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "k.db"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("create table room (number integer)")
        db.execute(f"pragma user_version={version}")
    before = path.read_bytes()
    with pytest.raises(UnreadableFile, match="another program"):
        SqliteLog(path)
    assert path.read_bytes() == before
