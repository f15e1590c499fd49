"""The log goes back under servers that run: an old copy is put back, or its tail is lost."""

import asyncio
from collections.abc import Sequence

import pytest
from brokers import NatsServer, nats_logs
from desks import desk, turns
from nats.aio.msg import Msg
from records import add
from servers import running_server
from structlog.testing import capture_logs
from talk import eventually, talking

from kibitz.protocol.views import Event
from kibitz.server.log.log import Conflict, GoneBack
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.nats import live, records
from kibitz.server.log.nats.log import NatsLog
from kibitz.server.log.nats.reading import Found
from kibitz.server.log.nats.records import Head
from kibitz.server.log.record import Record
from kibitz.server.room import writing


async def put_back(log: NatsLog, room: str, keep: int) -> None:
    """Let the stream have no more of a room than its first messages."""
    subject = log._space.room(room)
    found = [
        each async for page in log._source.pages(log._space.rooms, subject, 1) for each in page
    ][:keep]
    await log._purge(log._space.rooms, subject)
    for each in found:
        ours = {name: said for name, said in each.headers.items() if not name.startswith("Nats-")}
        await log._link.ask(subject, each.body, ours)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SWEEP_SECONDS", 0.05)
    monkeypatch.setattr(records, "GONE_SECONDS", 0.1)
    monkeypatch.setattr(writing, "BEHIND_SECONDS", 0.1)


@pytest.mark.usefixtures("quick")
async def test_nobody_is_left_with_what_the_log_has_no_longer(nats_server: NatsServer) -> None:
    with capture_logs() as lines:
        async with (
            nats_logs(nats_server, 3) as (log, other, third),
            running_server(log) as a,
            running_server(other) as b,
            talking(a.url, name="Ann") as ann,
            talking(a.url, name="Bob") as bob,
        ):
            room = (await ann.ok("create", game="klondike"))["room"]
            old = [await ann.ok("say", room=room, text=f"old {n}") for n in range(4)]
            await bob.ok("join", room=room)
            assert (await third.read(room))[-1].on == bytes.fromhex(old[-2]["hash"])
            await put_back(third, room, 3)
            assert await ann.closed() == await bob.closed() == 4503
            async with (
                talking(b.url, token=ann.token) as again,
                talking(a.url, name="Zoe") as zoe,
            ):
                at = {"from_": old[-1]["seq"], "hash": old[-1]["hash"]}
                joined = await again.ok("join", room=room, role="player", **at)
                assert joined["fork"] and joined["seq"] == old[-1]["seq"] - 2
                new = [await again.ok("say", room=room, text=f"new {n}") for n in range(3)]
                there = await zoe.ok("join", room=room)
                assert (there["seq"], there["hash"]) == (new[-1]["seq"], new[-1]["hash"])
                assert new[1]["seq"] == old[-1]["seq"] and new[1]["hash"] != old[-1]["hash"]
    said = [line for line in lines if line["event"] == "gone back"]
    assert [(line["room"], line["seq"]) for line in said] == [(room, old[-1]["seq"])]


