"""Positions as other programs write them: read exactly, written wholly, or refused."""

from collections.abc import Iterator
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
from kibitz.engine.lines import cards_of
from kibitz.engine.saves import write as write_save
from kibitz.engine.table import Table

KLONDIKES = ("klondike", "klondike-single", "thumb-and-pouch")
FITS = [(name, game) for name in FORMATS for game in KLONDIKES] + [("solvitaire", "montana")]

B18 = (
    "011061012013133132131021051014053042134023043033032062031034022052024041054064063044"
    "121122123124111112113114101102103104091092093094081082083084071072073074"
)
B18_SAVE = """\
Stock [ Qc+ Qd- Qh- Qs- Jc- Jd- Jh- Js- Tc- Td- Th- Ts- 9c- 9d- 9h- 9s- 8c- 8d- 8h- 8s- 7c- 7d- 7h- 7s- ]
Discard [ ]
Spades [ ]
Hearts [ ]
Diamonds [ ]
Clubs [ ]
PILE-1 [ Ac+ ]
PILE-2 [ 2c+ 6c- ]
PILE-3 [ 2h+ 5c- Ad- ]
PILE-4 [ 3c+ 4h- As- Ah- ]
PILE-5 [ 2s+ 3s- 3h- 5h- Kh- ]
PILE-6 [ 6s+ 4c- 2d- 3d- 4d- Kd- ]
PILE-7 [ 4s+ 6h- 5s- 5d- 6d- Ks- Kc- ]
"""  # noqa: E501
BOARD = """\
Foundations: H-2 C-0 D-0 S-A
Talon: QC QD QH QS JC JD JH JS 10C TD TH TS 9C 9D 9H 9S 8C 8D 8H 8S 7C 7D 7H 7S
: ac
<6c> 2c
: <AD> 5C
: 4H 3C
: <kh> <5h> 3H 2s
: <KD> <4D> <3D> <2D> 4C
: <KC> <KS> <6D> <5D> <5S> <6H> <3s> <6S> 4S
"""


def lines_of(game: str, seed: int) -> Iterator[Table]:
    """The positions of a random game, its start first."""
    rules, rng = GAMES[game], Random(seed)
    table = rules.deal(deck_of(str(seed)))
    for _ in range(40):
        yield table
        legal = moves(rules, table)
        if not legal:
            return
        table = play(rules, table, rng.choice(legal[:4]), rng).table


@pytest.mark.parametrize("text", [B18, f"# a remark\r\n  {B18} \r\n\r\n", "\ufeff" + B18 + "\n"])
def test_a_deck_string_deals_exactly_the_listed_layout(text: str) -> None:
    """B18."""
    save = read_any(text)
    assert write_save(save.game, save.table) == B18_SAVE
    assert write("klondike-solver", save.game, save.table) == B18 + "\n"


@pytest.mark.parametrize(("name", "game"), FITS)
def test_a_deal_comes_back_as_it_was(name: str, game: str) -> None:
    for deal in range(200):
        table = GAMES[game].deal(deck_of(str(deal)))
        assert read_any(write(name, GAMES[game], table), game).table == table


@pytest.mark.parametrize(("name", "game"), FITS)
def test_what_is_written_in_the_middle_of_a_game_is_read_again(name: str, game: str) -> None:
    """Or it is not written at all: nothing of a position is ever lost."""
    written = 0
    for seed in range(12):
        for table in lines_of(game, seed):
            try:
                text = write(name, GAMES[game], table)
            except Unfit:
                continue
            written += 1
            back = read_any(text, game).table
            assert sorted(map(str, back.piles.values())) == sorted(map(str, table.piles.values()))
    assert written >= 12


def test_both_ways_to_write_a_ten_and_either_case_are_read() -> None:
    """B50."""
    save = read_any(BOARD, "klondike-single")
    table = save.table
    assert "10C" in BOARD
    assert [str(cell) for cell in table.piles["FOUNDATION-1"]] == ["Ah", "2h"]
    assert [str(cell) for cell in table.piles["COLUMN-2"]] == ["6c-", "2c"]
    assert [str(cell) for cell in table.piles["Waste"]] == ["Qc"]
    assert str(table.piles["Stock"][-1]) == "Qd-"


