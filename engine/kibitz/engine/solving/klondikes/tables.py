"""Klondikes as the search knows them, and its steps as moves of the game."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ...game import NO_CHANCE, Draw, Move, Recycle, Transfer, moves, play
from ...games.columns import COLUMNS, FOUNDATIONS, REDEALS, STOCK, WASTE, Columns
from ...games.klondike.rules import DISCARD, PILES, SUIT, SUITS, Klondike
from ...table import Cell, Table
from ..answers import Budget
from .homes import SUITS as SUIT_NUMBERS
from .homes import Homes, with_counts
from .numbers import ALL, DOWN, KINGS, NUMBERS, RANKS, takers
from .packs import ByThrees, Counted, Free, Pack
from .positions import HOME, PACK, Layout, Step
from .search import Search
from .shelves import Column, Shelf


def pack_of(game: Columns | Klondike, table: Table) -> Pack:
    """The pack of a table, with what the rules allow to be done with it."""
    if isinstance(game, Klondike):
        stock, discard = (_numbers(table.piles[pile]) for pile in (STOCK, DISCARD))
        return ByThrees(stock[::-1], discard)
    waste, stock = (_numbers(table.piles[pile]) for pile in (WASTE, STOCK))
    redeals = table.counters.get(REDEALS) if game.redeals_settable else 0
    cards = waste + stock[::-1]
    # Each time that helps is followed by a card that goes.
    if redeals is None or redeals >= len(cards):
        return Free(cards)
    return Counted(cards, len(waste), redeals)


def solve(
    game: Columns | Klondike,
    table: Table,
    budget: Budget,
    seed: int = 0,
    pack_of: Callable[[Columns | Klondike, Table], Pack] = pack_of,
) -> tuple[Move, ...] | None:
    """The moves to a win; ``None``: there are none.

    Args:
        game: The rules.
        table: The full table.
        budget: How much may be looked at.
        seed: Other seeds look in other orders.
        pack_of: What the rules allow to be done with the pack of a table.

    Raises:
        Enough: Neither is known.

    """
    if isinstance(game, Columns):
        columns, suits, kings_only, groups = COLUMNS, FOUNDATIONS, game.kings_only, game.groups
    else:
        columns, suits, kings_only, groups = PILES, tuple(SUITS.values()), True, True
    on = takers(game.fits)
    shelf = Shelf(on, KINGS if kings_only else ALL, groups=groups)
    layout = Layout(shelf, pack_of(game, table), Homes(on))
    heaps = sorted(shelf.number(_column(table.piles[pile])) for pile in columns)
    start = tuple(heaps), layout.pack.start, home_of(table, suits)
    steps = Search(layout, start, budget, seed).run()
    return None if steps is None else tuple(_line(game, table, shelf, steps))


def home_of(table: Table, suits: Iterable[str]) -> int:
    """The cards of a table that are home (:mod:`.homes`)."""
    have = [0 for _ in SUIT_NUMBERS]
    for suit in suits:
        if cells := table.piles[suit]:
            have[NUMBERS[cells[-1].known.code] // RANKS] = len(cells)
    return with_counts(have)


def _numbers(cells: Sequence[Cell]) -> tuple[int, ...]:
    return tuple(NUMBERS[cell.known.code] for cell in cells)


def _column(cells: Sequence[Cell]) -> Column:
    return tuple(NUMBERS[cell.known.code] + (0 if cell.up else DOWN) for cell in cells)


def _line(
    game: Columns | Klondike, table: Table, shelf: Shelf, steps: Sequence[Step]
) -> Iterator[Move]:
    """Steps as moves, each made by the rules."""
    pack = WASTE if isinstance(game, Columns) else STOCK
    for step in steps:
        if step[0] == PACK:
            while not (cells := table.piles[pack]) or NUMBERS[cells[-1].known.code] != step[1]:
                move: Move = next(
                    move for move in moves(game, table) if move in (Draw(), Recycle())
                )
                table = play(game, table, move, NO_CHANCE).table
                yield move
        move = _transfer(game, table, shelf, step)
        table = play(game, table, move, NO_CHANCE).table
        yield move


def _transfer(game: Columns | Klondike, table: Table, shelf: Shelf, step: Step) -> Transfer:
    columns = COLUMNS if isinstance(game, Columns) else PILES

    def pile(column: int) -> str:
        return next(pile for pile in columns if _column(table.piles[pile]) == shelf.cards[column])

    source, card, target = step
    if isinstance(game, Klondike):
        origin = STOCK if source == PACK else pile(source)
        return Transfer(origin, SUIT if target == HOME else pile(target))
    origin, count = (WASTE, 1) if source == PACK else (pile(source), shelf.count(source, card))
    if target != HOME:
        return Transfer(origin, pile(target), count)
    fits = (Transfer(origin, suit) for suit in FOUNDATIONS)
    return next(move for move in fits if game.objection(table, move) is None)