@pytest.mark.usefixtures("quick")
async def test_who_hears_of_what_is_no_continuation_takes_up_nothing(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others have written what he has the numbers of, and more, before he looks."""
    monkeypatch.setattr(live, "SWEEP_SECONDS", 3600)
    async with (
        nats_logs(nats_server, 3) as (log, other, third),
        running_server(log) as a,
        running_server(other) as b,
        talking(a.url, name="Ann") as ann,
        talking(b.url, name="Bob") as bob,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        for n in range(3):
            await ann.ok("say", room=room, text=f"old {n}")
        await put_back(third, room, 2)
        await bob.ok("join", room=room)
        new = [await bob.ok("say", room=room, text=f"new {n}") for n in range(4)]
        assert await ann.closed() == 4503
        assert not any(str(each.get("text")).startswith("new") for each in ann.events(room))
        async with talking(a.url, name="Zoe") as zoe:
            assert (await zoe.ok("join", room=room))["hash"] == new[-1]["hash"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("keep", "sweep"), [(0, 0.05), (1, 3600)])
async def test_whoever_follows_is_told(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch, keep: int, sweep: float
) -> None:
    """By a look that finds less than he has; by news of a number that he has."""
    monkeypatch.setattr(live, "SWEEP_SECONDS", sweep)
    monkeypatch.setattr(live, "RECHECK_SECONDS", ())
    async with nats_logs(nats_server) as (log,), asyncio.timeout(30):
        for seq in range(2):
            await add(log, "r", seq)
        following = log.follow("r")
        assert [(await anext(following)).last for _ in range(2)] == [1, 2]
        await put_back(log, "r", keep)
        with pytest.raises(GoneBack):
            await anext(following)


@pytest.mark.usefixtures("quick")
async def test_a_replica_that_is_behind_and_what_is_heard_late_and_again_drop_nobody(
    nats_server: NatsServer,
) -> None:
    async with (
        nats_logs(nats_server, 3) as (log, other, third),
        running_server(log) as a,
        running_server(other) as b,
        talking(a.url, name="Ann") as ann,
        talking(b.url, name="Bob") as bob,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        await bob.ok("join", room=room)
        heard: list[Msg] = []

        async def hear(message: Msg) -> None:
            heard.append(message)

        stop = await third._link.listen(third._space.live(room), hear)
        suspected = [await _behind(each, room) for each in (log, other)]
        client = third._link._connection.client
        for n in range(8):
            await asyncio.gather(*(who.ok("say", room=room, text=f"{n}") for who in (ann, bob)))
            again = (*heard[::-1], *heard)
            for each in again[: 2 * n]:
                await client.publish(each.subject, each.data, headers=each.headers)
        await eventually(lambda: all(len(each) > 1 for each in suspected))
        await stop()
        for who, to in ((ann, bob), (bob, ann)):
            end = await who.ok("say", room=room, text="end")
            while to.events(room)[-1]["seq"] < end["seq"]:
                await to.settle()
        for who in (ann, bob):
            seen = [event["seq"] for event in who.events(room)]
            assert seen == list(range(seen[0], end["seq"] + 1)), "each once, in order"


async def _behind(log: NatsLog, room: str) -> list[int]:
    """Let sweeps find what is there now; whenever that is looked after, the list grows."""
    suspected: list[int] = []
    first = await log._source.lasts(log._space.rooms, [log._space.room(room)])
    check = log._records.check

    async def sweep(stream: str, subjects: Sequence[str]) -> dict[str, Found]:
        return first

    async def look(room: str, after: int, tail: Head | None) -> None:
        await check(room, after, tail)
        suspected.append(after)

    log._source.lasts = sweep  # type: ignore[method-assign]
    log._records.check = look  # type: ignore[method-assign]
    return suspected


async def test_nothing_is_written_behind_another_event_of_the_same_number(
    nats_server: NatsServer,
) -> None:
    async with nats_logs(nats_server, 2) as (log, other):
        at = await desk()
        info = at.room.whole_entry()

        def said(seq: int, text: str) -> list[Record]:
            return [Record(events=[Event(seq=seq, at=seq, kind="say", text=text)])]

        for seq in range(1, 3):
            await log.append("r", seq - 1, said(seq, "old"), info)
        await put_back(other, "r", 1)
        await other.append("r", 1, said(2, "new"), info)
        with pytest.raises(GoneBack):
            await log.append("r", 2, said(3, "old"), info)
        with pytest.raises(Conflict):
            await other.append("r", 1, said(2, "late"), info)
        assert [each.events[0].text for each in await other.read("r", 1)] == ["new"]


async def test_what_was_decided_behind_another_history_is_not_taken_up() -> None:
    at = await desk()
    seq, hash_ = at.room.seq, bytes.fromhex(at.room.live.hash_at(at.room.seq))

    def said(seq: int, on: bytes | None) -> Record:
        return Record(events=[Event(seq=seq, at=seq, kind="say", text="hm")], on=on)

    for wrong in (said(seq + 1, bytes(len(hash_))), said(seq + 2, None)):
        with pytest.raises(GoneBack):
            at.room.hear([wrong])
        assert at.room.seq == seq
    at.room.hear([said(seq + 1, hash_), said(seq + 2, None)])
    assert at.room.seq == seq + 2


async def test_a_log_that_is_behind_is_not_asked_without_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the log is: the room is dropped in the end, and who is there comes again."""
    monkeypatch.setattr(writing, "BEHIND_SECONDS", 0.1)
    at = await desk()
    told: list[int] = []
    at.room.writing.on_gone_back = lambda error: told.append(error.head)
    at.say(0)
    await turns()
    await at.log.go_on()
    at.say(1)
    await turns()
    del at.log._records[at.room.id][1:]
    head = (await at.log.read(at.room.id))[-1].last

    async def ask() -> None:
        while not told:
            if at.log.waits:
                await at.log.write()
            await asyncio.sleep(0)

    async with asyncio.timeout(30):
        await ask()
    assert told == [head] and at.said[1:] == [(1, "GoneBack")]
    assert len(at.log.batches) <= 10, "each time it is waited for twice as long"


async def test_a_log_that_is_behind_for_a_moment_now_and_then_has_not_gone_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who leads since just now may be; what was so long ago, before nothing could be written."""
    now = 0.0
    monkeypatch.setattr(writing, "late_clock", lambda: now)
    monkeypatch.setattr(writing, "PAUSE_SECONDS", 0)
    at = await desk()
    told: list[int] = []
    at.room.writing.on_gone_back = lambda error: told.append(error.head)
    at.log.held = True
    seq = at.room.seq
    at.say(0)
    await turns()
    for number in range(3):
        done, _ = at.log._waiting.pop(0)
        done.set_exception(Conflict(seq, seq - 1))
        await eventually(lambda: at.log.waits or told)
        assert not told
        at.say(number + 1)  # so that there is always something to be written
        await at.log.fail()
        now += 2 * writing.BEHIND_SECONDS
    await at.log.go_on()
    assert at.said == [*((number, "LogFailure") for number in range(3)), (3, seq + 1)]


async def test_a_room_that_the_log_has_lost_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BEHIND_SECONDS", 0)
    kept = MemoryLog()
    async with running_server(kept) as running, talking(running.url, name="Ann") as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        await ann.ok("say", room=room, text="old")
        del kept._records[room][1:]
        await ann.send({"t": "say", "i": "more", "room": room, "text": "more"})
        assert await ann.closed() == 4503
        async with talking(running.url, token=ann.token) as again:
            await again.ok("join", room=room, role="player")
            await again.ok("say", room=room, text="on")
        await eventually(lambda: running.app.rooms.peek(room) is not None)
