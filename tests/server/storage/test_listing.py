"""However many rooms there have been: few of them are in memory, and all of them are listed."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from server.storage.files import entry
from servers import running_server
from talk import Plain, Talk, talking
from worlds import START_MS, Fake

from kibitz.protocol.views import Event, RoomInfo
from kibitz.server.lobby import listing
from kibitz.server.log.log import EventLog
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record
from kibitz.server.log.sqlite import SqliteLog

FEW = 10
"""Rooms that are listed from memory here."""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_NEWEST", FEW)
    monkeypatch.setattr(listing, "MAX_LOOKED", 4)
    monkeypatch.setattr(listing, "MAX_SCAN", 7)


@pytest.fixture(params=["memory", "sqlite"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> EventLog:
    return MemoryLog() if request.param == "memory" else SqliteLog(tmp_path / "k.db")


async def fill(log: EventLog, count: int) -> list[RoomInfo]:
    """Rooms of every kind, as a server finds them when it starts."""
    made = []
    for number in range(count):
        info = replace(
            entry(f"r{number:04}"),
            visibility="unlisted" if number % 3 == 1 else "public",
            status="open" if number % 4 == 0 else "won",
            game="klondike" if number % 5 == 0 else "montana",
            updated=START_MS - 1000,
        )
        made.append(info)
        event = Event(seq=1, at=0, kind="say", text="x")
        await log.append(info.id, 0, [Record(events=[event])], info)
    return made


async def every(talk: Talk, **wish: Any) -> list[str]:
    """The ids of all rooms in the list, page by page."""
    found: list[str] = []
    after = None
    while True:
        page = await talk.ok("rooms", after=after, **wish)
        found += [info["id"] for info in page["rooms"]]
        assert len(page["rooms"]) <= wish["limit"]
        if (after := page.get("next")) is None:
            return found


def lobby(talk: Talk) -> list[Plain]:
    """What was pushed of the lobby."""
    return [push for push in talk.pushes if push["t"] == "lobby"]


@pytest.mark.parametrize("limit", [1, 3, 10, 50])
async def test_all_rooms_are_listed_however_few_are_in_memory(log: EventLog, limit: int) -> None:
    made = await fill(log, 60)
    shown = [info for info in reversed(made) if info.visibility == "public"]
    async with running_server(log, Fake().world) as running, talking(running.url) as ann:
        assert len(running.app.rooms.listing) == FEW
        assert await every(ann, limit=limit) == [info.id for info in shown]
        for wish in ({"status": "open"}, {"status": "won"}, {"game": "klondike"}):
            [(key, value)] = wish.items()
            wanted = [info.id for info in shown if getattr(info, key) == value]
            assert await every(ann, limit=limit, **wish) == wanted
        assert await every(ann, limit=limit, game="aces-up") == []
        page = await ann.ok("rooms", limit=limit, game="aces-up")
        assert (page["rooms"], page["next"]) == ([], shown[3].id), "no more was looked at"
        await ann.refused("bad-option", "rooms", after="unknown")


async def test_new_rooms_push_old_ones_out_of_memory_and_not_out_of_the_list(
    log: EventLog,
) -> None:
    fake = Fake()
    async with running_server(log, fake.world) as running, talking(running.url) as ann:
        rooms = []
        for number in range(4 * FEW):
            room = (await ann.ok("create", game="montana"))["room"]
            rooms.append(room)
            if number != 1:
                await ann.ok("leave", room=room)
        assert await every(ann, limit=7) == rooms[::-1]
        await ann.ok("lobby", on=True)
        await ann.ok("say", room=rooms[1], text="hm")
        await ann.until(lambda: rooms[1] in [p["room"].get("id") for p in lobby(ann)])
        fake.pass_time(60)
        running.app.rooms.sweep()
        assert len(running.app.rooms.listing) == FEW + 1, "and the room that somebody is in"
        assert await every(ann, limit=7) == rooms[::-1]
        shown = (await ann.ok("rooms", limit=1, after=rooms[2]))["rooms"]
        assert [(info["id"], info["seq"], info["spectators"]) for info in shown] == [
            (rooms[1], 3, 0)
        ]


async def test_what_is_pushed_out_and_played_again_is_listed_in_its_place(log: EventLog) -> None:
    fake = Fake()
    async with running_server(log, fake.world) as running, talking(running.url) as ann:
        rooms = []
        for _ in range(3 * FEW):
            rooms.append((await ann.ok("create", game="klondike", deal="1"))["room"])
            await ann.ok("leave", room=rooms[-1])
        fake.pass_time(60)
        running.app.rooms.sweep()
        await ann.ok("join", room=rooms[4], role="player")
        await ann.ok("move", room=rooms[4], move="discard")
        assert await every(ann, limit=50) == rooms[::-1]
        [info] = (await ann.ok("rooms", limit=1, after=rooms[5]))["rooms"]
        assert (info["id"], info["seq"], info["moves"]) == (rooms[4], 5, 1)


async def test_where_nothing_was_played_and_nobody_is_leaves_the_list(log: EventLog) -> None:
    """From memory and from the log; what begins by itself, is watched or is new stays."""
    rooms: dict[str, Plain] = {
        "race": {"mode": "race", "waiting": True},
        "replay": {"mode": "replay"},
        "game": {},
        "over": {"mode": "race", "status": "won"},
        "arranged": {"mode": "race", "waiting": True, "due": START_MS + 10**9},
        "fresh": {"mode": "race", "waiting": True, "updated": START_MS - 1000},
    }
    for round_ in range(2):
        for name, changes in rooms.items():
            info = replace(
                entry(f"{name}-{round_}"),
                **{"status": "open", "updated": START_MS - listing.LEFT_MS, **changes},
            )
            await log.append(info.id, 0, [Record(events=[Event(seq=1, at=0, kind="say")])], info)
    fake = Fake()
    async with running_server(log, world=fake.world) as running, talking(running.url) as ann:
        found = {id_.partition("-")[0] for id_ in await every(ann, limit=3)}
        assert found == {"game", "over", "arranged", "fresh"}
        fake.pass_time(listing.LEFT_MS / 1000)
        assert len(await every(ann, limit=3)) == 6
