"""Faults that programs like this one have had, in saves and imports. Numbers as in the list."""

import ast
from pathlib import Path

import pytest
from positions import DATA, GOLDEN, VARIANTS

from kibitz.engine import replays, saves
from kibitz.engine.cards import CARDS, read_card
from kibitz.engine.deals import deck_of
from kibitz.engine.game import is_stuck, moves
from kibitz.engine.games import GAMES
from kibitz.engine.notation import read_pile, write_pile
from kibitz.engine.saves import SaveError

ROOT = Path(__file__).resolve().parents[2]
GAME1 = (DATA / "klondike-game1-start.txt").read_bytes().decode("ascii")


def listed() -> tuple[list[str], dict[str, list[str]]]:
    """The stock (first drawn first) and the columns (bottom to top) of the import fixture."""
    stock: list[str] = []
    columns = {}
    for line in (DATA / "import-klondike-solver-10.txt").read_text().splitlines():
        key, _, value = line.partition(": ")
        if key.startswith("stock"):
            stock = value.split()
        elif key.isdigit():
            columns[f"COLUMN-{key}"] = value.split()
    return stock, columns


def test_b18_a_layout_is_loaded_exactly() -> None:
    game = GAMES["klondike-single"]
    stock, columns = listed()
    lines = ["# game: klondike-single", f"Stock [ {''.join(f'{code_of(c)}- ' for c in stock)}]"]
    lines += ["Waste [ ]", *(f"FOUNDATION-{n} [ ]" for n in range(1, 5))]
    for name, (*down, up) in columns.items():
        lines.append(f"{name} [ {code_of(up)}+ {''.join(f'{code_of(c)}- ' for c in down[::-1])}]")
    table = saves.read("\n".join(lines)).table
    assert [write_pile(table.piles[name]) for name in columns] == [
        [f"{code_of(c)}-" for c in down] + [code_of(up)] for *down, up in columns.values()
    ]
    assert [str(cell.card) for cell in reversed(table.piles["Stock"])] == list(map(code_of, stock))
    assert saves.write(game, table).splitlines() == lines
    assert not is_stuck(game, table), "nobody has proved that it cannot be won"


def code_of(text: str) -> str:
    return read_card(text).code


@pytest.mark.parametrize("deal", ["ms7", "00000000000000000042", "old12", "ms123"])
def test_b24_deal_numbers_are_texts(deal: str) -> None:
    for game in VARIANTS.values():
        start = game.deal(deck_of(deal))
        text = saves.write(game, start, deal)
        assert saves.read(text).deal == (deal if text.startswith("#") else None)
        said = replays.write(replays.Replay(game, start, (), {"deal": deal}))
        assert replays.read(said).headers["deal"] == deal


@pytest.mark.parametrize("name", GAMES)
def test_b25_old_files_load(name: str) -> None:
    save = saves.read((GOLDEN / "v1" / f"{name}.save.txt").read_text(encoding="utf-8"))
    replay = replays.read((GOLDEN / "v1" / f"{name}.replay.txt").read_text(encoding="utf-8"))
    assert moves(save.game, save.table)
    assert save.table in [table for _, table in replays.run(replay)]


@pytest.mark.parametrize(
    "raw",
    [
        b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
        b"cos\nsystem\n(S'true'\ntR.",
        b"!!python/object/apply:os.system ['true']",
        b"__import__('os').system('true')",
        b"{}",
        b"\x1f\x8b\x08",
    ],
)
def test_b26_what_runs_code_elsewhere_is_only_a_fault_here(raw: bytes) -> None:
    for text in (raw.decode("latin-1"), "# game: montana\n" + raw.decode("latin-1")):
        with pytest.raises(SaveError, match=r"^line "):
            saves.read(text)
        with pytest.raises(replays.ReplayError, match=r"^line "):
            replays.read(text)


def test_b26_no_source_evaluates_anything() -> None:
    """No pickle, marshal, shelve or yaml module, no eval, exec or compile, in any part."""
    files = [file for part in PARTS for file in (ROOT / part).rglob("*.py")]
    assert len(files) > 20
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    assert not {alias.name for alias in names} & FORBIDDEN, file
                case ast.ImportFrom(module=module):
                    assert module not in FORBIDDEN, file
                case ast.Call(func=ast.Name(id=name)):
                    assert name not in ("eval", "exec", "compile", "__import__"), file


PARTS = ("engine", "protocol", "server", "clients")
FORBIDDEN = {"pickle", "cPickle", "marshal", "shelve", "dill", "yaml", "code", "codeop"}


def test_b50_ten_has_one_name_in_files_and_two_among_people() -> None:
    with pytest.raises(SaveError, match=r"line 10, column 10: not a card: `10d\+`"):
        saves.read(GAME1.replace("Td+", "10d+"))
    for text in ("10C", "TC", "10c", "Tc", "10♣", "tc"):
        assert read_card(text) is CARDS["Tc"]
    with pytest.raises(ValueError, match="not a cell"):
        read_pile(["10c"])


def test_b65_line_ends_change_nothing() -> None:
    assert len(GAME1) == 352
    plain, changed = saves.read(GAME1), saves.read(GAME1.replace("\n", "\r\n"))
    assert plain == changed
    assert saves.write(changed.game, changed.table) == GAME1


def test_b72_loading_twice_is_loading_once() -> None:
    first, second = saves.read(GAME1), saves.read(GAME1)
    assert first == second
    assert sum(len(pile) for pile in second.table.piles.values()) == 52
    with pytest.raises(SaveError):
        saves.read(GAME1 + GAME1)
    assert saves.write(first.game, first.table) == GAME1
