"""What the consoles print, which files they touch, what they make of odd arguments and streams."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from positions import lay_out
from transcripts import reading
from transcripts.reading import DATA

from kibitz.clients.console import console
from kibitz.clients.console.files import Folder
from kibitz.clients.console.klondike import KlondikeProgram
from kibitz.clients.console.program import WON, Deals, Program, TableProgram
from kibitz.engine import saves
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.text import SIGNS


def run_process(
    game: str, typed: bytes, folder: Path, arguments: str = "", encoding: str = "utf-8"
) -> tuple[str, int]:
    """The console as a process of its own: what it prints on standard output, its exit code."""
    call = f"console({game!r}{arguments})"
    code = f"from kibitz.clients.console import console; raise SystemExit({call})"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        input=typed,
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        timeout=60,
        check=False,
    )
    assert done.stderr == b""
    return done.stdout.decode(encoding), done.returncode


def type_in(monkeypatch: pytest.MonkeyPatch, game: str, typed: str, **arguments: str | int) -> str:
    """What the console prints when this is typed."""
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    monkeypatch.setattr(sys, "stdout", out)
    assert console(game, **arguments) == 0  # type: ignore[arg-type]
    return out.getvalue()


def test_game1_from_its_script(tmp_path: Path) -> None:
    """The script, as a whole process in a folder with the start file: every board, and the end."""
    (tmp_path / "Game1-start.txt").write_bytes((DATA / "klondike-game1-start.txt").read_bytes())
    script = (DATA / "klondike-game1-input.txt").read_bytes()
    out, code = run_process("klondike", script, tmp_path)
    assert code == 0
    assert out.startswith("Welcome to Klondike!\nYour move: Comment: Sample game\nYour move: ")
    assert out.endswith("Your move: Thank you for playing\n")
    assert out.count(WON) == 1
    shown = [part.removeprefix("Klondike!\n") for part in out.split("Your move: ")]
    steps = reading.read("klondike-game1-win").steps
    boards = ["".join(line + "\n" for line in s.position) for s in steps if s.form == "board"]
    assert [part for part in shown if part.startswith("   Stock")] == boards
    assert "illegal" not in out


DECK12 = "AS KS QS AH KH QH AD KD QD AC KC QC"
MONTANA = TEXTS["montana"].prompt


def test_montana_prints(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``--load START --rng-seed 100`` is the course's session, prompts and all."""
    script = reading.read("montana-test3-errors")
    path = tmp_path / "start.txt"
    path.write_text(saves.write(script.game, script.table))
    typed = "".join(step.command + "\n" for step in script.steps)
    out = type_in(monkeypatch, "montana", typed, load=str(path), rng_seed=100)
    again = "Do you want to play again (y/n)?"
    board = TEXTS["montana"].board(script.table)
    opening = f"Montana Solitaire.\n{board}"
    assert out.startswith(f"{opening}{MONTANA}Error: invalid input.  Please try again.\n{MONTANA}")
    tail = f"No more shuffles remain.\n{MONTANA}Error: invalid input.  Please try again.\n{MONTANA}"
    assert out.endswith(f"{tail}{again}{opening}{MONTANA}{again}Thank you for playing.\n")
    assert "  1:  2♣  3♣  4♣  5♣  6♣  7♣  8♣  9♣ 10♣  J♣      K♠  9♥\n" in out
    assert "  4:  2♥      K♦  6♥  Q♠  3♥  7♠  J♦ 10♠  4♥  K♣  5♥  8♥\n" in out


def test_montana_asks_until_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    out = type_in(monkeypatch, "montana", "q\nwhat\n\n Y \nq\nN\nq\n", rng_seed=1)
    assert out.count("play again") == 4
    assert out.count("Montana Solitaire.") == 2
    assert out.endswith("(y/n)?Thank you for playing.\n")


def test_aces_up_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    out = type_in(monkeypatch, "aces-up", "F 1\nf 2\n\nr\nq\nd\n", deck=DECK12)
    start = "\nstock      tableau     foundation\nXX      A♠  K♠  Q♠  A♥  \n"
    prompt, opening = "Input an option (DFTRHQ): ", TEXTS["aces-up"].help + start
    assert out == (
        f"{opening}{prompt}Error, cannot move A♠.\n{start}{prompt}"
        "\nstock      tableau     foundation\nXX      A♠      Q♠  A♥      K♠\n"
        f"{prompt}Error in option: \nInvalid option.\n"
        "\nstock      tableau     foundation\nXX      A♠      Q♠  A♥      K♠\n"
        f"{prompt}===== Restarting: new game =====\n{opening}{prompt}You have chosen to quit.\n"
    )


