"""``kibitz`` at a terminal: a page that is drawn in place, a prompt, keys."""

import contextlib
import re
from pathlib import Path

import pytest
from apart import NEVER
from clients.commands import Command
from clients.terminals import at_terminal
from plays import lose
from servers import REAL, Running, running_server
from talk import fetch, talking
from worlds import HeldLog

from kibitz.clients.session import connect
from kibitz.engine.deals import deck_of
from kibitz.engine.game import moves
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.replays import Replay, Step, write
from kibitz.server.analysing import child
from kibitz.server.app import running
from kibitz.server.log.memory import MemoryLog
from kibitz.server.settings import Listening, Settings

PROMPT = TEXTS["aces-up"].prompt
GOING = "the server goes down for a moment; this comes back by itself"


async def test_a_game_with_another_player(kibitz: Command, server: Running) -> None:
    """What others do is drawn while one types; the last remarks stay, answers go."""
    words = ("play", "aces-up", "--deal", "42", "--seats", "2", "--name", "Ann")
    async with at_terminal(kibitz, *words) as ann:
        page = await ann.shows(
            "watch it with: kibitz watch ", "sit down at it with:\nkibitz play ", PROMPT
        )
        room = page.split("kibitz watch ")[1].split()[0]
        assert f"\nkibitz play --room {room} --server {server.url}\n" in page, "to be copied whole"
        assert "\n`help` lists what you can type.\n" in page
        assert "\x1b[31m10♦\x1b[0m" in ann.out
        ann.child.send("sa")
        async with connect(server.url, name="Bob") as bob:
            await bob.join(room, "player")
            await ann.shows("Bob took seat 2", f"{PROMPT}sa")
            await bob.move(room, "d")
            await ann.shows("· 1 move ·", "> d (Bob)", f"{PROMPT}sa")
            ann.child.sendline("y Hello")
            await ann.shows("Ann: Hello", "> d (Bob)")
            ann.child.sendline("t 9 9")
            await ann.shows("Error in option: t 9 9", "> d (Bob)")
            ann.child.sendline("board")
            page = await ann.shows("> d (Bob)", f"watch it with: kibitz watch {room}")
            assert "Error" not in page
            ann.child.sendline("q")
            code, page = await ann.end()
    assert (
        code,
        page.endswith(f"go on with: kibitz play --room {room} --server {server.url}\n"),
    ) == (
        0,
        True,
    )


def widest(page: str) -> int:
    """The length of the longest line, but for commands: those are to be copied whole."""
    return max(len(line) for line in page.splitlines() if not line.startswith("kibitz "))


@pytest.mark.parametrize("width", [80, 60])
async def test_montana_wraps_at_blanks(kibitz: Command, width: int) -> None:
    async with at_terminal(kibitz, "play", "montana", width=width) as terminal:
        end = "dest_row,dest_col: "
        page = await terminal.until(lambda page: "watching" not in page and page.endswith(end))
        assert "\nEnter choice:\n (q)uit, (s)huffle, or " in page
        assert widest(page) <= width
        terminal.child.sendline("help")
        page = await terminal.until(lambda page: "undo" in page and page.endswith(end))
        assert widest(page) <= width
        assert page.count("\n") < 24
        terminal.child.sendeof()
        code, page = await terminal.end()
        assert (code, "go on with: kibitz play --room " in page) == (0, True)
        assert "\nThank you for playing.\n" in page


async def test_ctrl_c_says_how_to_go_on(kibitz: Command) -> None:
    async with at_terminal(kibitz, "play", "klondike-single", width=60) as terminal:
        page = await terminal.shows("(TT,TF,WT,WF,SW,R,H,Q): ")
        assert widest(page) <= 60
        terminal.child.sendintr()
        code, page = await terminal.end()
        assert (code, "\ngo on with: kibitz play --room " in page) == (130, True)


