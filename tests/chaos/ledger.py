"""What anybody was ever told of any room, and whether the log says the same."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from kibitz.protocol.hashing import chain
from kibitz.server.log.log import EventLog
from kibitz.server.log.record import Record
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.room.audience import public

Head = tuple[int, str]
"""Number and hash of an event."""


@dataclass
class Ledger:
    """All that was said, by everybody: one truth a room."""

    told: dict[str, dict[int, str]] = field(default_factory=dict)
    """Of every room the hashes that anybody has seen or computed, by number."""
    acknowledged: dict[str, dict[tuple[str, str], Head]] = field(default_factory=dict)
    """What was answered ``ok`` and stands in the log: by room, then by identity and name."""
    refused: set[tuple[str, str]] = field(default_factory=set)
    """What the rules did not allow, by identity and name."""
    listed: set[str] = field(default_factory=set)
    """Public rooms that are known to be there."""

    def note(self, room: str, seq: int, hash_: str) -> None:
        """Somebody has seen this; nobody may ever see anything else."""
        known = self.told.setdefault(room, {}).setdefault(seq, hash_)
        assert known == hash_, f"two histories of {room}, at {seq}: {known}, {hash_}"

    def acknowledge(self, room: str, who: str, i: str, head: Head) -> None:
        """A command was answered ``ok``, perhaps not for the first time."""
        self.note(room, *head)
        known = self.acknowledged.setdefault(room, {}).setdefault((who, i), head)
        assert known == head, f"{i} was done twice: {known}, {head}"

    def head(self, room: str) -> int:
        """The last number that anybody knows."""
        return max(self.told.get(room, {0: ""}))

    async def check(self, path: Path) -> Counter[str]:
        """Hold it against the file of a server that has ended; how many of what there was."""
        log = SqliteLog(path)
        try:
            return await self.hold_against(log)
        finally:
            await log.close()

    async def hold_against(self, log: EventLog) -> Counter[str]:
        """Hold it against a log to which nobody writes any more; how many of what there was."""
        infos = {info.id: info for info in await log.rooms()}
        counts = Counter(rooms=len(infos))
        assert self.told.keys() <= infos.keys(), "a room is gone"
        for room, info in infos.items():
            records = await log.read(room)
            counts += self._check_room(room, records)
            assert info.seq == records[-1].last, f"the lobby has another {room}"
        return counts

    def _check_room(self, room: str, records: list[Record]) -> Counter[str]:
        hash_, hashes, names = b"", dict[int, str](), Counter[tuple[str | None, str]]()
        for record in records:
            for event in record.events:
                assert event.seq == len(hashes) + 1, f"a gap in {room} before {event.seq}"
                hash_ = chain(hash_, public(event, room))
                hashes[event.seq] = hash_.hex()
            if record.i is not None:
                names[record.by, record.i] += 1
        told = self.told.get(room, {})
        assert told.items() <= hashes.items(), f"{room}: what was told is not there"
        assert not names or max(names.values()) == 1, f"{room}: a command was done twice"
        assert not names.keys() & self.refused, f"{room}: what was refused is there"
        lasts = {(record.by, record.i): record.last for record in records}
        acknowledged = {name: seq for name, (seq, _) in self.acknowledged.get(room, {}).items()}
        assert acknowledged.items() <= lasts.items(), f"{room}: what was ok is not there"
        texts = [e.text for record in records for e in record.events if e.kind == "say"]
        assert len(texts) == len(set(texts)), f"{room}: a comment is there twice"
        return Counter(events=len(hashes), told=len(told), acknowledged=len(acknowledged))
