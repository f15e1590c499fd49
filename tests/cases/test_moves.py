"""Faults that programs like this one have had, in what the rules allow. Numbers as in the list."""

from random import Random

import pytest
from positions import VARIANTS, command, do, follow, lay_out, playout, refused, shown

from kibitz.engine import saves
from kibitz.engine.cards import CARDS, DECK
from kibitz.engine.game import Game, Transfer, Why, is_stuck, moves, object_to, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.table import Turned

SINGLE, THUMB = GAMES["klondike-single"], GAMES["thumb-and-pouch"]
KLONDIKE, ACES_UP, MONTANA = GAMES["klondike"], GAMES["aces-up"], GAMES["montana"]
MSU = pytest.mark.parametrize("game", [SINGLE, THUMB], ids=lambda game: game.name)
MISMATCH = "Error: invalid move due to mismatched cards"


def test_b01_a_run_never_holds_a_face_down_card() -> None:
    follow("B01")


def test_b02_face_down_cards_do_not_count() -> None:
    table = lay_out(
        THUMB, {"COLUMN-4": "9s- 7c- 6h", "COLUMN-1": "8d", "COLUMN-2": "7s", "COLUMN-3": "7h"}
    )
    assert refused(THUMB, table, "tt 4 1 2") == "Error: insufficient number of cards to move"
    assert refused(THUMB, table, "tt 4 1 1") == MISMATCH
    assert refused(THUMB, table, "tt 4 3 1") == MISMATCH, "the same suit"
    assert shown(do(THUMB, table, "tt 4 2 1"), "COLUMN-2") == "7s 6h"


def test_b06_when_everything_is_used_up() -> None:
    follow("B06")
    assert refused(SINGLE, lay_out(SINGLE, {}), "sw") == "Invalid move!"
    assert refused(THUMB, lay_out(THUMB, {"Waste": "2c"}), "sw").startswith("Error")
    assert refused(ACES_UP, lay_out(ACES_UP, {}), "d") == "Error, stock is empty."


def test_b09_from_an_empty_pile() -> None:
    for line in ("wf 1", "wt 3", "tf 1 1", "tt 1 2 1"):
        assert refused(THUMB, lay_out(THUMB, {"COLUMN-3": "Kc"}), line).startswith("Error: ")
    for line in ("wf 1", "wt 3", "tf 1 1", "tt 1 2"):
        assert refused(SINGLE, lay_out(SINGLE, {"COLUMN-3": "Kc"}), line) == "Invalid move!"
    for line in ("move stock 3", "move stock suit", "move 1 suit", "move 1 2"):
        assert refused(KLONDIKE, lay_out(KLONDIKE, {}), line) == "move: illegal move"
    assert refused(ACES_UP, lay_out(ACES_UP, {}), "f 2") == "Error, empty column: 2"
    assert refused(ACES_UP, lay_out(ACES_UP, {}), "t 2 3") == "Invalid move"
    assert refused(MONTANA, lay_out(MONTANA, {}), "1 1 2 1").startswith("Error: invalid move")


@pytest.mark.parametrize("card", [card.code for card in DECK if card.rank != 1])
def test_b11_only_an_ace_opens_a_foundation(card: str) -> None:
    for n in range(1, 5):
        for game, text in ((SINGLE, "Invalid move!"), (THUMB, MISMATCH)):
            assert refused(game, lay_out(game, {"COLUMN-3": card}), f"tf 3 {n}") == text
            assert refused(game, lay_out(game, {"Waste": card}), f"wf {n}") == text
    for source, pile in (("stock", "Stock"), ("5", "PILE-5")):
        table = lay_out(KLONDIKE, {pile: card})
        assert refused(KLONDIKE, table, f"move {source} suit") == "move: illegal move"


@MSU
def test_b12_a_foundation_looks_at_the_rank_too(game: Game) -> None:
    table = lay_out(game, {"FOUNDATION-1": "As", "COLUMN-1": "5s", "COLUMN-2": "2s"})
    assert refused(game, table, "tf 1 1")
    assert shown(do(game, table, "tf 2 1"), "FOUNDATION-1") == "As 2s"


@MSU
def test_b13_a_foundation_looks_at_the_suit_not_the_colour(game: Game) -> None:
    piles = {"FOUNDATION-1": "As", "FOUNDATION-2": "Ah", "COLUMN-1": "2c", "COLUMN-2": "2d"}
    table = lay_out(game, piles)
    assert refused(game, table, "tf 1 1")
    assert refused(game, table, "tf 2 2")


