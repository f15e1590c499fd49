"""``kibitz solve``: saves, replays, rooms and deals; what is told of them."""

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.commands import Command
from clients.terminals import at_terminal
from positions import GOLDEN
from servers import Running
from typer.testing import CliRunner, Result

from kibitz.clients.__main__ import app
from kibitz.clients.session import connect
from kibitz.clients.solving import deals
from kibitz.clients.solving.deals import Found, tally
from kibitz.clients.solving.telling import numbered
from kibitz.clients.terminal import files
from kibitz.clients.terminal.analysis import film_of_win
from kibitz.engine import replays, saves
from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Move, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.replays import Replay, Step
from kibitz.engine.saves import MAX_SAVE
from kibitz.engine.solving.courses import Patience, course_of
from kibitz.engine.table import Table
from kibitz.engine.text import Request
from kibitz.protocol.analysed import Analysed

THUMB = GAMES["thumb-and-pouch"]
ENOUGH = Patience(time.process_time, 20)


def solve(*words: str) -> Result:
    return CliRunner().invoke(app, ["solve", *words])


def after(game: str, table: Table, commands: list[str]) -> Table:
    """Where commands lead, by the rules."""
    for command in commands:
        move = TEXTS[game].parse(command)
        assert not isinstance(move, Request)
        table = play(GAMES[game], table, move, NO_CHANCE).table
    return table


def line_of(deal: str) -> tuple[Move, ...]:
    line = ENOUGH.answer(THUMB, THUMB.deal(deck_of(deal))).line
    assert line
    return line


def replay_text(commands: list[str], deal: str = "1") -> str:
    start = THUMB.deal(deck_of(deal))
    return replays.write(Replay(THUMB, start, tuple(map(Step, commands)), {"deal": deal}))


def test_the_line_of_a_deal_wins() -> None:
    result = solve("thumb-and-pouch", "--deals", "1", "--json")
    found = json.loads(result.stdout)
    assert found["verdict"] == "win"
    assert THUMB.is_won(after(THUMB.name, THUMB.deal(deck_of("1")), found["line"]))
    first, *rest = solve("thumb-and-pouch", "--deals", "1").stdout.splitlines()
    assert first == f"This can be won, in {len(found['line'])} moves:"
    line: list[str] = []
    for number, _, runs in (row.partition(". ") for row in rest):
        assert int(number) == len(line) + 1
        for move, _, times in (run.partition(" ×") for run in runs.split(", ")):
            line += [move] * int(times or 1)
    assert line == found["line"]


@pytest.mark.parametrize(
    ("moves", "lines"),
    [
        (["d"] * 11, ["1. d ×11"]),
        (["d", "f"] * 5 + ["f", "d"], [" 1. " + "d, f, " * 4 + "d, f ×2", "12. d"]),
        (
            ["move stock suit", "discard"] * 3,
            ["1. " + ", ".join(["move stock suit", "discard"] * 2), "5. move stock suit, discard"],
        ),
        (["x" * 90, "y"], ["1. " + "x" * 90, "2. y"]),
    ],
)
def test_a_line_stands_in_rows_of_a_few_moves(moves: list[str], lines: list[str]) -> None:
    assert numbered(moves).splitlines() == lines
    assert numbered(moves, 99).split(".")[0].strip() == "99"


@pytest.mark.parametrize("name", ["montana", "klondike", "aces-up"])
def test_what_would_have_won_is_a_film_that_is_won(name: str) -> None:
    text = (GOLDEN / "v1" / f"{name}.replay.txt").read_text()
    course = course_of(text)
    behind = [n for n, command in enumerate(course.commands, 1) if command == "s"]
    for winnable in (max(behind, default=0), len(course.commands) - 1):
        found = Analysed(
            **{"deal": "win", "winnable": winnable, "lost": None, "mistake": None},  # type: ignore[arg-type]
            length=len(course.commands),
            moves=list(course.commands),
            commands=list(course.numbers),
            line=list(course.commands[winnable:]),
        )
        film, at = film_of_win(text, found)
        scene, last = film.scene_at(at), film.scene_at(film.last)
        assert scene and last and scene.board == 0
        assert scene.boards[0].moves == winnable
        assert last.boards[0].table == course.positions[-1]


def test_a_save_and_what_is_left_of_it(tmp_path: Path) -> None:
    table, line = THUMB.deal(deck_of("1")), line_of("1")
    for move in line[:-2]:
        table = play(THUMB, table, move, NO_CHANCE).table
    path = tmp_path / "game.txt"
    path.write_text(saves.write(THUMB, table))
    found = json.loads(solve(str(path), "--json").stdout)
    assert found["verdict"] == "win"
    assert THUMB.is_won(after(THUMB.name, table, found["line"]))


