"""``kibitz replay``, ``kibitz verify``, the command itself and the file of tokens."""

import asyncio
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from clients.commands import Command
from positions import do

from kibitz.clients.scene import Scene
from kibitz.clients.terminal import replay as past
from kibitz.clients.terminal.pace import Pace, Way, keys_in, way_of
from kibitz.clients.terminal.screen import Screen
from kibitz.clients.terminal.tokens import Tokens, default_path
from kibitz.clients.terminal.watch import MAX_GAP, pause
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.replays import Replay, Step, write
from kibitz.engine.table import redact_table

MOVES = ("d", "d")
GAME = GAMES["aces-up"]
START = GAME.deal(deck_of("42"))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A replay with a comment, a move taken back and a result."""
    steps = [Step("d"), Step(comment="Ann: well"), Step("undo"), Step("d"), Step("resign")]
    path = tmp_path / "game.txt"
    path.write_text(write(Replay(GAME, START, tuple(steps), {"result": "resigned"})))
    return path


def board(*lines: str) -> str:
    return TEXTS["aces-up"].board(do(GAME, START, *lines))


def opened(*lines: str) -> str:
    """The board when the game has ended: its stock is open, too."""
    scene, out = Scene("", "aces-up"), io.StringIO()
    scene.table, scene.status = do(GAME, START, *lines), "resigned"
    Screen(out, environ={}).draw(scene)
    assert "\nStock: " in out.getvalue()
    return out.getvalue()


def put_in(text: Path, line: str) -> int:
    """Put a line before the move that is taken back; its number."""
    lines = text.read_text().splitlines()
    at = lines.index("> undo")
    text.write_text("".join(f"{one}\n" for one in [*lines[:at], line, *lines[at:]]))
    return at + 1


async def test_a_replay_is_printed_at_once(kibitz: Command, text: Path) -> None:
    done = await kibitz.run("replay", str(text))
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"{board()}> d\n{board('d')}Ann: well\n> undo\n{board()}> d\n{board('d')}"
        f"> resign\n{opened('d')}"
    )


async def test_a_replay_by_steps(kibitz: Command, text: Path) -> None:
    done = await kibitz.run("replay", "--step", str(text), lines="\n q")
    assert done.out == f"{board()}> d\n{board('d')}Ann: well\n> undo\n{board()}"


async def test_a_replay_that_does_not_fit_stops_there(kibitz: Command, text: Path) -> None:
    number = put_in(text, "> t 1 2")
    done = await kibitz.run("replay", str(text))
    assert done.code == 1
    assert done.out.startswith(f"{board()}> d\n{board('d')}Ann: well\n")
    assert f"line {number}, column 1: Invalid move" in done.out


async def test_verify(kibitz: Command, text: Path) -> None:
    done = await kibitz.run("verify", str(text))
    assert (done.code, done.out) == (
        0,
        f"{text}: fits the rules (aces-up, 4 commands)\n",
    )
    number = put_in(text, "> undone")
    done = await kibitz.run("verify", str(text))
    assert done.code == 1
    assert f"line {number}, column 1: Error in option: undone" in done.out
    assert done.out.endswith(f"{number:>5} | > undone\n")


async def test_verify_what_is_no_replay(kibitz: Command, tmp_path: Path) -> None:
    contents = b"", b"\x80\x04\x95pickle", b"# format: kibitz-replay-9\n", b"\xff" * 2_000_000
    paths = [tmp_path / f"{n}.txt" for n in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    ended = await asyncio.gather(*(kibitz.run("verify", str(path)) for path in paths))
    for path, done in zip(paths, ended, strict=True):
        assert done.code == 1
        assert f"{path}: line 1, column 1: " in done.out
        assert "Traceback" not in done.err
    for words in (("verify", "nowhere.txt"), ("verify", str(tmp_path)), ("replay", "nowhere.txt")):
        done = await kibitz.run(*words)
        assert (done.code, done.out) == (2, "")
        assert f"could not open {words[1]}" in done.err


def test_frames_wait_for_what_is_drawn(text: Path) -> None:
    frames = list(past.from_text(past.read(text), "game.txt"))
    assert [frame.ms for frame in frames] == [0, 1000, 0, 1000, 1000, 1000]
    last = frames[-1].scene
    assert last is not None
    assert (last.table, last.status) == (do(GAME, START, "d"), "resigned")


def test_moves_are_counted_as_in_the_live_game() -> None:
    commands = ["d", "d", "undo", "redo", "undo", "d", "restart", "undo", "restart", "d", "resign"]
    replay = Replay(GAME, START, tuple(map(Step, commands)))
    scenes = [frame.scene for frame in past.from_text(replay, "") if frame.scene]
    assert [scene.moves for scene in scenes] == [0, 1, 2, 1, 2, 1, 2, 0, 2, 0, 1, 1]


@pytest.mark.parametrize("command", ["replay", "verify"])
async def test_a_game_that_was_still_running(kibitz: Command, tmp_path: Path, command: str) -> None:
    path = tmp_path / "replay.txt"
    path.write_text(write(Replay(GAME, redact_table(START), (Step("d"),), {"room": "abc234"})))
    done = await kibitz.run(command, str(path))
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        f"{path}: this game was still running when it was written down: cards are hidden; see the "
        "room with `kibitz replay abc234`, or download it again when the game has ended\n"
    )


def test_steps_go_on_and_back(text: Path) -> None:
    keys = iter(["\r", " ", "b", "\x1b[D", "b", "\x1b[C", "q"])
    out = io.StringIO()
    pace = Pace(lambda _: way_of(next(keys)), "keys")
    past.present(past.from_text(past.read(text), ""), Screen(out, environ={}), pace)
    start, drawn, well = board(), board("d"), "Ann: well\n"
    seen = f"{start}> d\n{drawn}{well}> undo\n{start}> d\n{drawn}{well}{start}{start}> d\n{drawn}"
    assert out.getvalue() == seen + well


def test_the_last_step_waits_for_a_key_and_can_be_left_backwards(text: Path) -> None:
    keys = iter(["\r"] * 4 + ["b", "\r", "\r"])
    out = io.StringIO()
    pace = Pace(lambda _: way_of(next(keys)), "keys")
    past.present(past.from_text(past.read(text), ""), Screen(out, environ={}), pace)
    assert out.getvalue().endswith(
        f"> resign\n{opened('d')}> d\n{board('d')}> resign\n{opened('d')}"
    )
    assert list(keys) == []


def test_an_arrow_is_one_key() -> None:
    assert keys_in("\x1b[C \x1bOD\x1b[1;5Cb\x1b") == [
        "\x1b[C",
        " ",
        "\x1bOD",
        "\x1b[1;5C",
        "b",
        "\x1b",
    ]
    assert [way_of(key) for key in ("\x1b[C", "\x1b[D", "\n", "b", "q", "")] == [
        *(Way.ON, Way.BACK, Way.ON, Way.BACK, Way.STOP, Way.STOP)
    ]


async def test_one_command_is_one_command(kibitz: Command, tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text(write(Replay(GAME, START, (Step("d"),))))
    assert (await kibitz.run("verify", str(path))).out.endswith("(aces-up, 1 command)\n")


@pytest.mark.parametrize("command", ["replay", "verify", "--help"])
async def test_output_that_cannot_be_written(kibitz: Command, text: Path, command: str) -> None:
    words = [command] if command == "--help" else [command, str(text)]
    full = await kibitz.run_into("/dev/full", *words)
    assert full.code == 1
    assert full.err == "kibitz: the output could not be written: No space left on device\n"
    closed = await kibitz.run_into(None, *words)
    assert closed.err == ""


def test_pauses_are_scaled_and_capped() -> None:
    assert pause(1000, 2.0) == 0.5
    assert pause(60_000, 1.0) == MAX_GAP


def test_tokens_are_kept_by_server(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "deep" / "token")
    assert tokens.get("ws://a/ws") is None
    tokens.put("ws://a/ws", "kbz_a")
    tokens.put("ws://b/ws", "kbz_b")
    tokens.put("ws://a/ws", "kbz_c")
    assert Tokens(tokens.path).get("ws://a/ws") == "kbz_c"
    assert Tokens(tokens.path).get("ws://b/ws") == "kbz_b"
    assert tokens.path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tokens.path.parent) == ["token"]


def test_a_file_of_tokens_may_hold_anything(tmp_path: Path) -> None:
    for content in (b"\xff\xfe", b"\n\n a b c \nws://a/ws"):
        (tmp_path / "token").write_bytes(content)
        assert Tokens(tmp_path / "token").get("ws://a/ws") is None


def test_where_tokens_are() -> None:
    assert default_path({"XDG_DATA_HOME": "/data"}) == Path("/data/kibitz/token")
    assert default_path({}) == Path.home() / ".local/share/kibitz/token"


async def test_the_command_names_its_commands(kibitz: Command) -> None:
    helped = await kibitz.run("--help")
    for name in ("play", "watch", "rooms", "bot", "replay", "verify", "console", "serve"):
        assert f"\n  {name} " in helped.out
    assert "demo" not in helped.out
    assert (await kibitz.run("serve", "--help")).code == 0
    version = await kibitz.run("--version")
    assert (version.code, version.out) == (0, "kibitz 0.1.0\n")


def test_the_command_starts_quickly() -> None:
    code = (
        "import sys, kibitz.clients.__main__\n"
        "print([m for m in ('websockets', 'rich.table', 'kibitz.server', 'msgspec', 'asyncio')"
        " if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "['asyncio']\n"
