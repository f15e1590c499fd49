"""Frames that must not be: each closes with its code, nothing follows, and nobody else notices."""

import asyncio
from collections.abc import Callable

import pytest
from raw import (
    BINARY,
    CLOSE,
    CONT,
    PING,
    PONG,
    TEXT,
    Raw,
    code_of,
    dialled,
    frame,
    raw,
    request,
    said,
    upgrade,
)
from servers import Running
from talk import Talk, eventually, talking

from kibitz.protocol.limits import MAX_MESSAGE, MAX_SAVE
from kibitz.protocol.wire import Encoding

pytestmark = pytest.mark.usefixtures("no_failures")

JSON, MSGPACK = Encoding.JSON, Encoding.MSGPACK
PING_JSON, PING_MSGPACK = said(JSON, "ping"), said(MSGPACK, "ping")
HALF = frame(TEXT, b'{"t":', fin=False)


def piled(total: int) -> bytes:
    """A message in fragments which together have so many bytes."""
    size = MAX_MESSAGE // 3
    rest = total - 3 * size
    return (
        frame(TEXT, b" " * size, fin=False)
        + frame(CONT, b" " * size, fin=False) * 2
        + frame(CONT, b" " * rest)
    )


WRONG: dict[str, tuple[int, bytes]] = {
    "text that is not UTF-8": (1007, frame(TEXT, b'{"t":"p\xffng"}')),
    "fragments that are not UTF-8": (1007, frame(TEXT, b"\xe2\x82", fin=False) + frame(CONT)),
    "not masked": (1002, frame(TEXT, PING_JSON, mask=None)),
    "not masked ping": (1002, frame(PING, b"ping", mask=None)),
    "not masked, long": (1002, frame(TEXT, b" " * 70_000, mask=None)),
    "reserved bit 1": (1002, frame(TEXT, PING_JSON, reserved=4)),
    "reserved bit 2": (1002, frame(TEXT, PING_JSON, reserved=2)),
    "reserved bit 3": (1002, frame(PING, reserved=1)),
    "unknown opcode 3": (1002, frame(3, PING_JSON)),
    "unknown opcode 7": (1002, frame(7)),
    "unknown control opcode": (1002, frame(11)),
    "frame too large": (1009, frame(TEXT, b" " * (MAX_MESSAGE + 1))),
    "frame said to be too large": (1009, frame(TEXT, b" " * (MAX_MESSAGE + 1))[:14]),
    "fragments too large": (1009, piled(MAX_MESSAGE + 1)),
    "fragment too large behind others": (1009, HALF + frame(CONT, b" " * MAX_MESSAGE)),
    "continuation of nothing": (1002, frame(CONT, b"x")),
    "continuation of what has ended": (1002, HALF + frame(CONT, b"1}") + frame(CONT, b"x")),
    "text inside fragments": (1002, HALF + frame(TEXT, PING_JSON)),
    "binary inside fragments": (1002, HALF + frame(BINARY, PING_MSGPACK)),
    "fragments inside fragments": (1002, HALF + HALF),
    "ping in fragments": (1002, frame(PING, b"x", fin=False)),
    "close in fragments": (1002, frame(CLOSE, b"\x03\xe8", fin=False)),
    "large ping": (1002, frame(PING, b"x" * 126)),
    "large pong": (1002, frame(PONG, b"x" * 126)),
    "close code of one byte": (1002, frame(CLOSE, b"\x03")),
    "close code that is none": (1002, frame(CLOSE, (999).to_bytes(2, "big"))),
    "close code that is never sent": (1002, frame(CLOSE, (1005).to_bytes(2, "big"))),
    "close reason that is not UTF-8": (1007, frame(CLOSE, b"\x03\xe8\xff")),
    "close inside fragments": (1002, HALF + frame(CLOSE, b"\x03\xe8")),
    "binary": (4400, frame(BINARY, PING_MSGPACK)),
    "binary in fragments": (4400, frame(BINARY, b"\x81", fin=False) + frame(CONT, b"\xa1")),
    "nothing, binary": (4400, frame(BINARY)),
}


async def in_room(client: Raw, ann: Talk) -> str:
    """A room of somebody in which both are."""
    room: str = (await ann.ok("create", game="klondike", deal="1"))["room"]
    client.ask("join", i="join", room=room)
    await client.until("join")
    return room


