"""How a board looks, byte for byte, and that it shows open cards only."""

import re

import pytest
from positions import VARIANTS, foundation, lay_out, playout

from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.games.klondike.text import TEXT as KLONDIKE_TEXT
from kibitz.engine.saves import write
from kibitz.engine.table import Table, redact_table
from kibitz.engine.text import SIGNS


def board(name: str, piles: dict[str, str]) -> str:
    return TEXTS[name].board(lay_out(GAMES[name], piles))


def test_montana_board() -> None:
    piles = {"1.1": "2c", "1.2": "Th", "1.13": "Ks", "4.13": "9d"}
    rows = ["  2♣ 10♥" + " " * 40 + "  K♠", " " * 52, " " * 52, " " * 48 + "  9♦"]
    assert board("montana", piles) == (
        "      1   2   3   4   5   6   7   8   9  10  11  12  13 \n"
        + "".join(f"  {n}:{row}\n" for n, row in enumerate(rows, 1))
    )


def test_aces_up_board() -> None:
    piles = {"Stock": "2c- 3c-", "Foundation": "4c Th", "COLUMN-1": "Ts 9s", "COLUMN-4": "Ad"}
    assert board("aces-up", piles) == (
        "\n"
        "stock      tableau     foundation\n"
        "XX      10♠         A♦      10♥\n"
        "        9♠              \n"
    )
    assert board("aces-up", {"Foundation": "Th"}) == (
        "\nstock      tableau     foundation\n" + " " * 28 + "10♥\n"
    )


def test_klondike_single_board() -> None:
    piles = {"Waste": "Th 9s", "FOUNDATION-2": "Ah", "COLUMN-1": "5d- Kc", "COLUMN-7": "Td"}
    lines = board("klondike-single", piles).splitlines()
    assert lines[0] == ""
    assert lines[1] == "stock waste" + " " * 38 + "foundation"
    assert lines[3].split() == ["empty", "9♠", "empty", "A♥", "empty", "empty"]
    assert lines[-3:] == [
        " " * 21 + "XX" + " " * 40 + "10♦   ",
        " " * 21 + "K♣" + " " * 46,
        "",
    ]
    stock = board("klondike-single", {"Stock": "5d-"}).splitlines()
    assert stock[3].split()[:2] == ["XX", "empty"]


def test_thumb_and_pouch_board() -> None:
    """B76: each foundation shows its own pile, whatever the others hold."""
    piles = {
        "FOUNDATION-2": "As",
        "FOUNDATION-4": foundation("h", "T"),
        "COLUMN-1": "5d- Kc",
        "COLUMN-7": "Td",
        "Stock": "2c- 3c-",
        "Waste": "Ac Tc",
    }
    assert board("thumb-and-pouch", piles) == (
        "================= FOUNDATION =================\n"
        "f1        f2        f3        f4        \n"
        "[   ]     [ A♠]     [   ]     [10♥]     \n"
        "==================  TABLEAU  =================\n"
        " XX    "
        + "       " * 5
        + "10♦    \n"
        + " K♣    "
        + "       " * 6
        + "\n================= STOCK/WASTE =================\nStock #(2) ==> [ A♣, 10♣]\n".replace(
            ", 10♣", ", 10♣"
        )
    )
    empty = board("thumb-and-pouch", {}).splitlines()
    assert empty[-1] == "Stock #(0) ==> [  ]"
    assert len(empty) == 6


def test_klondike_board_and_cheat() -> None:
    """B50: Klondike writes T, the other four write 10."""
    table = lay_out(GAMES["klondike"], {"Stock": "Td- 2c", "Discard": "3c-", "PILE-7": "Ks- Th 9d"})
    lines = KLONDIKE_TEXT.board(table).splitlines()
    assert lines[:3] == ["   Stock [ 2c ?? ]", " Discard [ ?? ]", "  Spades [ ]"]
    assert lines[-1] == "  PILE-7 [ 9d Th ?? ]"
    assert [line[:8] for line in lines[3:6]] == ["  Hearts", "Diamonds", "   Clubs"]
    cheat = KLONDIKE_TEXT.cheat(table).splitlines()
    assert cheat[:3] == ["Stock [ 2c+ Td- ]", "Discard [ 3c- ]", "Spades [ ]"]
    assert cheat[-1] == "PILE-7 [ 9d+ Th+ Ks- ]"
    assert KLONDIKE_TEXT.cheat(redact_table(table)).splitlines()[-1] == "PILE-7 [ 9d+ Th+ ??- ]"
    dealt = GAMES["klondike"].deal(deck_of("7"))
    assert KLONDIKE_TEXT.cheat(dealt) == write(GAMES["klondike"], dealt)


def shown(text: str) -> set[str]:
    """The cards a board names."""
    found = re.findall(r"(10|[A2-9TJQK])([♣♦♥♠cdhs])", text)
    return {rank.replace("10", "T") + suit.translate(SIGNS).lower() for rank, suit in found}


@pytest.mark.parametrize("name", VARIANTS)
def test_boards_show_open_cards_only(name: str) -> None:
    game = VARIANTS[name]
    text = TEXTS[game.name]
    for table in playout(game, "boards", 120, 3):
        picture = text.board(table)
        assert picture == text.board(redact_table(table))
        cells = [cell for pile in table.piles.values() for cell in pile]
        up = {str(cell.card) for cell in cells if cell.up}
        assert shown(picture) <= up
        assert picture.endswith("\n")
        assert len(picture.translate(SIGNS).encode("ascii")) == len(picture)
        widths(game.name, picture, table)


def widths(name: str, picture: str, table: Table) -> None:
    lines = picture.splitlines()
    match name:
        case "montana":
            assert [len(line) for line in lines] == [56] * 5
        case "aces-up":
            assert len(lines[1]) == 33
            assert {len(line) for line in lines[3:]} <= {24}
            assert len(lines) == 2 + max(len(table.piles[f"COLUMN-{n}"]) for n in range(1, 5))
        case "klondike":
            assert all(line.index("[") == 9 for line in lines)
            assert len(lines) == 13
        case "klondike-single":
            assert len({len(line) for line in lines[9:-1]}) == 1
        case _:
            assert {len(line) for line in lines[4:-2]} <= {49}
            assert [len(lines[n]) for n in (1, 2)] == [40, 40]