async def test_a_line_that_takes_long_is_said_to_be_saved(tmp_path: Path) -> None:
    log = HeldLog()
    async with running_server(log) as server:
        kibitz = Command(server.url, tmp_path)
        async with at_terminal(kibitz, "play", "aces-up", "--name", "Ann") as ann:
            await ann.shows(PROMPT)
            log.hold()
            ann.child.sendline("d")
            await ann.shows("saving…: d (`quit` leaves)\n", PROMPT)
            log.release()
            await ann.until(lambda page: "· 1 move ·" in page and "saving" not in page)
            ann.child.sendeof()
            assert (await ann.end())[0] == 0


async def test_while_a_hint_is_worked_out_nothing_is_said_to_be_saved(
    kibitz: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "ADVISER", NEVER)
    async with at_terminal(kibitz, "play", "aces-up") as ann:
        await ann.shows(PROMPT)
        ann.child.sendline("hint")
        await ann.shows("thinking…: hint (`quit` leaves)\n", PROMPT)
        ann.child.sendline("quit")
        assert (await ann.end())[0] == 0


async def test_what_is_asked_meanwhile_takes_no_answer_away(kibitz: Command) -> None:
    async with at_terminal(kibitz, "play", "klondike-single", "--deal", "7", "--casual") as ann:
        await ann.shows("(TT,TF,WT,WF,SW,R,H,Q): ")
        ann.child.sendline("winnable")
        await ann.shows("thinking…: winnable (`quit` leaves)\n")
        ann.child.sendline("hint")
        both = "guesses at the hidden cards", "a strong bot would play"
        await ann.until(lambda page: all(said in page for said in both))
        ann.child.sendline("nonsense")
        await ann.until(lambda page: not any(said in page for said in both))


async def test_the_server_goes_and_comes(unused_port: int, tmp_path: Path) -> None:
    log, settings = MemoryLog(), Settings(Listening(port=unused_port))
    kibitz = Command(f"ws://127.0.0.1:{unused_port}/ws", tmp_path)
    async with contextlib.AsyncExitStack() as stack:
        async with running(settings, log, REAL):
            ann = await stack.enter_async_context(
                at_terminal(kibitz, "play", "aces-up", "--name", "Ann")
            )
            page = await ann.shows(PROMPT)
            room = page.split("kibitz watch ")[1].split()[0]
            bob = await stack.enter_async_context(at_terminal(kibitz, "watch", room))
            await bob.shows(room)
        await ann.shows(GOING, PROMPT)
        await bob.shows(GOING)
        ann.child.sendline("d")
        async with running(settings, log, REAL):
            await ann.until(lambda page: "· 1 move ·" in page and GOING not in page)
            await bob.until(lambda page: "· 1 move ·" in page and GOING not in page)
        await ann.shows(GOING, PROMPT)
        ann.child.sendline("d")
        await ann.shows("waiting for the server: d (`quit` leaves)\n", PROMPT)
        ann.child.sendline("say Hello")
        await ann.shows("waiting for the server: d, say Hello (`quit` leaves)\n", PROMPT)
        async with running(settings, log, REAL):
            await ann.until(lambda page: "Ann: Hello" in page and "waiting for" not in page)
        await ann.shows(GOING, PROMPT)
        ann.child.sendline("d")
        await ann.shows("waiting for the server: d")
        ann.child.sendline("quit")
        code, page = await ann.end()
        assert (code, "go on with: kibitz play --room " in page) == (0, True)


@pytest.mark.parametrize("width", [80, 60, 30])
async def test_a_rooms_id_is_whole(kibitz: Command, server: Running, width: int) -> None:
    async with connect(server.url, name="A" * 32) as client, connect(server.url) as other:
        rooms = [(await client.create("klondike-single", mode="coop")).room for _ in range(2)]
        await other.join(rooms[0], "player")
        await client.resign((await client.create("montana")).room)
        async with at_terminal(kibitz, "rooms", width=width) as terminal:
            code, page = await terminal.end()
    heads, *lines = page.splitlines()
    assert code == 0
    assert [line.split()[0] for line in lines] == rooms[::-1]
    assert max(map(len, page.splitlines())) <= width
    assert ("started" in heads) is (width == 80)


