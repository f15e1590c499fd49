"""The save text: exact, strict, and forgiving only where it says so."""

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from positions import DATA, GOLDEN, VARIANTS, playout

from kibitz.engine import saves
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Shuffle, play
from kibitz.engine.games import GAMES
from kibitz.engine.saves import MAX_SAVE, SaveError
from kibitz.engine.table import Table, redact_table

GAME1 = (DATA / "klondike-game1-start.txt").read_bytes().decode("ascii")
MONTANA = saves.write(GAMES["montana"], GAMES["montana"].deal(deck_of("ms7")), "ms7")
TWO_PASSES = VARIANTS["klondike-single, 2 redeals"]
SINGLE = saves.write(TWO_PASSES, TWO_PASSES.deal(deck_of("ms7")), "ms7")


def fault(text: str) -> tuple[int, int, str]:
    with pytest.raises(SaveError) as caught:
        saves.read(text)
    error = caught.value
    assert str(error) == f"line {error.line}, column {error.column}: {error.reason}"
    return error.line, error.column, error.reason


def again(text: str) -> str:
    save = saves.read(text)
    return saves.write(save.game, save.table, save.deal)


def test_the_course_file_byte_for_byte() -> None:
    assert len(GAME1.encode()) == 352
    assert again(GAME1) == GAME1
    save = saves.read(GAME1)
    assert save.game == GAMES["klondike"]
    assert save.deal is None


@pytest.mark.parametrize("name", VARIANTS)
def test_every_position_of_a_game_comes_back(name: str) -> None:
    game = VARIANTS[name]
    for table in playout(game, "ms7", 200):
        text = saves.write(game, table, "ms7")
        assert saves.read(text).table == table
        assert again(text) == text


@pytest.mark.parametrize("name", GAMES)
def test_golden_saves_load_for_ever(name: str) -> None:
    text = (GOLDEN / "v1" / f"{name}.save.txt").read_text(encoding="utf-8")
    assert again(text) == text
    assert saves.read(text).game.name == name


@pytest.mark.parametrize("name", VARIANTS)
def test_what_stands_in_front(name: str) -> None:
    headers = {
        "montana": ["# game: montana", "# shuffles: 2"],
        "montana, no shuffles": ["# game: montana", "# shuffles: 0"],
        "aces-up": ["# game: aces-up"],
        "klondike": [],
        "klondike, colours": ["# game: klondike", "# alternate_colours: on"],
        "klondike-single": ["# game: klondike-single"],
        "klondike-single, no redeals": ["# game: klondike-single", "# redeals: 0"],
        "klondike-single, 2 redeals": ["# game: klondike-single", "# redeals: 2"],
        "thumb-and-pouch": ["# game: thumb-and-pouch"],
    }[name]
    game = VARIANTS[name]
    lines = saves.write(game, game.deal(deck_of("1"))).splitlines()
    assert [line for line in lines if line.startswith("#")] == headers
    assert len(lines) - len(headers) == {"montana": 4, "aces-up": 6}.get(game.name, 13)


def test_a_counter_is_saved_as_what_is_left() -> None:
    game = GAMES["montana"]
    table = play(game, game.deal(deck_of("1")), Shuffle(), Random(1)).table
    text = saves.write(game, table)
    assert "# shuffles: 1\n" in text
    save = saves.read(text)
    assert save.game.options == {"shuffles": "1"}
    assert save.table == table


@pytest.mark.parametrize("deal", ["ms7", "00000000000000000042", "old12"])
@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "klondike"])
def test_deal_numbers_stay_texts(name: str, deal: str) -> None:
    game = VARIANTS[name]
    text = saves.write(game, game.deal(deck_of(deal)), deal)
    assert f"# deal: {deal}\n" in text
    assert saves.read(text).deal == deal


def test_klondike_has_no_line_for_its_deal() -> None:
    game = GAMES["klondike"]
    text = saves.write(game, game.deal(deck_of("ms7")), "ms7")
    assert text.startswith("Stock [ ")
    assert text.count("\n") == 13


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "  \n"),
        lambda text: text.replace("\n", " \t\r\n"),
        lambda text: text + "\n\n",
        lambda text: text + "\r\n \r\n",
        lambda text: text.rstrip("\n"),
        lambda text: "\ufeff" + text,
    ],
)
@pytest.mark.parametrize("text", [GAME1, MONTANA, SINGLE])
def test_forgiven(text: str, change: object) -> None:
    assert callable(change)
    assert again(change(text)) == text


