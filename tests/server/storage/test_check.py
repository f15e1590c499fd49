"""Every kind of fault is found, said of its room, and the others are looked at all the same."""

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from server.storage.files import OLD, admin, filled, names, pages_of, spoil

from kibitz.server.log.record import Record, read_info, read_record, write_info, write_record
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.storage.check import Check
from kibitz.server.storage.kept import Kept, write_kept

Spoil = Callable[[sqlite3.Connection, str], None]


def found(path: Path) -> list[tuple[str | None, str]]:
    """What is wrong with a file."""
    return [(fault.room, fault.what) for fault in Check(path).faults()]


def no_record(db: sqlite3.Connection, room: str) -> None:
    db.execute("delete from record where room = ? and last = 3", (room,))


def no_records(db: sqlite3.Connection, room: str) -> None:
    db.execute("delete from record where room = ?", (room,))


def no_room(db: sqlite3.Connection, room: str) -> None:
    db.execute("delete from room where id = ?", (room,))


def short_row(db: sqlite3.Connection, room: str) -> None:
    db.execute("update room set last = last - 1 where id = ?", (room,))


def garbled(db: sqlite3.Connection, room: str) -> None:
    db.execute("update record set data = x'93ff01' where room = ? and last = 3", (room,))


def later_record(db: sqlite3.Connection, room: str) -> None:
    _rewrite(db, room, 3, lambda record: replace(record, v=99))


def wrong_number(db: sqlite3.Connection, room: str) -> None:
    _rewrite(db, room, 3, lambda record: replace(record, events=[replace(record.events[0], seq=7)]))


def impossible(db: sqlite3.Connection, room: str) -> None:
    fx = [["mv", "Stock", "nowhere", ["As"]]]
    _rewrite(db, room, 3, lambda record: replace(record, events=[replace(record.events[0], fx=fx)]))


def garbled_entry(db: sqlite3.Connection, room: str) -> None:
    db.execute("update room set info = x'80' where id = ?", (room,))


def text_record(db: sqlite3.Connection, room: str) -> None:
    db.execute("update record set data = 'text' where room = ? and last = 3", (room,))


def text_number(db: sqlite3.Connection, room: str) -> None:
    db.execute("update record set last = 'x' where room = ? and last = 3", (room,))


def text_entry(db: sqlite3.Connection, room: str) -> None:
    db.execute("update room set info = 'text' where id = ?", (room,))


def text_archive(db: sqlite3.Connection, room: str) -> None:
    _put(db, room, "text")
    no_records(db, room)
    no_room(db, room)


def wrong_entry(db: sqlite3.Connection, room: str) -> None:
    (info,) = db.execute("select info from room where id = ?", (room,)).fetchone()
    wrong = replace(read_info(info), score=51, players=["Eve"])
    db.execute("update room set info = ? where id = ?", (write_info(wrong), room))


def both(db: sqlite3.Connection, room: str) -> None:
    _put(db, room, write_kept(Kept([])))


def garbled_archive(db: sqlite3.Connection, room: str) -> None:
    _put(db, room, b"garbage")
    no_records(db, room)
    no_room(db, room)


def no_text(db: sqlite3.Connection, room: str) -> None:
    _put(db, room, write_kept(Kept(["this is no replay"])))
    no_records(db, room)
    no_room(db, room)


def wrong_archived_entry(db: sqlite3.Connection, room: str) -> None:
    _put(db, room, write_kept(Kept([])))
    no_records(db, room)
    no_room(db, room)
    db.execute("update archive set last = 99")


def _put(db: sqlite3.Connection, room: str, data: bytes | str) -> None:
    insert = "insert into archive select number, id, last, null, info, ? from room where id = ?"
    db.execute(insert, (data, room))


def _rewrite(
    db: sqlite3.Connection, room: str, last: int, change: Callable[[Record], Record]
) -> None:
    query = "select data from record where room = ? and last = ?"
    (data,) = db.execute(query, (room, last)).fetchone()
    changed = write_record(change(read_record(data)))
    update = "update record set data = ? where room = ? and last = ?"
    db.execute(update, (changed, room, last))


