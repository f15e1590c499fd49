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

from kibitz.clients.film import Film
from kibitz.clients.scene import Scene
from kibitz.clients.terminal import reels
from kibitz.clients.terminal.controls import Controls, Wish
from kibitz.clients.terminal.keys import keys_in
from kibitz.clients.terminal.screen import Screen
from kibitz.clients.terminal.tokens import Tokens, default_path
from kibitz.clients.terminal.watch import MAX_GAP, pause
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.replays import Replay, Step, write
from kibitz.engine.table import redact_table
from kibitz.protocol.views import Control

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
    scene.put(do(GAME, START, *lines), status="resigned")
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
    done = await kibitz.run_here("replay", str(text))
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"{board()}> d\n{board('d')}Ann: well\n> undo\n{board()}> d\n{board('d')}"
        f"> resign\n{opened('d')}"
    )


async def test_a_replay_by_steps(kibitz: Command, text: Path) -> None:
    done = await kibitz.run_here("replay", "--step", str(text), lines="\n q")
    assert done.out == f"{board()}> d\n{board('d')}Ann: well\n> undo\n{board()}"


async def test_a_replay_that_does_not_fit_stops_there(kibitz: Command, text: Path) -> None:
    number = put_in(text, "> t 1 2")
    done = await kibitz.run_here("replay", str(text))
    assert done.code == 1
    assert done.out.startswith(f"{board()}> d\n{board('d')}Ann: well\n")
    assert f"line {number}, column 1: Invalid move" in done.out


async def test_verify(kibitz: Command, text: Path) -> None:
    done = await kibitz.run_here("verify", str(text))
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "file      ok      it has no digest",
        "chain     open    a text has no hashes",
        "openings  open    this game has committed itself to nothing",
        "deal      open    it is not said where the cards came from",
        "rules     ok      aces-up, 4 commands",
    ]
    number = put_in(text, "> undone")
    done = await kibitz.run_here("verify", str(text))
    assert done.code == 1
    assert f"rules     failed  line {number}: Error in option: undone" in done.out
    assert done.out.endswith(f"{number:>5} | > undone\n")


async def test_verify_what_is_no_replay(kibitz: Command, tmp_path: Path) -> None:
    contents = b"", b"\x80\x04\x95pickle", b"# format: kibitz-replay-9\n", b"\xff" * 2_000_000
    paths = [tmp_path / f"{n}.txt" for n in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    ended = await asyncio.gather(*(kibitz.run_here("verify", str(path)) for path in paths))
    for done in ended:
        assert "Traceback" not in done.err
    assert [done.code for done in ended] == [2, 2, 1, 2]
    assert all(done.err.endswith("is no replay\n") for done in ended if done.code == 2)
    assert "file      failed  line 1: " in ended[2].out
    for words in (("verify", "nowhere.txt"), ("verify", str(tmp_path)), ("replay", "nowhere.txt")):
        done = await kibitz.run_here(*words)
        assert (done.code, done.out) == (2, "")
        assert f"could not open {words[1]}" in done.err


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="it opens and cannot be read")
async def test_what_opens_and_cannot_be_read(kibitz: Command) -> None:
    mem = "/proc/self/mem"
    for words in (["replay", mem], ["verify", mem], ["solve", mem], ["convert", mem, "--to=save"]):
        done = await kibitz.run_here(*words)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"kibitz: could not open {mem}: Input/output error\n"


def test_frames_wait_for_what_is_drawn(text: Path) -> None:
    frames = list(reels.from_text(reels.read(text), "game.txt"))
    assert [frame.ms for frame in frames] == [0, 1000, 0, 1000, 1000, 1000]
    last = frames[-1].scene
    assert last is not None
    assert (last.table, last.status) == (do(GAME, START, "d"), "resigned")


def test_moves_are_counted_as_in_the_live_game() -> None:
    commands = ["d", "d", "undo", "redo", "undo", "d", "restart", "undo", "restart", "d", "resign"]
    replay = Replay(GAME, START, tuple(map(Step, commands)))
    scenes = [frame.scene for frame in reels.from_text(replay, "") if frame.scene]
    assert [scene.seen.moves for scene in scenes] == [0, 1, 2, 1, 2, 1, 2, 0, 2, 0, 1, 1]


