"""What is known has been seen, and what is imagined could be so."""

from collections import Counter
from random import Random

import pytest

from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Draw, Game, Recycle, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.table import Cell, Table, redact_table
from kibitz.engine.thinking.knowledge import Knowledge

STEPS = 60


def cells(table: Table) -> list[Cell]:
    return [cell for pile in table.piles.values() for cell in pile]


def walk(game: Game, table: Table, rng: Random) -> Table:
    """One move by chance, most often of the pack."""
    legal = moves(game, table)
    packs = [move for move in legal if isinstance(move, Draw | Recycle)]
    return play(game, table, rng.choice(packs * 3 + legal), rng).table if legal else table


@pytest.mark.parametrize("name", GAMES)
def test_what_was_seen_is_known_where_it_is(name: str) -> None:
    game = GAMES[name]
    for deal in range(4):
        rng, table = Random(deal), game.deal(deck_of(str(deal)))
        knowledge, shown = Knowledge(game), set[Cell]()
        for _ in range(STEPS):
            seen = redact_table(table)
            knowledge.look(seen)
            shown |= {cell for cell in cells(seen) if cell.up}
            codes = {cell.known.code for cell in shown}
            for world in (knowledge.imagine(rng), knowledge.imagine(rng)):
                assert redact_table(world).piles == seen.piles
                assert world.counters == seen.counters
                assert Counter(c.known for c in cells(world)) == Counter(
                    c.known for c in cells(table)
                )
                for guess, real in zip(cells(world), cells(table), strict=True):
                    if real.known.code in codes:
                        assert guess == real, "it was seen, and followed from then on"
            assert knowledge.certain == all(c.known.code in codes for c in cells(table))
            table = walk(game, table, rng)


def test_what_is_not_known_may_be_anywhere() -> None:
    game = GAMES["klondike-single"]
    table = game.deal(DECK)
    knowledge, rng = Knowledge(game), Random(3)
    knowledge.look(redact_table(table))
    bottoms = Counter(knowledge.imagine(rng).piles["COLUMN-7"][0].known.code for _ in range(2200))
    assert len(bottoms) == 44, "every card that does not lie open"
    assert all(15 < count < 100 for count in bottoms.values()), "each as often"


def test_what_was_taken_back_is_looked_at_anew() -> None:
    game = GAMES["klondike-single"]
    table = game.deal(deck_of("5"))
    knowledge, rng = Knowledge(game), Random(3)
    later = table
    for _ in range(3):
        knowledge.look(redact_table(later))
        later = play(game, later, Draw(), rng).table
    knowledge.look(redact_table(table))
    assert redact_table(knowledge.imagine(rng)).piles == redact_table(table).piles


def test_an_aces_up_deal_shows_four_cards_at_once() -> None:
    game = GAMES["aces-up"]
    table = game.deal(deck_of("2"))
    knowledge, rng = Knowledge(game), Random(3)
    knowledge.look(redact_table(table))
    assert not knowledge.certain
    while table.piles["STOCK" if "STOCK" in table.piles else "Stock"]:
        table = play(game, table, Draw(), rng).table
        knowledge.look(redact_table(table))
    assert knowledge.certain
    assert knowledge.imagine(rng) == table
