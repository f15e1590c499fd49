"""What the search leaves out, each part beside the rules themselves."""

from collections.abc import Iterator
from random import Random

import pytest
from small_decks import klondike, small_table

from kibitz.engine.cards import CARDS, DECK, Suit, down, down_other_colour
from kibitz.engine.game import NO_CHANCE, Draw, Game, Recycle, moves, play
from kibitz.engine.games.columns import COLUMNS, FOUNDATIONS, STOCK, WASTE, Columns
from kibitz.engine.games.klondike.rules import Klondike
from kibitz.engine.solving import Budget, Verdict, solve
from kibitz.engine.solving.klondikes.homes import Homes, with_counts
from kibitz.engine.solving.klondikes.numbers import NUMBERS, members, takers
from kibitz.engine.solving.klondikes.tables import pack_of
from kibitz.engine.table import CELLS, UP, Table

PACKS = (
    "klondike",
    "klondike-single",
    "klondike-single redeals=0",
    "klondike-single redeals=1",
    "thumb-and-pouch",
)


def turned(game: Game, table: Table) -> Iterator[Table]:
    """A table and whatever draws make of it."""
    seen: list[Table] = []
    todo = [table]
    while todo:
        if (here := todo.pop()) not in seen:
            seen.append(here)
            yield here
            draws = [move for move in moves(game, here) if move in (Draw(), Recycle())]
            todo += [play(game, here, move, NO_CHANCE).table for move in draws]


def without_top(table: Table, pile: str) -> Table:
    """A table with the last card of the pack taken away."""
    cells = table.piles[pile][:-1]
    if cells:
        cells = (*cells[:-1], UP[cells[-1].known])
    return table._replace(piles={**table.piles, pile: cells})


@pytest.mark.parametrize("name", PACKS)
def test_cards_of_a_pack_can_be_had_as_draws_bring_them(name: str) -> None:
    game = klondike(name)
    pile = STOCK if isinstance(game, Klondike) else WASTE
    for seed in range(12):
        table = small_table(game, Random(seed), 4)
        for _ in range(4):
            pack = pack_of(game, table)
            tops = {here.top(pile): here for here in reversed([*turned(game, table)])}
            tops.pop(None, None)
            cards = {NUMBERS[card.code]: here for card, here in tops.items() if card}
            assert members(pack.reached(pack.start)) == tuple(sorted(cards))
            if not cards:
                break
            card = Random(seed).choice(sorted(cards))
            left = without_top(cards[card], pile)
            rest, fresh = pack.without(pack.start, card), pack_of(game, left)
            assert members(pack.reached(rest)) == members(fresh.reached(fresh.start))
            table = left


def test_a_card_goes_home_at_once_only_if_nothing_can_need_it() -> None:
    colours, ranks = Homes(takers(down_other_colour)), Homes(takers(down))

    def needless(homes: Homes, have: list[int]) -> set[str]:
        return {DECK[card].code for card in members(homes.next(with_counts(have))[1])}

    assert needless(colours, [0, 0, 0, 0]) == {"Ac", "Ad", "Ah", "As"}
    assert needless(colours, [3, 3, 4, 3]) == {"4c", "4d", "5h", "4s"}
    assert needless(colours, [3, 3, 4, 2]) == {"4c", "4d", "3s"}
    assert needless(colours, [3, 4, 4, 5]) == {"4c", "5d", "5h", "6s"}
    assert needless(ranks, [3, 4, 4, 5]) == {"4c", "5d", "5h"}


RUN = "6s- 8h 7s"
"""Its six is needed first, its seven fits on the eight before it only."""


@pytest.mark.parametrize(
    ("game", "verdict"), [("control", Verdict.WIN), ("klondike-single", Verdict.LOST)]
)
def test_hope_counts_on_runs_where_they_move(game: str, verdict: Verdict) -> None:
    rules = klondike(game)
    assert isinstance(rules, Columns)
    have = {Suit.CLUBS: 8, Suit.DIAMONDS: 13, Suit.HEARTS: 7, Suit.SPADES: 5}
    home = {
        pile: tuple(UP[card] for card in DECK if card.suit is suit and card.rank <= have[suit])
        for pile, suit in zip(FOUNDATIONS, Suit, strict=True)
    }
    first, second, *others = COLUMNS
    laid = {first: tuple(CELLS[text] for text in RUN.split()), second: (UP[CARDS["9c"]],)}
    out = {cell for cells in (*home.values(), *laid.values()) for cell in cells}
    out |= {CELLS["6s"]}
    pack = tuple(UP[card] for card in DECK if UP[card] not in out)
    table = Table({STOCK: (), WASTE: pack, **home, **laid, **dict.fromkeys(others, ())})
    assert rules.check(table) is None
    assert solve(rules, table, Budget(1000)).verdict is verdict
