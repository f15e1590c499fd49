"""Who is still there: asked once in a round, spread over it; only the silent are given up."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from raw import CLOSE, PING, PONG, Raw, code_of, frame, raw, request
from servers import EACH_HAS, running_server
from websockets.protocol import OPEN, State

from kibitz.protocol.wire import Encoding
from kibitz.server.sockets.keepalive import PING as PING_FRAME
from kibitz.server.sockets.keepalive import Keepalive

TICKS = 8


class Peer:
    """Somebody who may be gone; he is his own socket."""

    def __init__(self, answers: bool = True) -> None:
        self.heard = self.reads = True
        self.paused = False
        self.answers = answers
        self.pings = 0
        self.closed: list[tuple[int, str]] = []
        self.protocol = SimpleNamespace(state=OPEN)
        self.transport = SimpleNamespace(is_reading=lambda: self.reads)

    @property
    def socket(self) -> Any:
        return self

    def send_soon(self, frames: bytes) -> None:
        assert frames == PING_FRAME and self.protocol.state is OPEN
        self.pings += 1
        if self.answers:
            self.heard = True

    def close_soon(self, code: int, reason: str) -> None:
        assert self.protocol.state is OPEN
        self.closed.append((code, reason))


def rounds(keepalive: Keepalive, everybody: list[Peer], count: int = 1) -> Iterator[None]:
    """Whole rounds of ticks."""
    for _ in range(count * TICKS):
        keepalive.tick(everybody)
        yield


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 16, 83])
def test_a_round_is_spread_over_its_ticks(count: int) -> None:
    everybody, keepalive = [Peer() for _ in range(count)], Keepalive(TICKS)
    for number in range(3):
        before = sum(peer.pings for peer in everybody)
        for _ in rounds(keepalive, everybody):
            now = sum(peer.pings for peer in everybody)
            assert now - before <= -(-count // TICKS)
            before = now
        assert [peer.pings for peer in everybody] == [number + 1] * count
    assert not any(peer.closed for peer in everybody)


def test_who_is_silent_for_a_round_is_given_up() -> None:
    everybody = [Peer(answers=number % 2 == 0) for number in range(20)]
    keepalive = Keepalive(TICKS)
    for _ in rounds(keepalive, everybody):
        assert not any(peer.closed for peer in everybody), "nobody before he was asked"
    for _ in rounds(keepalive, everybody):
        pass
    for peer in everybody:
        assert peer.closed == ([] if peer.answers else [(1011, "keepalive ping timeout")])
        assert peer.pings == (2 if peer.answers else 1)


def test_whom_we_do_not_read_cannot_be_heard() -> None:
    silent = Peer(answers=False)
    silent.reads = False
    keepalive = Keepalive(TICKS)
    for _ in rounds(keepalive, [silent], 5):
        assert not silent.closed
    assert silent.pings == 5
    silent.reads = True
    for _ in rounds(keepalive, [silent], 1):
        pass
    assert silent.closed


@pytest.mark.parametrize("state", [State.CLOSING, State.CLOSED])
def test_who_is_closing_is_left_alone(state: State) -> None:
    going = Peer(answers=False)
    keepalive = Keepalive(TICKS)
    for _ in rounds(keepalive, [going]):
        pass
    going.protocol.state = state
    for _ in rounds(keepalive, [going], 3):
        pass
    assert going.pings == 1 and not going.closed


def test_who_comes_and_goes_during_a_round() -> None:
    everybody, keepalive = [Peer() for _ in range(20)], Keepalive(TICKS)
    gone, new = everybody[:5], [Peer() for _ in range(5)]
    for number, _ in enumerate(rounds(keepalive, everybody)):
        if number == 3:
            del everybody[:5]
            everybody += new
            for peer in gone:
                peer.protocol.state = State.CLOSED
    assert not any(peer.pings for peer in new), "asked in the next round"
    for _ in rounds(keepalive, everybody):
        pass
    assert Counter(peer.pings for peer in everybody) == {2: 15, 1: 5}


async def answer_pings(client: Raw) -> None:
    """Read, and answer pings, until cancelled."""
    while (got := await client.read()) is not None:
        if got[0] == PING:
            client.write(frame(PONG, got[1]))


async def say_something(client: Raw) -> None:
    """Answer no ping, but say something now and then, be it not even a whole frame."""
    data = request(Encoding.JSON, "ping")
    while True:
        for at in range(len(data)):
            client.write(data[at : at + 1])
            await asyncio.sleep(0.01)


@EACH_HAS
async def test_who_is_silent_is_closed_and_who_answers_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kibitz.server.app.TICK_SECONDS", 0.02)
    monkeypatch.setattr("kibitz.server.app.TICKS_PER_PING", 10)
    async with (
        running_server() as running,
        raw(running.url) as ann,
        raw(running.url) as bob,
        raw(running.url) as eve,
        raw(running.url) as zoe,
    ):
        held = next(
            each
            for each in running.app._connections
            if each.socket.remote_address == zoe.writer.get_extra_info("sockname")
        )
        held.socket.transport.pause_reading()
        others = [asyncio.create_task(answer_pings(ann)), asyncio.create_task(say_something(bob))]
        frames = await eve.rest()
        assert code_of(frames[-1]) == 1011 and (PING, b"") in frames
        eve.writer.close()
        while [opcode for opcode, _ in zoe.frames].count(PING) < 5:
            assert await zoe.read()
        assert CLOSE not in [opcode for opcode, _ in zoe.frames]
        for other in others:
            assert not other.done()
            other.cancel()
        await asyncio.wait(others)
        assert len(running.app._connections) == 3
        ann.ask("ping", i=1)
        await ann.until(1)
