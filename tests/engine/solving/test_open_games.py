"""Montana and Aces Up: what the searches say is what looking at everything says."""

import os
from collections import Counter
from collections.abc import Callable
from itertools import count
from random import Random

import pytest
from small_decks import can_be_won

from kibitz.engine.cards import ACE, DECK, TWO, Card
from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Game, Move, moves, play
from kibitz.engine.games.aces_up.rules import AcesUp
from kibitz.engine.games.montana.rules import LEFT, PLACES, ROWS, Montana, place
from kibitz.engine.solving import aces, montana
from kibitz.engine.solving.answers import Budget, Enough
from kibitz.engine.table import UP, Pile, Table

PLENTY = 1_000_000
DECKS = int(os.environ.get("KIBITZ_DECKS", "60"))
"""Positions of each game that can be won, and as many that cannot."""
MOST = 60 if DECKS < 100 else 20_000
"""Positions of a whole game that the tests look at all of."""
SIZES = (4, 8, 8) if DECKS < 100 else (4, 8, 12, 16)
"""Cards beside the aces."""
MONTANA, ACES_UP = Montana(0), AcesUp()
Solved = tuple[Move, ...] | None


def is_won_by(game: Game, table: Table, line: tuple[Move, ...]) -> bool:
    for move in line:
        table = play(game, table, move, NO_CHANCE).table
    return game.is_won(table)


def nearly_done(rng: Random) -> Table:
    """A won game with some moves taken back, and at times some cards changed about."""
    ordered = [card for card in DECK if card.rank != ACE]
    at = {place(row, n): ordered[12 * row - 12 + n - 1] for row in ROWS for n in range(1, 13)}
    for _ in range(rng.randrange(1, 16)):
        fits = [name for name, card in at.items() if _lies_well(at, name, card)]
        taken = rng.choice(fits)
        at[rng.choice([name for name in PLACES if name not in at])] = at.pop(taken)
    for _ in range(rng.choice((0, 1, 1, 2, 2))):
        one, other = rng.sample(list(at), 2)
        at[one], at[other] = at[other], at[one]
    return Table({name: (UP[at[name]],) if name in at else () for name in PLACES}, {"shuffles": 0})


def _lies_well(at: dict[str, Card], name: str, card: Card) -> bool:
    """Whether a move could have brought it there."""
    left = LEFT[name]
    if left is None:
        return card.rank == TWO
    below = at.get(left)
    return below is not None and (below.suit, below.rank + 1) == (card.suit, card.rank)


def few_cards(rng: Random) -> Table:
    """The four aces and some others, dealt as any deck, or the aces somewhere else."""
    some = [card for card in DECK if card.rank != ACE]
    size = rng.choice(SIZES)
    deck = [card for card in DECK if card.rank == ACE] + rng.sample(some, size)
    rng.shuffle(deck)
    table = ACES_UP.deal(deck)
    for _ in range(rng.randrange(5)):
        if legal := moves(ACES_UP, table):
            table = play(ACES_UP, table, rng.choice(legal), NO_CHANCE).table
    return table


@pytest.mark.parametrize(
    ("game", "solve", "make"),
    [(MONTANA, montana.solve, nearly_done), (ACES_UP, aces.solve, few_cards)],
    ids=["montana", "aces-up"],
)
def test_the_verdict_is_that_of_trying_everything(
    game: Game, solve: Callable[..., Solved], make: Callable[[Random], Table]
) -> None:
    rng = Random(game.name)
    answers = Counter[bool | None]({True: 0, False: 0})
    for number in count():
        if min(answers[True], answers[False]) == DECKS:
            break
        assert number < 50 * DECKS, answers
        table = make(rng)
        expected = can_be_won(game, table, MOST)
        if expected is not None and answers[expected] == DECKS:
            continue
        answers[expected] += 1
        if expected is None:
            continue
        line = solve(game, table, Budget(PLENTY), number)
        assert (line is not None) is expected
        assert line is None or is_won_by(game, table, line)
    print(game.name, answers)


def lines(solve: Callable[..., Solved], game: Game, deal: str, seed: int) -> Solved | str:
    try:
        return solve(game, game.deal(deck_of(deal)), Budget(4000), seed)
    except Enough:
        return "unknown"


@pytest.mark.parametrize(
    ("game", "solve"), [(MONTANA, montana.solve), (ACES_UP, aces.solve)], ids=["montana", "aces-up"]
)
class TestWholeDeals:
    """What is too much to try everything."""

    def test_the_budget_is_kept(self, game: Game, solve: Callable[..., Solved]) -> None:
        budget = Budget(1000)
        with pytest.raises(Enough):
            solve(game, game.deal(deck_of("7")), budget)
        assert budget.used == 1001

    def test_who_has_heard_enough_is_obeyed(self, game: Game, solve: Callable[..., Solved]) -> None:
        budget = Budget(PLENTY, lambda: True)
        with pytest.raises(Enough):
            solve(game, game.deal(deck_of("7")), budget)
        assert budget.used < 1000

    def test_the_same_seed_finds_the_same(self, game: Game, solve: Callable[..., Solved]) -> None:
        deals = [str(deal) for deal in range(1, 6)]
        found = [lines(solve, game, deal, 1) for deal in deals]
        assert found == [lines(solve, game, deal, 1) for deal in deals]


def test_a_game_with_shuffles_left_is_never_lost() -> None:
    rng, told = Random(3), 0
    for _ in range(20):
        table = nearly_done(rng)
        if can_be_won(MONTANA, table, MOST) is None:
            continue
        line = montana.solve(MONTANA, table, Budget(PLENTY))
        shuffles = Table(table.piles, {"shuffles": 1})
        if line is None:
            told += 1
            with pytest.raises(Enough):
                montana.solve(Montana(), shuffles, Budget(PLENTY))
        else:
            assert montana.solve(Montana(), shuffles, Budget(PLENTY)) == line
    assert told


def test_nothing_is_to_do_in_a_won_game() -> None:
    ordered = [card for card in DECK if card.rank != ACE]
    piles: dict[str, Pile] = dict.fromkeys(PLACES, ())
    for row in ROWS:
        for n in range(1, 13):
            piles[place(row, n)] = (UP[ordered[12 * row - 12 + n - 1]],)
    assert montana.solve(MONTANA, Table(piles, {"shuffles": 0}), Budget(0)) == ()
