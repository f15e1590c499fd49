"""What cannot be decided on a draft waits for its turn; and a storm of all that may go wrong."""

import asyncio
from random import Random

import pytest
from desks import Desk, desk, turns

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import Refused
from kibitz.protocol.replies import Ok


async def test_what_looks_further_waits_until_those_before_are_written() -> None:
    at = await desk()
    at.move(1)
    at.say(2)
    at.take(ask.Comments(i=3, room=at.room.id, on=False))
    at.say(4, "hm", at.bob)
    at.take(ask.Resign(i=5, room=at.room.id))
    at.move(6)
    await turns()
    batches = [[1, 2], [3], [5]]
    for done, batch in enumerate(batches):
        assert len(at.log.batches) == done + 1, "nothing else is handed over meanwhile"
        assert len(at.log.batches[-1]) == len(batch)
        assert all(i != batch[0] for i, _ in at.outcomes)
        await at.log.write()
    assert not at.log.waits
    assert at.said[:3] == [(1, 3), (2, 4), (3, 5)]
    assert [i for i, _ in at.said] == [1, 2, 3, 4, 5, 6]
    assert at.said[3][1] == "forbidden" and at.said[5][1] == "game-over"
    await at.check()


async def test_who_sits_down_waits_for_those_before_and_those_behind_see_him_seated() -> None:
    at = await desk()
    at.say(1)
    sitting = asyncio.create_task(at.room.sit(at.bob))
    await turns()
    at.say(2)
    at.take(ask.Move(i=3, room=at.room.id, move="discard"), at.bob)
    await turns()
    assert [len(batch) for batch in at.log.batches] == [1] and not sitting.done()
    await at.log.write()
    assert [batch[0].events[0].kind for batch in at.log.batches] == ["say", "joined"]
    assert not sitting.done() and not at.room.people.is_seated(at.bob.id)
    await at.log.write()
    assert sitting.done() and at.room.people.is_seated(at.bob.id)
    assert [len(batch) for batch in at.log.batches] == [1, 3] and not at.log.waits
    assert at.said == [(1, 3), (2, 5), (3, 6)]
    standing = asyncio.create_task(at.room.stand_up(at.bob))
    await turns()
    at.take(ask.Move(i=4, room=at.room.id, move="discard"), at.bob)
    await turns()
    await at.log.go_on()
    await standing
    assert at.said[3:] == [(4, "not-seated")]
    await at.check()


async def test_a_room_in_which_something_is_written_is_not_idle() -> None:
    at = await desk()
    assert at.room.idle
    at.say(1)
    assert not at.room.idle
    await turns()
    at.say(2)
    for _ in range(2):
        assert not at.room.idle
        await at.log.write()
    assert at.room.idle
    at.say(3)
    await turns()
    await at.log.fail()
    assert at.room.idle
    at.say(4)
    await turns()
    await at.behind("first")
    await at.log.write()
    assert not at.room.idle, "it is decided anew"
    await at.log.write()
    assert at.room.idle and at.said[-1] == (4, 6)
    at.move(5, "fly")
    assert not at.room.idle
    await turns()
    assert at.room.idle


async def test_who_waits_no_longer_keeps_nobody_else_waiting() -> None:
    at = await desk()
    at.say(1)
    sitting = asyncio.create_task(at.room.sit(at.bob))
    await turns()
    sitting.cancel()
    at.say(2)
    await turns()
    await at.log.go_on()
    assert at.said == [(1, 3), (2, 5)] and at.room.people.is_seated(at.bob.id)
    await at.check()


class Storm:
    """All that may be asked, with a log that fails, is late, and is written to by others."""

    def __init__(self, at: Desk, rng: Random) -> None:
        self.at = at
        self.rng = rng
        self.asked: list[int | str] = []
        self.others = 0
        self.names = 0
        self.sitting: list[asyncio.Task[None]] = []

    def ask(self) -> None:
        """Ask for anything."""
        at, rng = self.at, self.rng
        who = rng.choice([at.ann, at.ann, at.bob])
        i: int | str = len(self.asked)
        if rng.random() < 0.6:
            self.names += 1
            i = f"{who.name} {rng.randint(max(0, self.names - 4), self.names)}"
        room, expect = at.room.id, at.room.seq + rng.randint(0, 3)
        wishes: list[ask.Change] = [
            ask.Move(i=i, room=room, move="discard"),
            ask.Move(i=i, room=room, move="reset"),
            ask.Move(i=i, room=room, move="discard", expect=expect),
            ask.Undo(i=i, room=room),
            ask.Redo(i=i, room=room),
            ask.Say(i=i, room=room, text=rng.choice(["hm", "oh"])),
            ask.Move(i=i, room=room, move="fly"),
            ask.Comments(i=len(self.asked), room=room, on=rng.random() < 0.7),
        ]
        wish = rng.choice(wishes)
        self.asked.append(wish.i or 0)
        try:
            at.take(wish, who)
        except Refused as refused:  # the name stands for something else: that is said at once
            at.outcomes.append((wish.i, refused))

    async def step(self) -> None:
        """Let anything happen."""
        at, rng = self.at, self.rng
        match rng.choice(["ask"] * 6 + ["write", "fail", "behind", "turn", "seat"]):
            case "ask":
                for _ in range(rng.randint(1, 6)):
                    self.ask()
            case "write" if at.log.waits:
                await at.log.write()
            case "fail" if at.log.waits and rng.random() < 0.4:
                await at.log.fail()
            case "behind":
                self.others += 1
                await at.behind(f"other {self.others}")
            case "seat":
                change = rng.choice([at.room.sit, at.room.stand_up])
                self.sitting.append(asyncio.create_task(change(at.bob)))
            case _:
                await turns()


@pytest.mark.parametrize("seed", range(12))
async def test_a_storm(seed: int) -> None:
    at = await desk()
    storm = Storm(at, Random(seed))
    for _ in range(200):
        await storm.step()
    while at.log.waits or at.room.writing.busy:
        await turns()
        await at.log.go_on()
    await asyncio.gather(*storm.sitting, return_exceptions=True)
    assert sorted(map(str, storm.asked)) == sorted(str(i) for i, _ in at.outcomes)
    await at.room.catch_up(0)
    await at.check()
    records = await at.log.read(at.room.id)
    named = {record.i: record.last for record in records if record.i is not None}
    assert len(named) == sum(record.i is not None for record in records), "a name is done once"
    granted = [(i, ok) for i, ok in at.outcomes if isinstance(ok, Ok)]
    for i, ok in granted:
        assert ok.seq is not None and ok.hash == at.room.live.hash_at(ok.seq)
        assert not isinstance(i, str) or ok.seq == named[i]
    assert named.keys() == {i for i, _ in granted if isinstance(i, str)}
    texts = [event.text for record in records for event in record.events if event.kind == "say"]
    others = [text for text in texts if text and text.startswith("other")]
    assert others == [f"other {n + 1}" for n in range(storm.others)]
    assert len(granted) > 30 and len(records) > 30


async def test_what_the_log_refused_is_not_listed() -> None:
    """Somebody else's event has the number that ours was to have, and ours is refused then."""
    at = await desk()
    at.move(1, expect=at.room.seq)
    await turns()
    await at.behind("first")
    await at.log.write()
    await at.log.go_on()
    assert at.said == [(1, "stale")]
    entry = at.room.entry()
    assert entry is not None and entry == at.room.whole_entry()
    assert entry.moves == 0
