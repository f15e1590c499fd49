"""Races: two clients, a crowd of bots, people at terminals, those who look on."""

import asyncio
import contextlib
import re
import time
from functools import partial
from random import Random
from typing import Any

import pytest
from clients.commands import PATIENCE, Command, read_until, write
from clients.terminals import CLEAR, at_terminal
from servers import Running

from kibitz.clients import bot, racing
from kibitz.clients.bots import STRATEGIES
from kibitz.clients.scene import Scene
from kibitz.clients.session import Client, Refused, connect
from kibitz.clients.terminal.table import DONE, RIVALS_EVERY
from kibitz.engine.games import GAMES
from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.requests import Move, PolicyWish
from kibitz.protocol.views import BoardView

MANY = 20
"""Changes of a board between two looks at it."""


async def race_of(first: Client, *others: Client, **settings: Any) -> list[Mirror]:
    """A race in which all of these sit, not begun yet."""
    usual = {"deal": "42", "countdown": 0, "seats": len(others) + 1}
    mine = await first.create("aces-up", mode="race", **(usual | settings))
    return [mine, *[await other.join(mine.room, "player") for other in others]]


async def begun(*racers: tuple[Client, Mirror]) -> None:
    for client, mirror in racers:
        await client.ready(mirror.room)
    for client, mirror in racers:
        await client.until(partial(has_cards, mirror))


def has_cards(mirror: Mirror) -> bool:
    return bool(mirror.board.piles)


def is_over(mirror: Mirror) -> bool:
    return mirror.status != "open"


def ready_seats(mirror: Mirror) -> list[int]:
    race = mirror.course.race
    return race.ready if race else []


async def test_two_clients_race_to_the_end_and_again(server: Running) -> None:
    async with (
        connect(server.url, name="Ann") as ann,
        connect(server.url, name="Bob") as bob,
        connect(server.url) as eve,
        asyncio.timeout(PATIENCE),
    ):
        mine, his = await race_of(ann, bob)
        seen = await eve.join(mine.room)
        assert (mine.own, his.own, mine.board.piles) == (0, 1, {})
        await ann.ready(mine.room)
        await ann.ready(mine.room, on=False)
        await begun((ann, mine), (bob, his))
        assert mine.board.piles == his.board.piles
        await ann.move(mine.room, "d")
        for _ in range(3):
            await bob.move(mine.room, "d")
        await bob.move(his.room, from_="COLUMN-1", to="Foundation")
        with pytest.raises(Refused):
            await ann.move(mine.room, "t 1 1")
        assert [board.moves for board in mine.view.boards] == [1, 4]
        assert mine.view.boards[1].piles == {}
        assert bot.legal_moves(his) == await bob.moves(his.room)
        await bob.undo(his.room)
        assert (his.board.moves, mine.board.moves) == (3, 1)
        await ann.resign(mine.room)
        await ann.until(lambda: mine.view.boards[1].piles)
        await bob.resign(his.room)
        for client, mirror in ((ann, mine), (bob, his), (eve, seen)):
            await client.until(partial(is_over, mirror))
            assert [board.status for board in mirror.view.boards] == ["resigned"] * 2
            assert mirror.view.boards == mine.view.boards
        assert mine.hash == his.hash == seen.hash
        again = [await client.rematch(mine.room) for client in (ann, bob)]
        assert again[0].room == again[1].room == (await bob.rematch(mine.room)).room
        assert [mirror.seat for mirror in again] == [1, 2]
        series = again[0].view.series
        assert series and (series.first, series.number) == (mine.room, 2)


async def test_eight_bots_race(server: Running) -> None:
    async with connect(server.url) as maker, asyncio.timeout(PATIENCE):
        mirror = await maker.create(
            "klondike", mode="race", seats=8, deal="7", countdown=0, seat=False
        )
        async with contextlib.AsyncExitStack() as stack:
            results = await asyncio.gather(
                *[race_as(n, mirror.room, stack, server) for n in range(8)]
            )
            await maker.until(partial(is_over, mirror))
    assert {result.room for result in results} == {mirror.room}
    rows = {row.name: row for row in racing.table_of(Scene.of(mirror))}
    table = [rows[f"bot {number}"] for number in range(8)]
    assert [row.score for row in table] == [result.score for result in results]
    ended = {"won": "won", "gave up": "resigned", "stuck": "resigned"}
    assert [row.status for row in table] == [ended[result.outcome] for result in results]


async def race_as(
    number: int, room: str, stack: contextlib.AsyncExitStack, server: Running
) -> bot.Result:
    """Sit down, and play when everybody sits."""
    client = await stack.enter_async_context(connect(server.url, name=f"bot {number}"))
    mirror = await client.join(room, "player")
    await client.until(lambda: all(seat.id for seat in mirror.seats))
    choose = STRATEGIES["greedy" if number % 2 else "random"](GAMES["klondike"], Random(number))
    return await bot.play_out(client, mirror, choose)


