"""The search itself, on a game with published figures: three at a time, and known small decks."""

import os
from collections import Counter
from random import Random

from draw_three import RULES, decide, played
from small_decks import can_be_won, small_table

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE
from kibitz.engine.solving import Budget, Verdict

DECKS = int(os.environ.get("KIBITZ_DECKS", "40"))
MOST = 2_000 if DECKS < 100 else 20_000


def test_small_decks_are_won_and_lost_as_everything_that_can_be_played_says() -> None:
    counts = Counter[str]()
    for seed in range(DECKS):
        table = small_table(RULES, Random(seed), 5)
        answer = decide(table, Budget(20_000))
        assert RULES.is_won(played(RULES, table, answer, NO_CHANCE)) == (
            answer.verdict is Verdict.WIN
        ), seed
        counts[answer.verdict.value] += 1
        if answer.verdict is Verdict.LOST:
            found = can_be_won(RULES, table, MOST)
            assert not found, f"deck {seed} can be won"
            counts["shown"] += found is False
    print(DECKS, dict(counts))
    assert min(counts["win"], counts["shown"]) > DECKS // 40


def test_most_deals_are_decided_and_most_of_them_won() -> None:
    found = [
        decide(RULES.dealt(RULES.deal(deck_of(str(deal)))), Budget(4_000)).verdict
        for deal in range(1, 13)
    ]
    assert found.count(Verdict.WIN) >= 5