async def test_a_game_that_was_still_running(kibitz: Command, tmp_path: Path) -> None:
    path = tmp_path / "replay.txt"
    path.write_text(write(Replay(GAME, redact_table(START), (Step("d"),), {"room": "abc234"})))
    done = await kibitz.run_here("verify", str(path))
    assert (done.code, done.err) == (0, ""), "nothing is wrong with it"
    assert "rules     open    cards are hidden; `kibitz verify abc234` knows more\n" in done.out
    done = await kibitz.run_here("replay", str(path))
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        f"{path}: this game was still running when it was written down: cards are hidden; see the "
        "room with `kibitz replay abc234`, or download it again when the game has ended\n"
    )


async def test_steps_go_on_and_back_through_a_pipe(kibitz: Command, text: Path) -> None:
    done = await kibitz.run_here("replay", "--step", str(text), lines=" bnbnq")
    start, drawn, well = board(), board("d"), "Ann: well\n"
    seen = f"{start}> d\n{drawn}{well}{start}> d\n{drawn}{well}{start}> d\n{drawn}{well}"
    assert done.out == seen


async def test_the_last_step_waits_for_a_key_and_can_be_left_backwards(
    kibitz: Command, text: Path
) -> None:
    done = await kibitz.run_here("replay", "--step", str(text), lines="nnnnbnn")
    assert done.out.endswith(f"> resign\n{opened('d')}> d\n{board('d')}> resign\n{opened('d')}")


def film_of(*commands: str) -> Film:
    return Film(reels.from_text(Replay(GAME, START, tuple(map(Step, commands))), ""))


def test_keys_say_where_a_replay_is() -> None:
    film, controls = film_of("d", "d", "undo", "d", "resign"), Controls()
    control, at = Control(at=1), 1
    for key, seen in [
        *(("\x1b[C", 2), (" ", 2), ("\r", 3), ("\x1b[D", 2), ("b", 1), ("b", 1)),
        *(("\x1b[F", 6), ("n", 6), ("\x1b[H", 1), ("g", 1), ("1", 1), ("\r", 2)),
        *(("g", 2), ("9", 2), ("9", 2), ("\r", 6), ("g", 6), ("x", 6), ("b", 5)),
        *(("g", 5), ("1", 5), ("\x1b", 5), ("\r", 6), ("b", 5)),
        *(("g", 5), ("0", 5), ("\r", 1), ("g", 1), ("2", 1), ("\r", 5)),
    ]:
        said = controls.press(key, control, at, film)
        control = said if isinstance(said, Control) else control
        at = control.at
        assert at == seen, key
        assert control.playing is (key == " ")
    assert controls.press("q", control, at, film) is Wish.QUIT
    assert controls.press("o", control, at, film) is Wish.OPEN


def test_keys_say_how_fast_a_replay_goes() -> None:
    film, controls, control = film_of("d"), Controls(), Control(at=1, playing=True)
    seen = []
    for key in "+++++---":
        said = controls.press(key, control, 1, film)
        assert isinstance(said, Control) and said.playing
        control = said
        seen.append(control.speed)
    assert seen == [200, 400, 800, 1600, 1600, 800, 400, 200]
    said = controls.press("+", Control(at=1, beat=1000), 1, film)
    assert isinstance(said, Control) and said.beat == 500


def test_a_comment_belongs_to_its_move(text: Path) -> None:
    film = Film(reels.from_text(reels.read(text), ""))
    assert [film.said(n) for n in range(1, 7)] == [
        *(None, "> d", "Ann: well", "> undo", "> d", "> resign")
    ]
    assert film.after(film.first) == 3
    assert film.said_at(3, 5) == ["> d", "Ann: well"]
    assert film.said_at(2, 5) == ["> d"]


def test_an_arrow_is_one_key() -> None:
    assert keys_in("\x1b[C \x1bOD\x1b[1;5Cb\x1b") == [
        *("\x1b[C", " ", "\x1bOD", "\x1b[1;5C", "b", "\x1b")
    ]


async def test_one_command_is_one_command(kibitz: Command, tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text(write(Replay(GAME, START, (Step("d"),))))
    assert (await kibitz.run_here("verify", str(path))).out.endswith("aces-up, 1 command\n")


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
    assert tokens.name("ws://a/ws") is None
    for name in ("Ann the First", None):
        tokens.keep("ws://a/ws", "kbz_c", name)
    assert Tokens(tokens.path).name("ws://a/ws") == "Ann the First"
    assert Tokens(tokens.path, "kbz_given").name("ws://a/ws") is None
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
    helped = await kibitz.run_here("--help")
    for name in ("play", "watch", "rooms", "bot", "replay", "verify", "console", "serve"):
        assert f"\n  {name} " in helped.out
    assert "demo" not in helped.out
    assert (await kibitz.run_here("serve", "--help")).code == 0
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