FAULTS: dict[Spoil, list[str]] = {
    no_record: ["the record of event 4 does not follow event 2"],
    no_records: ["it has no records"],
    no_room: ["it has records and is no room"],
    short_row: ["its last event is 5, its row says 4"],
    garbled: ["the record of event 3 does not decode"],
    later_record: ["the record of event 3 does not decode: record format 99"],
    wrong_number: ["the record of event 3 does not follow event 2"],
    impossible: ["event 3 cannot happen"],
    garbled_entry: ["its entry does not decode"],
    text_record: ["the record of event 3 does not decode: str is stored in the place of bytes"],
    text_number: ["the record of event 4 does not follow event 2"],
    text_entry: ["its entry does not decode"],
    text_archive: ["its archive cannot be read"],
    wrong_entry: [
        "its entry says players ['Eve'], its events make it [",
        "its entry says score 51, its events make it",
    ],
    both: ["it is archived and it is not"],
    garbled_archive: ["its archive cannot be read"],
    no_text: ["its archive cannot be read"],
    wrong_archived_entry: ["its archived entry is not that of its row"],
}


async def test_a_fault_is_found_and_said_of_its_room(tmp_path: Path) -> None:
    rooms = await filled(tmp_path / "sound")
    assert found(tmp_path / "sound") == []
    for damage, says in FAULTS.items():
        path = tmp_path / damage.__name__
        shutil.copy(tmp_path / "sound", path)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
            damage(db, rooms[1])
        faults = found(path)
        assert [room for room, _ in faults] == [rooms[1]] * len(says), (damage, faults)
        for (_, fault), wanted in zip(faults, says, strict=True):
            assert fault.startswith(wanted), (damage, fault)


@pytest.mark.parametrize("version", [1])
def test_files_of_every_version_are_sound(version: int) -> None:
    assert found(OLD / f"schema-{version}.sqlite") == []


async def test_the_command_says_one_fault_a_line_and_exits_with_1(tmp_path: Path) -> None:
    rooms = await filled(tmp_path / "kibitz.db")
    log = SqliteLog(tmp_path / "kibitz.db")  # also while a server has it
    sound = await admin(tmp_path, "check")
    assert sound.code == 0 and sound.out.startswith("kibitz.db: sound (4 rooms, ")
    log._writer_db.execute("delete from record where room = ? and last = 3", (rooms[0],))
    one = await admin(tmp_path, "check")
    assert one.out.splitlines()[1].startswith("kibitz.db: 1 fault (4 rooms")
    log._writer_db.execute("update room set last = 99 where id = ?", (rooms[2],))
    done = await admin(tmp_path, "check")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[:2] == [
        f"{rooms[0]}: the record of event 4 does not follow event 2",
        f"{rooms[2]}: its last event is 6, its row says 99",
    ]
    assert lines[2].startswith("kibitz.db: 2 faults (4 rooms")
    as_json = await admin(tmp_path, "check", "--json")
    said = [json.loads(line) for line in as_json.out.splitlines()]
    assert [plain.get("room") for plain in said] == [rooms[0], rooms[2], None]
    assert said[2]["faults"] == 2 and said[2]["rooms"] == 4
    await log.close()


@pytest.mark.parametrize(
    "words",
    [("backup", "copy"), ("restore", "copy"), ("check",), ("export", "--all", "x"), ("stats",)],
)
async def test_rooms_on_nats_are_not_looked_for_in_a_file(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "copy").touch()
    monkeypatch.setenv("KIBITZ_NATS", "nats://127.0.0.1:4222")
    done = await admin(tmp_path, *words)
    assert done.code == 2 and "rooms on NATS are in no file; see deploy/GROWING.md" in done.err
    monkeypatch.setenv("KIBITZ_NATS", " ")
    blank = await admin(tmp_path, *words)
    assert blank.code == 2 and "names no NATS server; unset it" in blank.err
    named = await admin(tmp_path, *words, "--data", "kibitz.db")
    assert named.code == 2 and "NATS" not in named.err, "that is the one that is meant"
    assert names(tmp_path) == ["copy"]


async def test_whatever_page_is_damaged_it_is_found(
    tmp_path: Path,
) -> None:
    await filled(tmp_path / "sound", 40)
    kinds = pages_of(tmp_path / "sound")
    silent = []
    for page in range(2, len(kinds)):
        path = tmp_path / f"page{page}"
        shutil.copy(tmp_path / "sound", path)
        spoil(path, page)
        if not found(path):
            silent.append(page)
        path.unlink()
    assert silent == []
    assert len(kinds) > 30
