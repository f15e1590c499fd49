"""Every sample session, typed into the program it was made with."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from positions import lay_out, rows_of
from transcripts import reading
from transcripts.reading import DATA, Step, Transcript

from kibitz.clients.console.files import Folder
from kibitz.clients.console.klondike import KlondikeProgram
from kibitz.clients.console.program import WON, Deals, TableProgram
from kibitz.engine import saves
from kibitz.engine.game import Shuffle, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.games.montana.rules import PLACES, kept, place
from kibitz.engine.notation import read_pile
from kibitz.engine.table import Table
from kibitz.engine.text import SIGNS

SESSIONS = [
    "montana-test1-win",
    "montana-test2-two-shuffles",
    "montana-test3-errors",
    "aces-up-test1-help-restart",
    "aces-up-test2-win-12cards",
    "aces-up-test3-errors-win-12cards",
    "aces-up-test4-unshuffled52-quit",
    "thumb-and-pouch-good-session",
    "thumb-and-pouch-bad-session",
    "klondike-game1-win",
    "klondike-doc-narrative",
]

Played = TableProgram | KlondikeProgram


def program_of(script: Transcript, folder: Path) -> Played:
    """The program as it stood before the first command."""
    if script.game.name != "klondike":
        return TableProgram(Deals(script.game, script.table, Random(100)))
    (folder / "Game1-start.txt").write_bytes((DATA / "klondike-game1-start.txt").read_bytes())
    loads = any(step.command.startswith("load") for step in script.steps)
    start = None if loads else saves.Save(script.game, script.table)
    return KlondikeProgram(Deals(script.game), Folder(folder), start)


@pytest.mark.parametrize("name", SESSIONS)
def test_session(name: str, tmp_path: Path) -> None:
    script = reading.read(name)
    program = program_of(script, tmp_path)
    program.open()
    if script.game.name != "klondike":
        assert program.table is not None
        assert reading.lines_of(script.game, program.table) == tuple(" " + s for s in script.start)
    for step in script.steps:
        assert not program.over
        before = program.table
        printed = program.feed(step.command + "\n")
        where = f"{name}, line {step.number}: {step.command}"
        check_outcomes(script, step, program, printed, where)
        check_position(script, step, program, before, where)
    if script.steps[-1].outcomes[-1] == "end":
        assert program.over


def check_outcomes(
    script: Transcript, step: Step, program: Played, printed: str, where: str
) -> None:
    """What is printed says what the session says, and no more errors than it has."""
    lines = printed.translate(SIGNS).splitlines()
    text = TEXTS[script.game.name]
    shown = [line[1:] for line in step.position] if step.form == "cheat" else step.position
    for outcome in step.outcomes:
        kind, _, said = outcome.partition(": ")
        match kind.split():
            case ["error"] | ["text", *_]:
                assert said in lines, where
            case ["won"]:
                assert WON in printed, where
            case ["ask"]:
                assert program.prompt == said, where
            case ["end"]:
                assert program.over, where
            case ["board"]:
                assert lines == ["Klondike!", *shown], where
            case ["cheat", *_]:
                assert lines == list(shown), where
            case ["menu" | "menu," | "rules+menu", *_]:
                assert text.help in printed, where
                assert program.table is not None
                assert printed.endswith(text.board(program.table)), where
            case ["ok", *_]:
                assert not step.errors
                assert program.table is not None
                board = "" if script.game.name == "klondike" else text.board(program.table)
                won = WON if any(text.startswith("won") for text in step.outcomes) else ""
                assert printed == board + won, where
            case _:
                raise AssertionError(outcome)
    if script.game.name == "thumb-and-pouch" and step.errors:
        assert lines == [*step.errors, "Try again."], where
    if script.game.name == "montana" and step.errors:
        assert lines == step.errors, where


def check_position(
    script: Transcript, step: Step, program: Played, before: Table | None, where: str
) -> None:
    """The cards lie as the session says; where it says nothing, as they did."""
    if program.table is None:
        return
    if step.position:
        assert reading.lines_of(script.game, program.table, step.form) == step.position, where
    if not step.accepted and step.command.lower() not in ("r", "y"):
        assert program.table == before, where
    if step.cards is not None:
        assert before is not None
        grown = (
            len(cells) - len(before.piles[name]) for name, cells in program.table.piles.items()
        )
        assert sum(more for more in grown if more > 0) == step.cards, where


def test_save_example(tmp_path: Path) -> None:
    """The worked example ends in the save of the document, byte for byte."""
    script = reading.read("klondike-doc-narrative")
    program = program_of(script, tmp_path)
    for step in script.steps:
        program.feed(step.command)
    assert program.feed("save end.txt") == ""
    assert (tmp_path / "end.txt").read_bytes() == (DATA / "klondike-save-example.txt").read_bytes()


@pytest.mark.parametrize("case", reading.read_cases(), ids=lambda case: case.title[:6])
def test_function_case(case: reading.Case) -> None:
    game = GAMES["klondike-single"]
    program = TableProgram(Deals(game, lay_out(game, case.piles)))
    assert len(case.steps) >= 5
    for command, accepted, changed in case.steps:
        before = program.table
        if command == "push":
            pushed = read_pile(changed["Waste"].split())
            waste = {"Waste": before.piles["Waste"] + pushed}
            program.table = Table({**before.piles, **waste})
            continue
        printed = program.feed(command)
        board = TEXTS[game.name].board(program.table)
        if not accepted:
            assert program.table == before, command
            assert printed == f"\nInvalid move!\n\n{board}"
            continue
        assert printed == board, command
        assert changed
        for pile, cells in changed.items():
            assert program.table.piles[pile] == read_pile(cells.split()), (command, pile)


def montana_figure() -> tuple[Table, Table]:
    text = (DATA / "montana-shuffle-figure.txt").read_text("utf-8").replace("| ", "")
    before, after = text.split("BEFORE\n")[1].split("AFTER\n")
    return rows_of(before, shuffles=2), rows_of(after, shuffles=1)


def is_shuffle(before: Table, after: Table) -> bool:
    """Whether a shuffle can lead from one board to the other."""
    runs = {row: kept(before, row) for row in range(1, 5)}
    stay = all(
        before.piles[place(row, column)] == after.piles[place(row, column)]
        for row, run in runs.items()
        for column in range(1, run + 1)
    )
    gaps = {pile for pile in PLACES if not after.piles[pile]}
    cards = [Counter(table.piles.values()) for table in (before, after)]
    return (
        stay
        and gaps == {place(row, run + 1) for row, run in runs.items()}
        and (cards[0] == cards[1])
    )


def test_shuffle_figure() -> None:
    before, figure = montana_figure()
    assert [kept(before, row) for row in range(1, 5)] == [5, 0, 6, 1]
    assert is_shuffle(before, figure)
    for seed in range(200):
        assert is_shuffle(before, play(GAMES["montana"], before, Shuffle(), Random(seed)).table)
