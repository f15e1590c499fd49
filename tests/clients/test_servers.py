"""Several servers on the same rooms: any of them will do, and whoever loses one has another."""

import asyncio
import contextlib
from pathlib import Path

import pytest
from clients.commands import PATIENCE, Command
from servers import REAL, Running, running_server

from kibitz.clients.ends import Busy, NoSocket, Unreachable
from kibitz.clients.rounds import Rounds
from kibitz.clients.session import Link, connect
from kibitz.clients.terminal.tokens import Tokens
from kibitz.protocol.replies import Error
from kibitz.protocol.views import Event
from kibitz.server.identity import new_token
from kibitz.server.log.log import LogFailure
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record


def test_all_are_tried_before_anybody_waits() -> None:
    rounds = Rounds(["ws://a/ws", "ws://b/ws", "ws://a/ws", "ws://c/ws"])
    ends = [Unreachable("ws://a/ws", "refused"), Busy("ws://b/ws", "full"), NoSocket("c", 404)]
    for again in range(2):
        tried = []
        for end, away in zip(ends, (0.5, 9.0, 3.0), strict=True):
            tried.append(rounds.url)
            over = rounds.failed(end, away)
        assert tried == ["ws://a/ws", "ws://b/ws", "ws://c/ws"], again
        assert over == (ends[1], 0.5), "the one that says most; the soonest of them"
    rounds.failed(ends[0], 0.0)
    rounds.met()
    rounds.lost()
    assert [rounds.failed(end, 0.0) is None for end in ends] == [True, True, False]
    alone = Rounds("ws://a/ws")
    assert not alone.has_others and alone.failed(ends[0], 7.0) == (ends[0], 7.0)
    with pytest.raises(ValueError, match="no address"):
        Rounds([])


async def test_whoever_loses_a_server_goes_on_with_another(unused_port: int) -> None:
    log, nobody = MemoryLog(), f"ws://127.0.0.1:{unused_port}/ws"
    async with contextlib.AsyncExitStack() as stack, asyncio.timeout(PATIENCE):
        second = await stack.enter_async_context(running_server(log))
        first = contextlib.AsyncExitStack()
        urls = [nobody, (await first.enter_async_context(running_server(log))).url, second.url]
        ann = await stack.enter_async_context(connect(urls, name="Ann"))
        bob = await stack.enter_async_context(connect(urls))
        assert ann.url == bob.url == urls[1], "the first that answers"
        mine = await ann.create("klondike", deal="7")
        theirs = await bob.join(mine.room)
        pushes, who = bob.events(), ann.welcome.you
        await ann.move(mine.room, "discard")
        await first.aclose()
        await ann.move(mine.room, "discard")
        assert ann.url == second.url and ann.welcome.you == who and mine.seat == 1
        await bob.until(lambda: theirs.seq == mine.seq)
        assert theirs.hash == mine.hash and mine.board.moves == 2
        told = [each for each in pushes.waiting() if isinstance(each, Link | Event)]
        kinds = [each.kind if isinstance(each, Event) else each.up for each in told]
        assert [kind for kind in kinds if kind != "joined"] == ["move", False, True, "move"]


class OutOfReach(MemoryLog):
    """A log that has the rooms but cannot tell what is in them."""

    tries = 0

    async def read(self, room: str, after: int = 0, limit: int | None = None) -> list[Record]:
        self.tries += 1
        raise LogFailure("it does not answer")


async def test_a_server_that_cannot_read_a_room_is_left_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kibitz.clients.resuming.TRIES", 2)
    for name in ("RETRY_MS", "MAX_SPREAD_MS"):  # nobody is told to wait: it takes no longer
        monkeypatch.setattr(f"kibitz.server.operation.drain.{name}", 0)
    log, elsewhere = MemoryLog(), OutOfReach()
    async with contextlib.AsyncExitStack() as stack, asyncio.timeout(PATIENCE):
        first = contextlib.AsyncExitStack()
        one = await first.enter_async_context(running_server(log))
        two = await stack.enter_async_context(running_server(elsewhere))
        three = await stack.enter_async_context(running_server(log))
        urls = [one.url, two.url, three.url]
        ann = await stack.enter_async_context(connect(urls[:2]))
        mirror = await ann.create("klondike", deal="7")
        bob = await stack.enter_async_context(connect(urls))
        theirs, heard = await bob.join(mirror.room), ann.events()
        await first.aclose()
        await bob.until(lambda: bob.url == urls[2] and bob.connected)
        await bob.say(mirror.room, "still here")
        assert theirs.seq == mirror.seq + 1
        await ann.until(lambda: mirror.room not in ann.session.mirrors)
        lost = [each for each in heard.waiting() if isinstance(each, Error)]
        assert [each.code for each in lost] == ["internal"], "if nobody can, it is told"
        assert elsewhere.tries == 3, "once by bob, twice by ann"


async def test_commands_take_several_servers(
    server: Running, unused_port: int, tmp_path: Path
) -> None:
    kibitz = Command("ws://192.0.2.7/ws", tmp_path)
    nobody = f"ws://127.0.0.1:{unused_port}/ws"
    both = ("--server", nobody, "--server", server.url)
    played = await kibitz.run_here("play", "klondike", *both, lines="discard\nquit\n")
    assert played.code == 0, played.err
    assert f" --server {nobody} --server {server.url}\n" in played.out, "for those who watch"
    kept = Tokens(tmp_path / "kibitz" / "token")
    assert kept.get(nobody) == kept.get(server.url) is not None, "one person on all of them"
    kept.put(elsewhere := f"{nobody}/elsewhere", other := new_token(REAL))
    assert kept.get(elsewhere, server.url) == other != kept.get(server.url, elsewhere)
    words = ("play", "--room", "none", "--server", server.url, "--server", elsewhere)
    assert (await kibitz.run_here(*words)).code == 2
    assert kept.get(elsewhere) == other, "seats of somebody else's"
    kibitz.environ["KIBITZ_SERVER"] = f"{nobody} {server.url}"
    bot = await kibitz.run_here("bot", "random", "aces-up", "--seed", "1")
    assert bot.code == 0, bot.err
    await server.abreast()
    rooms = await kibitz.run_here("rooms", "--all")
    assert rooms.code == 0 and "aces-up" in rooms.out
    gone = await kibitz.run_here("rooms", "--server", nobody, "--server", f"{nobody}/x")
    assert gone.code == 2 and f"no server at {nobody} or {nobody}/x;" in gone.err
