"""Klondikes: a win that is found can be played, and what is called lost no moves can win."""

import os
from collections import Counter
from random import Random

import pytest
from small_decks import can_be_won, klondike, small_table

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Game, moves, play
from kibitz.engine.solving import Answer, Budget, Verdict, solve
from kibitz.engine.solving.answers import ASK_EVERY
from kibitz.engine.table import Table

DECKS = int(os.environ.get("KIBITZ_DECKS", "20"))
"""Small decks of each game."""
PLENTY = 1_000 if DECKS < 100 else 50_000
"""Positions that a search may look at."""
MOST = 300 if DECKS < 100 else 20_000
"""Positions to be played through where a deck is called lost; decks with more are passed over."""
RANKS = {
    "thumb-and-pouch": 11,
    "klondike": 7,
    "klondike alternate_colours=on": 6,
    "klondike-single": 6,
    "klondike-single redeals=0": 6,
    "klondike-single redeals=1": 6,
    "control": 6,
}
"""How many of each suit are left, so that some decks of each game are lost."""


def after(game: Game, table: Table, answer: Answer) -> Table:
    for move in answer.line:
        table = play(game, table, move, NO_CHANCE).table
    return table


@pytest.mark.parametrize("name", RANKS)
def test_small_decks_are_won_and_lost_as_everything_that_can_be_played_says(name: str) -> None:
    game, counts = klondike(name), Counter[str]()
    for seed in range(DECKS):
        table = small_table(game, Random(seed), RANKS[name])
        assert game.check(table) is None
        answer = solve(game, table, Budget(PLENTY), seed)
        assert game.is_won(after(game, table, answer)) == (answer.verdict is Verdict.WIN), seed
        counts[answer.verdict.value] += 1
        if answer.verdict is Verdict.LOST:
            won = can_be_won(game, table, MOST)
            assert not won, f"deck {seed} can be won"
            counts["shown"] += won is False
    print(name, DECKS, dict(counts))
    assert counts["shown"] >= DECKS // 20


@pytest.mark.parametrize("name", RANKS)
def test_it_goes_on_from_any_position_of_a_game(name: str) -> None:
    game, rng = klondike(name), Random(name)
    for deal in range(1, 7):
        table = game.deal(deck_of(str(deal)))
        for _ in range(rng.randrange(1, 40)):
            if can := moves(game, table):
                table = play(game, table, rng.choice(can), NO_CHANCE).table
        answer = solve(game, table, Budget(200))
        assert game.is_won(after(game, table, answer)) == (answer.verdict is Verdict.WIN), deal


def test_nothing_is_left_to_do_when_all_is_done() -> None:
    game = klondike("klondike")
    table = game.deal(deck_of("1"))
    won = after(game, table, solve(game, table, Budget(PLENTY)))
    assert solve(game, won, Budget(0)) == Answer(Verdict.WIN)


HARD = klondike("klondike-single"), "1"
"""A deal that takes long."""


def test_a_budget_is_kept() -> None:
    game, deal = HARD
    answer = solve(game, game.deal(deck_of(deal)), Budget(1000))
    assert answer == Answer(Verdict.UNKNOWN, nodes=1001)


def test_nobody_has_to_wait_for_what_nobody_wants_to_know() -> None:
    game, deal = HARD
    answer = solve(game, game.deal(deck_of(deal)), Budget(PLENTY, lambda: True))
    assert answer == Answer(Verdict.UNKNOWN, nodes=ASK_EVERY)


def test_a_seed_finds_the_same_again_and_another_goes_other_ways() -> None:
    game = klondike("klondike-single")
    table = game.deal(deck_of(RESTARTED))
    first, again, other = (solve(game, table, Budget(SEVERAL), seed) for seed in (1, 1, 2))
    assert first == again
    assert first.verdict is other.verdict is Verdict.WIN
    assert first.nodes != other.nodes


RESTARTED, SEVERAL = "17", 1000
"""A deal that takes several tries, and not long."""