@pytest.mark.parametrize(
    ("game", "line", "piles"),
    [
        (SINGLE, "tf 1 1", {"COLUMN-1": "9c- As"}),
        (SINGLE, "tt 1 2", {"COLUMN-1": "9c- 4s", "COLUMN-2": "5h"}),
        (THUMB, "tf 1 1", {"COLUMN-1": "9c- As"}),
        (THUMB, "tt 1 2 1", {"COLUMN-1": "9c- 4s", "COLUMN-2": "5h"}),
        (THUMB, "tt 1 2 2", {"COLUMN-1": "9c- 5h 4s", "COLUMN-2": "6s"}),
        (KLONDIKE, "move 1 suit", {"PILE-1": "9c- As"}),
        (KLONDIKE, "move 1 2", {"PILE-1": "9c- 4s", "PILE-2": "5h"}),
        (KLONDIKE, "move 1 2", {"PILE-1": "9c- 5h 4s", "PILE-2": "6s"}),
        (KLONDIKE, "move stock suit", {"Stock": "9c- As"}),
        (KLONDIKE, "move stock 2", {"Stock": "9c- 4s", "PILE-2": "5h"}),
    ],
)
def test_b15_what_is_uncovered_is_turned_up_in_the_same_move(
    game: Game, line: str, piles: dict[str, str]
) -> None:
    source = next(iter(piles))
    outcome = play(game, lay_out(game, piles), command(game.name, line), Random(0))
    assert shown(outcome.table, source) == "9c"
    assert isinstance(outcome.facts[-1], Turned)
    up = {**piles, source: piles[source].replace("9c-", "Jd")}
    outcome = play(game, lay_out(game, up), command(game.name, line), Random(0))
    assert not any(isinstance(fact, Turned) for fact in outcome.facts)


def test_b17_the_next_waste_card_can_be_played() -> None:
    for game in (SINGLE, THUMB):
        table = lay_out(game, {"Waste": "8c 8d", "COLUMN-3": "9s", "COLUMN-4": "9h"})
        table = do(game, table, "wt 3")
        assert shown(table, "Waste") == "8c"
        assert refused(game, table, "wt 3")
        assert shown(do(game, table, "wt 4"), "COLUMN-4") == "9h 8c"


def test_b27_nothing_leaves_a_foundation() -> None:
    for game in GAMES.values():
        for place in game.layout:
            if place.kind != "foundation":
                continue
            table = lay_out(game, {place.pile: "Ah"})
            for target in [*table.piles, "suit"]:
                objection = object_to(game, table, Transfer(place.pile, target))
                assert objection is not None
                assert objection.why is Why.UNKNOWN
    for name, line in (
        ("klondike", "move suit 1"),
        ("klondike", "move 1 stock"),
        ("klondike-single", "FT 1 1"),
        ("thumb-and-pouch", "FT 1 1"),
    ):
        with pytest.raises(
            ValueError, match=r"arguments incorrect|Error in option|Invalid Command"
        ):
            TEXTS[name].parse(line)


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_can_be_put_back_into_a_stock_or_a_waste(name: str) -> None:
    game = VARIANTS[name]
    for place in game.layout:
        if place.kind in ("stock", "waste"):
            for source in game.layout:
                table = lay_out(game, {place.pile: "5h", source.pile: "4s"})
                assert object_to(game, table, Transfer(source.pile, place.pile)) is not None


def test_b29_any_other_suit_and_anything_to_an_empty_column() -> None:
    for card in ("Ts", "Th", "Tc"):
        do(THUMB, lay_out(THUMB, {"COLUMN-1": card, "COLUMN-2": "Jd"}), "tt 1 2 1")
    table = lay_out(THUMB, {"COLUMN-1": "Td", "COLUMN-2": "Jd"})
    assert refused(THUMB, table, "tt 1 2 1") == MISMATCH
    for card in CARDS:
        do(THUMB, lay_out(THUMB, {"Waste": card}), "wt 1")
        do(THUMB, lay_out(THUMB, {"COLUMN-1": card}), "tt 1 7 1")