def test_a_deal_can_win(monkeypatch: pytest.MonkeyPatch) -> None:
    out = type_in(monkeypatch, "aces-up", "d\n", deck="AS AH AD AC")
    assert out.endswith("        A♠  A♥  A♦  A♣  \nYou won!\n")


@pytest.mark.parametrize("game", ["klondike-single", "thumb-and-pouch"])
def test_columns_won(game: str) -> None:
    """The winning board stands after the words in one, before them in the other."""
    suits = {f"FOUNDATION-{n}": suit for n, suit in enumerate("cdhs", 1)}
    piles = {pile: " ".join(f"{rank}{s}" for rank in "A23456789TJQK") for pile, s in suits.items()}
    last = {"FOUNDATION-4": piles["FOUNDATION-4"].removesuffix(" Ks"), "Waste": "Ks"}
    program = TableProgram(Deals(GAMES[game], lay_out(GAMES[game], {**piles, **last})))
    printed = program.feed("wf 4")
    board = TEXTS[game].board(program.table)
    assert printed == (WON + board if game == "klondike-single" else board + WON)
    assert program.over


def test_klondike_single_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    out = type_in(monkeypatch, "klondike-single", "tt 0 1\n\ntt 1 1\nq\n", deal="7")
    text = TEXTS["klondike-single"]
    board = text.board(GAMES["klondike-single"].deal(deck_of("7")))
    assert out == (
        f"{text.help}{board}{text.prompt}\nError in Source.\n{board}{text.prompt}"
        f"\nError in option: \n{board}{text.prompt}\nInvalid move!\n\n{board}{text.prompt}"
    )


