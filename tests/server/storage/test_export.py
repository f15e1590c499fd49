"""Rooms of a file as replays: as anybody may see them, unless the operator wants them whole."""

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest
from processes import standby
from races import RACE
from server.storage.files import OLD, admin, filled, names
from servers import REAL, running_server
from talk import fetch, talking
from worlds import Fake

from kibitz.engine import replays
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.storage.check import Check, Fault
from kibitz.server.storage.export import export
from kibitz.server.storage.kept import Kept, write_kept


async def test_what_is_exported_is_what_the_server_shows(tmp_path: Path) -> None:
    async with standby(tmp_path / "kibitz.db") as process:
        url = await process.start()
        http = url.replace("ws://", "http://").removesuffix("/ws")
        async with talking(url) as ann, talking(url) as bob:
            open_ = (await ann.ok("create", game="klondike-single", deal="7"))["room"]
            await ann.ok("move", room=open_, move="sw")
            over = (await ann.ok("create", game="klondike"))["room"]
            await ann.ok("resign", room=over)
            race = (await ann.ok("create", **RACE, countdown=0))["room"]
            await bob.ok("join", room=race, role="player")
            for talk in (ann, bob):
                await talk.ok("ready", room=race)
            await ann.until(lambda: any(e["kind"] == "dealt" for e in ann.events(race)))
            done = await admin(tmp_path, "export", "--all", "out")
            assert (done.code, done.out, done.err) == (0, "out: 5 files\n", "")
            assert names(tmp_path / "out") == sorted(
                [f"{room}.replay.{kind}" for room in (open_, over) for kind in ("json", "txt")]
                + [f"{race}.replay.json"]  # whose boards nobody sees yet
            )
            for name in names(tmp_path / "out"):
                room, _, page = name.partition(".")
                _, body = await fetch(http, f"/rooms/{room}/{page}")
                written = tmp_path / "out" / name
                assert written.read_bytes() == body, name
                assert written.stat().st_mode & 0o777 == 0o600, "a room need not be for everybody"
        assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700
        done = await admin(tmp_path, "export", "all", open_, "--data", "x" * 300)
        assert done.err == f"kibitz admin: {'x' * 300}: File name too long\n"
        assert "??" in (tmp_path / "out" / f"{open_}.replay.txt").read_text()
        done = await admin(tmp_path, "export", "all", open_, "--whole")
        assert done.code == 0 and "hidden cards" in done.err
        text = tmp_path / "all" / f"{open_}.replay.txt"
        assert text.stat().st_mode & 0o777 == 0o600
        replays.verify(replays.read(text.read_text()))
        assert json.loads((tmp_path / "all" / f"{open_}.replay.json").read_text())["open"]
        done = await admin(tmp_path, "export", "all", race, "--whole")
        assert done.out == "all: 3 files\n"


async def test_archived_rooms_are_exported_too(tmp_path: Path) -> None:
    fake = Fake()
    async with (
        running_server(SqliteLog(tmp_path / "kibitz.db"), fake.world, keep=1) as running,
        talking(running.url) as ann,
    ):
        room = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await ann.ok("resign", room=room)
        await ann.ok("leave", room=room)
        fake.pass_time(90_000)
        running.app.rooms.sweep()
        assert running.app.attic is not None
        assert await running.app.attic.tidy(pause=0) == 1
        _, body = await fetch(running.http, f"/rooms/{room}/replay.txt")
        done = await admin(tmp_path, "export", "out", room)
        assert (done.code, names(tmp_path / "out")) == (0, [f"{room}.replay.txt"])
        assert (tmp_path / "out" / f"{room}.replay.txt").read_bytes() == body