async def test_a_bot_waits_for_nobody(server: Running) -> None:
    """It plays on though nobody else moves and everybody talks."""
    async with connect(server.url, name="Ann") as ann, asyncio.timeout(PATIENCE):
        (mine,) = await race_of(ann, seats=2)
        playing = asyncio.create_task(
            bot.run(STRATEGIES["greedy"], "aces-up", server.url, room=mine.room)
        )
        await ann.until(partial(ready_seats, mine))
        await ann.ready(mine.room)
        while not playing.done():
            await ann.say(mine.room, "hm")
        (result,) = await playing
        assert (mine.status, mine.board.moves, mine.board.status) == ("open", 0, "open")
        assert result.moves > 0
        assert mine.course.lines[1].status == ("won" if result.outcome == "won" else "resigned")


async def test_the_time_of_a_bot_is_up(server: Running) -> None:
    async def dawdle(view: BoardView, legal: list[str]) -> str | None:
        await asyncio.sleep(0.5)
        return legal[-1] if legal else None

    async with connect(server.url) as ann, asyncio.timeout(PATIENCE):
        (mine,) = await race_of(ann, seats=2, limit=5)
        playing = asyncio.create_task(
            bot.run(lambda game, rng: dawdle, "aces-up", server.url, room=mine.room)
        )
        await ann.until(partial(ready_seats, mine))
        await ann.ready(mine.room)
        (result,) = await playing
        assert result.outcome == "timeout"
        await ann.until(partial(is_over, mine))
        assert mine.board.status == "timeout"


async def test_a_bot_by_command_races(kibitz: Command, server: Running) -> None:
    async with connect(server.url) as ann, asyncio.timeout(PATIENCE):
        (mine,) = await race_of(ann, seats=2)
        async with kibitz.running("bot", "greedy", "aces-up", "--room", mine.room) as process:
            await ann.until(partial(ready_seats, mine))
            await begun((ann, mine))
            out, err = await process.communicate()
        assert err.startswith(b"watch it with: ") and err.count(b"\n") == 1
        assert out.decode().splitlines()[-1].startswith("1 game: 1 ")
        assert mine.course.lines[1].status in ("won", "resigned")


async def test_a_race_at_two_terminals(kibitz: Command, server: Running) -> None:
    home = kibitz.home / "bob"
    home.mkdir()
    words = ("race", "aces-up", "--deal", "42", "--countdown", "1")
    async with at_terminal(kibitz, *words, "--name", "Ann") as ann:
        page = await ann.shows("seat 1  Ann", "1 free seat", "race in it with:\nkibitz race --room")
        room = page.split("kibitz watch ")[1].split()[0]
        joined = ("race", "--room", room, "--name", "Bob")
        async with at_terminal(Command(kibitz.url, home), *joined) as bob:
            await ann.shows(
                "Bob took seat 2", "(ready, unready, bot, away SEAT, resign, say TEXT, help, "
            )
            bob.child.sendline("d")
            await bob.shows("nothing to play just now; there is: ready, unready, say TEXT,")
            bob.child.sendline("ready")
            await ann.shows("Bob is ready")
            ann.child.sendline("ready")
            await ann.shows("tableau", " left · Ann", "1. Bob 0 (0 moves)", "Input an option")
            await bob.shows("tableau", " left · Bob")
            bob.child.sendline("look 1")
            await bob.shows("you see the boards of the others when yours is done")
            bob.child.sendline("d")
            await bob.shows("1 move ·", "1. Ann 0 (0 moves)")
            await ann.shows("1. Bob 0 (1 move)")  # a few seconds later, by itself
            bob.child.sendline("resign")
            await bob.shows(" left · Bob gave up · 1 move · ", "You gave up.", DONE)
            bob.child.sendline("d")
            await bob.shows(f"nothing to play just now; there is: {DONE}", f"\n({DONE}): ")
            bob.child.sendline("look 1")
            await bob.shows(" left · Ann · 0 moves")
            ann.child.sendline("d")
            await bob.shows(" left · Ann · 1 move")
            ann.child.sendline("resign")
            await bob.shows("1.     1     Ann   gave up", "1.     2     Bob   gave up")
            await ann.shows("The race is over: `rematch`")
            bob.child.sendline("rematch")
            await bob.shows("game 2 of a series; won so far: Ann 0 : 0 Bob", "seat 1  Ann")
            await ann.shows("Bob goes on with the next game: `rematch` to go along.")
            ann.child.sendline("rematch")
            await ann.shows("game 2 of a series", "seat 2  Bob")
            ann.child.sendline("q")
            code, page = await ann.end()
            assert (code, "go on with: kibitz race --room " in page) == (0, True)


