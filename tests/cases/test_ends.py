"""Faults that programs like this one have had, in how games end. Numbers as in the list."""

from random import Random

import pytest
from positions import VARIANTS, command, do, follow, foundation, lay_out, refused, rows_of

from kibitz.engine.cards import DECK
from kibitz.engine.game import (
    Draw,
    Game,
    IllegalMove,
    Recycle,
    Shuffle,
    Transfer,
    Why,
    is_stuck,
    moves,
    play,
)
from kibitz.engine.games import GAMES
from kibitz.engine.table import Table

MONTANA, ACES_UP = GAMES["montana"], GAMES["aces-up"]
SINGLE, THUMB = GAMES["klondike-single"], GAMES["thumb-and-pouch"]

NEARLY = """
2c 3c 4c 5c 6c 7c 8c 9c 10c Jc Qc Kc --
2d 3d 4d 5d 6d 7d 8d 9d 10d Jd Qd Kd --
2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh --
2s 3s 4s 5s 6s 7s 8s 9s 10s Js Qs -- Ks
"""
HOMES = {"FOUNDATION-1": "s", "FOUNDATION-2": "h", "FOUNDATION-3": "d", "FOUNDATION-4": "c"}
NEARLY_HOME = {pile: foundation(suit, "K") for pile, suit in HOMES.items()} | {
    "FOUNDATION-3": foundation("d", "Q")
}
ACES = {"COLUMN-1": "Ac", "COLUMN-2": "Ad", "COLUMN-3": "Ah"}


def rest(*left: str) -> str:
    """Every card but the aces and these."""
    cards = [rank + suit for suit in "cdhs" for rank in "23456789TJQK"]
    return " ".join(card for card in cards if card not in left)


WINS: dict[str, tuple[Game, Table, str]] = {
    "montana move": (MONTANA, rows_of(NEARLY, shuffles=0), "4 13 4 12"),
    "aces-up f": (
        ACES_UP,
        lay_out(ACES_UP, {**ACES, "COLUMN-4": "As Kc", "Foundation": rest("Kc")}),
        "f 4",
    ),
    "aces-up d": (
        ACES_UP,
        lay_out(ACES_UP, {"Stock": "Ac- Ad- Ah- As-", "Foundation": rest()}),
        "d",
    ),
    "thumb-and-pouch tf": (THUMB, lay_out(THUMB, {**NEARLY_HOME, "COLUMN-6": "Kd"}), "tf 6 3"),
    "thumb-and-pouch wf": (THUMB, lay_out(THUMB, {**NEARLY_HOME, "Waste": "Kd"}), "wf 3"),
    "klondike-single tf": (SINGLE, lay_out(SINGLE, {**NEARLY_HOME, "COLUMN-6": "Kd"}), "tf 6 3"),
    "klondike-single wf": (SINGLE, lay_out(SINGLE, {**NEARLY_HOME, "Waste": "Kd"}), "wf 3"),
}
"""A position one command before the win, for every kind of command that can win."""


@pytest.mark.parametrize("what", WINS)
def test_b14_b37_every_way_to_win(what: str) -> None:
    game, table, line = WINS[what]
    assert not game.is_won(table)
    outcome = play(game, table, command(game.name, line), Random(0))
    assert outcome.won
    assert game.is_won(outcome.table)
    assert moves(game, outcome.table) == []
    assert not is_stuck(game, outcome.table)
    for move in (Draw(), Recycle(), Shuffle(), command(game.name, line), Transfer("x", "y")):
        with pytest.raises(IllegalMove) as caught:
            play(game, outcome.table, move, Random(0))
        assert caught.value.objection.why is Why.OVER


def test_b37_a_montana_shuffle_cannot_win_but_is_tested_like_all() -> None:
    """The gap comes right after what a row keeps, so an unfinished row stays unfinished."""
    table = rows_of(NEARLY, shuffles=1)
    for seed in range(20):
        outcome = play(MONTANA, table, Shuffle(), Random(seed))
        assert outcome.won is MONTANA.is_won(outcome.table) is False
        assert MONTANA.is_won(do(MONTANA, outcome.table, "4 13 4 12"))


@pytest.mark.parametrize("fixture", ["B37", "B37b"])
def test_b37_klondike(fixture: str) -> None:
    assert GAMES["klondike"].is_won(follow(fixture)[-1])


