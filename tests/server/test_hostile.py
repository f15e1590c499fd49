"""Whatever is sent, it gets one answer or a close, and nobody else notices."""

import asyncio
import contextlib
import json
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import msgpack
import pytest
from servers import UNLIMITED, Running, running_server
from talk import Plain, Talk, connected, talking
from websockets.exceptions import ConnectionClosed, InvalidStatus

from kibitz.protocol.limits import MAX_FRAME, MAX_MESSAGE, MAX_SAVE
from kibitz.protocol.wire import Encoding, Frame
from kibitz.server.limits.rates import Rate

JSON, MSGPACK = Encoding.JSON, Encoding.MSGPACK
ROOM = "a" * 16


def deep(levels: int) -> Plain:
    """A request nested so deep."""
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return {"t": "ping", "i": 7, "x": value}


FEW = 250
"""Requests over the rate that are answered here."""
NOT_REQUESTS: dict[str, Frame] = {
    "null": "null",
    "number": "1",
    "string": '"x"',
    "list": "[]",
    "empty map": "{}",
    "true": "true",
    "NaN": "NaN",
    "bracket": "]",
    "nothing": "",
    "infinity": '{"t":"ping","x":Infinity}',
    "huge number": '{"t":"ping","x":1e999}',
    "long number": '{"t":"ping","x":' + "9" * 5000 + "}",
    "lone surrogate": '{"t":"ping","x":"\\ud800"}',
    "two values": '{"t":"ping"}{"t":"ping"}',
    "no t": '{"type":"command"}',
    "t is a number": '{"t":5}',
    "t is null": '{"t":null}',
    "t is a list": '{"t":["ping"]}',
    "very deep": "[" * 10_000 + "]" * 10_000,
    "very deep and open": '{"t":' * 10_000,
    "msgpack null": b"\xc0",
    "msgpack number": b"\x01",
    "msgpack nothing": b"",
    "msgpack list": b"\x90",
    "msgpack NaN": msgpack.packb(float("nan")),
    "msgpack cut": msgpack.packb({"t": "ping"})[:-1],
    "msgpack trailing": msgpack.packb({"t": "ping"}) + b"\x00",
    "msgpack never used": b"\xc1",
    "msgpack ext": msgpack.packb({"t": "ping", "x": msgpack.ExtType(5, b"abc")}),
    "msgpack time": msgpack.packb({"t": "ping", "x": msgpack.Timestamp(1, 2)}),
    "msgpack number keys": msgpack.packb({"t": "ping", 5: 6}),
    "msgpack bytes keys": msgpack.packb({b"t": "ping"}),
    "msgpack bad UTF-8": b"\x81\xa1t\xa4pin\xff",
    "msgpack huge string": b"\xdb\xff\xff\xff\xffabc",
    "msgpack huge list": b"\xdd\xff\xff\xff\xff\x01",
    "msgpack huge map": b"\xdf\xff\xff\xff\xff\xa1t\xa4ping",
    "msgpack huge bytes": b"\xc6\xff\xff\xff\xff\x00",
    "msgpack very deep": b"\x91" * 10_000 + b"\xc0",
    "msgpack deep maps": b"\x81\xa1t" * 10_000 + b"\xc0",
}


