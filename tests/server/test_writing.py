"""Commands written together: each decided behind the one before, all or none, in order."""

import asyncio
from functools import partial
from itertools import count

import pytest
from desks import Desk, desk, turns
from talk import eventually

from kibitz.protocol import requests as ask
from kibitz.protocol.replies import Ok
from kibitz.server.room import writing
from kibitz.server.sockets.turn import Turn


async def test_what_is_asked_at_once_is_written_at_once() -> None:
    at = await desk()
    for i in range(16):
        at.say(i, f"word {i}")
    assert not at.log.batches, "decided when the turn ends"
    await turns()
    assert [len(batch) for batch in at.log.batches] == [16]
    assert at.outcomes == [] and at.room.seq == 2, "nothing happens before it is written"
    await at.log.write()
    assert at.said == [(i, 3 + i) for i in range(16)]
    assert all(
        isinstance(ok, Ok) and ok.hash == at.room.live.hash_at(ok.seq or 0) for _, ok in at.outcomes
    )
    assert not at.log.waits and len(at.log.batches) == 1
    await at.check()


async def test_what_comes_while_something_is_written_is_written_next() -> None:
    at = await desk()
    at.move("first")
    await turns()
    for i in range(15):
        at.say(i)
        await asyncio.sleep(0)
    assert [len(batch) for batch in at.log.batches] == [1]
    await at.log.write()
    assert at.said == [("first", 3)]
    assert [len(batch) for batch in at.log.batches] == [1, 15]
    await at.log.write()
    assert at.said == [("first", 3), *((i, 4 + i) for i in range(15))]
    await at.check()


async def test_only_so_many_are_decided_together() -> None:
    at = await desk()
    many = writing.MAX_TOGETHER + 10
    for i in range(many):
        at.say(i)
    await turns()
    await at.log.go_on()
    assert [len(batch) for batch in at.log.batches] == [writing.MAX_TOGETHER, 10]
    assert at.said == [(i, 3 + i) for i in range(many)]


async def test_what_takes_long_to_decide_is_written_by_itself_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks, paid = count(), list[float]()
    monkeypatch.setattr(writing, "work_clock", lambda: next(ticks) * 0.01)
    at = await desk()
    for i in range(3):
        request = ask.Say(i=i, room=at.room.id, text="hm")
        at.room.take(request, at.ann, lambda _: None, paid.append)
    await turns()
    await at.log.go_on()
    assert [len(batch) for batch in at.log.batches] == [1, 1, 1]
    assert [round(seconds, 9) for seconds in paid] == [0.01] * 3
    monkeypatch.setattr(writing, "work_clock", lambda: next(ticks) * 10.0)
    at.room.take(ask.Say(i=4, room=at.room.id, text="hm"), at.ann, lambda _: None, paid.append)
    await turns()
    assert paid[3:] == [writing.DEAREST_SECONDS]
    await at.log.go_on()
    await at.check()


