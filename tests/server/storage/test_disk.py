"""The disk fails for real: full, read-only, damaged. What was said ok is there, and it goes on."""

import asyncio
import contextlib
import os
import resource
import shutil
import sqlite3
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from processes import _STANDBY, Process, run
from scraped import scrape
from server.storage.files import admin, filled, pages_of, spoil
from servers import running_server
from talk import Talk, fetch, talking

from kibitz.server.log.log import LogFailure
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.storage.schema import UnreadableFile

ROOT = os.getuid() == 0
DISK = 2 * 2**20
"""Bytes of the disk."""


@contextlib.asynccontextmanager
async def small_disk(folder: Path) -> AsyncIterator[tuple[Process, Path]]:
    """A server whose disk is small, and the disk as this test sees it.

    Root mounts one that only that process has; anybody else may not write a long file.
    """
    command = [sys.executable, "-c", _STANDBY, "--port", "0", "--data", str(folder / "k.db")]
    if ROOT:
        mount = f'mount -t tmpfs -o size={DISK} none {folder} && exec "$@"'
        command = ["unshare", "-m", "sh", "-c", mount, "sh", *command]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
    try:
        disk = Path(f"/proc/{process.pid}/root{folder}") if ROOT else folder
        yield Process(process), disk
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def fill(process: Process, disk: Path) -> None:
    """Leave no byte."""
    if not ROOT:
        resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        return
    with contextlib.suppress(OSError), (disk / "ballast").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def empty(process: Process, disk: Path) -> None:
    """Make room again."""
    if ROOT:
        (disk / "ballast").unlink()
    else:
        limits = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE, limits)


async def fail(talk: Talk, room: str) -> int:
    """Restart until that is refused; how often it was granted."""
    for done in range(3000):
        answer = await talk.ask("restart", room=room)
        if answer["t"] == "error":
            assert answer["code"] == "internal" and answer["retry_ms"] > 0
            assert "nothing changed, you may try again" in answer["message"]
            return done
    raise AssertionError("the disk is never full")


async def test_a_full_disk_refuses_loses_nothing_and_recovers_by_itself(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    async with small_disk(folder) as (process, disk):
        url = await process.start()
        http = url.replace("ws://", "http://").removesuffix("/ws")
        async with talking(url) as ann, talking(url) as bob:
            room = (await ann.ok("create", game="klondike", deal="1"))["room"]
            await bob.ok("join", room=room)
            fill(process, disk)
            done = await fail(ann, room)
            seq, _ = (await ann.ok("ping"))["heads"][room]
            assert seq == 2 + done
            await ann.refused("internal", "create", game="montana")
            await bob.settle()
            assert len(bob.events()) == done, "nobody is told what is not written"
            assert (await fetch(http, f"/rooms/{room}/replay.json"))[0] == 200
            assert (await scrape(http))["kibitz_log_failures_total"] >= 2
            empty(process, disk)
            ok = await ann.ok("restart", room=room)
            assert ok["seq"] == seq + 1
            await ann.ok("create", game="montana")
        await process.kill()
        if not ROOT:
            log = SqliteLog(folder / "k.db")
            assert (await log.read(room))[-1].last == seq + 1
            await log.close()


@pytest.mark.skipif(not ROOT, reason="only root mounts")
async def test_killed_on_a_full_disk_everything_that_was_ok_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    async with small_disk(folder) as (process, disk):
        async with talking(await process.start()) as ann:
            room = (await ann.ok("create", game="klondike", deal="1"))["room"]
            fill(process, disk)
            done = await fail(ann, room)
        for name in ("k.db", "k.db-wal"):
            shutil.copy(disk / name, tmp_path / name)
        await process.kill()
    log = SqliteLog(tmp_path / "k.db")
    assert (await log.read(room))[-1].last == 2 + done
    await log.close()
    assert (await admin(tmp_path, "check", "--data", "k.db")).code == 0


@pytest.mark.skipif(not ROOT, reason="only root mounts")
async def test_a_read_only_disk_is_refused_in_a_sentence(tmp_path: Path) -> None:
    await filled(tmp_path / "k.db", 1)
    mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" -m kibitz.server'
    process = await asyncio.create_subprocess_exec(
        *("unshare", "-m", "sh", "-c", f'{mount} --port 0 --data "$1/k.db"', "sh"),
        *(str(tmp_path), sys.executable),
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    assert process.returncode == 2 and b"Read-only file system" in said


async def test_whatever_page_is_damaged_a_server_says_so_or_serves_the_other_rooms(
    tmp_path: Path,
) -> None:
    rooms = await filled(tmp_path / "sound", 5)
    kinds = pages_of(tmp_path / "sound")
    served = 0
    for page in range(1, len(kinds)):
        path = tmp_path / f"page{page}"
        shutil.copy(tmp_path / "sound", path)
        spoil(path, page)
        try:
            log = SqliteLog(path)
            async with running_server(log) as running, talking(running.url) as ann:
                for room in rooms:
                    answer = await ann.ask("join", room=room)
                    assert answer["t"] == "joined" or answer["code"] in ("internal", "no-room")
                    served += answer["t"] == "joined"
                status, _ = await fetch(running.http, f"/rooms/{rooms[0]}/replay.txt")
                assert status in (200, 404, 503)
        except (UnreadableFile, LogFailure):  # the command says so, and to look with check
            continue
    assert served > 0


async def test_a_record_that_does_not_decode_costs_its_room_alone(tmp_path: Path) -> None:
    first, second = await filled(tmp_path / "k.db", 2)
    with contextlib.closing(sqlite3.connect(tmp_path / "k.db", isolation_level=None)) as db:
        db.execute("update record set data = x'93' where room = ? and last = 3", (first,))
    async with (
        running_server(SqliteLog(tmp_path / "k.db")) as running,
        talking(running.url) as ann,
    ):
        for _ in range(2):
            error = await ann.refused("internal", "join", room=first)
            assert error["retry_ms"]
        assert (await fetch(running.http, f"/rooms/{first}/replay.txt"))[0] == 503
        await ann.ok("join", room=second, role="player")
        await ann.ok("move", room=second, move="discard")


async def test_an_entry_that_does_not_decode_is_said_at_the_start(tmp_path: Path) -> None:
    [room] = await filled(tmp_path / "k.db", 1)
    with contextlib.closing(sqlite3.connect(tmp_path / "k.db", isolation_level=None)) as db:
        db.execute("update room set info = x'80'")
    code, said = await run("--port", "0", "--data", str(tmp_path / "k.db"))
    assert code == 2 and "kibitz admin check" in said
    done = await admin(tmp_path, "check", "--data", "k.db")
    assert done.code == 1 and f"{room}: its entry does not decode" in done.out
