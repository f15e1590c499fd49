"""A sampler knows nothing that is hidden, goes on to an end, and plays better than preferences."""

from collections import Counter
from random import Random

import pytest

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Draw, Game, Move, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.games.columns import Columns
from kibitz.engine.games.klondike.rules import Klondike
from kibitz.engine.table import DOWN, Table, redact_table
from kibitz.engine.thinking.klondikes import Preferences
from kibitz.engine.thinking.sampling import Sampler
from kibitz.engine.thinking.weighing import FAR

MOST = 1000
LOST_BY_PREFERENCE = (7, 13, 15, 18)


def sampler(game: Game, worlds: int, seed: int) -> Sampler:
    assert isinstance(game, Columns | Klondike)
    return Sampler(game, Preferences(game), worlds, Random(seed))


def line_of(
    game: Game, table: Table, worlds: int, seed: int, most: int = MOST
) -> tuple[list[Move], Table]:
    bot, line = sampler(game, worlds, seed), list[Move]()
    while not game.is_won(table) and (move := bot.choose(redact_table(table))) is not None:
        assert move in moves(game, table)
        if len(line) == most:
            break
        table = play(game, table, move, NO_CHANCE).table
        line.append(move)
    return line, table


@pytest.mark.parametrize("name", ["klondike", "klondike-single", "thumb-and-pouch"])
def test_a_game_ends_and_is_repeated(name: str) -> None:
    game = GAMES[name]
    table = game.deal(deck_of("4"))
    line, _ = line_of(game, table, 2, 7)
    assert 20 < len(line) < MOST
    again, _ = line_of(game, table, 2, 7, most=25)
    assert again == line[:25]


def test_what_is_hidden_changes_no_move() -> None:
    game = GAMES["thumb-and-pouch"]
    table = game.deal(deck_of("4"))
    hidden = [cell.known for pile in table.piles.values() for cell in pile if not cell.up]
    Random(1).shuffle(hidden)
    rest = iter(hidden)
    piles = {
        name: tuple(cell if cell.up else DOWN[next(rest)] for cell in pile)
        for name, pile in table.piles.items()
    }
    other = Table(piles, table.counters)
    assert other != table
    for seed in range(5):
        chosen = [sampler(game, 4, seed).choose(redact_table(each)) for each in (table, other)]
        assert chosen[0] == chosen[1]


def test_thoughts_are_of_moves() -> None:
    game = GAMES["klondike"]
    bot = sampler(game, 6, 1)
    table = game.deal(deck_of("1"))
    while not bot.values:
        move = bot.choose(redact_table(table))
        assert move is not None
        before, table = table, play(game, table, move, NO_CHANCE).table
    assert set(bot.values) <= set(moves(game, before))
    assert all(0 <= value <= 1 + FAR for value in bot.values.values())
    assert move in bot.values


def test_foresight_wins_more_often() -> None:
    game = GAMES["klondike"]
    assert isinstance(game, Klondike)
    tables = [game.deal(deck_of(str(deal))) for deal in LOST_BY_PREFERENCE]
    assert not any(Preferences(game).begin(table, Random(1)).run() for table in tables)
    assert any(game.is_won(line_of(game, table, 6, 1)[1]) for table in tables)


def test_where_the_usual_move_wins_nothing_else_is_weighed() -> None:
    game = GAMES["klondike"]
    assert isinstance(game, Klondike)
    table, weighed = game.deal(deck_of("7")), Counter[bool]()
    bot = Sampler(game, Preferences(game), 6, Random(2), content=3)
    while not game.is_won(table) and (move := bot.choose(redact_table(table))) is not None:
        if bot.values:
            weighed[len(bot.values) > 1] += 1
            assert len(bot.values) > 1 or bot.values[move] >= 1
        table = play(game, table, move, NO_CHANCE).table
    assert min(weighed[True], weighed[False]) > 2


def test_what_a_move_after_draws_is_worth_is_said_with_each_of_them() -> None:
    game = GAMES["klondike-single"]
    table, bot, worth = game.deal(deck_of("1")), sampler(game, 3, 1), dict[Move, float]()
    drawn = 0
    for _ in range(80):
        move = bot.choose(redact_table(table))
        if move is None:
            break
        if worth and len(bot.values) == 1:
            drawn += bot.values == {move: max(worth.values())}
        worth = dict(bot.values) if isinstance(move, Draw) else {}
        table = play(game, table, move, NO_CHANCE).table
    assert drawn > 5