def test_deals_are_told_as_they_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bytes] = []

    def found(*_: object) -> Iterator[Found]:
        for deal in ("1", "2"):
            yield Found(deal=deal, verdict="lost", moves=0, nodes=1, seconds=0)
            told.append(sys.stdout.buffer.getvalue())  # type: ignore[union-attr]

    monkeypatch.setattr(deals, "run", found)
    assert solve("thumb-and-pouch", "--deals", "1-2").exit_code == 0
    first, second = (text.decode().splitlines() for text in told)
    assert [len(first), len(second)] == [2, 3]
    assert first[1].split("\t")[:3] == ["1", "lost", "-"]


def test_a_game_that_was_lost(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(replay_text(["sw"] * 23 + ["undo", "resign"]))
    result = solve(str(path), "--json")
    found = json.loads(result.stdout)
    assert found["deal"] == "win"
    assert found["moves"] == ["sw"] * 22
    assert found["commands"] == list(range(1, 23))
    assert found["length"] == 22
    start = THUMB.deal(deck_of("1"))
    lost = after(THUMB.name, start, found["moves"][: found["winnable"]])
    assert THUMB.is_won(after(THUMB.name, lost, found["line"]))
    told = solve(str(path)).stdout
    assert told.startswith("This deal could be won.\n")
    if found["mistake"]:
        assert f"It was lost with move {found['mistake']}: sw" in told
    assert "What would have won" in told


def test_a_game_that_was_won(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    commands = [TEXTS[THUMB.name].write(move) for move in line_of("1")]
    path.write_text(replay_text(commands))
    assert solve(str(path)).stdout == f"This was won, in {len(commands)} moves.\n"
    path.write_text(replay_text(commands[:-1]))
    still = "No move lost it: it could still be won when it {}.\n"
    assert still.format("ended") in solve(str(path)).stdout
    path.write_text(replay_text([*commands[:-1], "resign"]))
    assert still.format("was given up") in solve(str(path)).stdout
    path.write_text(replay_text(["resign"]))
    told = solve(str(path)).stdout
    assert told.startswith("This deal could be won.\n" + still.format("was given up"))
    assert f"What would have won from the start, in {len(commands)} moves:\n" in told


def test_a_game_of_which_much_was_said(tmp_path: Path) -> None:
    commands = [TEXTS[THUMB.name].write(move) for move in line_of("1")]
    said = [Step(comment="x" * 200)] * (MAX_SAVE // 200 + 1)
    steps = (*said, *map(Step, commands))
    path = tmp_path / "replay.txt"
    path.write_text(replays.write(Replay(THUMB, THUMB.deal(deck_of("1")), steps, {"deal": "1"})))
    assert solve(str(path)).stdout == f"This was won, in {len(commands)} moves.\n"


def test_too_little_time_is_said_to_be_so(tmp_path: Path) -> None:
    result = solve("klondike-single", "--deals", "1", "--nodes", "50")
    assert result.stdout.startswith("Whether this can be won was not found out (")
    assert "--seconds gives more time" in result.stdout
    path = tmp_path / "game.txt"
    path.write_text(replay_text(["sw", "sw"]))
    assert "was not found out" in solve(str(path), "--nodes", "1").stdout


def test_many_deals_are_counted() -> None:
    result = solve("thumb-and-pouch", "--deals", "1-4", "--jobs", "2", "--nodes", "5000")
    assert result.exit_code == 0
    head, *rows = [line.split("\t") for line in result.stdout.splitlines()[:5]]
    assert head == ["deal", "verdict", "moves", "positions", "seconds"]
    assert [row[0] for row in rows] == ["1", "2", "3", "4"]
    one = Found(deal="1", verdict="win", moves=1, nodes=1, seconds=1)
    other = Found(deal="2", verdict="unknown", moves=0, nodes=1, seconds=3)
    counts = tally([one, other, Found(deal="3", verdict="lost", moves=0, nodes=1, seconds=2)])
    assert (counts.win, counts.lost, counts.unknown, counts.median_seconds) == (1, 1, 1, 2)
    assert (counts.at_least.value, counts.at_most.value) == (1 / 3, 2 / 3)


async def test_a_room_when_its_game_has_ended(server: Running, kibitz: Command) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("thumb-and-pouch", deal="1")
        await client.move(mirror.room, "sw")
        ran = await kibitz.run_here("solve", mirror.room)
        assert ran.code == 2
        assert "still running" in ran.err
        await client.resign(mirror.room)
        ran = await kibitz.run_here("solve", mirror.room)
        assert ran.out.startswith("This deal could be won.")
        ran = await kibitz.run_here("solve", mirror.room, "--board", "1")
        assert ran.out.startswith("This deal could be won.")
        ran = await kibitz.run_here("solve", mirror.room, "--board", "5")
        assert (ran.code, ran.err) == (2, "kibitz: there is no seat 5\n")


async def test_of_a_race_it_is_said_whose_board_was_taken(server: Running, kibitz: Command) -> None:
    async with connect(server.url, name="Ann") as ann, connect(server.url, name="Bob") as bob:
        wish = {"mode": "race", "deal": "1", "seats": 2, "countdown": 0}
        room = (await ann.create("thumb-and-pouch", **wish)).room
        his = await bob.join(room, "player")
        await ann.ready(room)
        await bob.ready(room)
        await bob.until(lambda: his.board.piles)
        for client in (ann, bob):
            await client.resign(room)
    for words, whose in (((), "1, Ann"), (("--board", "2"), "2, Bob")):
        out = (await kibitz.run_here("solve", room, *words)).out
        assert out.startswith(f"The board of seat {whose} (`--board N` takes another):\nThis deal ")
        again = f"replay {room} --board {whose[0]} --server {server.url}"
        assert f"\n(`kibitz {again}` shows it on the board: `a`, then `w`)\n" in out
    async with at_terminal(kibitz, *again.split(), height=40) as terminal:
        await terminal.shows("a: analyse")
        terminal.child.send("a")
        whose = "The board of seat {} (Tab shows the next one):\nThis deal could be won.\n"
        await terminal.shows(whose.format("2, Bob"))
        terminal.child.send("\t")
        await terminal.shows("a: analyse")
        terminal.child.send("a")
        await terminal.shows(whose.format("1, Ann"))


async def test_a_name_of_nothing(kibitz: Command) -> None:
    ran = await kibitz.run_here("solve", "nosuch")
    assert (ran.code, ran.err) == (2, "kibitz: there is no file, room or game 'nosuch'\n")
    ran = await kibitz.run_here("solve", "klondyke")
    assert "'klondyke' (did you mean klondike?)" in ran.err


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (b'{"format": "kibitz-replay-json-1"}', " is a replay as JSON: take the replay as text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", " is no text\n"),
        (b"\xff\xfeS\x00", " is no text\n"),
    ],
)
def test_a_file_that_is_something_else(tmp_path: Path, held: bytes, said: str) -> None:
    path = tmp_path / "game.txt"
    path.write_bytes(held)
    result = solve(str(path))
    assert (result.exit_code, f"{path}{said}" in result.output) == (2, True)


def test_a_pipe_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert solve(str(path)).exit_code == 2, "nobody has opened it"
    both = os.open(path, os.O_RDWR)
    monkeypatch.setattr(files, "PATIENCE", 0.01)
    result = solve(str(path))
    assert result.exit_code == 2
    assert "it is no file, and nothing comes out of it for 0.01 s" in result.output
    os.write(both, replay_text(["sw"]).encode())
    result = solve(str(path))
    assert "nothing comes out of it" in result.output, "it never ends"
    os.close(both)
    reader, writer = os.pipe()
    os.write(writer, replay_text(["sw"]).encode())
    os.close(writer)
    result = solve(f"/dev/fd/{reader}")
    os.close(reader)
    assert "This deal could be won." in result.output, "as a shell hands over what a command says"
    assert "is no text" in solve("/dev/zero").output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["klondike"], "--deals says which deals of klondike"),
        (["klondyke", "--deals", "1"], "did you mean klondike?"),
        (["klondike", "--deals", "1,1"], "names no deals, or one twice"),
        (["klondike", "--deals", "1", "--option", "no=1"], "no"),
        (["nothing/there.txt"], "could not open"),
        (["1,2", "--seconds", "soon"], "'--seconds': no number"),
        (["klondike", "--deals", "1", "--nodes", "0"], "'--nodes': it should be greater than or"),
    ],
)
def test_what_cannot_be_used_is_told(words: list[str], said: str) -> None:
    result = solve(*words)
    assert result.exit_code == 2
    assert said in result.output


def test_texts_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text("nonsense\n")
    assert solve(str(path)).exit_code == 2
    path.write_text(replay_text(["sw", "wf 9"]))
    assert "line" in solve(str(path)).output
    assert course_of(replay_text([])).commands == []
