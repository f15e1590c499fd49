"""A copy takes the place of a file: checked, never while a server has it, never by halves."""

import asyncio
import contextlib
import os
import shutil
import signal
import sqlite3
import sys
from pathlib import Path

import pytest
from processes import standby
from server.storage.files import OLD, admin, filled, names, rooms_of, spoil
from talk import talking

from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.storage.restore import restore
from kibitz.server.storage.schema import SCHEMA_VERSION, UnreadableFile

_RESTORE = """
import os, signal, sys
from pathlib import Path
from kibitz.server.storage import restore

left = int(sys.argv[3])

def count(event, arguments):
    global left
    if event in ("os.rename", "os.link", "os.remove", "open", "os.truncate", "sqlite3.connect"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
restore.restore(Path(sys.argv[1]), Path(sys.argv[2]))
"""


async def test_a_backup_is_restored_and_the_old_file_is_kept(tmp_path: Path) -> None:
    data = tmp_path / "kibitz.db"
    async with standby(data) as process:
        async with talking(await process.start()) as ann:
            first = (await ann.ok("create", game="klondike", deal="1"))["room"]
            assert (await admin(tmp_path, "backup", "copy")).code == 0
            second = (await ann.ok("create", game="montana"))["room"]
        in_use = await admin(tmp_path, "restore", "copy")
        assert in_use.code == 2 and "in use by another kibitz process" in in_use.err
        await process.kill()  # what it wrote last is in the file beside
    data.chmod(0o640)
    done = await admin(tmp_path, "restore", "copy")
    assert (done.code, done.err) == (0, "") and "kibitz.db.old-1" in done.out
    assert data.stat().st_mode & 0o777 == 0o640
    assert [name for name in names(tmp_path) if "part" in name or name.endswith("-shm")] == []
    assert await rooms_of(data) == [first]
    assert await rooms_of(tmp_path / "kibitz.db.old-1") == [first, second]
    done = await admin(tmp_path, "restore", "kibitz.db.old-1")
    assert "kibitz.db.old-2" in done.out
    assert await rooms_of(data) == [first, second]


async def test_where_there_is_no_file_there_is_one_afterwards(tmp_path: Path) -> None:
    made = await filled(tmp_path / "copy")
    done = await admin(tmp_path, "restore", "copy", "--data", "new.db")
    assert (done.code, done.out) == (0, "new.db: restored\n")
    assert await rooms_of(tmp_path / "new.db") == made
    assert (tmp_path / "new.db").stat().st_mode & 0o777 == 0o600


async def test_what_is_no_sound_copy_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    await filled(tmp_path / "kibitz.db")
    for name in ("cut", "torn", "later", "gap"):
        shutil.copy(tmp_path / "kibitz.db", tmp_path / name)
    (tmp_path / "text").write_text("no copy of anything" * 99)
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    with (tmp_path / "cut").open("r+b") as file:
        file.truncate(9000)
    spoil(tmp_path / "torn", 3)
    for name, statement in (
        ("later", f"pragma user_version={SCHEMA_VERSION + 1}"),
        ("gap", "delete from record where last = 3"),
    ):
        with contextlib.closing(sqlite3.connect(tmp_path / name, isolation_level=None)) as db:
            db.execute(statement)
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in names(tmp_path)}
    for name, says in (
        ("cut", "malformed"),
        ("torn", "damaged"),
        ("gap", "does not follow event"),
        ("later", f"its schema is {SCHEMA_VERSION + 1}, this version reads up to {SCHEMA_VERSION}"),
        ("text", "is not a kibitz database"),
        ("empty", "is empty"),
        ("folder", "there is no such file"),
        ("none", "there is no such file"),
        ("kibitz.db", "is the file itself"),
    ):
        done = await admin(tmp_path, "restore", name)
        assert done.code == 2 and says in done.err, (name, done)
        now = {name: (tmp_path / name).stat().st_mtime_ns for name in names(tmp_path)}
        assert now == before, name


async def test_a_file_that_is_damaged_beyond_reading_is_replaced(tmp_path: Path) -> None:
    made = await filled(tmp_path / "copy")
    (tmp_path / "kibitz.db").write_bytes(os.urandom(50_000))
    (tmp_path / "kibitz.db-wal").write_bytes(os.urandom(50_000))
    done = await admin(tmp_path, "restore", "copy")
    assert done.code == 0
    assert await rooms_of(tmp_path / "kibitz.db") == made
    assert (tmp_path / "kibitz.db.old-1-wal").exists()


async def test_an_old_copy_is_restored_and_brought_forward(tmp_path: Path) -> None:
    shutil.copy(OLD / "schema-1.sqlite", tmp_path / "copy")
    assert (await admin(tmp_path, "restore", "copy")).code == 0
    assert len(await rooms_of(tmp_path / "kibitz.db")) > 10


async def test_who_is_killed_while_restoring_loses_neither_file(tmp_path: Path) -> None:
    source, made = tmp_path / "copy", await filled(tmp_path / "copy", 3)
    old = await filled(tmp_path / "was", 5)
    ends = []
    for place in range(60):
        folder = tmp_path / str(place)
        folder.mkdir()
        data = folder / "k.db"
        shutil.copy(tmp_path / "was", data)
        data.with_name("k.db-wal").write_bytes(b"no log at all" * 999)
        command = (sys.executable, "-c", _RESTORE, str(source), str(data), str(place))
        process = await asyncio.create_subprocess_exec(*command)
        code = await process.wait()
        assert code in (0, -signal.SIGKILL)
        ends.append(await rooms_of(data) if data.stat().st_nlink == 1 else [])
        if not ends[-1]:
            with pytest.raises(UnreadableFile, match="more than one name"):
                SqliteLog(data)
            restore(source, data)
            assert await rooms_of(data) == made
        if code == 0:
            break
    assert ends[0] == old and ends[-1] == made
    assert all(end in (old, [], made) for end in ends)
