"""What the log on a file promises beside what every log does: over restarts and kills, alone."""

import asyncio
import sqlite3
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from records import add, record
from server.storage.files import entry as info
from talk import PATIENCE

from kibitz.server.log.log import Conflict, LogFailure
from kibitz.server.log.sqlite import AT_ONCE, SqliteLog
from kibitz.server.storage.locking import FileInUse
from kibitz.server.storage.schema import UnreadableFile


async def test_a_file_keeps_what_is_put_away_over_a_restart_and_the_order_of_rooms(
    tmp_path: Path,
) -> None:
    for turn in range(3):
        log = SqliteLog(tmp_path / "k.db")
        for name in ("x", "y"):
            await add(log, f"{name}{turn}", 0)
        await log.put_away(f"y{turn}", 1, b"%d" % turn)  # the newest one
        if turn:
            await log.put_away(f"x{turn}", 1, b"")
        await log.close()
        with pytest.raises(LogFailure):
            await log.put_away("x0", 1, b"")
    log = SqliteLog(tmp_path / "k.db")
    await add(log, "z", 0)
    assert [entry.id for entry in await log.rooms()] == ["x0", "z"]
    for turn in range(3):
        found = await log.find_away(f"y{turn}")
        assert found is not None and found[1] == b"%d" % turn
        with pytest.raises(Conflict):
            await add(log, f"y{turn}", 0)
    await log.close()


async def test_a_file_keeps_records_and_order_over_a_restart(tmp_path: Path) -> None:
    first = SqliteLog(tmp_path / "k.db")
    made = [await add(first, "b", 0), await add(first, "a", 0), await add(first, "b", 1)]
    await first.close()
    await first.close()
    with pytest.raises(LogFailure):
        await add(first, "b", 2)
    second = SqliteLog(tmp_path / "k.db")
    assert await second.read("b") == [made[0], made[2]]
    assert [entry.id for entry in await second.rooms()] == ["b", "a"]
    with pytest.raises(Conflict):
        await add(second, "b", 1)
    await second.close()


async def test_a_file_refuses_a_second_opener_and_what_is_no_log(tmp_path: Path) -> None:
    first = SqliteLog(tmp_path / "k.db")
    with pytest.raises(FileInUse, match="in use by another kibitz process"):
        SqliteLog(tmp_path / "k.db")
    (tmp_path / "symbolic.db").symlink_to(tmp_path / "k.db")
    (tmp_path / "hard.db").hardlink_to(tmp_path / "k.db")
    for other in ("symbolic.db", "hard.db"):
        with pytest.raises(FileInUse):
            SqliteLog(tmp_path / other)
    await first.close()
    with pytest.raises(UnreadableFile, match="more than one name"):
        SqliteLog(tmp_path / "k.db")
    (tmp_path / "hard.db").unlink()
    again = SqliteLog(tmp_path / "k.db")
    await again.close()
    (tmp_path / "text").write_text("this is no database, whatever its name may say" * 50)
    for path in (tmp_path / "text", tmp_path / "no" / "folder.db"):
        with pytest.raises(UnreadableFile):
            SqliteLog(path)
        assert not path.with_name(path.name + ".lock").exists()


async def test_a_file_commits_in_groups(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "k.db")
    statements: list[str] = []
    log._writer_db.set_trace_callback(statements.append)
    await asyncio.gather(*(add(log, f"r{n}", 0) for n in range(300)))
    await log.close()
    commits = sum(statement.lower() == "commit" for statement in statements)
    assert commits < 150, "appends that arrive together share a commit"


async def test_a_file_keeps_a_secret_over_a_restart_and_from_before_there_were_any(
    tmp_path: Path,
) -> None:
    old = SqliteLog(tmp_path / "k.db")
    await add(old, "r", 0)
    old_form = ("drop table secret", "drop table archive", "drop table kept")
    for statement in (*old_form, "pragma user_version = 1"):
        old._writer_db.execute(statement)  # as a file made before has it
    await old.close()
    for fresh in (b"one", b"two", b"three"):
        log = SqliteLog(tmp_path / "k.db")
        assert await log.secret("daily", fresh) == b"one"
        assert len(await log.read("r")) == 1
        await log.close()
        with pytest.raises(LogFailure):
            await log.secret("daily", b"closed")