def test_b30_a_pile_onto_itself() -> None:
    king = {"COLUMN-5": "Kc", "COLUMN-2": "Qh"}
    for n in (2, 5):
        assert refused(SINGLE, lay_out(SINGLE, king), f"tt {n} {n}") == "Invalid move!"
        assert refused(THUMB, lay_out(THUMB, king), f"tt {n} {n} 1") == MISMATCH
    table = lay_out(KLONDIKE, {"PILE-3": "Kc Qh"})
    assert refused(KLONDIKE, table, "move 3 3") == "move: illegal move"
    assert refused(ACES_UP, lay_out(ACES_UP, {"COLUMN-1": "5h"}), "t 1 1") == "Invalid move"
    assert refused(MONTANA, lay_out(MONTANA, {"1.1": "2h"}), "1 1 1 1").startswith("Error")


def test_b38_an_ace_is_never_discarded() -> None:
    for number in range(20):
        for table in playout(ACES_UP, str(number), 100):
            if ACES_UP.is_won(table):
                break
            for n in range(1, 5):
                top = table.top(f"COLUMN-{n}")
                if top and top.rank == 1:
                    assert refused(ACES_UP, table, f"f {n}") == f"Error, cannot move {top.sign}."


def test_b39_passes_through_the_stock() -> None:
    pack = {"Waste": "2c 9d 5h", "COLUMN-1": "2d"}
    assert refused(THUMB, lay_out(THUMB, pack), "sw").startswith("Error")
    table = lay_out(SINGLE, pack)
    for _ in range(50):
        table = do(SINGLE, table, "sw")
    none = VARIANTS["klondike-single, no redeals"]
    assert refused(none, lay_out(none, pack, redeals=0), "sw") == "Invalid move!"
    two, table = VARIANTS["klondike-single, 2 redeals"], lay_out(SINGLE, pack, redeals=2)
    table = do(two, table, *["sw"] * 6)
    assert table.counters == {"redeals": 0}
    assert refused(two, table, "sw") == "Invalid move!"
    assert "# redeals: 0\n" in saves.write(two, table)
    table = lay_out(KLONDIKE, {"Discard": "2c- 9d- 5h- 7s-"})
    for _ in range(50):
        table = do(KLONDIKE, table, "reset", "discard", "discard")
    assert refused(KLONDIKE, lay_out(KLONDIKE, {}), "reset") == "reset: illegal move"
    assert refused(KLONDIKE, lay_out(KLONDIKE, {"Stock": "2c", "Discard": "3c-"}), "reset")


def test_the_order_of_a_stock_made_anew() -> None:
    """Single: the first card drawn is first again. Klondike: the order reverses each pass."""
    table = lay_out(SINGLE, {"Waste": "2c 9d 5h"})
    assert [shown(table := do(SINGLE, table, "sw"), "Waste")[-2:] for _ in range(6)] == (
        ["2c", "9d", "5h"] * 2
    )
    table = do(KLONDIKE, lay_out(KLONDIKE, {"Discard": "2c- 9d- 5h-"}), "reset")
    assert shown(table, "Stock") == "2c- 9d- 5h"
    table = do(KLONDIKE, table, "discard")
    assert shown(table, "Discard") == "5h- 9d- 2c-"


@pytest.mark.parametrize("name", VARIANTS)
def test_b46_no_card_goes_to_a_foundation_by_itself(name: str) -> None:
    game = VARIANTS[name]
    homes = [place.pile for place in game.layout if place.kind == "foundation"]
    for table in playout(game, "ms11", 150):
        for move in moves(game, table):
            after = play(game, table, move, Random(0)).table
            risen = sum(len(after.piles[p]) - len(table.piles[p]) for p in homes)
            asked = isinstance(move, Transfer) and move.target in (*homes, "suit")
            assert risen == (1 if asked else 0)


def test_b48_a_closed_shuttle_is_a_dead_end() -> None:
    tables = follow("B48")
    assert tables[0] == tables[2]
    for table in tables:
        assert len(moves(KLONDIKE, table)) == 1
        assert is_stuck(KLONDIKE, table)


def test_b73_a_discard_of_two_lies_face_down() -> None:
    follow("B73")
    for count in (1, 2, 3, 4, 7):
        stock = " ".join([f"{card}-" for card in DECK[: count - 1]] + [DECK[count - 1].code])
        table = do(KLONDIKE, lay_out(KLONDIKE, {"Stock": stock}), "discard")
        assert len(table.piles["Discard"]) == min(3, count)
        assert not any(cell.up for cell in table.piles["Discard"])
        assert [cell.up for cell in table.piles["Stock"]][-1:] == [True] * (count > 3)
