"""Which files are opened, and what happens to those of other versions and of other programs."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
from processes import run

from kibitz.server.log_sqlite import SqliteLog
from kibitz.server.storage.schema import SCHEMA_VERSION, UnreadableFile


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
