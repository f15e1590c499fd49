"""What is sent: in order, an answer behind what it names, in few writes, nothing behind a close."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

import pytest
from raw import CLOSE, Raw, code_of, raw
from servers import EACH_ENDS, Running
from talk import Talk, eventually, talking
from websockets.frames import Frame, Opcode

from kibitz.protocol.wire import Encoding
from kibitz.server.sockets.frames import frame

pytestmark = pytest.mark.usefixtures("no_failures")

SMALL = 4096
"""Receive buffer of a client that reads slowly, in bytes."""
LONG = "🂡" * 500


def check_order(client: Raw, room: str) -> int:
    """Events without a gap, every answer behind all events that it knows of; the last event."""
    seen = 0
    for message in client.messages:
        if message["t"] == "joined":
            seen = message["seq"]
        elif message["t"] == "event":
            assert message["seq"] == seen + 1
            seen += 1
        elif message["t"] == "ok":
            assert message["seq"] <= seen
        elif message["t"] == "pong" and message["heads"]:
            assert message["heads"][room][0] <= seen
        elif message["t"] == "events":
            assert message["events"][-1]["seq"] <= seen
    return seen


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("role", ["player", "spectator"])
async def test_a_slow_reader_who_asks_much_gets_everything_in_order(
    running: Running, encoding: Encoding, role: str
) -> None:
    rng = Random(7)
    async with (
        talking(running.url) as ann,
        raw(running.url, encoding, receive_buffer=SMALL) as eve,
    ):
        room = (await ann.ok("create", game="klondike", mode="coop", deal="1"))["room"]
        eve.ask("join", i="join", room=room, role=role)
        await eve.until("join")
        asked: list[int | str] = [0, "join"]
        for number in range(1, 200):
            match rng.choice(["ping", "history", "say", "moves"]):
                case "ping":
                    eve.ask("ping", i=number)
                case "history":
                    begin = max(1, (await running.app.rooms.get(room)).seq - 20)
                    eve.ask("history", i=number, room=room, from_=begin)
                case "say":
                    eve.ask("say", i=number, room=room, text="hm")
                case "moves":
                    eve.ask("moves", i=number, room=room)
            asked.append(number)
            if rng.random() < 0.8:
                for text in ("hm", rng.choice(["hm", LONG])):
                    await ann.send({"t": "say", "room": room, "text": text})
            if rng.random() < 0.5:
                await eve.read()
        eve.ask("ping", i="end")
        await eve.until("end")
        await ann.settle()
        eve.ask("ping", i="settled")
        await eve.until("settled")
        assert eve.answers == [*asked, "end", "settled"]
        assert check_order(eve, room) == (await running.app.rooms.get(room)).seq > 300


async def test_a_spectators_answer_is_behind_the_events_of_the_same_moment(
    running: Running,
) -> None:
    """Both asked in the same turn of the loop: the answer knows the event, so it comes later."""
    async with raw(running.url) as ann, raw(running.url) as eve:
        ann.ask("create", i="made", game="klondike", deal="1")
        room = (await ann.until("made"))["room"]
        eve.ask("join", i="join", room=room)
        await eve.until("join")
        for number in range(1, 50):
            ann.ask("say", i=number, room=room, text="hm")
            for part in range(number % 5):
                eve.ask("ping", i=10 * number + part)
                await asyncio.sleep(0)
            eve.ask("ping", i=10 * number + 9)
            await eve.until(10 * number + 9)
            await ann.until(number)
        eve.ask("ping", i="end")
        await eve.until("end")
        assert check_order(eve, room) == check_order(ann, room) == 51


async def pour(ann: Talk, room: str) -> None:
    """Let events pour until cancelled or closed."""
    number = 1000
    while True:
        number += 1
        await ann.send({"t": "say", "room": room, "text": LONG})
        if number % 20 == 0:
            await asyncio.sleep(0)


async def replace(running: Running, room: str, token: str) -> None:
    """Take the seat over elsewhere."""
    async with talking(running.url, token=token) as again:
        await again.ok("join", room=room, role="player")


async def nothing(running: Running, room: str, token: str) -> None:
    """Let it not read until it has been closed."""
    live = (await running.app.rooms.get(room)).live.crowd
    await eventually(lambda: any(member.lagging for member in live._members.values()))


async def stop(running: Running, room: str, token: str) -> None:
    """Stop the server."""
    stopping.append(asyncio.create_task(running.app.stop()))
    await asyncio.sleep(0.01)


stopping: list[asyncio.Task[None]] = []


@pytest.mark.parametrize(
    ("code", "role", "close"),
    [
        pytest.param(4409, "player", replace),
        (4408, "player", nothing),
        pytest.param(4503, "player", stop, marks=EACH_ENDS),
        pytest.param(4503, "spectator", stop, marks=EACH_ENDS),
    ],
)
async def test_nothing_follows_a_close(
    running: Running,
    code: int,
    role: str,
    close: Callable[[Running, str, str], Awaitable[None]],
) -> None:
    async with talking(running.url) as bob:
        token = bob.token
    async with (
        talking(running.url) as ann,
        raw(running.url, token=token, receive_buffer=SMALL) as bot,
    ):
        room = (await ann.ok("create", game="klondike", mode="coop", deal="1"))["room"]
        bot.ask("join", i="join", room=room, role=role)
        await bot.until("join")
        pouring = asyncio.create_task(pour(ann, room))
        try:
            while len(bot.events) < 20:
                await bot.read()
            await close(running, room, token)
            await bot.rest()
        finally:
            pouring.cancel()
            await asyncio.wait([pouring])
        assert code_of(bot.frames[-1]) == code
        assert [opcode for opcode, _ in bot.frames].count(CLOSE) == 1
        check_order(bot, room)
        if stopping:
            await stopping.pop()
            await running.app.start()


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, 200_000])
def test_frames_are_those_of_the_library(size: int) -> None:
    for opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.PING)[: 3 if size < 126 else 2]:
        payload = bytes(size)
        assert frame(opcode, payload) == Frame(opcode, payload).serialize(mask=False)
