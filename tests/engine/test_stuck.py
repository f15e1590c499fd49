"""Dead ends: what the quick search says is what looking at everything says."""

from random import Random

import pytest
from positions import VARIANTS, every_move, lay_out, playout

from kibitz.engine.cards import DECK
from kibitz.engine.game import STUCK_SEARCH, Game, is_stuck, moves
from kibitz.engine.games import GAMES
from kibitz.engine.table import DOWN, UP, Pile, Table, fold, redact_table


def exhausted(game: Game, table: Table) -> bool:
    """The rule in plain words: every position that idle moves reach has idle moves only."""
    start = redact_table(table)
    seen, queue = [dict(start.piles) | dict(start.counters)], [start]
    while queue:
        here = queue.pop()
        legal = game.moves(here)
        if len(seen) > STUCK_SEARCH or not all(game.is_idle(here, move) for move in legal):
            return False
        for move in legal:
            after = fold(game.effect(here, move, Random(0)), here)
            key = dict(after.piles) | dict(after.counters)
            if key not in seen:
                seen.append(key)
                queue.append(after)
    return not game.is_won(start)


def scattered(game: Game, rng: Random) -> Table:
    """A few cards anywhere, as no game would lay them: close to every kind of dead end."""
    cards = rng.sample(DECK, rng.randrange(2, 26))
    packed = rng.random() < 0.5
    piles: dict[str, Pile] = {place.pile: () for place in game.layout}
    kinds = {place.pile: place.kind for place in game.layout}
    for card in cards:
        pile = rng.choice(list(piles))
        if (kinds[pile] == "row-cell" and piles[pile]) or (kinds[pile] == "stock" and not packed):
            continue
        down = kinds[pile] == "stock" or (rng.random() < 0.1 and kinds[pile] == "fan")
        piles[pile] += ((DOWN if down else UP)[card],)
    counters = {name: rng.randrange(2) for name in game.deal(DECK).counters}
    return Table(piles, counters)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_quick_search_agrees_in_play(name: str) -> None:
    game = VARIANTS[name]
    for deal in range(4):
        for table in playout(game, str(deal), 150):
            assert is_stuck(game, table) == exhausted(game, table)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_quick_search_agrees_on_scattered_cards(name: str) -> None:
    game, rng = VARIANTS[name], Random(name)
    answers = []
    for _ in range(400):
        table = scattered(game, rng)
        answers.append(exhausted(game, table))
        assert is_stuck(game, table) == answers[-1]
    assert not all(answers)
    assert any(answers)


def test_a_dead_end_with_moves_to_and_fro() -> None:
    """Idle moves are there and lead to one another only."""
    table = lay_out(
        GAMES["klondike-single"],
        {"COLUMN-1": "9c", "COLUMN-2": "Th", "COLUMN-3": "Td", "Stock": "2s-", "Waste": "2c"},
    )
    shown = lay_out(
        GAMES["klondike-single"],
        {"COLUMN-1": "9c", "COLUMN-2": "Th", "COLUMN-3": "Td", "Waste": "2s 2c"},
    )
    game = GAMES["klondike-single"]
    assert len(moves(game, shown)) == 3
    assert is_stuck(game, shown) is exhausted(game, shown) is True
    assert is_stuck(game, table) is exhausted(game, table) is False


@pytest.mark.parametrize("name", VARIANTS)
def test_the_moves_on_scattered_cards_are_what_trying_everything_accepts(name: str) -> None:
    game, rng = VARIANTS[name], Random(name)
    for _ in range(150):
        table = scattered(game, rng)
        legal = game.moves(table)
        accepted = {m for m in every_move(game.name) if game.objection(table, m) is None}
        assert (len(legal), set(legal)) == (len(accepted), accepted)
