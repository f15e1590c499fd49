"""Playouts make no move that the rules forbid, and leave the table as the rules do."""

from random import Random

import pytest

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.games.columns import Columns
from kibitz.engine.games.klondike.rules import Klondike
from kibitz.engine.thinking.klondikes import as_move
from kibitz.engine.thinking.playouts import Playout

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
        playout = Playout(game, table, Random(deal), wide=0.5)
        while (step := playout.step()) is not None:
            move = as_move(game, table, step)
            assert move in moves(game, table)
            table = play(game, table, move, NO_CHANCE).table
        assert playout.home == game.score(table)
        won += game.is_won(table)
        again = Playout(game, game.deal(deck_of(str(deal))), Random(deal), wide=0.5)
        assert again.run() == game.is_won(table)
        assert again.home == playout.home
    if not name.startswith("klondike-single"):
        assert won


def test_a_table_that_is_won_is_over() -> None:
    game = RULES["thumb-and-pouch"]
    table = next(
        table
        for deal in range(99)
        if Playout(game, table := game.deal(deck_of(str(deal))), Random(1), wide=0).run()
    )
    playout = Playout(game, table, Random(1), wide=0)
    while (step := playout.step()) is not None:
        table = play(game, table, as_move(game, table, step), NO_CHANCE).table
    assert game.is_won(table)
    over = Playout(game, table, Random(1), wide=1)
    assert over.step() is None
    assert over.run()
