"""Faults that programs like this one have had: deals, undo, replay, lists of moves."""

from collections import Counter
from random import Random

import pytest
from positions import VARIANTS, do, every_move, lay_out, playout, refused, shown

from kibitz.engine import saves
from kibitz.engine.board import Board
from kibitz.engine.cards import CARDS
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Draw, Game, Move, Shuffle, Transfer, moves, object_to, play
from kibitz.engine.games import GAMES
from kibitz.engine.table import Table, fold, redact, redact_table

THUMB, KLONDIKE = GAMES["thumb-and-pouch"], GAMES["klondike"]


def held(table: Table) -> Counter[str]:
    return Counter(str(cell.card) for pile in table.piles.values() for cell in pile)


def act(game: Game, board: Board, move: Move, rng: Random | None = None) -> None:
    board.apply("move", play(game, board.table, move, rng or Random(0)).facts)


def take_back(board: Board) -> None:
    facts = board.to_undo()
    assert facts is not None
    board.apply("undo", facts)


def test_b04_an_undone_stock_card_is_hidden_again() -> None:
    start = THUMB.deal(deck_of("3"))
    board = Board(start)
    act(THUMB, board, Draw())
    drawn = board.table.top("Waste")
    facts = board.to_undo()
    assert facts is not None
    seen = fold(map(redact, facts), redact_table(board.table))
    take_back(board)
    assert board.table == start
    assert len(board.table.piles["Stock"]) == 23
    assert seen == redact_table(start)
    assert drawn not in {cell.card for pile in seen.piles.values() for cell in pile}
    assert board.table.top("Waste") != drawn


def test_b04_an_undone_discard_turns_the_old_top_up() -> None:
    board = Board(KLONDIKE.deal(deck_of("3")))
    act(KLONDIKE, board, Draw())
    take_back(board)
    stock = board.table.piles["Stock"]
    assert [cell.up for cell in stock] == [False] * 23 + [True]
    assert board.table.piles["Discard"] == ()


def test_b04_an_undone_card_is_not_playable() -> None:
    table = lay_out(THUMB, {"Stock": "8d-", "Waste": "2c", "COLUMN-3": "9s", "COLUMN-1": "5c-"})
    board = Board(table)
    act(THUMB, board, Draw())
    do(THUMB, board.table, "wt 3")
    take_back(board)
    assert refused(THUMB, board.table, "wt 3") == "Error: invalid move due to mismatched cards"


@pytest.mark.parametrize("name", VARIANTS)
def test_b22_a_restart_deals_the_same_again(name: str) -> None:
    game = VARIANTS[name]
    start = game.deal(deck_of("22"))
    assert game.deal(deck_of("22")) == start
    assert game.deal(deck_of("23")) != start
    board, rng = Board(start), Random(1)
    for _ in range(30):
        if legal := moves(game, board.table):
            act(game, board, rng.choice(legal), rng)
    board.apply("restart", board.to_restart())
    assert board.table == start
    assert board.moves == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_b34_restart_and_shuffle_keep_the_deck(name: str) -> None:
    game = VARIANTS[name]
    board, rng = Board(game.deal(deck_of("34"))), Random(1)
    whole = held(board.start)
    assert set(whole.values()) == {1}
    for _ in range(12):
        if legal := moves(game, board.table):
            act(game, board, rng.choice(legal), rng)
            assert held(board.table) == whole
    board.apply("restart", board.to_restart())
    assert held(board.table) == whole
    if game.name == "montana":
        while Shuffle() in moves(game, board.table):
            act(game, board, Shuffle(), rng)
            assert held(board.table) == whole
            assert sum(not pile for pile in board.table.piles.values()) == 4
            assert len(whole) == 48


@pytest.mark.parametrize("name", GAMES)
def test_b33_thousands_of_deals_hold_each_card_once(name: str) -> None:
    game = GAMES[name]
    expected = set(CARDS) - ({"Ac", "Ad", "Ah", "As"} if name == "montana" else set())
    for seed in range(2000):
        cards = held(game.deal(deck_of(f"b33-{seed}")))
        assert set(cards) == expected
        assert cards.total() == len(expected)


def test_b35_kings_after_undo() -> None:
    game = GAMES["klondike-single"]
    board = Board(lay_out(game, {"COLUMN-1": "9c- Kd", "COLUMN-2": "Qs", "Waste": "Kh"}))
    before = moves(game, board.table)
    act(game, board, Transfer("COLUMN-1", "COLUMN-5"))
    act(game, board, Transfer("Waste", "COLUMN-6"))
    take_back(board)
    take_back(board)
    assert moves(game, board.table) == before
    assert Transfer("Waste", "COLUMN-5") in before
    assert shown(do(game, board.table, "wt 7"), "COLUMN-7") == "Kh"


@pytest.mark.parametrize("name", VARIANTS)
def test_b35_the_legal_list_after_undo_is_that_of_a_fresh_table(name: str) -> None:
    game = VARIANTS[name]
    for before, after in zip(*[list(playout(game, "35", 60))[n:] for n in (0, 1)], strict=False):
        board = Board(before)
        act(game, board, next(iter(moves(game, before))), Random(0))
        take_back(board)
        fresh = saves.read(saves.write(game, before)).table
        assert moves(game, board.table) == moves(game, fresh)
        assert before != after


def test_b47_a_buried_low_card_cannot_be_reached_without_redeals() -> None:
    """What an automatic finish would have to find out: the rules say it, not the looks."""
    game = VARIANTS["klondike-single, no redeals"]
    homes = {
        "FOUNDATION-1": "As",
        "FOUNDATION-2": " ".join(f"{rank}h" for rank in "A23456789TJQK"),
        "FOUNDATION-3": " ".join(f"{rank}d" for rank in "A23456789TJQK"),
        "FOUNDATION-4": " ".join(f"{rank}c" for rank in "A23456789TJQK"),
    }
    waste = " ".join(f"{rank}s" for rank in "23456789TJQK")
    table = lay_out(game, {**homes, "Waste": waste}, redeals=0)
    assert shown(do(game, table, "wt 1"), "COLUMN-1") == "Ks"
    assert refused(game, table, "wf 1") == "Invalid move!"
    assert refused(game, table, "sw") == "Invalid move!"
    free = GAMES["klondike-single"]
    end = lay_out(free, {**homes, "Waste": waste})
    for _ in range(12):
        end = do(free, end, "sw", "wf 1")
    assert free.is_won(end)


@pytest.mark.parametrize("name", VARIANTS)
def test_b28_the_legal_list_is_what_trying_everything_accepts(name: str) -> None:
    game = VARIANTS[name]
    for table in playout(game, "28", 80, seed=1):
        accepted = {m for m in every_move(game.name) if object_to(game, table, m) is None}
        assert set(moves(game, table)) == accepted
