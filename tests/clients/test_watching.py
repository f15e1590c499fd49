"""Looking on: whatever is on, back and forth in a game that goes on, replay rooms in step."""

import asyncio
import re
from functools import partial

from clients.commands import PATIENCE, Command, read_until
from clients.terminals import at_terminal
from servers import Running
from talk import fetch

from kibitz.clients.session import Client, connect
from kibitz.clients.terminal.reels import Rooms
from kibitz.engine.notation import write_piles
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.playhead import position_at
from kibitz.protocol.replies import TvRoom
from kibitz.protocol.requests import PolicyWish
from kibitz.protocol.views import Control

LEFT, RIGHT, HOME = "\x1b[D", "\x1b[C", "\x1b[H"


async def played(client: Client, moves: int = 3, *, over: bool = True) -> str:
    """A game of Aces Up in which cards were dealt a few times."""
    room = (await client.create("aces-up", deal="42")).room
    for _ in range(moves):
        await client.move(room, "d")
    if over:
        await client.resign(room)
    return room


async def test_tv_goes_on_to_the_next_room(server: Running) -> None:
    async with (
        connect(server.url) as ann,
        connect(server.url) as eve,
        asyncio.timeout(PATIENCE),
    ):
        pushes = eve.events()
        await eve.tv()
        seen: list[str | None] = []

        async def next_room() -> str | None:
            while not isinstance(push := await anext(pushes), TvRoom):
                pass
            return push.room.id if push.room else None

        seen.append(await next_room())
        first = (await ann.create("aces-up")).room
        seen.append(await next_room())
        second = (await ann.create("montana")).room
        await ann.resign(first)
        seen.append(await next_room())
        await ann.resign(second)
        seen.append(await next_room())
        assert seen == [None, first, second, None]


