"""Positions as other programs write them: read exactly, written wholly, or refused."""

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.formats import FORMATS, Unfit, read_any, write
from kibitz.engine.game import Draw, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.headers import LineError
from kibitz.engine.headers import settings as settings_of
from kibitz.engine.lines import cards_of
from kibitz.engine.saves import MAX_SAVE
from kibitz.engine.saves import write as write_save
from kibitz.engine.table import UP, Pile, Table

SINGLE = GAMES["klondike-single"]
KLONDIKES = ("klondike", "klondike-single", "thumb-and-pouch")
FITS = [(name, game) for name in FORMATS for game in KLONDIKES] + [("solvitaire", "montana")]
SCREEN = "screen"
CARD = re.compile(r'"(\d+|[AJQK])[CDHS]"', re.IGNORECASE)
"""A card of Solvitaire."""

DATA = Path(__file__).parent / "data" / "formats"
B18 = (DATA / "b18.txt").read_text().rstrip()
B18_SAVE = (DATA / "b18-save.txt").read_text()
B18_BOARD = (DATA / "b18-board.txt").read_text()
# one position: a board, a screen of Klondike-Solver, a deal of Solvitaire
BOARD = (DATA / "board.txt").read_text()
ROWS = (DATA / "screen.txt").read_text()
DEAL = (DATA / "deal.json").read_text()


@cache
def at_play(game: str, seed: int) -> Sequence[Table]:
    """The positions of a random game, its start first."""
    rules, rng = GAMES[game], Random(seed)
    tables = [rules.deal(deck_of(str(seed)))]
    while len(tables) < 60 and (legal := moves(rules, tables[-1])):
        tables.append(play(rules, tables[-1], rng.choice(legal[:4]), rng).table)
    return tables


def said(pile: Pile) -> list[str]:
    """The cells of a pile as text, bottom first."""
    return [str(cell) for cell in pile]


def settled(table: Table, name: str) -> Table:
    """The table; where a format says suits, not places, with its foundations in one order."""
    places = [pile for pile in table.piles if pile.startswith("FOUNDATION-")]
    if name not in ("solvitaire", SCREEN):
        return table
    cells = sorted((table.piles[place] for place in places), key=str)
    return Table({**table.piles, **dict(zip(places, cells, strict=True))}, table.counters)


def screen_of(table: Table) -> str:
    """The table as Klondike-Solver shows it."""

    def row(number: int, pile: Pile) -> str:
        cells = [str(cell).upper() for cell in reversed(pile)]
        up, down = [c for c in cells if c[-1] != "-"], [c for c in cells if c[-1] == "-"]
        return f"{number:2}: {''.join(c + ' ' for c in up)}{''.join('-' + c[:2] for c in down)}\n"

    suits = {str(p[0])[1]: p for name, p in table.piles.items() if name[0] == "F" and p}
    stock = tuple(UP[cell.known] for cell in table.piles["Stock"])  # all of it is shown
    piles = [table.piles["Waste"], *(table.piles[f"COLUMN-{n}"] for n in range(1, 8)), stock]
    rows = [row(n, pile) for n, pile in enumerate([*piles, *(suits.get(s, ()) for s in "cdsh")])]
    return "".join(rows) + "Minimum Moves Needed: 104\n"


@pytest.mark.parametrize("text", [B18, f"# a remark\r\n  {B18} \r\n\r\n", "\ufeff" + B18 + "\n"])
def test_a_deck_string_deals_exactly_the_listed_layout(text: str) -> None:
    """B18."""
    save = read_any(text)
    assert write_save(save.game, save.table) == B18_SAVE
    assert write("klondike-solver", save.game, save.table) == B18 + "\n"


@pytest.mark.parametrize("game", KLONDIKES)
@pytest.mark.parametrize("ten", ["10", "T"])
def test_a_dealt_board_is_the_same_deal(game: str, ten: str) -> None:
    """B50: as PySol's dealer prints it, with either way to write a ten."""
    text = "# with a remark\n" + B18_BOARD.replace("10", ten)
    for form in (text, text.replace("\n", "  \r\n") + "\r\n", "\ufeff" + text, text.lower()):
        assert read_any(form, game) == read_any(B18, game)


