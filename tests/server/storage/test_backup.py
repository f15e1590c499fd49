"""A copy made while the server writes: all that was acknowledged is in it, for nobody else."""

import asyncio
import os
from pathlib import Path

from processes import standby
from server.storage.files import admin, names
from talk import talking

from kibitz.server.log.sqlite import SqliteLog


async def test_what_was_acknowledged_is_in_the_copy_of_a_running_server(tmp_path: Path) -> None:
    data, copy = tmp_path / "kibitz.db", tmp_path / "copy.db"
    async with standby(data) as process:
        url = await process.start()
        async with talking(url) as ann:
            room = (await ann.ok("create", game="klondike", deal="1"))["room"]
            said = 0

            async def play() -> None:
                nonlocal said
                while True:
                    said = (await ann.ok("restart", room=room))["seq"]

            playing = asyncio.create_task(play())
            for _ in range(3):
                before = said
                done = await admin(tmp_path, "backup", str(copy), "--data", str(data), "--force")
                assert (done.code, done.err) == (0, "")
                assert copy.stat().st_mode & 0o777 == 0o600
                assert [name for name in names(tmp_path) if "copy" in name] == ["copy.db"]
                log = SqliteLog(copy)
                records = await log.read(room)
                assert records[-1].last >= before
                assert [event.seq for record in records for event in record.events] == list(
                    range(1, records[-1].last + 1)
                )
                await log.close()
                (tmp_path / "copy.db.lock").unlink()
            playing.cancel()
            await asyncio.wait([playing])
            assert said > 0
            await ann.drop()


async def test_a_copy_takes_no_place_unasked_and_leaves_no_pieces(tmp_path: Path) -> None:
    data = tmp_path / "kibitz.db"
    log = SqliteLog(data)
    await log.close()
    (tmp_path / "there").write_text("something dear")
    (tmp_path / "folder").mkdir()
    os.link(data, tmp_path / "self")
    before = names(tmp_path)
    for words, says in (
        (("there", "--data", "kibitz.db"), "is there already"),
        (("there", "--data", "none.db"), "is there already"),
        (("new", "--data", "none.db"), "none.db: there is no such file"),
        (("new", "--data", "there"), "there is not a kibitz database"),
        (("folder", "--data", "kibitz.db", "--force"), "folder is no file"),
        (("self", "--data", "kibitz.db", "--force"), "is the file itself"),
        (("no/where", "--data", "kibitz.db"), "No such file or directory"),
        (("folder/x/y", "--data", "kibitz.db"), "No such file or directory"),
    ):
        done = await admin(tmp_path, "backup", *words)
        assert done.code == 2 and says in done.err, done
        assert names(tmp_path) == before, words
    assert (tmp_path / "there").read_text() == "something dear"
    done = await admin(tmp_path, "backup", "there", "--force")
    assert done.code == 0
    await SqliteLog(tmp_path / "there").close()