async def test_rooms_that_take_long_to_decide_do_not_do_so_in_one_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those who come new are decided before those put off, and these get on, too."""
    ticks, done, turn = count(), list[str](), Turn()
    monkeypatch.setattr("kibitz.server.sockets.turn.work_clock", lambda: next(ticks) * 1.0)
    for name in ("a", "b", "c", "d"):
        turn.first(partial(done.append, name))
    await asyncio.sleep(0)
    assert done == ["a", "b"]
    turn.first(partial(done.append, "new"))
    await turns()
    assert done == ["a", "b", "new", "c", "d"]


async def test_each_is_decided_behind_those_before_it() -> None:
    at = await desk()
    at.move(1, expect=2)
    at.take(ask.Undo(i=2, room=at.room.id, expect=3))
    at.take(ask.Redo(i=3, room=at.room.id, expect=4))
    at.take(ask.Redo(i=4, room=at.room.id))
    at.move(5, expect=2)
    at.move(6, expect=5)
    at.move(7, "fly")
    at.say(8, "nobody's", at.bob)
    at.take(ask.Undo(i=9, room=at.room.id), at.bob)
    at.take(ask.Restart(i=10, room=at.room.id))
    await turns()
    assert [record.first for record in at.log.batches[0]] == [3, 4, 5, 6, 7, 8]
    assert at.outcomes == [], "not even a refusal comes before what it stands behind"
    await at.log.go_on()
    assert len(at.log.batches) == 1
    assert at.said == [
        (1, 3),
        (2, 4),
        (3, 5),
        (4, "illegal"),
        (5, "stale"),
        (6, 6),
        (7, "bad-move"),
        (8, 7),
        (9, "not-seated"),
        (10, 8),
    ]
    await at.check()


async def test_refusals_alone_need_no_log() -> None:
    at = await desk()
    at.move(1, "fly")
    at.move(2, expect=1)
    at.take(ask.Comments(i=3, room=at.room.id, on=True))
    await turns()
    assert at.said == [(1, "bad-move"), (2, "stale"), (3, 2)] and not at.log.batches
    at.move(4)
    await turns()
    await at.log.go_on()
    assert at.said[3:] == [(4, 3)]


async def test_a_name_is_done_once_however_soon_it_is_used_again() -> None:
    at = await desk()
    at.say("a", "one")
    at.say("same", "hm")
    at.say("same", "hm")
    at.say("b", "two")
    at.say("same", "other")
    at.say("same", "hm", at.bob)
    await turns()
    await at.log.go_on()
    assert at.said == [
        ("a", 3),
        ("same", 4),
        ("same", 4),
        ("b", 5),
        ("same", "bad-message"),
        ("same", 6),
    ]
    assert at.outcomes[1] == at.outcomes[2]
    assert at.room.seq == 6
    for number in (7, 7):  # a number names nothing: it is done again
        at.say(number)
    await turns()
    await at.log.go_on()
    assert at.said[6:] == [(7, 7), (7, 8)]
    await at.check()


async def test_somebody_else_wrote_first() -> None:
    at = await desk()
    at.move(1)
    at.say("named")
    at.move(3, expect=4)
    at.move(4, "fly")
    at.say(5)
    await turns()
    await at.behind("first")
    at.say(6)
    await at.log.write()
    assert at.outcomes == [] and at.room.seq == 3, "it has caught up, and decides anew"
    await at.log.go_on()
    assert at.said == [(1, 4), ("named", 5), (3, "stale"), (4, "bad-move"), (5, 6), (6, 7)]
    assert [len(batch) for batch in at.log.batches] == [4, 4]
    await at.check()


async def test_somebody_else_wrote_the_same_command() -> None:
    """The same client, on another server: it is done once."""
    at = await desk()
    at.say("a")
    at.say("mine")
    await turns()
    other = Desk(at.log, await at.afresh(), at.ann, at.bob)
    at.log.held = False
    other.say("mine")
    await turns()
    at.log.held = True
    await at.log.write()
    await at.log.go_on()
    assert at.said == [("a", 4), ("mine", 3)]
    await at.check()


ROUNDS = 40


async def test_a_room_that_is_never_free_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = 0.0
    monkeypatch.setattr(writing, "late_clock", lambda: seconds)
    monkeypatch.setattr(writing, "MAX_PAUSE_SECONDS", 0)
    at = await desk()
    asked: list[int] = []
    at.room.writing.on_crowded = lambda: asked.append(len(at.log.batches))
    for i in range(3):
        at.say(i)
    at.move("wrong", "fly")
    await turns()
    for round_ in range(ROUNDS):
        assert at.outcomes == [] and at.log.waits
        await at.behind(f"round {round_}")
        if round_ == ROUNDS - 1:
            at.say("later")
            seconds += writing.CONFLICT_SECONDS
        await at.log.write()
    assert asked == list(range(writing.CROWDED_CONFLICTS, ROUNDS + 1))
    assert len(at.said) == 4
    assert dict(at.said) == dict.fromkeys([0, 1, 2, "wrong"], "internal")
    await at.log.go_on()
    assert at.said[4:] == [("later", 3 + ROUNDS)]
    assert len(at.log.batches) == ROUNDS + 1
    await at.check()


async def test_who_writes_all_the_time_lets_others_write_when_asked() -> None:
    at = await desk()
    at.say("under way")
    await turns()
    at.room.writing.give_way()
    at.say("waits")
    await at.log.write()
    assert at.said == [("under way", 3)] and not at.log.waits
    await at.behind("at last")
    at.room.hear((await at.log.read(at.room.id))[-1:])
    await turns()
    await at.log.go_on()
    assert at.said[1:] == [("waits", 5)], "behind what was written meanwhile"
    at.say("on")
    await turns()
    assert at.log.waits, "once is enough"
    await at.log.go_on()
    await at.check()


async def test_nobody_waits_long_for_others_nor_for_who_waits_for_him(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writing, "MAX_PAUSE_SECONDS", 0)
    at = await desk()
    at.room.writing.give_way()
    at.say("named")
    await turns()
    assert not at.log.waits
    await eventually(lambda: at.log.waits)  # though nobody has written
    monkeypatch.setattr(writing, "GIVE_WAY_SECONDS", 3600)
    for round_ in range(writing.CROWDED_CONFLICTS):
        at.room.writing.give_way()
        await at.behind(f"round {round_}")
        await at.log.write()
        assert at.log.waits, "somebody has written"
    at.room.writing.give_way()
    await at.behind("one more")
    await at.log.write()
    assert at.log.waits, "we wait ourselves"
    await at.log.go_on()
    assert [i for i, _ in at.said] == ["named"]
    await at.check()


async def test_who_has_given_up_lets_others_write(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = 0.0
    monkeypatch.setattr(writing, "late_clock", lambda: seconds)
    monkeypatch.setattr(writing, "MAX_PAUSE_SECONDS", 0)
    at = await desk()
    at.say("late")
    await turns()
    for round_ in range(writing.CROWDED_CONFLICTS):
        await at.behind(f"round {round_}")
        await at.log.write()
        seconds += writing.CONFLICT_SECONDS / (writing.CROWDED_CONFLICTS - 1)
    assert at.said == [("late", "internal")] and not at.room.writing.busy
    at.room.writing.give_way()
    at.say("waits")
    await turns()
    assert not at.log.waits


async def test_what_cannot_be_written_has_not_happened() -> None:
    at = await desk()
    at.move(1)
    at.say("named")
    at.move(3, "fly")
    at.move(4, expect=4)
    await turns()
    at.say(5)
    at.move(6, expect=2)
    await at.log.fail()
    assert at.said == [
        (1, "LogFailure"),
        ("named", "LogFailure"),
        (3, "LogFailure"),
        (4, "LogFailure"),
    ]
    assert at.room.seq == 2 and not at.room.state.answered
    await at.log.go_on()
    assert at.said[4:] == [(5, 3), (6, "stale")]
    at.say("named")
    await turns()
    await at.log.go_on()
    assert at.said[6:] == [("named", 4)]
    await at.check()


async def test_what_has_been_written_cannot_be_read() -> None:
    """The log refuses, and then cannot say why: it is answered, and the next one is decided."""
    at = await desk()
    at.say(1)
    await turns()
    await at.behind("first")
    read, at.log.read = at.log.read, None  # type: ignore[method-assign, assignment]
    await at.log.write()
    assert at.said == [(1, "TypeError")]
    at.log.read = read  # type: ignore[method-assign]
    at.say(2)
    await turns()
    await at.log.go_on()
    assert at.said[1:] == [(2, 4)]
    await at.check()


async def test_a_mistake_in_one_hurts_no_other() -> None:
    at = await desk()

    def wrong(state: object) -> list[object]:
        raise ZeroDivisionError

    at.say(1)
    at.room.writing.add(
        writing.Command(wrong, lambda outcome: at.outcomes.append((2, outcome)), on_draft=True)  # type: ignore[arg-type]
    )
    at.say(3)
    await turns()
    await at.log.go_on()
    assert at.said == [(1, 3), (2, "ZeroDivisionError"), (3, 4)]
