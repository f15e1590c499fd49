"""How many bytes of large requests one address may have under way."""

import asyncio
from dataclasses import replace

import pytest
from raw import CLOSE, CONT, TEXT, Raw, code_of, frame, raw, said
from servers import EACH_COUNTS, UNLIMITED, Running, running_server
from talk import eventually

from kibitz.protocol.limits import MAX_SAVE
from kibitz.protocol.wire import Encoding

LIMITS = replace(UNLIMITED, count_loopback=True, inbox_per_address=100_000)
SAVE = said(Encoding.JSON, "create", i=1, game="klondike", save="x" * MAX_SAVE)
"""A large request, which is refused for what it says."""
WHOLE = frame(TEXT, SAVE)
PART = 60_000
"""So many bytes of it are kept twice at most."""
FORMS = {
    "one frame": WHOLE,
    "fragments": frame(TEXT, SAVE[:-1], fin=False) + frame(CONT, SAVE[-1:]),
}


def kept(running: Running) -> int:
    """Bytes that are counted."""
    return sum(sum(those.values()) for those in running.app._door._keeping.values())


async def is_answered(client: Raw) -> bool:
    """Whether a large request was read, and found wrong."""
    return bool((await client.until(1))["code"] == "bad-save")


async def close_of(client: Raw) -> tuple[int | None, bytes]:
    """Why a connection is closed."""
    while (got := await client.read()) is not None and got[0] != CLOSE:
        pass
    assert got is not None
    return code_of(got), got[1][2:]


@pytest.mark.parametrize("form", FORMS)
async def test_only_so_much_may_have_come_in_part_from_one_address(form: str) -> None:
    sent = FORMS[form]
    async with (
        running_server(limits=LIMITS) as running,
        raw(running.url) as first,
        raw(running.url) as second,
        raw(running.url, local="127.0.0.66") as other,
    ):
        first.write(sent[:PART])
        await eventually(lambda: kept(running) >= PART - 100)
        other.write(sent[:PART])
        second.write(sent[:PART])
        assert await close_of(first) == (4429, b"too many unread bytes per address")
        second.write(sent[PART:])
        other.write(sent[PART:])
        assert await is_answered(second), "who began first gives way"
        assert await is_answered(other)
        await eventually(lambda: kept(running) == 0)
        async with raw(running.url) as third:
            third.write(sent)
            assert await is_answered(third)
        assert kept(running) == 0


@EACH_COUNTS
async def test_so_it_is_with_what_waits_to_be_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no more is read of somebody for whom so much waits."""
    async with (
        running_server(limits=LIMITS) as running,
        raw(running.url) as first,
        raw(running.url) as second,
    ):
        gate = asyncio.Event()
        answers = running.app._answers
        answer = answers.answer

        async def held(*asked: object) -> object:
            await gate.wait()
            return await answer(*asked)  # type: ignore[arg-type]

        monkeypatch.setattr(answers, "at_once", lambda *_: None)
        monkeypatch.setattr(answers, "answer", held)
        first.ask("ping", i=0)
        first.write(3 * WHOLE)
        await eventually(lambda: kept(running) > MAX_SAVE)
        for _ in range(100):
            await asyncio.sleep(0)
        assert kept(running) < 2 * MAX_SAVE
        second.ask("ping", i=0)
        second.write(WHOLE)
        assert await close_of(first) == (4429, b"too many unread bytes per address")
        gate.set()
        assert await is_answered(second)
        await eventually(lambda: kept(running) == 0)


async def test_nothing_is_kept_of_who_alone_is_too_much() -> None:
    limits = replace(LIMITS, inbox_per_address=20_000)
    async with running_server(limits=limits) as running:
        async with raw(running.url) as client:
            client.write(WHOLE[:PART])
            assert await close_of(client) == (4429, b"too many unread bytes per address")
            assert not running.app._door._keeping
        await eventually(lambda: len(running.app._door) == 0)


async def test_what_is_kept_of_who_goes_away_is_forgotten() -> None:
    async with running_server(limits=LIMITS) as running:
        async with raw(running.url) as client:
            client.write(WHOLE[:PART])
            await eventually(lambda: kept(running) >= PART - 100)
        await eventually(lambda: kept(running) == 0)
