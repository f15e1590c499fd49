"""Rooms that are over leave nothing behind: what hangs on the server grows no further."""

import asyncio
import gc
import os
import types
from pathlib import Path

import pytest
from servers import Running, running_server
from talk import Talk, talking
from worlds import Fake

from kibitz.server.lobby import listing
from kibitz.server.log import writer
from kibitz.server.log.sqlite import SqliteLog

ROOMS = int(os.environ.get("KIBITZ_ROOMS", "150"))
"""How many are made and finished in a window; more by hand."""
WINDOWS = 3
_ELSEWHERE = (
    *(type, types.ModuleType, types.FunctionType, types.FrameType, types.BuiltinFunctionType),
    asyncio.AbstractEventLoop,
)


def size_of(root: object) -> int:
    """How many objects and entries hang on one."""
    seen, todo, size = {id(root)}, [root], 0
    while todo:
        one = todo.pop()
        size += len(one) if isinstance(one, dict) else 1
        for other in gc.get_referents(one):
            if id(other) not in seen and not isinstance(other, _ELSEWHERE):
                seen.add(id(other))
                todo.append(other)
    return size


async def finish(running: Running, fake: Fake, ann: Talk, count: int) -> None:
    """Make so many rooms, end them, and let them leave memory."""
    for number in range(count):
        room = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await ann.ok("resign", room=room)
        await ann.ok("leave", room=room)
        if number % 50 == 49:
            fake.pass_time(60)
            running.app.rooms.sweep()
    fake.pass_time(60)
    running.app.rooms.sweep()
    gc.collect()


async def test_rooms_that_are_over_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MAX_NEWEST", 50)
    monkeypatch.setattr(writer, "MAX_HEADS", 50)
    fake = Fake()
    async with (
        running_server(SqliteLog(tmp_path / "k.db"), fake.world) as running,
        talking(running.url) as ann,
    ):
        await finish(running, fake, ann, 100)  # what is loaded once is loaded
        sizes = [size_of(running.app)]
        for _ in range(WINDOWS):
            await finish(running, fake, ann, ROOMS)
            sizes.append(size_of(running.app))
        assert len(running.app.rooms) == 0
        assert sizes[-1] - sizes[0] < WINDOWS * ROOMS / 2, sizes


async def test_a_writer_with_nothing_to_do_forgets_its_pages_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "IDLE_SECONDS", 0.01)
    log = SqliteLog(tmp_path / "k.db")
    loop, forgot = asyncio.get_running_loop(), asyncio.Queue[str]()

    def said(statement: str) -> None:
        if statement == "pragma shrink_memory":
            loop.call_soon_threadsafe(forgot.put_nowait, statement)

    log._writer_db.set_trace_callback(said)
    async with running_server(log) as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await forgot.get()
        await ann.ok("say", room=room, text="on")
        await forgot.get()
        await asyncio.sleep(0.1)
        assert forgot.empty()
