"""Watching: a snapshot and every event after it, whenever one joins, drops and comes back."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from plays import endless, legal
from servers import UNLIMITED, running_server
from talk import PATIENCE, Plain, Talk, eventually, talking
from worlds import Fake, HeldLog

from kibitz.engine.games import GAMES
from kibitz.protocol.hashing import chain
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Joined
from kibitz.protocol.views import Event, View
from kibitz.protocol.wire import Encoding
from kibitz.server.limits.rates import Rate
from kibitz.server.limits.settings import IDLE_SECONDS
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.room.audience import EVERYTHING
from kibitz.server.room.room import Room
from kibitz.server.room.stage import MAX_MISSED, RECENT
from kibitz.server.room.state import RoomState, state_at
from kibitz.server.room.told import MAX_BYTES


async def views_of(room: Room) -> list[View]:
    """The server's view after every event; the first is that of no event."""
    records = await room._log.read(room.id)
    first, *rest = records
    views = [state_at(records, at).view() for at in range(1, len(first.events) + 1)]
    state = RoomState(first)
    for event in [event for record in rest for event in record.events]:
        state.apply_event(event)
        views.append(state.view())
    return [views[0], *views]


def check_mirror(talk: Talk, views: list[View], hashes: list[str]) -> int:
    """Follow a connection's frames; the mirror equals the server after every event."""
    mirror: Mirror | None = None
    for reply in talk.replies:
        if isinstance(reply, Joined):
            assert mirror is None
            mirror = Mirror(reply)
        elif isinstance(reply, Event):
            assert mirror is not None, "an event came before the answer to join"
            assert reply.seq == mirror.seq + 1
            assert mirror.apply(reply)
        else:
            continue
        assert mirror.view == views[mirror.seq], reply
        assert mirror.hash == hashes[mirror.seq]
    assert mirror is not None
    return mirror.seq


async def hashes_of(room: Room) -> list[str]:
    """The hash after every event, worked out anew from what everybody may see."""
    hashes = [b""]
    for event in await room.live.events(0, room.seq, EVERYTHING):
        hashes.append(chain(hashes[-1], event))
    return [hash_.hex() for hash_ in hashes]


@pytest.mark.parametrize("game", list(GAMES))
async def test_a_dozen_join_while_moves_rain_down(game: str) -> None:
    """B32."""
    rng = Random(game)
    async with running_server() as running, AsyncExitStack() as guests:
        ann = await guests.enter_async_context(talking(running.url, Encoding.MSGPACK))
        id_ = (await ann.ok("create", game=game, deal="7"))["room"]
        room = await running.app.rooms.get(id_)
        talks = [
            await guests.enter_async_context(talking(running.url, list(Encoding)[number % 2]))
            for number in range(12)
        ]
        joins = {rng.randrange(80): talk for talk in talks}
        joining: list[asyncio.Task[Plain]] = []
        for step in range(80):
            if step in joins:
                joining.append(asyncio.create_task(joins[step].ok("join", room=id_)))
            moves = legal(room.state)
            kind = rng.choice(["move"] * 8 + ["undo", "redo", "restart", "say"])
            match kind if moves or kind != "move" else "undo":
                case "move":
                    await ann.ask("move", room=id_, move=rng.choice(moves))
                case "say":
                    await ann.ask("say", room=id_, text="♠ Grüße")
                case other:
                    await ann.ask(other, room=id_)
        await asyncio.gather(*joining)
        await ann.ok("resign", room=id_)
        views, hashes = await views_of(room), await hashes_of(room)
        for talk in [ann, *joins.values()]:
            await talk.settle()
            assert check_mirror(talk, views, hashes) == room.seq > 60


async def test_what_was_missed_comes_by_number() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        heads = {}
        for t, move in islice(endless(Random(1)), MAX_MISSED + 200):
            ok = await ann.ok(t, room=room, move=move)
            heads[ok["seq"]] = ok["hash"]
        told = {event["seq"]: event for event in ann.events(room)}
        last = max(heads)
        async with talking(running.url, Encoding.MSGPACK) as bob:
            for missed in (0, 1, RECENT - 1, RECENT, RECENT + 1, MAX_MISSED):
                seen = last - missed
                back = await bob.ok("join", room=room, from_=seen, hash=heads[seen])
                assert back["events"] == [told[seq] for seq in range(seen + 1, last + 1)]
                assert (back["seq"], back["hash"]) == (last, heads[last])
                assert "view" not in back and "fork" not in back
            seen = last - MAX_MISSED - 1
            back = await bob.ok("join", room=room, from_=seen, hash=heads[seen])
            assert "events" not in back and "fork" not in back and back["view"]
            for seen, hash_ in ((last, heads[last - 1]), (last - 1, ""), (last + 1, heads[last])):
                back = await bob.ok("join", room=room, from_=seen, hash=hash_)
                assert back["fork"] and "events" not in back and back["seq"] == last
            back = await bob.ok("join", room=room, from_=last)
            assert back["fork"] and back["view"]