@pytest.mark.parametrize(
    ("text", "game", "line", "reason"),
    [
        (B18[:-3], "klondike", 1, "156"),
        (B18[:-3] + "011", "klondike", 1, "there twice"),
        (B18[:-3] + "145", "klondike", 1, "not a card"),
        (f"{B18}\n{B18}\n", "klondike", 2, "one deal"),
        (B18, "montana", 1, "montana"),
        (B18, "aces-up", 1, "aces-up"),
        (BOARD, "aces-up", 1, "aces-up"),
        (BOARD.replace("4C\n", "4C 1C\n"), "klondike", 8, "not a card"),
        (BOARD.replace(" 4H", " QC"), "klondike", 6, "there twice"),
        (BOARD.replace(" 4H", ""), "klondike", 9, "missing: 4h"),
        (BOARD.replace("H-2", "H-2 H-3"), "klondike", 1, "not a foundation"),
        (BOARD + ": \n: \n", "klondike", 10, "7 columns"),
        (BOARD.replace("<KC> <KS>", "KC <KS>"), "klondike", 9, "face-up cards on face-down"),
        ("Freecells: 3D\n" + BOARD, "klondike", 1, "no free cells"),
        ('{"stock": [],\n "tableau piles": [],\n "reserve": []}', "klondike", 3, "reserve"),
        ('{"stock": [],\n "stock": []}', "klondike", 2, "there twice"),
        ('{"tableau piles": [\n ["AS"],\n ["1S"]]}', "klondike", 3, "there twice"),
        ('{"tableau piles": [\n ["AS"],\n ["TC"]]}', "klondike", 3, "not a card"),
        ('{"tableau piles": [\n [7]]}', "klondike", 2, "not a card"),
        ('{"tableau piles": {}}', "klondike", 1, "lists"),
        ('{"tableau piles": []}', "klondike", 1, "other piles"),
        ('{"tableau piles": [[],[],[],[],[],[],[]]}', "klondike", 1, "missing"),
        ('{"sequences": [[]]}', "montana", 1, "four rows"),
        ('{"sequences": [[]]}', "klondike", 1, "unknown"),
        ('{"stock": []}', "aces-up", 1, "aces-up"),
        ('{\n"stock" []}', "klondike", 2, "not JSON"),
        ("{" * 100_000, "klondike", 1, "longer than"),
        ('{"stock":' + "[" * 60_000, "klondike", 1, "not"),
        ("(lp0\n.", "klondike", 1, "expected"),
    ],
)
def test_what_does_not_fit_is_refused_with_line_and_reason(
    text: str, game: str, line: int, reason: str
) -> None:
    with pytest.raises(LineError) as caught:
        read_any(text, game)
    assert caught.value.line == line
    assert reason in caught.value.reason


@pytest.mark.parametrize("game", ["aces-up", "montana"])
def test_a_game_that_does_not_fit_is_not_written(game: str) -> None:
    table = GAMES[game].deal(DECK)
    with pytest.raises(Unfit, match="no columns"):
        write("fc-solve", GAMES[game], table)
    with pytest.raises(Unfit, match="no format"):
        write("gnome", GAMES[game], table)


def test_what_a_format_cannot_say_is_not_written() -> None:
    game = GAMES["klondike-single"]
    table = play(game, game.deal(deck_of("7")), Draw(), Random(0)).table
    for name in ("klondike-solver", "fc-solve"):
        with pytest.raises(Unfit):
            write(name, game, table)
    assert read_any(write("solvitaire", game, table), game.name).table == table


@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_damage_gives_an_error_or_a_whole_deck(data: st.DataObject) -> None:
    name, game = data.draw(st.sampled_from(FITS))
    text = list(write(name, GAMES[game], GAMES[game].deal(deck_of("7"))))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.text(max_size=3))
    try:
        save = read_any("".join(text), game)
    except LineError:
        return
    known = cards_of(save.table.piles)
    assert len(known) == len(set(known)) == len(cards_of(save.game.deal(DECK).piles))