async def test_watching_tv(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann, at_terminal(kibitz, "watch", "--tv") as eve:
        await eve.shows("Nothing is being played; this goes on as soon as something is.")
        first = (await ann.create("aces-up")).room
        await eve.shows(first)
        second = (await ann.create("montana")).room
        await ann.resign(first)
        await eve.shows(first, "the game was given up")
        await eve.shows(second, "· 0 moves")
        eve.child.send("q")
        assert (await eve.end())[0] == 0


async def test_tv_through_a_pipe(kibitz: Command, server: Running) -> None:
    async with (
        connect(server.url, name="Ann") as ann,
        kibitz.running("watch", "--tv") as eve,
    ):
        await read_until(eve, "Nothing is being played")
        for game in ("aces-up", "montana"):
            room = (await ann.create(game)).room
            await read_until(eve, f"now watching {room}")
            await ann.resign(room)
            await read_until(eve, "the game was given up")


async def test_going_back_loses_nothing_of_what_goes_on(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann:
        room = await played(ann, over=False)
        await ann.say(room, "three")
        async with at_terminal(kibitz, "watch", room, "--name", "Eve") as eve:
            await eve.shows("3 moves", "left: back", "c: comment")
            eve.child.send("cq l\x7fik!")
            await eve.shows("say: q ik!_ (Enter; Esc: not)")
            eve.child.send("\x1b")
            await eve.shows("3 moves", "c: comment")
            eve.child.send(LEFT)
            await eve.shows("2 moves", "4 of 6", "l: live again")
            eve.child.send(LEFT)
            await eve.shows("1 move ·", "3 of 6")
            await ann.move(room, "d")
            await ann.say(room, "on we go")
            page = await eve.shows("3 of 8")
            assert "1 move ·" in page and "on we go" not in page
            eve.child.send(HOME)
            await eve.shows("0 moves", "2 of 8")
            eve.child.send("g3\r")
            await eve.shows("3 moves", "6 of 8", "Ann: three")
            eve.child.send("l")
            await eve.shows("4 moves", "Ann: on we go", "left: back")
            await ann.move(room, "d")
            await eve.shows("5 moves", "> d (Ann)")
            eve.child.send("cquite so\r")
            await eve.shows("Eve: quite so", "left: back")
            eve.child.send(LEFT + RIGHT)
            await eve.shows("5 moves", "left: back")
            eve.child.send(LEFT)
            await eve.shows("l: live again")
            await ann.resign(room)
            await eve.shows(" of 12", "l: live again")
            eve.child.send("\x1b[F")
            code, page = await eve.end()
            assert (code, "· given up" in page) == (0, True)


async def test_q_is_enough(kibitz: Command, server: Running) -> None:
    async with connect(server.url) as ann:
        room = await played(ann, over=False)
        async with at_terminal(kibitz, "watch", room) as eve:
            await eve.shows("3 moves")
            eve.child.send("q")
            assert (await eve.end())[0] == 0


async def test_three_clients_see_a_replay_in_step(server: Running) -> None:
    async with (
        connect(server.url, name="Ann") as ann,
        connect(server.url) as bob,
        connect(server.url) as eve,
        asyncio.timeout(PATIENCE),
    ):
        source = await played(ann, 6)
        mine = await ann.present(source)
        his = await bob.join(mine.room)
        times: list[int] = [event.at async for event in ann.history(source)]

        def position(client: Client, mirror: Mirror) -> int:
            recorded = mirror.course.recorded
            assert recorded and recorded.room == source and recorded.seq == len(times)
            return position_at(recorded, times, client.now - mirror.info.started)

        assert position(ann, mine) == position(bob, his) == 1
        await ann.control(mine.room, Control(at=3))
        await bob.until(lambda: position(bob, his) == 3)
        await ann.control(mine.room, Control(at=1, playing=True, beat=400))
        await asyncio.sleep(0.6)
        hers = await eve.join(mine.room)  # late, and in step all the same
        clients = ((ann, mine), (bob, his), (eve, hers))
        for _ in range(5):
            seen = [position(client, mirror) for client, mirror in clients]
            assert max(seen) - min(seen) <= 1 and min(seen) >= 2
            await asyncio.sleep(0.2)
        while position(eve, hers) < len(times):  # noqa: ASYNC110 - time alone moves it
            await asyncio.sleep(0.05)
        assert mine.hash == his.hash == hers.hash


async def test_a_replay_is_presented(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann:
        source = await played(ann)
        home = kibitz.home / "bob"
        home.mkdir()
        other = Command(kibitz.url, home)
        async with at_terminal(kibitz, "present", source, "--name", "Pia") as pia:
            page = await pia.shows("others watch it with:\nkibitz watch ", "0 moves")
            room = page.split("kibitz watch ")[1].split()[0]
            async with (
                at_terminal(other, "watch", room) as bob,
                other.running("watch", room) as pipe,
            ):
                await bob.shows("0 moves", "others hold the controls")
                await read_until(pipe, "tableau")
                pia.child.send(RIGHT)
                for follower in (pia, bob):
                    await follower.shows("1 move ·", "> d (Ann)", "paused")
                await read_until(pipe, "> d (Ann)")
                pia.child.send("g3\r")
                await bob.shows("3 moves", "move 3, event ")
                bob.child.send(LEFT + "cagain\r")  # to go back is not his to say
                await bob.shows(": again", "c: comment")
                pia.child.send(HOME)
                await bob.shows("0 moves")
                pia.child.send("+++ ")
                await bob.shows("at the end, 8x", "· given up")
                pia.child.send("q")
                code, _ = await pia.end()
                assert code == 0
                async with at_terminal(other, "present", room) as again:
                    await again.shows("at the end", "left, right: step")
                    again.child.send(HOME)
                    await bob.shows("0 moves")


async def test_a_game_that_is_not_over_is_not_presented(kibitz: Command, server: Running) -> None:
    async with connect(server.url) as ann:
        room = await played(ann, over=False)
        done = await kibitz.run_here("present", room)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("kibitz: ")


async def test_a_room_is_replayed_by_keys(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann:
        room = (await ann.create("klondike-single", deal="42")).room
        await ann.move(room, "sw")
        await ann.say(room, "hm")
        await ann.resign(room)
        async with at_terminal(kibitz, "replay", room, height=40) as eve:
            page = await eve.shows("0 moves", "2 of 6", "paused")
            assert hidden(page)
            eve.child.send("o")
            assert not hidden(await eve.until(lambda page: "0 moves" in page and not hidden(page)))
            eve.child.send("o" + RIGHT)
            await eve.until(lambda page: "1 move ·" in page and "Ann: hm" in page and hidden(page))
            eve.child.send(HOME + "++++ ")
            await eve.shows("6 of 6", "16x", "· given up")
            eve.child.send("q")
            assert (await eve.end())[0] == 0
        async with at_terminal(kibitz, "replay", room, "--beat", "0.05", "--open") as eve:
            page = await eve.shows("6 of 6", "every 0.05 s")


def hidden(page: str) -> bool:
    """Whether columns have cards face down; the stock always shows its back."""
    return page.count("XX") > 1


async def test_a_replay_as_json_is_the_room_itself(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann, connect(server.url, name="Bob") as bob:
        mine = await ann.create("klondike-single", deal="42", mode="race", countdown=0)
        his = await bob.join(mine.room, "player")
        for client in (ann, bob):
            await client.ready(mine.room)
        await bob.until(lambda: his.board.piles)
        await bob.move(mine.room, "sw")
        for client in (ann, bob):
            await client.resign(mine.room)
        _, body = await fetch(server.http, f"/rooms/{mine.room}/replay.json")
    path = kibitz.home / "game.json"
    path.write_bytes(body)
    for words in ((), ("--board", "2"), ("--open",), ("--board", "2", "--open")):
        room = await kibitz.run_here("replay", mine.room, *words)
        file = await kibitz.run_here("replay", "game.json", *words)
        assert (room.code, file.code, file.out) == (0, 0, room.out)
        dealt = file.out.split("Stock: ")[0]
        assert hidden(dealt) is ("--open" not in words)
        assert ("> sw (Bob)" in file.out) is ("--board" in words)
    for words in (("replay", mine.room), ("replay", "game.json"), ("watch", mine.room)):
        done = await kibitz.run_here(*words, "--board", "3")
        assert (done.code, done.err) == (2, "kibitz: there is no seat 3\n")
    path.write_text('{"game": "chess"}')
    done = await kibitz.run_here("replay", "game.json")
    assert (done.code, "this is no replay" in done.out) == (1, True)


async def test_every_step_is_the_servers_position(server: Running) -> None:
    """Of a race: each board at each number, as the server says it was."""
    async with connect(server.url, name="Ann") as ann, connect(server.url, name="Bob") as bob:
        mine = await ann.create("klondike-single", deal="42", mode="race", countdown=0)
        his = await bob.join(mine.room, "player")
        for client in (ann, bob):
            await client.ready(mine.room)
        for client, mirror in ((ann, mine), (bob, his)):
            await client.until(partial(has_cards, mirror))
        for client in (ann, bob, bob, ann):
            await client.move(mine.room, "sw")
        await bob.undo(mine.room)
        for client in (ann, bob):
            await client.resign(mine.room)
        film = await Rooms(ann, mine.room).load(False)
        for number in range(1, film.last + 1):
            boards = (await ann.view(mine.room, number)).boards
            scene = film.scene_at(number)
            seen = [] if scene is None else [write_piles(board.table) for board in scene.boards]
            assert seen == [board.piles for board in boards if board.piles], number
            assert scene is None or [board.moves for board in scene.boards] == [
                board.moves for board in boards
            ]


def has_cards(mirror: Mirror) -> bool:
    return bool(mirror.board.piles)


async def test_a_masked_race_through_a_pipe_is_few_lines(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann, connect(server.url, name="Bob") as bob:
        mine = await ann.create("aces-up", deal="42", mode="race", countdown=0)
        his = await bob.join(mine.room, "player")
        async with kibitz.running("watch", mine.room) as eve:
            await read_until(eve, "Time for everybody")
            for client in (ann, bob):
                await client.ready(mine.room)
            for client, mirror in ((ann, mine), (bob, his)):
                await client.until(partial(has_cards, mirror))
            for _ in range(10):
                await ann.move(mine.room, "d")
                await bob.move(mine.room, "d")
            for client in (ann, bob):
                await client.resign(mine.room)
            said = await read_until(eve, "2     Bob   gave up")
        assert said.count("place") <= 2
        assert "> d" not in said


async def test_a_live_game_is_forked(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann:
        room = await played(ann, over=False)
        fork = await ann.fork(room, at=3)
        assert fork.room != room and fork.seat == 1
        await ann.move(fork.room, "d")
        mirror = ann.session.mirrors[room]
        assert (mirror.board.moves, mirror.status) == (3, "open")
        await ann.resign(room)
    forked = await kibitz.run("fork", room, "--at", "4", lines="d\n")
    assert forked.code == 0
    begun, dealt = re.findall(r"tableau.*?\n((?:(?:XX)?  .*\n)+)", forked.out)
    assert (begun.count("\n"), dealt.count("\n")) == (3, 4)
    last = await kibitz.run("fork", room, lines="")
    assert last.code in (0, 1)


async def test_the_deal_of_the_day(kibitz: Command, server: Running) -> None:
    nobody = await kibitz.run_here("daily")
    assert nobody.out == "place\tname\tstatus\tscore\tmoves\ttime\troom\n"
    words = ("daily", "aces-up", "--play", "--name", "Ann")
    played = await kibitz.run(*words, lines="d\nd\nresign\n")
    assert "the same for everybody today" in played.out
    await server.abreast()
    table = await kibitz.run_here("daily", "aces-up")
    assert "1.\tAnn\tresigned\t0\t2\t" in table.out
    async with at_terminal(kibitz, "daily", "aces-up") as terminal:
        code, page = await terminal.end()
    assert (code, "Ann" in page, "kibitz daily aces-up --play" in page) == (0, True, True)


async def test_the_next_game_of_a_series(kibitz: Command, server: Running) -> None:
    async with at_terminal(kibitz, "play", "aces-up", "--name", "Ann") as ann:
        await ann.shows("watch it with")
        ann.child.sendline("rematch")
        page = await ann.until(lambda page: "rematch" not in page and "0 moves" in page)
        ann.child.sendline("resign")
        await ann.shows("The game is over: `rematch`")
        ann.child.sendline("rematch")
        await ann.shows("game 2 of a series; won so far: Ann 0", "0 moves")
        assert page.split(" · ")[1] not in ann.page


async def test_comments_are_turned_off(kibitz: Command, server: Running) -> None:
    lines = "comments off\nsay hello\ncomments on\nsay hello again\ncomments maybe\n"
    done = await kibitz.run("play", "aces-up", "--name", "Ann", lines=lines)
    assert "comments are off\n" in done.out
    assert "comments are on again\nAnn: hello again\n" in done.out
    assert "Ann: hello\n" not in done.out
    assert done.out.endswith("usage: comments on|off\n")


async def test_a_late_room_is_waited_for(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann:
        mirror = await ann.create("aces-up", deal="42", policy=PolicyWish(delay=6))
        async with kibitz.running("watch", mirror.room) as eve:
            said = await read_until(eve, "tableau")
            assert "late" in said
            await ann.move(mirror.room, "d")
            await ann.resign(mirror.room)
            await read_until(eve, "the game was given up")
            assert await asyncio.wait_for(eve.wait(), PATIENCE) == 0
