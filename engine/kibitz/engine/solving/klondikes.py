"""Klondikes as the search knows them, and its steps as moves of the game."""

from collections.abc import Sequence

from ..cards import ACE, DECK, KING, Fits
from ..game import NO_CHANCE, Draw, Game, Move, Recycle, Transfer, moves, play
from ..games.columns import COLUMNS, FOUNDATIONS, REDEALS, STOCK, WASTE, Columns
from ..games.klondike.rules import DISCARD, PILES, SUIT, SUITS, Klondike
from ..table import Cell, Table
from .answers import Budget
from .columns import DOWN, HOME, PACK, Position, Rules, Search, Step, after
from .packs import ByThrees, OneByOne, Pack

NUMBERS = {card.code: number for number, card in enumerate(DECK)}
"""Cards as numbers: suit after suit, each from the ace."""
KINGS = sum(1 << NUMBERS[card.code] for card in DECK if card.rank == KING)
ANY = (1 << len(DECK)) - 1


def solve(game: Columns | Klondike, table: Table, budget: Budget) -> tuple[Move, ...] | None:
    """The moves to a win; ``None``: there are none."""
    if isinstance(game, Columns):
        rules = _rules(game.fits, kings_only=game.kings_only, groups=game.groups)
        redeals: int | None = table.counters.get(REDEALS) if game.redeals_settable else 0
        waste, stock = (_numbers(table.piles[pile]) for pile in (WASTE, STOCK))
        pack: Pack = OneByOne(waste + stock[::-1], len(waste), redeals)
        columns, suits = COLUMNS, FOUNDATIONS
    else:
        rules = _rules(game.fits, kings_only=True, groups=True)
        stock, discard = (_numbers(table.piles[pile]) for pile in (STOCK, DISCARD))
        pack = ByThrees(stock[::-1], discard)
        columns, suits = PILES, tuple(SUITS.values())
    home = [0, 0, 0, 0]
    for suit in suits:
        if cells := table.piles[suit]:
            home[NUMBERS[cells[-1].known.code] // 13] = len(cells)
    start = Position(tuple(_column(table.piles[pile]) for pile in columns), tuple(home), pack)
    steps = Search(rules, start, budget).run()
    return None if steps is None else line_of(game, table, start, steps)


def _rules(fits: Fits, *, kings_only: bool, groups: bool) -> Rules:
    on = tuple(
        sum(1 << NUMBERS[card.code] for card in DECK if fits(card, below)) for below in DECK
    )
    return Rules(on, KINGS if kings_only else ANY, groups)


def _numbers(cells: Sequence[Cell]) -> tuple[int, ...]:
    return tuple(NUMBERS[cell.known.code] for cell in cells)


def _column(cells: Sequence[Cell]) -> tuple[int, ...]:
    return tuple(NUMBERS[cell.known.code] + (0 if cell.up else DOWN) for cell in cells)


def line_of(
    game: Columns | Klondike, table: Table, here: Position, steps: Sequence[Step]
) -> tuple[Move, ...]:
    """Steps as moves, each made by the rules."""
    line: list[Move] = []

    def make(move: Move) -> None:
        nonlocal table
        table = play(game, table, move, NO_CHANCE).table
        line.append(move)

    for step in steps:
        place, source, _, _ = step
        if source == PACK:
            for _ in range(here.pack.reached[place][1]):
                make(next(move for move in (Draw(), Recycle()) if move in moves(game, table)))
        make(_transfer(game, table, step))
        here = after(here, step)
    return tuple(line)


def _transfer(game: Columns | Klondike, table: Table, step: Step) -> Transfer:
    _, source, target, count = step
    if isinstance(game, Klondike):
        onto = SUIT if target == HOME else PILES[target]
        return Transfer(STOCK if source == PACK else PILES[source], onto)
    pile = WASTE if source == PACK else COLUMNS[source]
    if target != HOME:
        return Transfer(pile, COLUMNS[target], count)
    fits = (Transfer(pile, suit) for suit in FOUNDATIONS)
    return next(move for move in fits if game.objection(table, move) is None)