@pytest.mark.parametrize("whole", [True, False], ids=["at once", "in pieces"])
@pytest.mark.parametrize("name", list(WRONG))
async def test_a_wrong_frame_closes(running: Running, name: str, whole: bool) -> None:
    code, data = WRONG[name]
    async with talking(running.url) as ann, raw(running.url) as eve:
        room = await in_room(eve, ann)
        eve.ask("ping", i=1)
        await eve.until(1)
        after = request(JSON, "say", i=2, room=room, text="late")
        if whole:
            eve.write(data + after)
        else:
            step = max(1, len(data) // 50)
            await eve.write_pieces(data[at : at + step] for at in range(0, len(data), step))
            eve.write(after)
        frames = await eve.rest()
        assert code_of(frames[-1]) == code
        assert CLOSE not in [opcode for opcode, _ in frames[:-1]]
        assert eve.answers == [0, "join", 1], "what follows is not heard"
        eve.writer.close()
        crowd = (await running.app.rooms.get(room)).live.crowd
        await eventually(lambda: len(crowd) == len(running.app._connections) == 1)
        await ann.ok("move", room=room, move="discard", expect=2)
        assert [event["seq"] for event in ann.events()] == [3]


async def test_text_is_the_wrong_kind_for_msgpack(running: Running) -> None:
    async with raw(running.url, MSGPACK) as eve:
        eve.write(frame(TEXT, PING_JSON))
        assert code_of((await eve.rest())[-1]) == 4400


async def test_what_is_just_not_too_large_is_heard(running: Running) -> None:
    async with raw(running.url) as client:
        client.write(frame(TEXT, b" " * MAX_MESSAGE) + piled(MAX_MESSAGE))
        client.write(frame(TEXT, b'{"t":', fin=False) + frame(CONT, b'"ping","i":1}'))
        await client.until(1)
        assert [said["t"] for said in client.messages] == ["welcome", "error", "error", "pong"]


@pytest.mark.parametrize("payload", [b"", b"\x03\xe8", b"\x03\xe9bye", b"\x0f\xa0", b"\x13\x87"])
async def test_a_close_is_echoed_and_nothing_follows(running: Running, payload: bytes) -> None:
    async with talking(running.url) as ann, raw(running.url) as bob:
        room = await in_room(bob, ann)
        for number in range(3):
            bob.ask("ping", i=number + 1)
        await bob.until(3)
        moves = [ann.ok("move", room=room, move="discard") for _ in range(3)]
        late = request(JSON, "say", i=4, room=room, text="late")
        bob.write(frame(CLOSE, payload) + late + frame(PING, b"late"))
        await asyncio.gather(*moves)
        while await bob.read():
            pass
        assert bob.frames[-1] == (CLOSE, payload)
        assert bob.answers == [0, "join", 1, 2, 3] and bob.pongs == []
        bob.writer.close()
        await eventually(lambda: len(running.app._connections) == 1)
        await ann.settle()
        assert [event["kind"] for event in ann.events()] == ["move"] * 3


@pytest.mark.parametrize("last", [frame(CLOSE, b"\x03\xe8"), frame(3)], ids=["close", "wrong"])
async def test_an_answer_of_the_same_moment_does_not_follow_the_close(
    running: Running, last: bytes
) -> None:
    """Nor does it keep anybody else from his answer."""
    async with raw(running.url) as eve, raw(running.url) as ann:
        for number in range(1, 20):
            async with raw(running.url) as bob:
                bob.write(request(JSON, "move", i=1, room="nowhere", move="x") * 3 + last)
                eve.ask("move", i=number, room="nowhere", move="x")
                ann.ask("move", i=number, room="nowhere", move="x")
                while await bob.read():
                    pass
                assert [opcode for opcode, _ in bob.frames].index(CLOSE) == len(bob.frames) - 1
                for client in (eve, ann):
                    await client.until(number)


def save_in_parts() -> bytes:
    """The beginning of a large message in fragments."""
    payload = said(JSON, "create", i=1, game="klondike", save="x" * MAX_SAVE)
    return frame(TEXT, payload[:1000], fin=False) + frame(CONT, payload[1000:2000], fin=False)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x81",
        request(JSON, "ping", i=1)[:5],
        request(JSON, "ping", i=1)[:-1],
        frame(TEXT, b" " * 70_000)[:9],
        frame(TEXT, b" " * 70_000)[:-1],
        HALF,
        save_in_parts(),
        save_in_parts() + frame(PING, b"x")[:3],
    ],
)
@pytest.mark.parametrize(
    "end", [lambda raw: raw.writer.write_eof(), Raw.cut], ids=["end of stream", "reset"]
)
async def test_who_is_gone_in_the_middle_is_gone(
    running: Running, data: bytes, end: Callable[[Raw], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = running.app.rooms
    monkeypatch.setattr(rooms, "_idle", 0)
    before = asyncio.all_tasks()
    async with dialled(running.url) as eve:
        eve.write(upgrade(running.url))
        await eve.head()
        eve.ask("hello", i=0)
        eve.ask("create", i="made", game="klondike", deal="1")
        room = await rooms.get((await eve.until("made"))["room"])
        assert len(room.live.crowd) == len(running.app._connections) == 1
        eve.write(data)
        await asyncio.sleep(0.02)
        end(eve)
        await eventually(lambda: not running.app._connections)
        assert len(room.live.crowd) == 0 and not room.people.players()
    rooms.sweep()  # what follows the room on several servers goes with it
    await eventually(lambda: asyncio.all_tasks() <= before)