_BRING = """
import asyncio, sys
from kibitz.server.log.sqlite import SqliteLog

async def main():
    log = SqliteLog(sys.argv[1])
    print((await log.secret("daily", sys.argv[2].encode())).decode(), flush=True)
    sys.stdin.readline()

asyncio.run(main())
"""


async def test_a_secret_survives_kill_and_there_is_one_opener(tmp_path: Path) -> None:
    path = tmp_path / "k.db"
    for fresh in ("first", "second"):
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _BRING, str(path), fresh), stdin=pipe, stdout=pipe
        )
        assert process.stdout is not None
        assert (await process.stdout.readline()).decode() == "first\n"
        with pytest.raises(FileInUse):
            SqliteLog(path)
        process.kill()
        await process.communicate()
    log = SqliteLog(path)
    assert await log.secret("daily", b"third") == b"first"
    await log.close()


async def test_a_file_keeps_values_over_a_restart(tmp_path: Path) -> None:
    first = SqliteLog(tmp_path / "k.db")
    await first.keep("ban", b"one")
    await first.close()
    for asked in (first.keep("ban", b"two"), first.kept()):
        with pytest.raises(LogFailure):
            await asked
    second = SqliteLog(tmp_path / "k.db")
    assert await second.kept() == {"ban": b"one"}
    await second.close()


async def test_a_file_is_read_with_rests_where_it_is_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SqliteLog(tmp_path / "k.db")
    last = AT_ONCE + 50
    await log.append("r", 0, [record(n + 1) for n in range(last)], info("r", last))
    gently: list[object] = []

    def seen(rows: Iterable[object]) -> Iterator[object]:
        for row in rows:
            gently.append(row)
            yield row

    monkeypatch.setattr(log, "_gently", seen)
    assert len(await log.read("r")) == last and len(gently) == 50
    assert len(await log.read("r", limit=AT_ONCE)) == AT_ONCE and len(gently) == 50
    await log.close()


async def test_who_reads_little_does_not_wait_while_a_long_read_rests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SqliteLog(tmp_path / "k.db")
    last = AT_ONCE + 50
    await log.append("long", 0, [record(n + 1) for n in range(last)], info("long", last))
    short = await add(log, "short", 0)
    resting, rested = threading.Event(), threading.Event()

    def rest(rows: Iterable[object]) -> Iterator[object]:
        resting.set()
        assert rested.wait(PATIENCE)
        yield from rows

    monkeypatch.setattr(log, "_gently", rest)
    long = asyncio.create_task(log.read("long"))
    try:
        assert await asyncio.to_thread(resting.wait, PATIENCE)
        assert await log.read("short") == [short]
        assert len(await log.read("long", limit=AT_ONCE)) == AT_ONCE
        assert {entry.id for entry in await log.rooms()} == {"long", "short"}
        assert not long.done()
        closing = asyncio.create_task(log.close())
        await asyncio.sleep(0)
    finally:
        rested.set()
    assert len(await long) == last, "what is being read is read"
    await closing
    with pytest.raises(LogFailure):
        await log.read("long")
    for db in (log._reader_db, log._long_reader_db):
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            db.execute("select 1")


async def test_a_long_read_that_fails_is_told_as_any(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "k.db")
    last = AT_ONCE + 50
    await log.append("r", 0, [record(n + 1) for n in range(last)], info("r", last))
    log._writer_db.execute("update record set data = x'00' where last = ?", (last,))
    with pytest.raises(LogFailure):
        await log.read("r")
    assert log.meter.failures == 1
    assert len(await log.read("r", limit=last - 1)) == last - 1
    await log.close()