@pytest.mark.parametrize("name", list(NOT_REQUESTS))
async def test_what_is_no_request_gets_an_error(running: Running, name: str) -> None:
    """B59, B60."""
    frame = NOT_REQUESTS[name]
    encoding = JSON if isinstance(frame, str) else MSGPACK
    async with talking(running.url, encoding) as eve:
        await eve.socket.send(frame)
        error = await eve.stray()
        assert (error["t"], error["code"]) == ("error", "bad-message")
        assert "i" not in error and error["message"]
        await eve.settle()


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("unsupported", {"t": "fly"}),
        ("unsupported", {"t": ""}),
        ("unsupported", {"t": "joined"}),
        ("unsupported", {"t": "MOVE"}),
        ("bad-message", {"t": "move"}),
        ("bad-message", {"t": "move", "room": ROOM}),
        ("bad-message", {"t": "move", "room": 5, "move": "d"}),
        ("bad-message", {"t": "move", "room": ROOM, "move": None}),
        ("bad-message", {"t": "move", "room": ROOM, "move": ["d"]}),
        ("bad-message", {"t": "move", "room": ROOM, "move": "d" * 65}),
        ("bad-message", {"t": "move", "room": ROOM, "move": "d", "expect": "1"}),
        ("bad-message", {"t": "move", "room": ROOM, "move": "d", "expect": -1}),
        ("bad-message", {"t": "move", "room": ROOM, "move": "d", "expect": 1.5}),
        ("bad-message", {"t": "move", "room": ROOM, "move": "d", "expect": 2**53}),
        ("bad-message", {"t": "move", "room": ROOM, "move": "d", "board": 100}),
        ("bad-message", {"t": "join", "room": ""}),
        ("bad-message", {"t": "join", "room": "a" * 41}),
        ("bad-message", {"t": "join", "room": ROOM, "role": "king"}),
        ("bad-message", {"t": "join", "room": ROOM, "from": -1}),
        ("bad-message", {"t": "history", "room": ROOM, "limit": 501}),
        ("bad-message", {"t": "history", "room": ROOM, "from": 0}),
        ("bad-message", {"t": "rooms", "limit": 0}),
        ("bad-message", {"t": "rooms", "status": "lost"}),
        ("bad-message", {"t": "lobby", "on": 1}),
        ("bad-message", {"t": "create"}),
        ("bad-message", {"t": "create", "game": "klondike", "options": []}),
        ("bad-message", {"t": "create", "game": "klondike", "options": {"a": {}}}),
        ("bad-message", {"t": "create", "game": "klondike", "seat": "yes"}),
        ("too-large", {"t": "create", "game": "klondike", "save": "x" * (MAX_SAVE + 1)}),
        ("bad-save", {"t": "create", "game": "klondike", "save": "x" * MAX_SAVE}),
        ("bad-save", {"t": "create", "game": "klondike", "save": "♠" * 30_000}),
        ("too-large", {"t": "ping", "x": "x" * MAX_FRAME}),
        ("too-large", {"t": "create", "game": "klondike", "x": "x" * 9 * 1024}),
        ("bad-message", deep(9)),
        ("no-room", {"t": "join", "room": "../../etc/passwd"}),
        ("no-room", {"t": "join", "room": "' or 1 = 1 --"}),
        ("no-room", {"t": "move", "room": ROOM, "move": "d"}),
    ],
)
async def test_a_wrong_request_gets_one_error_with_its_number(
    running: Running, encoding: Encoding, code: str, wrong: Plain
) -> None:
    async with talking(running.url, encoding) as eve:
        for i in (7, "seven"):
            await eve.send({**wrong, "i": i})
            await eve.until(lambda: i in eve.answers)  # noqa: B023
            answer = eve.answers[i]
            assert (answer["t"], answer["code"]) == ("error", code), answer
        await eve.settle()
        assert eve.strays == eve.pushes == [] and len(eve.frames) == 4


@pytest.mark.parametrize("i", [True, 1.5, -1, 2**53, "", "x" * 33, [1], {"a": 1}])
async def test_a_number_that_is_none_gets_an_error(running: Running, i: object) -> None:
    async with talking(running.url) as eve:
        before = len(eve.frames)
        await eve.send({"t": "ping", "i": i})
        await eve.until(lambda: len(eve.frames) > before)
        assert json.loads(eve.frames[-1])["code"] == "bad-message"


async def test_requests_as_deep_and_large_as_allowed_are_granted(running: Running) -> None:
    async with talking(running.url) as eve:
        await eve.send(deep(8))
        await eve.until(lambda: eve.answers.get(7, {}).get("t") == "pong")
        await eve.ok("ping", x="x" * (MAX_FRAME - 60))
        await eve.ok("ping", i="x" * 32)


@pytest.mark.parametrize("encoding", list(Encoding))
async def test_the_wrong_kind_of_frame_closes(running: Running, encoding: Encoding) -> None:
    async with talking(running.url, encoding) as eve:
        other = MSGPACK if encoding is JSON else JSON
        frame = msgpack.packb({"t": "ping"}) if other is MSGPACK else '{"t":"ping"}'
        await eve.socket.send(frame)
        assert await eve.closed() == 4400


