"""Rows of the fault collection about lines as they are typed, through the courses' programs."""

from pathlib import Path
from random import Random

import pytest
from positions import lay_out, playout

from kibitz.clients.console.files import Folder
from kibitz.clients.console.klondike import KlondikeProgram
from kibitz.clients.console.program import Deals, TableProgram
from kibitz.engine import saves
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES


def program(game: str, deal: str = "1") -> TableProgram:
    """A program that has just been started."""
    rules = GAMES[game]
    return TableProgram(Deals(rules, rules.deal(deck_of(deal)), Random(0)))


def klondike(folder: Path) -> KlondikeProgram:
    """Klondike without a game, in a folder of its own."""
    return KlondikeProgram(Deals(GAMES["klondike"]), Folder(folder))


def test_b44_a_command_cut_short_changes_nothing(tmp_path: Path) -> None:
    columns = program("thumb-and-pouch")
    before = columns.table
    assert columns.feed("tt 4 2") == "Error: wrong number of arguments\nTry again.\n"
    assert columns.table == before
    assert klondike(tmp_path).feed("move 3") == "move: incorrect number of arguments\n"


@pytest.mark.parametrize(
    ("game", "lines"),
    [
        ("klondike", ["move 6 1", "move 6 1   ", "  move\t6  1 ", "MOVE 6 1", "move 6 1\r"]),
        ("thumb-and-pouch", ["sw", "  sw", "SW\t", " Sw \r"]),
        ("montana", ["s", " S ", "s\r", "\ts"]),
        ("aces-up", ["d", " D ", "d\t\r"]),
    ],
)
def test_b67_blanks_and_tabs_and_cr_do_not_matter(
    game: str, lines: list[str], tmp_path: Path
) -> None:
    tables = []
    for line in lines:
        if game == "klondike":
            (tmp_path / "game").write_text(start_of_game1())
            cards = klondike(tmp_path)
            cards.feed("load game")
            printed = cards.feed(line)
            tables.append(cards.table)
            assert printed == ""
        else:
            table = program(game)
            table.feed(line)
            tables.append(table.table)
    assert all(table == tables[0] for table in tables)
    assert tables[0] is not None


def start_of_game1() -> str:
    data = Path(__file__).parents[1] / "transcripts" / "data"
    return (data / "klondike-game1-start.txt").read_text()


@pytest.mark.parametrize("line", ["", "   ", "\t", "\r"])
def test_b71_a_blank_line_is_answered(line: str, tmp_path: Path) -> None:
    said = {
        "klondike-single": "Error in option: ",
        "montana": "Error: invalid input.  Please try again.",
        "thumb-and-pouch": "Error: no command entered",
        "aces-up": "Error in option: ",
    }
    for game, error in said.items():
        table = program(game)
        before = table.table
        assert error in table.feed(line + "\n")
        assert table.table == before
    assert klondike(tmp_path).feed(line) == "", "klondike ignores it"


@pytest.mark.parametrize("line", ["", "X", "F", "F1", "F 1 2", "T 1", "T 1 2 3", "F 5", "D 1"])
def test_b78_no_option_is_an_error_never_a_crash(line: str) -> None:
    table = program("aces-up")
    before = table.table
    printed = table.feed(line)
    assert printed.startswith(f"Error in option: {line}\nInvalid option.\n")
    assert table.table == before


def test_b78_the_win_test_stands_empty_columns() -> None:
    rules = GAMES["aces-up"]
    for table in playout(rules, "78", 60):
        assert rules.is_won(table) is False
    assert rules.is_won(lay_out(rules, {})) is False


def test_b79_save_makes_the_file_and_leaves_the_game_alone(tmp_path: Path) -> None:
    cards = klondike(tmp_path)
    assert cards.feed("save new1.txt") == "save: no game loaded\n"
    assert not (tmp_path / "new1.txt").exists()
    (tmp_path / "start").write_text(start_of_game1())
    cards.feed("load start")
    assert cards.feed("reset") == "reset: illegal move\n"
    cards.feed("discard")
    before = cards.feed("board")
    assert cards.feed("save new1.txt") == ""
    assert cards.feed("board") == before
    table = cards.table
    cards.feed("discard")
    assert cards.feed("load new1.txt") == ""
    assert cards.table == table
    assert saves.read((tmp_path / "new1.txt").read_text()).table == table