async def test_a_race_through_a_pipe_is_told_in_few_lines(kibitz: Command, server: Running) -> None:
    words = ("race", "aces-up", "--deal", "42", "--name", "Ann", "--countdown", "0")
    async with kibitz.running(*words) as ann, connect(server.url, name="Bob") as bob:
        said = await read_until(ann, "Time for everybody")
        room = said.split("kibitz watch ")[1].split()[0]
        assert "seat 1  Ann" in said
        theirs = await bob.join(room, "player")
        await bob.ready(room)
        await write(ann, "ready")
        await read_until(ann, "1. Bob 0 (0 moves)")
        await bob.until(lambda: theirs.board.piles)
        for _ in range(10):
            await bob.move(room, "d")
        await write(ann, "d")
        said = await read_until(ann, "1. Bob 0 (10 moves)")
        assert said.count("Bob") == 1
        await bob.resign(room)
        await write(ann, "resign")
        said = await read_until(ann, "The race is over")
        assert "1.     1     Ann   gave up  0" in said


async def test_rivals_who_never_rest_are_told_of_all_the_same(
    kibitz: Command, server: Running
) -> None:
    """However many events there are of them, the line about them is drawn every few seconds."""
    async with connect(server.url, name="Bob") as bob, asyncio.timeout(PATIENCE):
        (his,) = await race_of(bob, seats=2)
        async with at_terminal(kibitz, "race", "--room", his.room, "--name", "Ann") as ann:
            await ann.shows("Type `ready`")
            ann.child.sendline("ready")
            await begun((bob, his))
            await ann.shows("1. Bob 0 (0 moves)", "Input an option")
            pages, since, changes = ann.out.count(CLEAR), time.monotonic(), 0

            async def never_rest() -> None:
                nonlocal changes
                await bob.move(his.room, "d")
                while True:
                    await bob.move(his.room, "d")
                    await bob.undo(his.room)
                    changes += 2

            restless = asyncio.create_task(never_rest())
            await ann.until(lambda page: changes > MANY and re.search(r"Bob 0 .[12] move", page))
            restless.cancel()
            most = (time.monotonic() - since) / RIVALS_EVERY + 2  # and one that had not been read
            assert ann.out.count(CLEAR) - pages <= most


async def test_a_masked_race_is_watched_as_a_table(kibitz: Command, server: Running) -> None:
    async with (
        connect(server.url, name="Ann") as ann,
        connect(server.url, name="Bob") as bob,
        asyncio.timeout(PATIENCE),
    ):
        mine, his = await race_of(ann, bob)
        async with at_terminal(kibitz, "watch", mine.room) as eve:
            await eve.shows("seat 1  Ann", "race of 2")
            await begun((ann, mine), (bob, his))
            await ann.move(mine.room, "d")
            await eve.shows("1     Ann   playing  0      1", "2     Bob   playing  0      0")
            await ann.resign(mine.room)
            await bob.resign(mine.room)
            code, page = await eve.end()
    assert code == 0
    assert "race, over · Ann" in page and "gave up  0" in page and "tableau" in page


async def test_the_leaders_board_is_watched_where_boards_are_shown(
    kibitz: Command, server: Running
) -> None:
    async with (
        connect(server.url, name="Ann") as ann,
        connect(server.url, name="Bob") as bob,
        asyncio.timeout(PATIENCE),
    ):
        mine, his = await race_of(ann, bob, policy=PolicyWish(delay=1))
        async with (
            at_terminal(kibitz, "watch", mine.room) as eve,
            at_terminal(kibitz, "watch", mine.room, "--board", "1") as dan,
        ):
            await begun((ann, mine), (bob, his))
            await eve.shows(" left · Ann")
            for move in ("d", "d", "d", "f 1"):
                await bob.move(mine.room, move)
            await eve.shows(" left · Bob", "score 1")
            await dan.shows(" left · Ann")
            eve.child.send("\t")
            await eve.shows(" left · Ann")
            assert "Bob ·" not in dan.page


async def test_a_race_with_another_game_and_too_late(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann, connect(server.url) as bob:
        mine, his = await race_of(ann, bob)
        done = await kibitz.run_here("race", "montana", "--room", mine.room)
        assert (done.code, "that room plays aces-up" in done.err) == (2, True)
        await begun((ann, mine), (bob, his))
        done = await kibitz.run_here("race", "--room", mine.room)
        assert done.code == 1
        with pytest.raises(Refused) as caught:
            await ann.request(Move(room=mine.room, move="d", board=1))
        assert caught.value.code is ErrorCode.FORBIDDEN