def test_klondike_prints(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    typed = "board\n\nmove 1 2\nsave a\nprint\ncomment\ncomment  two  words \nmove 8 1\nmove 3\n"
    out = type_in(monkeypatch, "klondike", typed + "shuffle\nsave a.txt\nmove 3 3\nreset\n")
    assert out.split("Your move: ") == [
        "Welcome to Klondike!\n",
        "board: no game loaded\n",
        "",
        "move: no game loaded\n",
        "save: no game loaded\n",
        "print: illegal command\n",
        "comment: incorrect number of arguments\n",
        "Comment: two  words\n",
        "move: arguments incorrect\n",
        "move: incorrect number of arguments\n",
        "",
        "",
        "move: illegal move\n",
        "reset: illegal move\n",
        "",
    ]
    assert (tmp_path / "a.txt").stat().st_size == 352


def test_klondike_loads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    path = DATA / "klondike-game1-start.txt"
    out = type_in(monkeypatch, "klondike", "cheat\n", load=str(path))
    assert out == f"Welcome to Klondike!\nYour move: {path.read_text()}Your move: "


NAMES = ["../x", "/etc/passwd", "a/../../b", "a\0b", ".", "..", "x" * 129, "x" * 300, "out", "a\\b"]


@pytest.mark.parametrize("name", [*NAMES, "pipe", "folder", "circle", "dangling"])
def test_files_stay_in_the_folder(name: str, tmp_path: Path) -> None:
    """B68: nothing outside is read or written, whatever the name."""
    folder = tmp_path / "in"
    folder.mkdir()
    outside = tmp_path / "x"
    outside.write_bytes((DATA / "klondike-game1-start.txt").read_bytes())
    (folder / "out").symlink_to(outside)
    (folder / "dangling").symlink_to(tmp_path / "new")
    (folder / "circle").symlink_to(folder / "circle")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    start = saves.Save(GAMES["klondike"], GAMES["klondike"].deal(deck_of("7")))
    program = KlondikeProgram(Deals(GAMES["klondike"]), Folder(folder), start)
    before = sorted(tmp_path.rglob("*")), outside.read_bytes()
    assert program.feed(f"load {name}") == "load: could not open file\n"
    assert program.feed(f"save {name}") == "save: could not open file\n"
    assert (sorted(tmp_path.rglob("*")), outside.read_bytes()) == before
    assert program.table == start.table


BAD_SAVES = {
    "empty": b"",
    "pickle": b"\x80\x04\x95\x10\x00\x00\x00",
    "yaml": b"!!python/object/apply:os.system ['true']\n",
    "ten": (DATA / "klondike-save-example.txt").read_bytes().replace(b"Tc+", b"10c+"),
    "twice": (DATA / "klondike-save-example.txt").read_bytes() * 2,
    "other game": saves.write(GAMES["aces-up"], GAMES["aces-up"].deal(deck_of("7"))).encode(),
    "long": b"Stock [ " * 100_000,
}


def in_folder(folder: Path) -> KlondikeProgram:
    """Klondike in a folder with the course's game."""
    (folder / "Game1-start.txt").write_bytes((DATA / "klondike-game1-start.txt").read_bytes())
    return KlondikeProgram(Deals(GAMES["klondike"]), Folder(folder))


@pytest.mark.parametrize("content", BAD_SAVES.values(), ids=list(BAD_SAVES))
def test_bad_files_change_nothing(content: bytes, tmp_path: Path) -> None:
    program = in_folder(tmp_path)
    assert program.feed("load Game1-start.txt") == program.feed("load Game1-start.txt") == ""
    (tmp_path / "bad").write_bytes(content)
    assert program.feed("load bad") == "load: format error in file\n"
    assert program.feed("load missing") == "load: could not open file\n"
    assert program.table == reading.read("klondike-game1-win").table


def test_link_inside_the_folder(tmp_path: Path) -> None:
    program = in_folder(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "Game1-start.txt")
    assert program.feed("load link") == ""
    assert program.feed("move 6 1") == ""
    before = program.table
    assert program.feed("save new") == program.feed("load new") == ""
    assert program.table == before


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("game", [name for name in GAMES if name != "klondike"])
def test_signs(game: str, encoding: str, tmp_path: Path) -> None:
    """B70: letters where there are no signs, as wide as those, and never a traceback."""
    typed = "²\nŽ\nh\n\n٣ 1 1 1\n".encode() + b"\xff\xfe\n"
    out, code = run_process(game, typed, tmp_path, ", deal='7'", encoding)
    assert code == 0
    board = TEXTS[game].board(GAMES[game].deal(deck_of("7")))
    letters = board.translate(SIGNS)
    assert (board if encoding == "utf-8" else letters) in out
    assert [len(line) for line in board.splitlines()] == [len(x) for x in letters.splitlines()]


@pytest.mark.parametrize("game", GAMES)
def test_end_of_input(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert type_in(monkeypatch, game, "").endswith(TEXTS[game].prompt)
    assert type_in(monkeypatch, game, "q").endswith(
        TEXTS[game].prompt if game == "klondike" else ""
    )


@pytest.mark.parametrize("game", [name for name in GAMES if name != "klondike"])
def test_seed_repeats_and_secret_deals_do_not(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "q\ny\n" if game == "montana" else "r\n"
    first, again = (type_in(monkeypatch, game, typed, rng_seed=5) for _ in range(2))
    assert first == again
    assert type_in(monkeypatch, game, "", rng_seed=6) != type_in(monkeypatch, game, "", rng_seed=5)
    assert type_in(monkeypatch, game, "") != type_in(monkeypatch, game, "")
    same = type_in(monkeypatch, game, typed, deal="7")
    board = TEXTS[game].board(GAMES[game].deal(deck_of("7")))
    assert same.count(board) == 2
    fresh = type_in(monkeypatch, game, typed)
    assert fresh.count(board) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"game": "freecell"}, "no game 'freecell'"),
        ({"game": "montana", "deal": "1", "rng_seed": 1, "deck": "AS"}, "only one of"),
        ({"game": "montana", "deal": "a b"}, "not a deal number"),
        ({"game": "montana", "deck": "AS"}, "all 52 cards"),
        ({"game": "montana", "deck": "AS " * 52}, "all 52 cards"),
        ({"game": "aces-up", "deck": "AS 11S"}, "not a card: '11S'"),
        ({"game": "klondike", "load": "/nowhere"}, "could not open /nowhere"),
        ({"game": "klondike", "load": "/"}, "could not open /"),
        ({"game": "klondike", "load": "a\0b"}, "a\0b: embedded null byte"),
        ({"game": "klondike", "load": __file__}, "line 1, column 1"),
        ({"game": "montana", "load": str(DATA / "klondike-game1-start.txt")}, "klondike"),
    ],
)
def test_unusable_arguments(
    arguments: dict[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert console(**arguments) == 2  # type: ignore[arg-type]
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kibitz console: ")
    assert says in err
    assert err.count("\n") == 1


def test_nobody_reads(tmp_path: Path) -> None:
    """A closed pipe ends the program, too."""
    code = "from kibitz.clients.console import console; raise SystemExit(console('aces-up'))"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"h\n")
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_programs_fit_their_protocol(tmp_path: Path) -> None:
    programs: list[Program] = [
        TableProgram(Deals(GAMES["montana"])),
        KlondikeProgram(Deals(GAMES["klondike"]), Folder(tmp_path)),
    ]
    assert [program.over for program in programs] == [False, False]
