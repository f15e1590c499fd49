"""Frames and requests that are none are answered, and count."""

import asyncio
import contextlib
from dataclasses import replace
from urllib.parse import urlsplit

import msgpack
import pytest
from raw import CLOSE, CONT, PING, TEXT, code_of, dialled, frame, raw, request, upgrade
from servers import UNLIMITED, Running, running_server
from talk import PATIENCE, eventually, talking

from kibitz.protocol.wire import Encoding, Frame
from kibitz.server.limits.account import PATIENCE as REFUSED_AT_ONCE
from kibitz.server.limits.rates import Rate
from kibitz.server.sockets.socket import LATE_BYTES

JSON, MSGPACK = Encoding.JSON, Encoding.MSGPACK
BROKEN: dict[str, tuple[Frame, int | str | None]] = {
    "NaN behind": ('{"t":"ping","i":7,"x":NaN}', 7),
    "cut": ('{"t":"ping","i":"a\\"b"', 'a"b'),
    "another one inside": ('{"x":{"i":3},"i":4,]', 4),
    "only one inside": ('{"x":{"i":3},]', None),
    "no number": ('{"i":true,', None),
    "as a value": ('{"t":"i","i":5,', 5),
    "too far behind": ('{"x":"' + "x" * 1000 + '","i":1,', None),
    "msgpack cut": (msgpack.packb({"t": "ping", "i": "q", "z": 1})[:-1], "q"),
    "msgpack with more": (msgpack.packb({"t": "ping", "i": 9}) + b"\x00", 9),
    "msgpack key": (msgpack.packb({"t": "ping", 5: 6, "i": 3}), 3),
    "msgpack huge": (b"\xdf\xff\xff\xff\xff\xa1t\xa4ping\xa1i\x05", 5),
}


@pytest.mark.parametrize("name", list(BROKEN))
async def test_a_broken_frame_is_answered_with_its_number(running: Running, name: str) -> None:
    broken, i = BROKEN[name]
    async with talking(running.url, JSON if isinstance(broken, str) else MSGPACK) as eve:
        await eve.socket.send(broken)
        if i is None:
            answer = await eve.stray()
        else:
            await eve.until(lambda: i in eve.answers)
            answer = eve.answers[i]
        assert (answer["t"], answer["code"]) == ("error", "bad-message")
        await eve.settle()


REQUESTS = {
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello": 405,
    b"POST /ws HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n": 405,
    b"PUT / HTTP/1.1\r\nHost: x\r\n\r\n": 405,
    b"GET /caf\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello": 400,
    b"GET / HTTP/9\r\n\r\n": 400,
    b"hello\r\n\r\n": 405,
    b"GET /" + b"x" * 10_000 + b" HTTP/1.1\r\n\r\n": 414,
}


@pytest.mark.parametrize("said", list(REQUESTS), ids=lambda said: said[:12])
@pytest.mark.parametrize("pieces", [False, True], ids=["whole", "pieces"])
async def test_what_is_no_request_of_ours_is_told_so(
    running: Running, said: bytes, pieces: bool
) -> None:
    at = urlsplit(running.http)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    for piece in [said[:9], said[9:]] if pieces else [said]:
        writer.write(piece)
        await asyncio.sleep(0.01 if pieces else 0)
    async with asyncio.timeout(PATIENCE):
        answer = await reader.read()
    writer.close()
    assert answer.startswith(f"HTTP/1.1 {REQUESTS[said]} ".encode()), answer
    assert answer.count(b"HTTP/1.1") == 1


FEW = replace(UNLIMITED, requests=Rate(0.01, 20), refused=50)


@pytest.mark.parametrize("early", [False, True], ids=["as usual", "behind the handshake"])
async def test_pings_count_and_too_many_of_them_are_abuse(early: bool) -> None:
    """However they come in: cut out here, or by the library."""
    async with running_server(limits=FEW) as running:
        if early:
            async with dialled(running.url) as eve:
                eve.write(upgrade(running.url) + frame(PING, b"x"))
                await eve.head()
                eve.write(request(JSON, "hello", i=0) + frame(PING, b"x") * 200)
                frames = await eve.rest()
                assert code_of(frames[-1]) == 4429, "nothing behind the close"
                assert 0 < len(eve.pongs) <= 20
            return
        async with raw(running.url) as eve:
            eve.write(frame(PING, b"x") * 200)
            frames = await eve.rest()
            assert code_of(frames[-1]) == 4429 and frames[-1][0] == CLOSE
            assert 0 < len(eve.pongs) <= 20


@pytest.mark.parametrize(
    "kind", [frame(PING, b"x"), frame(CONT, b"", fin=False)], ids=["pings", "fragments"]
)
async def test_who_pings_too_much_is_not_even_refused_any_faster(
    kind: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What he has sent waits while he rests, unread; so do fragments."""
    monkeypatch.setattr("kibitz.server.limits.account.REST_SECONDS", 3600.0)
    limits = replace(UNLIMITED, requests=Rate(0.01, 20))
    async with running_server(limits=limits) as running, raw(running.url) as eve:
        (connection,) = running.app._connections
        eve.write(frame(TEXT, b"", fin=False) + kind * 500)
        await eventually(lambda: connection.resting)
        for _ in range(20):
            await asyncio.sleep(0)
        assert REFUSED_AT_ONCE < connection.account._refused < 2 * REFUSED_AT_ONCE
        assert connection.socket.behind
        assert not connection.socket.transport.is_reading()


async def test_who_goes_on_talking_to_a_closed_door_is_cut_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """He has a message or two, not the time that a close may take."""
    for where in ("client", "sockets.listening"):
        monkeypatch.setattr(f"kibitz.server.{where}.CLOSE_SECONDS", 3600.0)
    async with running_server(limits=FEW) as running, raw(running.url) as eve:
        (connection,) = running.app._connections
        connection.close_soon(4429, "enough")
        await eve.read()
        with contextlib.suppress(ConnectionError):
            for _ in range(100_000):
                eve.write(frame(PING, b"x") * 500)
                await eve.writer.drain()
                await asyncio.sleep(0)
        assert connection.socket._late > LATE_BYTES
        await eventually(lambda: not running.app._connections)


async def test_fragments_count(running: Running) -> None:
    """And many short ones in one packet hold nobody up for long."""
    async with raw(running.url) as eve:
        said = [frame(TEXT, b"", fin=False), *[frame(0, b"", fin=False)] * 300]
        eve.write(b"".join(said) + frame(0, b'{"t":"ping","i":7}') + request(JSON, "ping", i=8))
        assert (await eve.until(7))["t"] == (await eve.until(8))["t"] == "pong"
    async with running_server(limits=FEW) as running, raw(running.url) as eve:
        eve.write(frame(TEXT, b"x", fin=False) + frame(0, b"", fin=False) * 200)
        assert code_of((await eve.rest())[-1]) == 4429
