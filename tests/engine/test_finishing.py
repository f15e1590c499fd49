"""A line that finishes a game wins by the rules, and is there only where all is known."""

from random import Random

import pytest
from positions import foundation, lay_out, playout

from kibitz.engine.board import Board
from kibitz.engine.deals import Drawn, deck_of
from kibitz.engine.finishing import Finishing, finish
from kibitz.engine.game import NO_CHANCE, Game, Shuffle, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.table import Table, redact_table
from kibitz.engine.thinking import Strength, policy

SINGLE = GAMES["klondike-single"]
HOMES = {f"FOUNDATION-{n}": foundation(suit, "J") for n, suit in enumerate("cdhs", 1)}
OTHERS = {"COLUMN-2": "Kd Qd", "COLUMN-3": "Kh Qh", "COLUMN-4": "Ks Qs"}


def near_end(piles: dict[str, str]) -> Table:
    """All cards up to the jacks are home; the others lie as they are said to."""
    return lay_out(SINGLE, HOMES | piles)


def wins(game: Game, table: Table) -> bool:
    """Whether the line wins by the rules, every move of it legal."""
    line = finish(game, table)
    for move in line:
        assert move in moves(game, redact_table(table))
        assert move != Shuffle()
        table = play(game, table, move, NO_CHANCE).table
    return bool(line) and game.is_won(table)


def test_cards_go_home_and_the_pack_goes_round() -> None:
    pack = {"Waste": "Qs Ks", "Stock": "Qc- Qh-"}
    table = near_end({"COLUMN-1": "Kc", "COLUMN-2": "Kd Qd", "COLUMN-3": "Kh", **pack})
    assert wins(SINGLE, table)
    once = SINGLE.with_options({"redeals": "0"})
    assert not finish(once, Table(table.piles, {"redeals": 0})), "the pack does not come again"


def test_while_a_card_is_unknown_there_is_no_line() -> None:
    assert wins(SINGLE, near_end({"COLUMN-1": "Kc- Qc", **OTHERS}))
    assert not finish(SINGLE, near_end({"COLUMN-1": "?? Qc", **OTHERS}))


def test_what_needs_a_thought_is_no_line() -> None:
    assert not finish(SINGLE, near_end({"COLUMN-1": "Qc Kc", **OTHERS})), "the king lies on it"
    assert wins(SINGLE, near_end({"COLUMN-1": "Qc", "COLUMN-7": "Kc", **OTHERS}))


def test_what_is_won_has_nothing_to_finish() -> None:
    game = lay_out(SINGLE, {f"FOUNDATION-{n}": foundation(s, "K") for n, s in enumerate("cdhs", 1)})
    assert SINGLE.is_won(game)
    assert Finishing(SINGLE, game).over
    assert not finish(SINGLE, game)


def test_montana_and_aces_up_play_themselves_too() -> None:
    montana, aces = GAMES["montana"], GAMES["aces-up"]
    rows = {
        f"{row}.{column}": rank + suit
        for row, suit in enumerate("cdhs", 1)
        for column, rank in enumerate("23456789TJQK", 1)
    }
    rows |= {"1.12": "", "1.13": "Kc", "2.11": "", "2.12": "Kd", "2.13": "Qd"}
    assert wins(montana, lay_out(montana, rows, shuffles=2))
    rows |= {"2.11": "Kd", "2.12": "Qd", "2.13": ""}
    assert not finish(montana, lay_out(montana, rows, shuffles=2))
    columns = {"COLUMN-1": "Ac Kc", "COLUMN-2": "Ad Qc", "COLUMN-3": "Ah", "COLUMN-4": "As"}
    gone = foundation("d", "K").split()[1:] + foundation("h", "K").split()[1:]
    gone += foundation("s", "K").split()[1:] + foundation("c", "J").split()[1:]
    assert not finish(aces, lay_out(aces, columns | {"Foundation": " ".join(gone)}))
    columns |= {"COLUMN-1": "Kc Ac"}
    assert not finish(aces, lay_out(aces, columns | {"Foundation": " ".join(gone)}))
    columns |= {"COLUMN-1": "Ac", "COLUMN-2": "Ad Qc Kc"}
    assert wins(aces, lay_out(aces, columns | {"Foundation": " ".join(gone)}))


@pytest.mark.parametrize("name", ["klondike", "thumb-and-pouch"])
def test_a_game_that_is_won_is_offered_its_end(name: str) -> None:
    game, who = GAMES[name], policy(GAMES[name], Strength.FAST, Random(1))
    board, chance, offered = Board(game.deal(deck_of("1"))), Drawn(b"1"), 0
    while not game.is_won(board.table):
        seen = board.remembered()
        if finish(game, seen):
            offered += 1
            assert wins(game, seen)
            assert wins(game, board.table)
        move = who.choose(redact_table(board.table))
        assert move is not None
        board.apply("move", play(game, board.table, move, chance).facts)
    assert offered > 3


@pytest.mark.parametrize("name", GAMES)
def test_any_position_comes_to_an_answer(name: str) -> None:
    game = GAMES[name]
    for table in playout(game, "7", 60):
        attempt = Finishing(game, table)
        for _ in range(1000):
            if attempt.over:
                break
            assert not attempt.line
            attempt.go_on(1)
        assert attempt.over
        assert not attempt.line or wins(game, table)
