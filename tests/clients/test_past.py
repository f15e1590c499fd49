"""``kibitz replay``, ``kibitz verify``, the command itself and the file of tokens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from clients.commands import Command
from positions import do

from kibitz.clients.scene import Scene
from kibitz.clients.terminal import replay as past
from kibitz.clients.terminal.tokens import Tokens, default_path
from kibitz.clients.terminal.watch import MAX_GAP, pause
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.replays import Replay, Step, write

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
        f"> resign\n{board('d')}"
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
    for content in (
        b"",
        b"\x80\x04\x95pickle",
        b"# format: kibitz-replay-9\n",
        b"\xff" * 2_000_000,
    ):
        path = tmp_path / "no.txt"
        path.write_bytes(content)
        done = await kibitz.run("verify", str(path))
        assert done.code == 1
        assert f"{path}: line 1, column 1: " in done.out
        assert "Traceback" not in done.err
    for missing in ("nowhere.txt", str(tmp_path)):
        done = await kibitz.run("verify", missing)
        assert (done.code, done.out) == (2, "")
        assert f"could not open {missing}" in done.err
    done = await kibitz.run("replay", "nowhere.txt")
    assert (done.code, done.out) == (2, "")


def test_frames_wait_for_what_is_drawn(text: Path) -> None:
    replay = past.read(text)
    scene = Scene("game.txt", "aces-up")
    frames = list(past.from_text(replay, scene))
    assert [frame.ms for frame in frames] == [0, 1000, 0, 1000, 1000, 1000]
    assert scene.table == do(GAME, START, "d")


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
