"""A room that has been archived is shown all the same."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from clients.commands import Command
from races import begin, race, seat
from servers import EACH_HAS, Running, running_server
from talk import Talk, talking
from worlds import Fake


@contextlib.asynccontextmanager
async def old_rooms() -> AsyncIterator[tuple[Fake, Running, Talk, Talk]]:
    """A server that archives, and two who play on it."""
    fake = Fake()
    async with (
        running_server(world=fake.world, keep=1) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        yield fake, running, ann, bob


async def archive(fake: Fake, running: Running, room: str, *people: Talk) -> None:
    """Let everybody leave, and put the room away."""
    for talk in people:
        await talk.ok("leave", room=room)
    fake.pass_time(100_000)
    running.app.rooms.sweep()
    assert running.app.attic is not None
    assert await running.app.attic.tidy(pause=0) == 1
    await people[0].refused("no-room", "join", room=room)


@EACH_HAS
async def test_kibitz_replay_shows_an_archived_room(tmp_path: Path) -> None:
    async with old_rooms() as (fake, running, ann, _):
        room = (await ann.ok("create", game="klondike", deal="7"))["room"]
        await ann.ok("move", room=room, move="discard")
        await ann.ok("say", room=room, text="nice one")
        await ann.ok("resign", room=room)
        kibitz = Command(running.url, tmp_path)
        await archive(fake, running, room, ann)
        for words in ((), ("--open",)):
            done = await kibitz.run_here("replay", room, "--color", "never", *words)
            assert done.code == 0, done
            assert "> discard" in done.out and "Ann: nice one" in done.out
        done = await kibitz.run_here("replay", room, "--board", "2")
        assert done.code == 2 and "there is no board 1" in done.err
        done = await kibitz.run_here("replay", "nothing", "--color", "never")
        assert done.code == 2 and "there is no room nothing" in done.err


@EACH_HAS
async def test_any_board_of_an_archived_race_is_shown(tmp_path: Path) -> None:
    async with old_rooms() as (fake, running, ann, bob):
        room = await race(ann)
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        await bob.ok("move", room=room, move="sw")
        for talk in (ann, bob):
            await talk.ok("resign", room=room)
        await archive(fake, running, room, ann, bob)
        kibitz = Command(running.url, tmp_path)
        shown = [
            (await kibitz.run_here("replay", room, "--color", "never", *words)).out
            for words in ((), ("--board", "1"), ("--board", "2"))
        ]
        assert shown[0] == shown[1]
        assert "> sw" in shown[2] and "> sw" not in shown[0]
        for words, of in (((), 1), (("--board", "2"), 2)):
            done = await kibitz.run_here("solve", room, "--nodes", "1", *words)
            assert done.out.startswith(f"The board of seat {of} (`--board N` takes another):")


async def test_a_game_that_never_ended_is_told_where_it_can_be_read(tmp_path: Path) -> None:
    async with old_rooms() as (fake, running, ann, _):
        room = (await ann.ok("create", game="klondike-single", deal="7"))["room"]
        await archive(fake, running, room, ann)
        done = await Command(running.url, tmp_path).run_here("replay", room)
        assert done.code == 1
        assert "never ended" in done.out and f"/rooms/{room}/replay.txt" in done.out