async def test_a_replay_by_keys(kibitz: Command, tmp_path: Path) -> None:
    game = GAMES["aces-up"]
    path = tmp_path / "game.txt"
    path.write_text(write(Replay(game, game.deal(deck_of("42")), (Step("d"),) * 2)))
    async with at_terminal(kibitz, "replay", "--step", str(path)) as terminal:
        await terminal.shows("· 0 moves ·", "left, right: step", "g 57: move 57", "q: quit")
        keys = ("\x1b[C", 1), ("\x1b[C", 2), ("\x1b[D", 1), ("b", 0), ("\r", 1), ("g 2\r", 2)
        for key, count in keys:
            terminal.child.send(key)
            await terminal.shows(f"· {count} move", "q: quit")
        terminal.child.send("q")
        assert (await terminal.end())[0] == 0


async def test_a_replay_that_takes_long_to_read_can_be_left(
    kibitz: Command, tmp_path: Path
) -> None:
    game = GAMES["aces-up"]
    path = tmp_path / "game.txt"
    steps = (Step("d"), Step("undo")) * 200_000
    path.write_text(write(Replay(game, game.deal(deck_of("42")), steps)))
    async with at_terminal(kibitz, "replay", str(path)) as terminal:
        await terminal.shows("reading…", "q: quit")
        terminal.child.send("q")
        code, page = await terminal.end()
        assert (code, "paused" in page) == (0, False), "and no board was shown"


async def test_a_replay_says_where_the_game_was_lost(
    kibitz: Command, server: Running, tmp_path: Path
) -> None:
    async with talking(server.url, name="Ann") as ann:
        room = await lose(ann)
    path = tmp_path / "game.txt"
    path.write_bytes((await fetch(server.http, f"/rooms/{room}/replay.txt"))[1])
    said = "This deal could be won.\nIt was lost with move 4: d\nWhat would have won after move 3, "
    for source, unit in ((str(path), "step"), (room, "event")):
        async with at_terminal(kibitz, "replay", "--step", source, height=40) as terminal:
            page = await terminal.shows("paused, 1x · a: analyse\n")
            assert re.search(rf"\nmove 0, {unit} \d+ of \d+ · paused", page)
            terminal.child.send("a")
            await terminal.shows(said, " 4. f 2, f 1, d,", "w: see what would have won")
            terminal.child.send("\x1b[C")
            await terminal.shows("· 1 move ·", said)
            terminal.child.send("w")
            await terminal.shows("· 3 moves ·", "\nmove 3, step 6 of 16 · ", "w: back to the game")
            terminal.child.send("\x1b[C")
            await terminal.shows("· 4 moves ·", "> f 2")
            terminal.child.send("l")
            await terminal.shows("· won")
            terminal.child.send("w")
            await terminal.shows("· 1 move ·", said)
            terminal.child.send("a")
            await terminal.until(lambda page: "· 1 move ·" in page and "lost" not in page)
            terminal.child.send("q")
            assert (await terminal.end())[0] == 0


async def test_a_replay_can_be_left_while_it_is_analysed(kibitz: Command, tmp_path: Path) -> None:
    game = GAMES["montana"]
    path = tmp_path / "game.txt"
    start = game.deal(deck_of("1"))
    step = Step(TEXTS[game.name].write(moves(game, start)[0]))
    path.write_text(write(Replay(game, start, (step,))))
    async with at_terminal(kibitz, "replay", "--step", str(path), height=40) as terminal:
        await terminal.shows("a: analyse")
        terminal.child.send("a")
        told = re.compile(r"analysing… [1-9]\d* s \(at most 10 s of the processor\)\n")
        assert "a: analyse" not in await terminal.until(told.search)
        terminal.child.send("q")
        assert (await terminal.end())[0] == 0