@pytest.mark.parametrize("text", [BOARD, ROWS, DEAL], ids=["board", "screen", "deal"])
@pytest.mark.parametrize("ends", ["\n", " \t\r\n"])
def test_a_position_is_the_same_in_all_formats(text: str, ends: str) -> None:
    """B50 and B65: tens either way, letters of either case, any line ends."""
    table = read_any("\ufeff" + text.replace("\n", ends), SINGLE.name).table
    assert settled(table, SCREEN) == settled(read_any(BOARD, SINGLE.name).table, SCREEN)
    assert said(table.piles["COLUMN-2"]) == ["6c-", "2c"]
    assert said(table.piles["COLUMN-5"]) == ["Kh-", "5h-", "3h", "2s"]
    assert said(table.piles["Waste"]) == ["Qc"]
    assert said(table.piles["Stock"])[-2:] == ["Qh-", "Qd-"]
    assert ["Ah", "2h"] in [said(table.piles[f"FOUNDATION-{n}"]) for n in range(1, 5)]


@pytest.mark.parametrize(("name", "game"), FITS)
def test_a_deal_comes_back_as_it_was(name: str, game: str) -> None:
    for deal in range(200):
        table = GAMES[game].deal(deck_of(str(deal)))
        assert read_any(write(name, GAMES[game], table), game).table == table


@pytest.mark.parametrize(("name", "game"), FITS)
def test_a_position_comes_back_as_it_was(name: str, game: str) -> None:
    """Or it is not written at all, where the format has no place for a card."""
    written = 0
    for seed in range(12):
        for table in at_play(game, seed):
            try:
                text = write(name, GAMES[game], table)
            except Unfit:
                assert name == "klondike-solver" or table.piles["Discard"]
                continue
            written += 1
            rules = GAMES[game].with_options(settings_of(GAMES[game], table.counters))
            back = FORMATS[name].read(text, rules).table
            assert settled(back, name) == settled(table, name)
            assert write(name, GAMES[game], back) == text
    assert written >= (12 if name == "klondike-solver" or game == "klondike" else 100)


@pytest.mark.parametrize("game", KLONDIKES[1:])
def test_a_screen_is_read_at_any_time(game: str) -> None:
    for seed in range(12):
        for table in at_play(game, seed):
            assert settled(read_any(screen_of(table), game).table, SCREEN) == settled(table, SCREEN)


def test_a_waste_stands_before_the_arrow_with_its_top_first() -> None:
    table = SINGLE.deal(deck_of("7"))
    for _ in range(2):
        table = play(SINGLE, table, Draw(), Random(0)).table
    text = write("fc-solve", SINGLE, table)
    waste = [card.upper() for card in said(table.piles["Waste"])]
    first = str(table.piles["Stock"][-1])[:2].upper()
    assert text.splitlines()[1].startswith(f"Talon: {' '.join(waste[::-1])} ==> {first} ")
    assert text.splitlines()[1].endswith(" <==")
    swapped = text.splitlines()
    swapped[:2] = swapped[1::-1]
    assert read_any("\n".join(swapped), SINGLE.name).table == table


def test_a_deal_of_solvitaire_is_what_its_schema_says() -> None:
    """Keys, cards and nesting; and capitals are the open cards."""
    card = re.compile(r"([2-9]|10|[AJQK])[CDHScdhs]")
    for table in at_play(SINGLE.name, 3):
        deal = json.loads(write("solvitaire", SINGLE, table))
        assert set(deal) <= {"tableau piles", "stock", "waste", "foundations"}
        columns = deal.pop("tableau piles")
        for cards in (*columns, *deal.values()):
            assert all(card.fullmatch(c) for c in cards)
        for n, cards in enumerate(columns, 1):
            up = [cell.up for cell in table.piles[f"COLUMN-{n}"]]
            assert [c[-1].isupper() for c in cards] == up