REFUSED = {
    "empty": ("", 1, 1, "Stock is missing"),
    "two blanks": (GAME1.replace("PILE-1 [", "PILE-1  ["), 7, 8, "expected `PILE-1 [ `"),
    "in front": (" " + GAME1, 1, 1, "expected `Stock [ `"),
    "blank line inside": (GAME1.replace("\nDiscard", "\n\nDiscard"), 2, 1, "expected `Discard [ `"),
    "another case": (GAME1.replace("PILE-3", "Pile-3"), 9, 2, "expected `PILE-3 [ `"),
    "wrong order": (
        GAME1.replace("Spades", "x").replace("Hearts", "Spades").replace("x", "Hearts"),
        3,
        1,
        "expected `Spades [ `",
    ),
    "missing blank": (GAME1.replace("9s+ ]", "9s+]"), 7, 10, "not a card: `9s+]`"),
    "two blanks between": (
        GAME1.replace("Qd+ Qc-", "Qd+  Qc-"),
        8,
        14,
        "one blank between cards, no more",
    ),
    "a tab between": (GAME1.replace("Qd+ Qc-", "Qd+\tQc-"), 8, 10, "not a card: `Qd+\tQc-`"),
    "no end": (GAME1.replace("9s+ ]", "9s+"), 7, 13, "`]` is missing"),
    "after the end": (GAME1.replace("9s+ ]", "9s+ ] x"), 7, 15, "nothing may follow `]`"),
    "ten": (GAME1.replace("Td+", "10d+"), 10, 10, "not a card: `10d+`"),
    "small letter": (GAME1.replace("Td+", "td+"), 10, 10, "not a card: `td+`"),
    "large suit": (GAME1.replace("Td+", "TD+"), 10, 10, "not a card: `TD+`"),
    "no flag": (GAME1.replace("Td+", "Td"), 10, 10, "not a card: `Td`"),
    "sign": (GAME1.replace("Td+", "T♦+"), 10, 10, "not a card: `T♦+`"),
    "gap": (GAME1.replace("Td+", "--"), 10, 10, "not a card: `--`"),
    "hidden": (GAME1.replace("Jd-", "??"), 10, 18, "a hidden card cannot be played with"),
    "twice": (GAME1.replace("9s+", "Td+"), 10, 10, "Td is there twice, or not in this game"),
    "missing": (GAME1.replace("7d- ", ""), 13, 38, "cards are missing: 7d"),
    "face down last": (
        GAME1.replace("Qd+", "Qd-"),
        8,
        10,
        "PILE-2 must be face-up cards on face-down ones",
    ),
    "face up no run": (
        GAME1.replace("Qc-", "Qc+"),
        8,
        10,
        "the face-up cards of PILE-2 are no run",
    ),
    "stock up": (GAME1.replace("Ac-", "Ac+"), 1, 9, "only the top card of Stock lies face up"),
    "stock down": (GAME1.replace("7c+", "7c-"), 1, 9, "only the top card of Stock lies face up"),
    "more": (GAME1 + "PILE-8 [ ]\n", 14, 1, "nothing may follow the last pile"),
    "needless header": ("# game: klondike\n" + GAME1, 1, 1, "needless header line"),
    "another game": (
        MONTANA.replace("montana", "aces-up"),
        2,
        3,
        "aces-up has no `shuffles`",
    ),
    "no such game": (MONTANA.replace("montana", "spider"), 1, 9, "there is no such game"),
    "no game line": (
        MONTANA.replace("# game: montana\n", ""),
        1,
        3,
        "`# game: NAME` must stand here",
    ),
    "unknown key": (MONTANA.replace("# deal", "# seed"), 3, 3, "montana has no `seed`"),
    "key twice": (
        MONTANA.replace("# deal: ms7", "# shuffles: 2"),
        3,
        3,
        "`shuffles` is there twice",
    ),
    "no shuffles": (MONTANA.replace("# shuffles: 2\n", ""), 2, 1, "expected `# shuffles: 2`"),
    "number": (
        MONTANA.replace("# shuffles: 2", "# shuffles: 02"),
        2,
        1,
        "expected `# shuffles: 2`",
    ),
    "order": (
        MONTANA.replace("# shuffles: 2\n# deal: ms7\n", "# deal: ms7\n# shuffles: 2\n"),
        2,
        1,
        "expected `# shuffles: 2`",
    ),
    "no number": (
        MONTANA.replace("# shuffles: 2", "# shuffles: ²"),
        2,
        13,
        "shuffles must be a whole number from 0 to 99, not '²'",
    ),
    "no deal": (MONTANA.replace("ms7", "ms0"), 3, 9, "Microsoft deals run from ms1 to ms32000"),
    "no value": (MONTANA.replace("# deal: ms7", "# deal:"), 3, 1, "expected `# key: value`"),
    "a comment": ("#hello\n" + MONTANA, 1, 1, "expected `# key: value`"),
    "a usual option": (
        SINGLE.replace("redeals: 2", "redeals: unlimited"),
        2,
        1,
        "expected `# deal: ms7`",
    ),
    "twelve places": (MONTANA.replace("-- ]", "]", 1), 4, 57, "ROW-1 has 13 places, not 12"),
    "an ace": (MONTANA.replace("--", "Ac+", 1), 4, 57, "Ac is there twice, or not in this game"),
    "face down": (MONTANA.replace("Kc+", "Kc-"), 5, 9, "every card lies face up"),
    "too long": (GAME1 + "\n" * MAX_SAVE, 1, 1, f"the text is longer than {MAX_SAVE} bytes"),
    "too many bytes": ("é" * 40_000, 1, 1, f"the text is longer than {MAX_SAVE} bytes"),
    "half a character": ("\ud800", 1, 1, "expected `Stock [ `"),
    "carriage returns": (GAME1.replace("\n", "\r"), 1, 105, "not a card: `]\rDiscard`"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_with_line_column_and_reason(what: str) -> None:
    text, *where = REFUSED[what]
    assert list(fault(text)) == where


@pytest.mark.parametrize("name", [n for n in VARIANTS if n.startswith(("klondike", "thumb"))])
def test_a_foundation_must_be_in_sequence(name: str) -> None:
    game = VARIANTS[name]
    pile = "Clubs" if game.name == "klondike" else "FOUNDATION-2"
    reason = "Clubs runs" if game.name == "klondike" else "a foundation runs"
    text = saves.write(game, game.deal(deck_of("1")))
    stock = next(line for line in text.splitlines() if line.startswith("Stock"))
    card = stock.split()[3]
    spoilt = text.replace(f" {card}", "", 1).replace(f"{pile} [ ", f"{pile} [ {card[:2]}+ ")
    line, column, why = fault(spoilt)
    assert spoilt.splitlines()[line - 1].startswith(pile)
    assert column == len(f"{pile} [ ") + 1
    assert why.startswith(reason)


def test_hidden_cards_can_be_shown_but_not_loaded() -> None:
    game = GAMES["klondike"]
    lines = saves.pile_lines(game, redact_table(saves.read(GAME1).table))
    assert lines[0].startswith("Stock [ 7c+ ?? ?? ")
    assert lines[8] == "PILE-3 [ 5s+ ?? ?? ]"
    assert fault("\n".join(lines))[2] == "a hidden card cannot be played with"


TEXTS_TO_SPOIL = st.sampled_from([GAME1, MONTANA, SINGLE])


def read_or_fault(text: str) -> saves.Save | SaveError:
    try:
        return saves.read(text)
    except SaveError as error:
        return error


@given(TEXTS_TO_SPOIL, st.data())
def test_a_spoilt_text_is_refused_or_means_the_same(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))
    put = data.draw(st.text(" \n\r+-[]#:?Acdhs23456789TJQK", max_size=4) | st.text(max_size=4))
    spoilt = text[:start] + put + text[end:]
    save = read_or_fault(spoilt)
    if isinstance(save, SaveError):
        assert 1 <= save.line <= spoilt.count("\n") + 2
        assert save.column >= 1
        assert save.reason
        return
    written = saves.write(save.game, save.table, save.deal)
    assert [
        line.rstrip(" \t\r") for line in spoilt.removeprefix("\ufeff").rstrip().split("\n")
    ] == (written.splitlines())


@given(st.text() | st.binary().map(lambda b: b.decode("latin-1")))
@example("# game: montana")
@example("\x80\x04\x95")
def test_any_text_at_all_is_answered(text: str) -> None:
    with pytest.raises(SaveError):
        saves.read(text)


def test_a_finished_game_can_be_read() -> None:
    game = GAMES["klondike"]
    suits = {"Spades": "s", "Hearts": "h", "Diamonds": "d", "Clubs": "c"}
    lines = ["Stock [ ]", "Discard [ ]"]
    for pile, suit in suits.items():
        lines.append(f"{pile} [ {''.join(f'{rank}{suit}+ ' for rank in 'KQJT98765432A')}]")
    lines += [f"PILE-{n} [ ]" for n in range(1, 8)]
    table: Table = saves.read("\n".join(lines)).table
    assert game.is_won(table)