def test_b37_aces_up_by_dealing_and_moving_aces() -> None:
    """The stock must be empty too; a move of a card can be the last thing that was to do."""
    deck = {"Stock": "Kc- Kd- Kh- Ks-", "Foundation": rest("Kc", "Kd", "Kh", "Ks")}
    table = lay_out(ACES_UP, {**deck, **ACES, "COLUMN-4": "As"})
    assert not ACES_UP.is_won(table)
    table = lay_out(ACES_UP, {"Foundation": rest("Kc"), **ACES, "COLUMN-3": "Ah As Kc"})
    assert not ACES_UP.is_won(table)
    table = do(ACES_UP, table, "f 3")
    assert ACES_UP.is_won(table), "in any arrangement"


def test_b37_the_winning_order_of_rows_and_suits_is_free() -> None:
    rows = NEARLY.strip().split("\n")
    for order in ((3, 0, 1, 2), (1, 3, 2, 0)):
        row = order.index(3) + 1
        table = rows_of("\n".join(rows[n] for n in order), shuffles=2)
        assert MONTANA.is_won(do(MONTANA, table, f"{row} 13 {row} 12"))


@pytest.mark.parametrize("name", VARIANTS)
def test_empty_piles_are_no_win_and_no_crash(name: str) -> None:
    game = VARIANTS[name]
    table = lay_out(game, {}, **dict(game.deal(DECK).counters))
    assert not game.is_won(table)
    assert is_stuck(game, table) == (name != "montana"), "a shuffle is always another chance"
    assert game.score(table) == 0


def test_b77_moves_inside_one_row_and_three_shuffles() -> None:
    board = """
        2C 3C 4C 5C 6C 7C 8C 9C 10C JC 5H QH JD
        2S 3S 4S 5S 6S -- 7H 9S KS 10S KC 7S 4H
        2D 3D 4D 5D 6D 7D 8D 9D 10D -- KH 8H 6H
        2H -- QD JS 10H 9H 8S QS 3H KD QC JH --
    """
    table = rows_of(board, shuffles=2)
    after = do(MONTANA, table, "4 9 4 2")
    assert after.top("4.2") == table.top("4.9")
    assert not after.piles["4.9"]
    assert cards(after) == cards(table)
    rng = Random(100)
    for _ in range(2):
        after = play(MONTANA, after, Shuffle(), rng).table
        assert cards(after) == cards(table)
    assert refused(MONTANA, after, "s") == "No more shuffles remain."


def cards(table: Table) -> list[str]:
    return sorted(str(cell) for pile in table.piles.values() for cell in pile)


def test_a_shuffle_keeps_the_runs_and_puts_a_gap_after_each() -> None:
    board = """
        2C 3C 4C 5C 6C -- QC JS 9S 8S 10H 6S 8C
        -- 2S 3S 4S 8H 4H 7H 6H 9C 10D KH QH JC
        2D 3D 4D 5D 6D 7D 9D QS 5H -- KC -- JD
        2H JH 8D QD KS 10C 3H 7S 7C 10S KD 9H 5S
    """
    table = rows_of(board, shuffles=2)
    kept = {1: 5, 2: 0, 3: 6, 4: 1}
    for seed in range(50):
        after = play(MONTANA, table, Shuffle(), Random(seed)).table
        gaps = {place for place, pile in after.piles.items() if not pile}
        assert gaps == {f"{row}.{count + 1}" for row, count in kept.items()}
        for row, count in kept.items():
            for column in range(1, count + 1):
                assert after.piles[f"{row}.{column}"] == table.piles[f"{row}.{column}"]
        assert cards(after) == cards(table)


def test_stuck_looks_past_idle_moves() -> None:
    """A lone card to and fro does not count; a move that frees a discard does."""
    stuck = {"COLUMN-1": "5c", "COLUMN-2": "6d", "COLUMN-3": "7h"}
    assert is_stuck(ACES_UP, lay_out(ACES_UP, stuck))
    free = {"COLUMN-1": "5c 9h", "COLUMN-2": "6c", "COLUMN-3": "7s"}
    assert not is_stuck(ACES_UP, lay_out(ACES_UP, free)), "9h to the gap frees 5c"
    assert not is_stuck(ACES_UP, lay_out(ACES_UP, {**stuck, "Stock": "2c- 3c- 4c- 8c-"}))
    assert is_stuck(THUMB, lay_out(THUMB, {"COLUMN-1": "5c", "Waste": "9c 5d", **blocked()}))


BLOCKERS = ["5s", "5h", "9d", "9h", "9s", "Kc"]
"""Cards that take neither each other nor a five."""


def blocked() -> dict[str, str]:
    return {f"COLUMN-{n}": card for n, card in enumerate(BLOCKERS, 2)}


def test_a_hidden_card_is_never_proof_of_a_dead_end() -> None:
    table = lay_out(THUMB, {"Stock": "2c-", "COLUMN-1": "5c", **blocked()})
    assert not is_stuck(THUMB, table)
