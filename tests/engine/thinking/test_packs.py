"""A pack without an end: looked through first, then played from wherever a move is best."""

from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from small_decks import klondike

from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Draw, Move, Recycle, Transfer, moves, play
from kibitz.engine.games.columns import STOCK, WASTE
from kibitz.engine.table import UP, Table, redact_table
from kibitz.engine.thinking.klondikes import Preferences
from kibitz.engine.thinking.packs import after_each, draws
from kibitz.engine.thinking.sampling import Sampler
from kibitz.engine.thinking.weighing import weigh

FREE = "klondike", "klondike-single", "control"
COUNTED = "klondike-single redeals=3", "thumb-and-pouch"


def pack(table: Table) -> Counter[str]:
    return Counter(cell.known.code for pile in table.piles.values() for cell in pile)


@pytest.mark.parametrize("name", FREE)
def test_draws_come_to_every_place_once(name: str) -> None:
    game = klondike(name)
    for deal in range(5):
        table = game.deal(deck_of(str(deal)))
        made = draws(game, table)
        tables = list(after_each(game, table, made))
        assert len(tables) == len(made) + 1
        assert all(one != other for number, one in enumerate(tables) for other in tables[:number])
        assert all(pack(one) == pack(table) for one in tables)
        assert draws(game, tables[3])[:4] == made[3:7]
        tops = {(t.top(WASTE) if name != "klondike" else t.top("Stock")) for t in tables} - {None}
        assert len(tops) == (24 if name != "klondike" else 16), "every third from either side"


def test_an_empty_pack_has_no_draws() -> None:
    game = klondike("klondike")
    table = game.deal(DECK)
    empty = Table({**table.piles, "Stock": (), "Discard": ()}, table.counters)
    assert draws(game, empty) == []


@pytest.mark.parametrize("name", FREE)
def test_the_pack_is_looked_through_before_a_choice(name: str) -> None:
    game = klondike(name)
    table = game.deal(deck_of("3"))
    preferences = Preferences(game)
    bot = Sampler(game, preferences, 6, Random(1))
    shown: set[object] = set()
    top = WASTE if name != "klondike" else "Stock"
    looked = 0
    while True:
        shown.add(table.top(top))
        move = bot.choose(redact_table(table))
        assert move is not None
        if isinstance(move, Transfer) and not preferences.is_sure(table, move):
            break
        table = play(game, table, move, NO_CHANCE).table
        looked += isinstance(move, Draw | Recycle)
    assert 100 > looked >= (23 if name != "klondike" else 16)
    assert len(shown - {None}) == (24 if name != "klondike" else 16)


@pytest.mark.parametrize("name", FREE)
def test_an_ace_goes_home_before_anything_else(name: str) -> None:
    game = klondike(name)
    tables = (game.deal(deck_of(str(deal))) for deal in range(99))
    fans = [place.pile for place in game.layout if place.kind == "fan"]
    table = next(t for t in tables if any((c := t.top(pile)) and c.rank == 1 for pile in fans))
    move = Sampler(game, Preferences(game), 1, Random(1)).choose(redact_table(table))
    assert move is not None
    assert game.score(play(game, table, move, NO_CHANCE).table) == 1


@pytest.mark.parametrize("name", FREE)
def test_draws_lead_to_the_move_that_was_chosen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more choices than moves that are no draws, but for those that look at the pack."""
    game = klondike(name)
    table, line, weighed = game.deal(deck_of("5")), list[Move](), list[int]()

    def counted(*given: Any) -> Any:
        weighed.append(len(line))
        return weigh(*given)

    monkeypatch.setattr("kibitz.engine.thinking.sampling.weigh", counted)
    bot = Sampler(game, Preferences(game), 3, Random(2))
    while not game.is_won(table) and (move := bot.choose(redact_table(table))) is not None:
        assert move in moves(game, table)
        if bot.values:
            assert set(bot.values) <= set(moves(game, table))
            assert move in bot.values
        table = play(game, table, move, NO_CHANCE).table
        line.append(move)
        assert len(line) < 1000
    for first, then in pairwise([*weighed, len(line)]):
        assert any(isinstance(move, Transfer) for move in line[first:then])


@pytest.mark.parametrize("name", COUNTED)
def test_where_draws_are_counted_each_is_a_choice(name: str) -> None:
    game = klondike(name)
    assert not Preferences(game).is_free
    table = game.deal(deck_of("3"))
    bot = Sampler(game, Preferences(game), 6, Random(1))
    for _ in range(12):
        move = bot.choose(redact_table(table))
        assert move is not None
        table = play(game, table, move, NO_CHANCE).table
    assert len(table.piles[STOCK]) > 12, "it has played what can be played on the way"


def test_only_what_nothing_needs_goes_home_unasked() -> None:
    game = klondike("klondike-single")
    dealt = game.deal(DECK)
    cards = {card.code: UP[card] for card in DECK}
    spades = [card for card in DECK if card.suit is DECK[0].suit]
    preferences = Preferences(game)
    for home, source, sure in ((0, 0, True), (1, 1, True), (2, 2, False)):
        table = Table(
            {
                **dealt.piles,
                "FOUNDATION-1": tuple(cards[card.code] for card in spades[:home]),
                WASTE: (cards[spades[source].code],),
            },
            dealt.counters,
        )
        move = Transfer(WASTE, "FOUNDATION-1")
        assert move in moves(game, table)
        assert preferences.is_sure(table, move) is sure, f"{spades[source].code}"
    assert not preferences.is_sure(dealt, Draw())
    assert not Preferences(klondike("klondike")).is_sure(
        klondike("klondike").deal(DECK), Transfer("Stock", "suit")
    ), "it changes what is discarded after it"
    assert Recycle() not in draws(game, dealt), "a draw makes the stock anew"