async def test_no_room_of_a_brought_file_says_where_it_is_written(tmp_path: Path) -> None:
    """Neither one that is played nor one that is put away; a terminal is sent no letter of it."""
    data = tmp_path / "kibitz.db"
    first, second = await filled(data, 2)
    with contextlib.closing(sqlite3.connect(data, isolation_level=None)) as db:
        put = "insert into archive select 9, ?, last, null, info, ? from room where id = ?"
        db.execute(put, ("../away", write_kept(Kept(["# game: montana\n"])), first))
        for table, name in (("room", "id"), ("record", "room")):
            db.execute(f"update {table} set {name} = ? where {name} = ?", ("../pwned\x1b", first))
    (tmp_path / "out").mkdir()
    for room in (None, "../pwned\x1b", "../away"):
        written = export(data, tmp_path / "out", REAL, room=room, whole=True, force=True)
        done = [each async for each in written]
        said = [str(each) for each in done if isinstance(each, Fault)]
        assert len(said) == (1 if room else 2)
        assert all("an id that is none: '../" in each and each.isprintable() for each in said)
    assert {name.partition(".")[0] for name in names(tmp_path)} == {
        "kibitz",
        "out",
        f"out/{second}",
    }
    faults = [str(fault) for fault in Check(data).faults()]
    assert faults == ["a room has an id that is none: " + each for each in (
        "'../pwned\\x1b'", "'../away'",
    )]  # fmt: skip


async def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    [room] = await filled(tmp_path / "kibitz.db", 1)
    (tmp_path / "out").mkdir()
    dear = tmp_path / "out" / f"{room}.replay.txt"
    dear.write_text("something dear")
    for words, says in (
        (("out", room), "is there already"),
        (("out",), "say a room, or --all"),
        (("out", room, "--all"), "say a room, or --all"),
        (("out", "unknown"), "there is no room unknown"),
        (("kibitz.db", room), "exists"),
        (("out", room, "--data", "none"), "there is no such file"),
    ):
        done = await admin(tmp_path, "export", *words)
        assert done.code == 2 and says in done.err, done
    assert dear.read_text() == "something dear"
    assert (await admin(tmp_path, "export", "out", room, "--force")).code == 0
    replays.verify(replays.read(dear.read_text()))


async def test_stats_count_what_is_there(tmp_path: Path) -> None:
    await filled(tmp_path / "kibitz.db", 3)
    plain = json.loads((await admin(tmp_path, "stats", "--json")).out)
    assert (plain["rooms"], plain["archived"]) == (3, 0)
    assert plain["games"] == {"klondike": 3}
    assert plain["statuses"] == {"resigned": 2, "open": 1}
    assert plain["size"] == (tmp_path / "kibitz.db").stat().st_size
    said = (await admin(tmp_path, "stats")).out
    assert "games     klondike 3" in said
    old = await admin(tmp_path, "stats", "--data", str(OLD / "schema-1.sqlite"), "--json")
    assert json.loads(old.out)["schema"] == 1


@pytest.mark.parametrize("junk", ["x'a1ff'"])
async def test_a_damaged_room_is_named_and_costs_no_other(tmp_path: Path, junk: str) -> None:
    first, second, third = await filled(tmp_path / "kibitz.db", 3)
    with contextlib.closing(sqlite3.connect(tmp_path / "kibitz.db", isolation_level=None)) as db:
        db.execute(f"update record set data = {junk} where room = ? and last = 3", (first,))
        db.execute(f"update room set info = {junk} where id = ?", (second,))
        db.execute(
            "insert into archive"
            " select 9, 'old2222222222222', 3, null, info, x'93' from room limit 1"
        )
    done = await admin(tmp_path, "export", "--all", "out")
    assert (done.code, done.out) == (1, "out: 2 files\n"), done
    said = done.err.splitlines()
    assert [line.split(":")[1] for line in said] == [
        f" room {first}",
        f" room {second}",
        " room old2222222222222",
    ]
    assert names(tmp_path / "out") == [f"{third}.replay.{kind}" for kind in ("json", "txt")]
    for room in (first, "old2222222222222"):
        done = await admin(tmp_path, "export", "one", room)
        assert done.code == 1 and done.err.count("\n") == 1 and room in done.err
    done = await admin(tmp_path, "stats")
    assert done.code == 1 and done.err.count("\n") == 1 and second in done.err
    assert "rooms     3," in done.out and "games     klondike 2" in done.out
    done = await admin(tmp_path, "stats", "--json")
    assert done.code == 1 and json.loads(done.out)["damaged"] == [second]
    done = await admin(tmp_path, "check")
    assert (done.code, done.err) == (1, "") and all(r in done.out for r in (first, second, "old"))
    assert (await admin(tmp_path, "backup", "copy")).code == 0