def test_foundations_of_solvitaire_are_one_list_or_one_for_each() -> None:
    places = {
        '["AS", "AH", "2H"]': [["As"], ["Ah", "2h"], [], []],
        '[["AH", "2H"], [], [], ["AS"]]': [["Ah", "2h"], [], [], ["As"]],
    }
    for form, wanted in places.items():
        table = read_any(DEAL.replace('["AH", "2H", "AS"]', form), SINGLE.name).table
        assert [said(table.piles[f"FOUNDATION-{n}"]) for n in range(1, 5)] == wanted


@pytest.mark.parametrize("game", KLONDIKES)
def test_a_whole_deal_without_marks_is_as_the_rules_deal_it(game: str) -> None:
    table = GAMES[game].deal(deck_of("7"))
    text = write("solvitaire", GAMES[game], table)
    bare = CARD.sub(lambda card: card[0].upper(), text)
    assert bare != text
    assert read_any(bare, game).table == table


@pytest.mark.parametrize("case", [str.upper, str.lower])
def test_marks_are_taken_at_their_word(case: Callable[[str], str]) -> None:
    """In the middle of a game nothing else could say which cards lie open."""
    text = CARD.sub(lambda card: case(card[0]), DEAL)
    with pytest.raises(LineError, match=r"COLUMN-\d"):
        read_any(text, SINGLE.name)


def test_the_text_itself_tells_the_game_where_it_can() -> None:
    montana = GAMES["montana"]
    assert read_any(write("solvitaire", montana, montana.deal(DECK))).game is montana
    assert read_any(B18).game is GAMES["klondike"]
    save = write_save(SINGLE, SINGLE.deal(DECK))
    assert read_any(save).game == SINGLE
    with pytest.raises(LineError, match="that is a save of klondike-single"):
        read_any(save, "klondike")


