"""Whether a file is whole: as SQLite sees it, and every room as the rules of the log want it.

Promises: one fault a line, and on to the next room; memory for one room, however many there are.
Never: mends anything.
"""

import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import UNSET

from kibitz.engine import replays
from kibitz.engine.headers import LineError
from kibitz.protocol.hashing import HASH_SIZE, chain
from kibitz.protocol.views import RoomInfo

from ..log.record import UNREADABLE, Record, read_info, read_record
from ..room.audience import public
from ..room.entries import entry_of
from ..room.ids import is_room_id
from ..room.state import RoomState
from .kept import read_kept
from .opening import has_archive, reading

MAX_WORDS = 200
"""Characters that are shown of what another library says of a fault."""
_ENTRY = "its entry says {name} {said!r}, its events make it {made!r}"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that should not be: in a room, or in the file as such."""

    room: str | None
    what: str

    def __str__(self) -> str:
        return f"{self.room}: {self.what}" if self.room else self.what


@dataclass(slots=True)
class Check:
    """One look at a file."""

    path: Path
    alone: bool = False
    """Whether no server can have it."""
    seen: Counter[str] = field(default_factory=Counter)
    """How many rooms, records, events, archived rooms have been looked at."""

    def faults(self) -> Iterator[Fault]:
        """Everything that is wrong.

        Raises:
            UnreadableFile: It is none of our files.

        """
        with reading(self.path, alone=self.alone) as db:
            for part in (_pages, self._rooms, _strays, self._archive):
                try:
                    yield from part(db)
                except sqlite3.Error as error:
                    yield Fault(None, f"the file cannot be read: {error}")

    def _rooms(self, db: sqlite3.Connection) -> Iterator[Fault]:
        for id_, last, info in db.execute("select id, last, info from room order by number"):
            self.seen["rooms"] += 1
            if not is_room_id(id_):
                yield misnamed(id_)
                continue
            try:
                yield from self._room(db, id_, last, info)
            except sqlite3.Error as error:
                yield Fault(id_, f"cannot be read: {error}")
            except _Wrong as wrong:
                yield Fault(id_, str(wrong))

    def _room(self, db: sqlite3.Connection, id_: str, last: int, info: bytes) -> Iterator[Fault]:
        state: RoomState | None = None
        hash_ = b""
        rows = db.execute("select last, data from record where room = ? order by last", (id_,))
        for number, data in rows:
            if not isinstance(number, int):
                raise _Wrong(f"a record has the number {str(number)[:MAX_WORDS]!r}")
            record = _record(number, data)
            at = state.seq if state else 0
            if [event.seq for event in record.events] != list(range(at + 1, number + 1)):
                raise _Wrong(f"the record of event {number} does not follow event {at}")
            try:
                if state is None:
                    state = RoomState(record)
                else:
                    state.apply(record)
                for event in record.events:
                    hash_ = chain(hash_, public(event, id_))
            except Exception as error:
                raise _Wrong(f"event {number} cannot happen: {words_of(error)}") from None
            self.seen["records"] += 1
            self.seen["events"] += len(record.events)
        if state is None:
            raise _Wrong("it has no records")
        assert len(hash_) == HASH_SIZE, "there was an event"
        if state.seq != last:
            yield Fault(id_, f"its last event is {state.seq}, its row says {last}")
        yield from _entry(id_, info, state)

    def _archive(self, db: sqlite3.Connection) -> Iterator[Fault]:
        if not has_archive(db):
            return
        both = "select id from archive where id in (select id from room)"
        for (id_,) in db.execute(both):
            yield _of(id_, "it is archived and it is not")
        for id_, last, daily, info, data in db.execute(
            "select id, last, daily, info, data from archive order by number"
        ):
            self.seen["archived"] += 1
            if not is_room_id(id_):
                yield misnamed(id_)
                continue
            try:
                said = read_info(info)
                if (said.id, said.seq, said.daily or None) != (id_, last, daily):
                    yield Fault(id_, "its archived entry is not that of its row")
                for text in filter(None, read_kept(data).texts):
                    replays.read(text)
            except (*UNREADABLE, zlib.error, LineError) as error:
                yield Fault(id_, f"its archive cannot be read: {words_of(error)}")


class _Wrong(Exception):
    """What is wrong with a room, so that nothing more can be said of it."""


def _pages(db: sqlite3.Connection) -> Iterator[Fault]:
    for (said,) in db.execute("pragma integrity_check"):
        if said != "ok":
            yield from (Fault(None, line) for line in said.splitlines())


def _strays(db: sqlite3.Connection) -> Iterator[Fault]:
    """Records of no room: those of rooms that are made have a row from the first."""
    rows = "select distinct room from record where room not in (select id from room)"
    for (id_,) in db.execute(rows):
        yield _of(id_, "it has records and is no room")


def misnamed(id_: object) -> Fault:
    """That a room has an id of which no server of ours makes any: it may lead anywhere."""
    return Fault(None, f"a room has an id that is none: {ascii(id_)[:MAX_WORDS]}")


def _of(id_: object, what: str) -> Fault:
    return Fault(id_, what) if is_room_id(id_) else misnamed(id_)


def _record(number: int, data: bytes) -> Record:
    try:
        record = read_record(data)
    except UNREADABLE as error:
        raise _Wrong(f"the record of event {number} does not decode: {words_of(error)}") from None
    if not record.events:
        raise _Wrong(f"the record of event {number} has no events")
    return record


def _entry(id_: str, stored: bytes, state: RoomState) -> Iterator[Fault]:
    """Whether the room's entry is the one that its events make, as far as its version said it."""
    try:
        info = read_info(stored)
    except UNREADABLE as error:
        yield Fault(id_, f"its entry does not decode: {words_of(error)}")
        return
    made = entry_of(id_, state, info.spectators)
    for name in RoomInfo.__struct_fields__:
        said, is_ = getattr(info, name), getattr(made, name)
        if said is not UNSET and said != is_:
            yield Fault(id_, _ENTRY.format(name=name, said=said, made=is_))


def words_of(error: Exception) -> str:
    """What is said of a fault, on one line."""
    return (str(error) or type(error).__name__).replace("\n", " ")[:MAX_WORDS]
