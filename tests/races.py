"""Races over the socket: begun, waited for, and folded anew from what a viewer was told."""

import asyncio
from collections.abc import Iterable

import msgspec
from plays import NEAR_WIN
from servers import Running
from talk import Plain, Talk
from worlds import Fake

from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Joined, Position
from kibitz.protocol.views import Event
from kibitz.server.log.log import EventLog
from kibitz.server.room.state import RoomState

RACE: Plain = {"game": "klondike-single", "mode": "race", "deal": "1"}
NEAR: Plain = {"game": "klondike", "mode": "race", "save": NEAR_WIN}
"""Two moves before the end."""


async def race(talk: Talk, i: str | None = None, **wish: object) -> str:
    """A new race in which the asker has the first seat."""
    room: str = (await talk.ok("create", i, **({} if "save" in wish else RACE) | wish))["room"]
    return room


async def whole(log: EventLog, room: str) -> tuple[RoomState, list[Event]]:
    """The room as its log makes it, and its full events."""
    first, *rest = await log.read(room)
    state = RoomState(first)
    for record in rest:
        state.apply(record)
    return state, [event for record in (first, *rest) for event in record.events]


async def wake(running: Running) -> None:
    """Let everything happen that is due by itself now."""
    for app in running.apps:
        clock = app.rooms.clock
        await asyncio.gather(*map(clock._woken, clock._pop()))
    await running.abreast()


async def later(running: Running, fake: Fake, seconds: float) -> None:
    """Let time pass, and everything happen that was due meanwhile."""
    fake.pass_time(seconds)
    await wake(running)


async def told(talk: Talk, room: str, kind: str) -> Plain:
    """The last event of a kind that was pushed, once it is here."""
    await talk.until(lambda: kind in kinds(talk, room))
    return [event for event in talk.events(room) if event["kind"] == kind][-1]


def kinds(talk: Talk, room: str) -> list[str]:
    """The kinds of all events pushed so far."""
    return [event["kind"] for event in talk.events(room)]


async def seat(room: str, *racers: Talk, password: str | None = None) -> list[Plain]:
    """Let these sit down, one after the other; their ``joined``."""
    return [await one.ok("join", room=room, role="player", password=password) for one in racers]


async def begin(running: Running, fake: Fake, room: str, *racers: Talk) -> None:
    """Let all be ready, and wait until the boards are released."""
    for racer in racers:
        await racer.ok("ready", room=room)
    state = (await running.app.rooms.get(room)).state
    assert state.course.race
    await later(running, fake, state.course.race.countdown)
    for racer in racers:
        await told(racer, room, "dealt")


def mirror(joined: Plain) -> Mirror:
    """A room as a client holds it, from its ``joined``."""
    return Mirror(msgspec.convert(_typed(joined), Joined))


def rejoin(made: Mirror, joined: Plain) -> None:
    """Let a client go on after a new ``joined``."""
    made.rejoin(msgspec.convert(_typed(joined), Joined))


def follow(made: Mirror, pushes: Iterable[Plain]) -> None:
    """Let a client take what was pushed since."""
    for push in pushes:
        if push.get("room") != made.room:
            continue
        if push["t"] == "view":
            made.reset(msgspec.convert(_typed(push), Position))
        elif push["t"] == "event":
            made.apply(msgspec.convert(_typed(push), Event))


def _typed(plain: Plain) -> Plain:
    return {key: value for key, value in plain.items() if key != "i"}


def view_of(made: Mirror) -> Plain:
    """The view that a client has, as the server would write it."""
    plain: Plain = msgspec.to_builtins(made.view)
    return plain
