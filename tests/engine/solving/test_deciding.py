"""One question for all games, within a budget."""

import pytest

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, play
from kibitz.engine.games import GAMES
from kibitz.engine.solving import Answer, Budget, Verdict, solve
from kibitz.engine.solving.answers import ASK_EVERY

WON = {"montana": "28", "aces-up": "4", "klondike": "1", "thumb-and-pouch": "1"}
"""Deals in which a win is found soon; of ``klondike-single`` that is rare."""
SOON = {"klondike", "thumb-and-pouch"}
"""Games in which the search has come to its end before it is asked whether it has to."""
PLENTY = 400_000


@pytest.mark.parametrize("name", GAMES)
def test_a_budget_ends_every_search(name: str) -> None:
    game = GAMES[name]
    table = game.deal(deck_of("3"))
    found = solve(game, table, Budget(20))
    assert found == Answer(Verdict.UNKNOWN, nodes=21)


@pytest.mark.parametrize("name", sorted(GAMES.keys() - SOON))
def test_whoever_asked_may_want_to_know_no_more(name: str) -> None:
    game = GAMES[name]
    found = solve(game, game.deal(deck_of("3")), Budget(PLENTY, lambda: True))
    assert found == Answer(Verdict.UNKNOWN, nodes=ASK_EVERY)


@pytest.mark.parametrize("name", WON)
def test_a_line_is_played_by_the_rules_and_found_again(name: str) -> None:
    game = GAMES[name]
    table = game.deal(deck_of(WON[name]))
    found = solve(game, table, Budget(PLENTY), seed=1)
    assert found == solve(game, table, Budget(PLENTY), seed=1)
    assert found.verdict is Verdict.WIN
    for move in found.line:
        assert not game.is_won(table)
        table = play(game, table, move, NO_CHANCE).table
    assert game.is_won(table)
    over = solve(game, table, Budget(PLENTY))
    assert (over.verdict, over.line) == (Verdict.WIN, ())


def test_a_game_of_somebody_else_has_no_search() -> None:
    with pytest.raises(TypeError, match="no search"):
        solve(
            type("Other", (), {"name": "other"})(), GAMES["klondike"].deal(deck_of("1")), Budget(1)
        )