@pytest.mark.parametrize(
    ("text", "game", "line", "reason"),
    [
        (B18, "bridge", 1, "no game bridge"),
        (B18[:-3], "klondike", 1, "156"),
        (B18[:-3] + "011", "klondike", 1, "there twice"),
        (B18[:-3] + "145", "klondike", 1, "not a card"),
        ("# one\n# two\n" + B18[:30] + "x" + B18[31:], "klondike", 3, "not a card: `x53`"),
        (f"{B18}\n{B18}\n", "klondike", 2, "one deal"),
        (B18, "montana", 1, "montana"),
        (B18, "aces-up", 1, "aces-up"),
        (BOARD, "aces-up", 1, "aces-up"),
        (BOARD.replace("4C\n", "4C 1C\n"), "klondike", 8, "not a card"),
        (BOARD.replace(" 4H", " QC"), "klondike", 6, "there twice"),
        (BOARD.replace(" 4H", ""), "klondike", 9, "missing: 4h"),
        (BOARD.replace("H-2", "H-2 H-3"), "klondike", 1, "not a foundation"),
        (BOARD.replace("H-2", "H-7"), "klondike", 2, "7h is there twice"),
        (BOARD.replace("QC QD", "<QC> QD"), "klondike", 2, "face down in a talon"),
        (BOARD.replace("7H 7S", "7H ==> 7S <=="), "klondike", 2, "klondike has no waste"),
        (BOARD.replace("7H 7S", "7H ==> 7S"), "klondike-single", 2, "`<==` is missing"),
        (BOARD.replace("7H 7S", "7H 7S <=="), "klondike-single", 2, "not a card"),
        (BOARD.replace("Talon:", "Talon:\nTalon:"), "klondike", 3, "there twice"),
        (BOARD + ": \n: \n", "klondike", 10, "7 columns"),
        (BOARD.replace("<6c> 2c\n: ", "<6c> 2c "), "klondike", 8, "7 columns"),
        (BOARD.replace("<KC> <KS>", "KC <KS>"), "klondike", 9, "face-up cards on face-down"),
        (BOARD.replace("<AD> 5C", "AD 5C"), "klondike", 5, "PILE-3 are no run"),
        ("Freecells: 3D\n" + BOARD, "klondike", 1, "no free cells"),
        (ROWS, "klondike", 13, "klondike has no waste"),
        (ROWS, "montana", 1, "montana"),
        (ROWS.replace(" 8: QD", " 8: -QD"), "klondike-single", 9, "not a card here"),
        (ROWS.replace(" 8: QD QH", " 8: QH QH"), "klondike-single", 9, "there twice"),
        (ROWS.replace("11: AS", "11: AS -AS"), "klondike-single", 12, "there twice"),
        (ROWS.replace("11: AS\n12: ", "11:\n12: AS "), "klondike-single", 13, "of `h`"),
        (ROWS.replace(" 5: 2S 3H -5H-KH", " 5: 2S -3H 5H-KH"), "klondike-single", 6, "not a card"),
        (ROWS.replace(" 5: 2S 3H", " 5: 3H 2S"), "klondike-single", 6, "COLUMN-5 are no run"),
        (ROWS.replace(" 4: 3C 4H\n", ""), "klondike-single", 5, "expected ` 4:`"),
        (ROWS[: ROWS.index("11:")], "klondike-single", 12, "row 11 is missing"),
        (ROWS + "13:\n", "klondike-single", 14, "nothing may follow"),
        ('{"stock": [],\n "tableau piles": [],\n "reserve": []}', "klondike", 3, "reserve"),
        ('{"stock": [],\n "stock": []}', "klondike", 2, "there twice"),
        ('{"tableau piles": [\n ["AS"],\n ["1S"]]}', "klondike", 3, "there twice"),
        ('{"tableau piles": [\n ["AS"],\n ["TC"]]}', "klondike", 3, "not a card"),
        ('{"tableau piles": [\n [7]]}', "klondike", 2, "not a card"),
        ('{"stock": ["7S"],\n "tableau piles": [\n [7]]}', "klondike", 3, "not a card"),
        ('{"stock": ["5\u017f"]}', "klondike", 1, "not a card"),
        ('{"stock": ["\u212aH"]}', "klondike", 1, "not a card"),
        ('{"\\ud800": []}', "klondike", 1, "unknown here"),
        ('{"tableau piles": {}}', "klondike", 1, "lists"),
        ('{"tableau piles": []}', "klondike", 1, "7 columns, not 0"),
        ('{"tableau piles": [[],[],[],[],[],[],[]]}', "klondike", 1, "missing"),
        ('{"sequences": [[]]}', "montana", 1, "four rows"),
        ('{"sequences": [[]]}', "klondike", 1, "unknown"),
        ('{"stock": []}', "aces-up", 1, "aces-up"),
        ('{\n"stock" []}', "klondike", 2, "not JSON"),
        ('{\n"stock": [],}', "klondike", 2, "not JSON"),
        ('{\n"stock": []', "klondike", 2, "not JSON"),
        ('{"stock": []}\n{}', "klondike", 2, "nothing may follow"),
        ('{"stock": ' + "9" * 5000 + "}", "klondike", 1, "huge number"),
        (DEAL.replace('["AH", "2H", "AS"]', '[["AH"], ["2H"], ["AS"]]'), "klondike", 2, "waste"),
        (DEAL.replace('"3H", "2S"', '"2S", "3H"'), "klondike-single", 3, "COLUMN-5 are no run"),
        ("{" * 100_000, "klondike", 1, "longer than"),
        ('{"stock":' + "[" * 60_000, "klondike", 1, "not"),
        ("(lp0\n.", "klondike", 1, "expected"),
        ("", "klondike", 1, "missing"),
    ],
)
def test_what_does_not_fit_is_refused_with_line_and_reason(
    text: str, game: str, line: int, reason: str
) -> None:
    with pytest.raises(LineError) as caught:
        read_any(text, game)
    assert (caught.value.line, caught.value.column >= 1) == (line, True)
    assert reason in caught.value.reason
    assert str(caught.value).encode()


