"""The process of a bot, and what makes it go: run in the test's own process where that will do."""

import asyncio
from asyncio.subprocess import PIPE
from collections.abc import Callable

import msgspec
import pytest
from races import begin, kinds, race, seat, told
from server.admin.operators import operated
from servers import Running, running_server
from talk import Talk, eventually, talking
from worlds import Fake

from kibitz.clients import seated
from kibitz.clients.seated import paced, sit
from kibitz.clients.session import Closed
from kibitz.protocol.bots import Errand, Exit
from kibitz.server.bots import child


async def errand(
    running: Running, ann: Talk, room: str, monkeypatch: pytest.MonkeyPatch, pace: int = 0
) -> Errand:
    """What the process of a bot that has just sat down is told; another runs in its place."""
    told_: list[Errand] = []

    async def played_apart(errand: Errand, *looks: Callable[[], bool]) -> int:
        told_.append(errand)
        return await asyncio.Event().wait()

    monkeypatch.setattr("kibitz.server.bots.house.played_apart", played_apart)
    await ann.ok("bot", room=room, pace=pace)
    await eventually(lambda: told_)
    return told_[0]


async def raced(
    running: Running, ann: Talk, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, asyncio.Task[Exit]]:
    """A race with a bot that thinks for a minute about its second move; both are ready."""
    room = await race(ann, countdown=0)
    job = await errand(running, ann, room, monkeypatch, pace=60_000)
    playing = asyncio.create_task(sit(job))
    await told(ann, room, "ready")
    await ann.ok("ready", room=room)
    return room, playing


async def test_before_the_start_somebody_may_come_back_whoever_sits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seated, "ALONE_SECONDS", 0.0)
    monkeypatch.setattr(seated, "FORGOTTEN_SECONDS", 1e6)
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann, seat=False)
        assert await sit(await errand(running, ann, room, monkeypatch)) is Exit.DONE


async def test_it_does_not_stay_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seated, "ALONE_SECONDS", 0.0)
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        assert await sit(await errand(running, ann, room, monkeypatch)) is Exit.DONE
        assert (await told(ann, room, "left"))["seat"] == 2


async def test_who_has_given_up_and_gone_is_not_played_against(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seated, "FORGOTTEN_SECONDS", 0.0)
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room, playing = await raced(running, ann, monkeypatch)
        await told(ann, room, "dealt")
        await ann.ok("resign", room=room)
        await ann.settle()
        assert not playing.done(), "she looks on"
        await ann.ok("leave", room=room)
        assert await playing is Exit.DONE
        assert (await running.app.rooms.get(room)).state.over


async def test_it_does_not_wait_for_ever_for_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seated, "WAIT_SECONDS", 0.0)
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        await sit(await errand(running, ann, room, monkeypatch))
        assert (await told(ann, room, "left"))["seat"] == 2


async def test_it_plays_so_long_and_gives_its_board_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seated, "PLAY_SECONDS", 0.0)
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room, playing = await raced(running, ann, monkeypatch)
        assert (await told(ann, room, "resigned"))["board"] == 1
        assert await playing is Exit.DONE


async def test_who_is_replaced_leaves_the_board_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        job = await errand(running, ann, room, monkeypatch)
        first = asyncio.create_task(sit(job))
        await told(ann, room, "ready")
        async with talking(running.url, token=job.token) as other:
            await other.ok("join", room=room, role="player")
            assert await first is Exit.REPLACED
        assert "left" not in kinds(ann, room)


async def test_without_a_seat_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        job = await errand(running, ann, room, monkeypatch)
        await ann.ok("bot", room=room, on=False, seat=2)
        assert await sit(job) is Exit.DONE
        with pytest.raises(Closed):
            await sit(msgspec.structs.replace(job, token="kbb_forged"))


@pytest.mark.parametrize("act", ["kick", "ban"])
async def test_whom_the_operator_sends_away_has_not_failed(
    act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither who only comes then, nor who sits there."""
    async with operated() as (running, op), talking(running.url) as ann:
        room = await race(ann)
        job = await errand(running, ann, room, monkeypatch)
        sits = asyncio.create_task(sit(job))
        bot = (await told(ann, room, "ready"))["by"]
        await op.order(act, id=bot, **({"room": room} if act == "kick" else {}))
        assert await sits is Exit.DONE
        assert await sit(job) is Exit.DONE


async def test_it_sees_what_a_racer_sees_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boards of others stay hidden to it until its own is done."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        room = await race(ann, seats=3)
        await seat(room, bob)
        job = await errand(running, ann, room, monkeypatch)
        await begin(running, fake, room, ann, bob)
        async with talking(running.url, token=job.token) as bot:
            boards = (await bot.ok("join", room=room, role="player"))["view"]["boards"]
            assert [board.get("hidden", False) for board in boards] == [True, True, False]
            assert "??" in str(boards[2]["piles"]), "and its own has cards that nobody knows"


async def test_the_process_ends_when_its_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = await race(ann)
        job = await errand(running, ann, room, monkeypatch)
        process = await asyncio.create_subprocess_exec(*child.PLAYER, stdin=PIPE)
        assert process.stdin is not None
        process.stdin.write(msgspec.json.encode(job) + b"\n")
        await told(ann, room, "ready")
        process.stdin.close()
        assert await process.wait() == Exit.DONE
        assert "left" not in kinds(ann, room), "the seat is kept: it may come again"


def test_a_pace_is_from_one_move_to_the_next() -> None:
    now = 100.0
    delay = paced(0.7, lambda: now)
    assert delay() == 0, "the first comes at once"
    now += 0.3  # it has thought so long
    assert delay() == pytest.approx(0.4)
    now += 0.4 + 0.9
    assert delay() == 0, "who thought longer than that does not wait as well"
