"""Playouts make no move that the rules forbid, and leave the table as the rules do."""

import pytest

from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Transfer, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.games.columns import COLUMNS, STOCK, Columns
from kibitz.engine.games.klondike.rules import Klondike
from kibitz.engine.table import DOWN, UP, Pile, Table
from kibitz.engine.thinking.klondikes import as_move
from kibitz.engine.thinking.playouts import DRAWN, Playout

RULES: dict[str, Columns | Klondike] = {}
for name, options in (
    ("klondike", {}),
    ("klondike", {"alternate_colours": "on"}),
    ("klondike-single", {}),
    ("klondike-single", {"redeals": "2"}),
    ("thumb-and-pouch", {}),
):
    game = GAMES[name].with_options(options)
    assert isinstance(game, Columns | Klondike)
    RULES[" ".join([name, *map(str, options.values())])] = game


@pytest.mark.parametrize("name", RULES)
def test_every_step_is_a_move_of_the_game(name: str) -> None:
    game, won = RULES[name], 0
    for deal in range(12):
        table = game.deal(deck_of(str(deal)))
        playout = Playout(game, table)
        while (step := playout.step()) is not None:
            move = as_move(game, table, step)
            assert move in moves(game, table)
            table = play(game, table, move, NO_CHANCE).table
        assert playout.home == game.score(table)
        won += game.is_won(table)
        again = Playout(game, game.deal(deck_of(str(deal))))
        assert again.run() == game.is_won(table)
        assert again.home == playout.home
    if not name.startswith("klondike-single"):
        assert won


def test_a_table_that_is_won_is_over() -> None:
    game = RULES["thumb-and-pouch"]
    table = next(
        table for deal in range(99) if Playout(game, table := game.deal(deck_of(str(deal)))).run()
    )
    playout = Playout(game, table)
    while (step := playout.step()) is not None:
        table = play(game, table, as_move(game, table, step), NO_CHANCE).table
    assert game.is_won(table)
    over = Playout(game, table)
    assert over.step() is None
    assert over.run()


def test_nothing_moves_to_and_fro() -> None:
    """A part of a run moves only where the next step makes use of what it leaves."""
    game, parts = RULES["thumb-and-pouch"], 0
    for deal in range(30):
        table, parted = game.deal(deck_of(str(deal))), False
        playout = Playout(game, table)
        while (step := playout.step()) is not None:
            assert not parted or step != DRAWN
            move = as_move(game, table, step)
            parted = isinstance(move, Transfer) and game.is_idle(table, move)
            table = play(game, table, move, NO_CHANCE).table
            parted = parted and isinstance(move, Transfer) and bool(table.piles[move.source])
            parts += parted
    assert parts > 20


def test_a_gap_is_for_high_cards_with_little_below() -> None:
    game = RULES["thumb-and-pouch"]
    dealt = game.deal(DECK)
    by_code = {card.code: card for card in DECK}
    for columns, chosen in (
        (("9h", "Kd"), 1),
        (("9h", "9c- Kd"), 1),
        (("9h- 9s- 9c", "5c- Kd"), 1),
        (("2h- Tc", "3h- 4s- 5h- Jc"), 0),
    ):
        piles: dict[str, Pile] = dict.fromkeys(dealt.piles, ())
        for name, text in zip(COLUMNS, columns, strict=False):
            cells = ((UP if len(c) == 2 else DOWN)[by_code[c[:2]]] for c in ("As- " + text).split())
            piles |= {name: tuple(cells)}
        step = Playout(game, Table({**piles, STOCK: dealt.piles[STOCK]}, dealt.counters)).step()
        assert step == (chosen, len(columns), 1), columns


def test_what_is_preferred_wins_most_games_of_thumb_and_pouch() -> None:
    game = RULES["thumb-and-pouch"]
    deals = range(1000, 1100)
    assert sum(Playout(game, game.deal(deck_of(str(deal)))).run() for deal in deals) > 90