def test_no_card_is_lost_between_two_foundations_of_a_suit() -> None:
    deal = {"stock": [f"{c.rank}{c.suit.value}" for c in DECK[2:]], "tableau piles": [[]] * 7}
    for foundations in ([["2C"], ["AC"]], [["AC"], ["2C"]], ["2C", "AC"]):
        with pytest.raises(LineError):
            read_any(json.dumps({**deal, "foundations": foundations}))
    table = read_any(json.dumps({**deal, "foundations": ["AC", "2C"]})).table
    assert len(cards_of(table.piles)) == len(DECK)


@pytest.mark.parametrize("game", ["aces-up", "montana"])
def test_a_game_that_does_not_fit_is_not_written(game: str) -> None:
    table = GAMES[game].deal(DECK)
    with pytest.raises(Unfit, match="no columns"):
        write("fc-solve", GAMES[game], table)
    with pytest.raises(Unfit, match="no format"):
        write("gnome", GAMES[game], table)


def test_what_a_format_cannot_say_is_not_written() -> None:
    table = play(SINGLE, SINGLE.deal(deck_of("7")), Draw(), Random(0)).table
    with pytest.raises(Unfit, match="has gone on"):
        write("klondike-solver", SINGLE, table)
    rules = GAMES["klondike"]
    table = play(rules, rules.deal(deck_of("7")), Draw(), Random(0)).table
    for name in FORMATS:
        with pytest.raises(Unfit, match="no place for the cards of Discard"):
            write(name, rules, table)


def damage(text: str, what: int, at: int, new: str) -> str:
    """Drop a line, double one, or put something else in place of a character."""
    lines = text.splitlines(keepends=True)
    at %= max(len(text), 1)
    line = text.count("\n", 0, at)
    if what < 2:
        return "".join([*lines[:line], *lines[line : line + 1] * what * 2, *lines[line + 1 :]])
    return text[:at] + new + text[at + 1 :]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, str]:
    """A game, and a text of one of its positions with a little damage."""
    name, game = draw(st.sampled_from([*FITS, (SCREEN, SINGLE.name)]))
    tables = at_play(game, draw(st.integers(0, 3)))
    table = tables[draw(st.integers(0, len(tables) - 1))]
    try:
        text = screen_of(table) if name == SCREEN else write(name, GAMES[game], table)
    except Unfit:
        text = write(name, GAMES[game], tables[0])
    signs = st.one_of(st.text(max_size=3), st.sampled_from(text))
    for _ in range(draw(st.integers(1, 3))):
        what, at = draw(st.integers(0, 5)), draw(st.integers(0, 9999))
        text = damage(text, what, at, draw(signs))
    return game, text


@given(damaged())
@settings(max_examples=400, deadline=None)
def test_damage_gives_an_error_or_a_whole_deck(given_: tuple[str, str]) -> None:
    game, text = given_
    try:
        save = read_any(text, game)
    except LineError as error:
        fault = error
    else:
        known = cards_of(save.table.piles)
        assert len(known) == len(set(known)) == len(cards_of(save.game.deal(DECK).piles))
        assert save.game.check(save.table) is None
        return
    assert 1 <= fault.line <= text.count("\n") + 2
    assert fault.column >= 1
    assert fault.reason


@given(st.text(max_size=200), st.sampled_from(sorted(GAMES)), st.sampled_from(sorted(FORMATS)))
@settings(max_examples=300, deadline=None)
def test_noise_is_refused(noise: str, game: str, name: str) -> None:
    for begin in ("", "{", "Talon: ", " 0: ", "011"):
        with pytest.raises(LineError):
            FORMATS[name].read(begin + noise, GAMES[game])


def test_a_long_text_is_not_looked_at() -> None:
    for begin in ("{", "Talon: ", " 0: ", "011", "# "):
        with pytest.raises(LineError, match="longer than"):
            read_any(begin + " " * MAX_SAVE)