@pytest.mark.parametrize("size", [MAX_MESSAGE + 1, 2**20])
async def test_a_frame_that_is_far_too_large_closes(running: Running, size: int) -> None:
    """B61."""
    async with talking(running.url) as eve:
        await eve.socket.send("x" * size)
        assert await eve.closed() in (1009, 0, 1006)
    async with talking(running.url) as ann:
        await ann.settle()


async def test_messages_in_fragments_are_whole(running: Running) -> None:
    async with talking(running.url) as ann:
        await ann.socket.send(c for c in '{"t":"ping","i":"bits"}')
        await ann.until(lambda: "bits" in ann.answers)


async def test_unknown_sub_protocols_are_refused(running: Running) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with connected(running.url, offer=["kibitz.v9.json", "chat"]):
            pass
    assert refused.value.response.status_code == 400
    async with connected(running.url, offer=[]) as talk:
        talk.read()
        assert talk.socket.subprotocol is None
        assert (await talk.ok("hello"))["server"]
    async with connected(running.url, offer=["chat", MSGPACK.value, JSON.value]) as talk:
        assert talk.socket.subprotocol == MSGPACK.value


async def test_hello_comes_first_and_once(running: Running) -> None:
    for first in ({"t": "ping"}, {"t": "rooms"}, {"t": "hello", "token": "kbz_forged"}):
        async with connected(running.url) as eve:
            eve.read()
            await eve.send(first)
            assert await eve.closed() == 4401
    async with talking(running.url) as eve:
        await eve.send({"t": "hello"})
        assert await eve.closed() == 4400
    async with connected(running.url) as eve:
        eve.read()
        await eve.refused("bad-message", "hello", name="x" * 33)
        await eve.refused("bad-message", "hello", token=5)
        assert (await eve.ok("hello", name=" \u202e\x00 "))["you"]["name"].startswith("guest-")
    brief = replace(UNLIMITED, hello_timeout=0.05)
    async with running_server(limits=brief) as running, connected(running.url) as eve:
        eve.read()
        assert await eve.closed() == 4408


async def flood(eve: Talk, count: int) -> None:
    """Send as fast as it goes, until closed."""
    with contextlib.suppress(ConnectionClosed):
        for number in range(count):
            await eve.send({"t": "rooms", "i": 1000 + number})


async def test_a_flood_is_slowed_then_cut_off_and_nobody_notices() -> None:
    """B61."""
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        few = replace(UNLIMITED, requests=Rate(20, 400), refused=FEW)
        limits = running_server(limits=few)
        running = await stack.enter_async_context(limits)
        ann, bob, eve = [await stack.enter_async_context(talking(running.url)) for _ in range(3)]
        shared = (await ann.ok("create", game="klondike", deal="1"))["room"]
        other = (await bob.ok("create", game="klondike", deal="1"))["room"]
        await eve.ok("join", "mine", room=shared)
        flooding = asyncio.create_task(flood(eve, 400 + 4 * FEW))
        slowest, heads = 0.0, []
        while not flooding.done():
            begin = loop.time()
            heads.append(await ann.ok("say", room=shared, text="hm"))
            await bob.ok("say", room=other, text="hm")
            slowest = max(slowest, loop.time() - begin)
            await asyncio.sleep(0.1)
        assert await eve.closed() == 4429
        refused = [a for a in eve.answers.values() if a["t"] == "error"]
        assert {a["code"] for a in refused} == {"rate-limited"}
        assert FEW <= len(refused) < 2 * FEW, "each request within the rate makes up for one"
        assert all(a["retry_ms"] >= 1 for a in refused) and eve.strays == []
        numbers = [i for i in eve.answers if isinstance(i, int) and i >= 1000]
        assert numbers == list(range(1000, 1000 + len(numbers))), "in order, none left out"
        assert slowest < 2
        page = await ann.ok("history", room=shared, limit=500)
        assert len(page["events"]) == 2 + len(heads)
        await ann.ok("move", room=shared, move="discard", expect=heads[-1]["seq"])


async def test_what_is_too_much_is_answered_with_its_number_however_large() -> None:
    async with (
        running_server(requests=Rate(0.01, 2)) as running,
        talking(running.url) as eve,
    ):
        save = "x" * (MAX_FRAME + 1)
        for _ in range(2):
            await eve.ask("ping")
        await eve.refused("rate-limited", "create", "large", game="klondike", save=save)
