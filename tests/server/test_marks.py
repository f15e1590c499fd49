"""The past of a long room: any number equals the fold, and is read from the nearest mark."""

from collections.abc import Iterator
from random import Random

import msgspec
from msgspec.structs import replace
from plays import endless
from races import begin, seat
from servers import ANY, running_server
from talk import Plain, talking
from worlds import Fake

from kibitz.protocol.hashing import chain
from kibitz.protocol.requests import Create, Move, Redo, Say, Undo
from kibitz.server.identity import Identity
from kibitz.server.lobby.rooms import Rooms
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record
from kibitz.server.room.audience import public
from kibitz.server.room.room import MARK_EVENTS
from kibitz.server.room.state import RoomState

EVENTS = 5000
ANN, BOB = Identity("annannannann", "Ann"), Identity("bobbobbobbob", "Bob")


class CountingLog(MemoryLog):
    """A log that knows how many records it has handed out."""

    def __init__(self) -> None:
        super().__init__()
        self.handed = 0

    async def read(self, room: str, after: int = 0, limit: int | None = None) -> list[Record]:
        """Read and count."""
        records = await super().read(room, after, limit)
        self.handed += len(records)
        return records


async def long_room(log: MemoryLog, events: int) -> str:
    """A room in the log with so many events or a few more, comments among them."""
    room = await Rooms(log, Fake().world, ANY).create(Create(game="klondike", deal="1"), ANN)
    rng = Random(5)
    commands = endless(rng)
    while room.seq < events:
        if rng.random() < 0.05:
            await room.submit(Say(room=room.id, text=f"at {room.seq}"), BOB)
        t, move = next(commands)
        back = Undo(room=room.id) if t == "undo" else Redo(room=room.id)
        await room.submit(Move(room=room.id, move=move) if move else back, ANN)
    return room.id


def folded(room: str, records: list[Record]) -> Iterator[tuple[int, str, Plain]]:
    """Number, hash and view after every event, one after the other."""
    first = records[0]
    state = RoomState(replace(first, events=first.events[:1]))
    events = [event for record in records for event in record.events]
    hash_ = b""
    for event in events:
        if event.seq > 1:
            state.apply_event(event)
        hash_ = chain(hash_, public(event, room))
        yield event.seq, hash_.hex(), msgspec.to_builtins(state.view())


async def test_every_number_of_a_long_room_equals_the_fold() -> None:
    """Also within the record that made the room; no more is read than lies behind a mark."""
    log = CountingLog()
    room = await long_room(log, EVENTS)
    expected = {seq: (hash_, view) for seq, hash_, view in folded(room, await log.read(room))}
    last = max(expected)
    assert last >= EVENTS
    chosen = {1, 2, 3, *range(MARK_EVENTS - 1, MARK_EVENTS + 6), last - 1, last}
    chosen |= set(Random(7).sample(range(1, last + 1), 200))
    async with running_server(log) as running, talking(running.url) as eve:
        await eve.ok("join", room=room)
        for number in Random(3).sample(sorted(chosen), len(chosen)):
            log.handed = 0
            shown = await eve.ok("view", room=room, at=number)
            assert log.handed <= MARK_EVENTS, "read from the start"
            assert (shown["seq"], shown["hash"], shown["view"]) == (number, *expected[number])


async def test_the_middle_of_the_record_that_made_a_room() -> None:
    """Of a rematch: everybody sits down in it."""
    async with (
        running_server() as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        old = (await ann.ok("create", game="klondike", mode="coop"))["room"]
        await seat(old, bob)
        await ann.ok("resign", room=old)
        made = await ann.ok("rematch", room=old)
        room, hashes = made["room"], []
        for at, names in ((1, [None, None]), (2, ["Ann", None]), (3, ["Ann", "Bob"])):
            shown = await ann.ok("view", room=room, at=at)
            assert [one.get("name") for one in shown["view"]["seats"]] == names
            assert shown["view"]["boards"] == made["view"]["boards"]
            hashes.append(shown["hash"])
        assert hashes[2] == made["hash"] and len(set(hashes)) == 3


async def test_a_mark_is_not_changed_by_those_who_go_on_from_it() -> None:
    log = MemoryLog()
    room_id = await long_room(log, 3 * MARK_EVENTS)
    async with running_server(log) as running, talking(running.url) as eve:
        await eve.ok("join", room=room_id)
        room = await running.app.rooms.get(room_id)
        before = [msgspec.to_builtins(mark.view()) for mark in room._marks]
        assert len(before) > 2
        for number in range(1, room.seq + 1):
            await eve.ok("view", room=room_id, at=number)
        assert [msgspec.to_builtins(mark.view()) for mark in room._marks] == before
        assert [mark.seq for mark in room._marks] == sorted({mark.seq for mark in room._marks})
        assert not any(mark.answered or mark.last_at for mark in room._marks[1:])


async def test_the_past_of_a_race_is_as_the_viewer_may_see_it_now() -> None:
    """Across marks: the own board with its cards, the others without; all of them at the end."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        made: Plain = {"game": "klondike", "deal": "1", "mode": "race", "countdown": 0}
        room = (await ann.ok("create", **made))["room"]
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        for talk in (ann, bob) * 50:
            await talk.ok("move", room=room, move="discard")
            await talk.ok("undo", room=room)
        last = (await ann.ok("ping"))["heads"][room][0]
        assert last > 3 * MARK_EVENTS
        for own, talk in enumerate((ann, bob)):
            for at in (1, 4, 6, 8, MARK_EVENTS + 1, last):
                boards = (await talk.ok("view", room=room, at=at))["view"]["boards"]
                assert [board.get("hidden", False) for board in boards] == [own == 1, own == 0]
                assert not boards[1 - own]["piles"]
        for talk in (ann, bob):
            await talk.ok("resign", room=room)
        boards = (await ann.ok("view", room=room, at=last))["view"]["boards"]
        assert not any("hidden" in board for board in boards)
        assert "??" in str(boards), "as it was then"
