"""Who thinks lets others go first, often, and not more often than that."""

from random import Random

import pytest

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, play
from kibitz.engine.games import GAMES
from kibitz.engine.table import redact_table
from kibitz.engine.thinking import Strength, breathing, policy
from kibitz.engine.thinking.breathing import EVERY


def test_others_go_first_when_it_is_time() -> None:
    now, let = 100.0, list[float]()
    breathe = breathing(lambda: now, lambda: let.append(now))
    for _ in range(100):
        breathe()
        now += EVERY / 4
    assert 19 <= (often := len(let)) <= 25
    now += 1.0  # the others took long
    breathe()
    assert let[-1] == now
    breathe()
    assert len(let) == often + 1


@pytest.mark.parametrize("name", GAMES)
def test_whoever_thinks_breathes_and_plays_the_same(name: str) -> None:
    game, breaths = GAMES[name], list[None]()
    table = game.deal(deck_of("7"))
    bot = policy(game, Strength.STRONG, Random(1), lambda: breaths.append(None))
    same = policy(game, Strength.STRONG, Random(1))
    for _ in range(60):
        seen = redact_table(table)
        move = bot.choose(seen)
        assert move == same.choose(seen)
        if bot.values or move is None:
            break
        table = play(game, table, move, NO_CHANCE).table
    assert len(breaths) >= 20