async def test_resuming_while_moves_rain_down_leaves_no_gap(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log")
    async with running_server(log) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        commands = endless(Random(1))
        hashes = ["", "", (await ann.ok("ping"))["heads"][room][1]]

        async def play(count: int) -> None:
            for t, move in islice(commands, count):
                hashes.append((await ann.ok(t, room=room, move=move))["hash"])

        await play(RECENT + 20)
        for seen in (2, 10, 100):
            async with talking(running.url) as bob:
                playing = asyncio.create_task(play(30))
                back = await bob.ok("join", room=room, from_=seen, hash=hashes[seen])
                await playing
                await bob.settle()
                got = [e["seq"] for e in back["events"]] + [e["seq"] for e in bob.events()]
                assert got == list(range(seen + 1, len(hashes)))


@pytest.mark.parametrize("encoding", list(Encoding))
async def test_who_reads_the_past_again_needs_nothing_of_the_log(encoding: Encoding) -> None:
    """Whatever part of it he reads, and with all cards open after the end."""
    log, rng = HeldLog(), Random(encoding.name)
    async with running_server(log) as running, talking(running.url, encoding) as ann:
        id_ = (await ann.ok("create", game="klondike", deal="1"))["room"]
        for t, move in islice(endless(Random(1)), RECENT + 70):
            await ann.ok(t, room=id_, move=move)
        await ann.ok("resign", room=id_)
        room = await running.app.rooms.get(id_)
        for open_ in (False, True):
            first = await ann.ok("history", room=id_, limit=500, open=open_, proofs=True)
            now = first["events"]
            assert [event["seq"] for event in now] == list(range(1, room.seq + 1))
            told = {event["seq"]: event for event in ann.events(id_)}
            assert open_ or [event for event in now if event["seq"] in told] == list(told.values())
            log.hold("read")
            for _ in range(20):
                from_, limit = rng.randrange(1, room.seq - 90), rng.randrange(1, 80)
                page = await ann.ok(
                    "history", room=id_, from_=from_, limit=limit, open=open_, proofs=True
                )
                assert page["events"] == now[from_ - 1 : from_ - 1 + limit]
                named = {card for _, card, *_ in page["openings"]}
                assert named == {cell[:2] for event in page["events"] for cell in cells(event)}
            log.release()
        assert running.app._answers._reading._told._size <= MAX_BYTES


def cells(event: Plain) -> Iterator[str]:
    """The cards that an event names."""
    for fact in event.get("fx", []):
        if fact[0] in ("mv", "set"):
            yield from (cell for cell in fact[-1] if cell != "??")
        elif fact[0] in ("up", "dn"):
            yield from fact[2:]


async def test_who_comes_back_by_number_pays_for_what_he_is_given() -> None:
    limits = replace(UNLIMITED, reads=Rate(0.001, 3))
    async with running_server(limits=limits) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        seen = (await ann.ok("ping"))["heads"][room]
        for _ in range(150):
            await ann.ok("say", room=room, text="hm")
        async with talking(running.url) as bob:
            for _ in range(2):
                answer = await bob.ask("join", room=room, from_=seen[0], hash=seen[1])
            assert (answer["t"], len(answer["events"])) == ("joined", 150)
            for _ in range(5):  # some are granted because they are his own room
                answer = await bob.ask("join", room=room, from_=seen[0], hash=seen[1])
            assert answer["limit"] == "reads per connection"


async def test_what_happens_while_old_events_are_read_is_not_lost() -> None:
    log = HeldLog()
    async with running_server(log) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        await ann.ok("move", room=room, move="discard")
        seen = (await ann.ok("ping"))["heads"][room]
        for _ in range(RECENT + 1):
            await ann.ok("say", room=room, text="hm")
        async with talking(running.url) as bob:
            log.hold("read")
            joining = asyncio.create_task(bob.ok("join", room=room, from_=seen[0], hash=seen[1]))
            await asyncio.wait_for(log.waiting.wait(), PATIENCE)
            for _ in range(3):
                await ann.ok("undo", room=room)
                await ann.ok("redo", room=room)
            log.release()
            back = await joining
            await ann.ok("undo", room=room)
            await bob.settle()
            got = [event["seq"] for event in back["events"] + bob.events()]
            assert back["events"][-1]["seq"] == back["seq"]
            assert got == list(range(seen[0] + 1, seen[0] + RECENT + 9))


async def test_a_room_out_of_memory_comes_back_as_it_was() -> None:
    fake = Fake()
    async with running_server(world=fake.world) as running:
        async with talking(running.url) as ann:
            id_ = (await ann.ok("create", game="montana", deal="9"))["room"]
            for move in ("s", "s"):
                await ann.ok("move", room=id_, move=move)
            before = await ann.ok("join", i=99, room=id_, role="player")
            room = await running.app.rooms.get(id_)
            fake.pass_time(2 * IDLE_SECONDS)
            running.app.rooms.sweep()
            assert await running.app.rooms.get(id_) is room, "somebody is there"
        await eventually(lambda: not room.live.crowd)
        fake.pass_time(IDLE_SECONDS)
        running.app.rooms.sweep()
        assert len(running.app.rooms) == 0
        async with (
            talking(running.url, token=ann.token) as ann,
            talking(running.url) as bob,
        ):
            both = await asyncio.gather(
                ann.ok("join", i=99, room=id_, role="player"), bob.ok("join", i=99, room=id_)
            )
            assert both[0] == {key: before[key] for key in before if key != "already"}
            assert both[1]["view"] == before["view"]
            assert await running.app.rooms.get(id_) is not room
            await ann.ok("undo", room=id_)
            await bob.until(bob.events)
            assert bob.events()[0]["seq"] == before["seq"] + 1
