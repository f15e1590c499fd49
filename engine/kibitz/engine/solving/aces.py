"""The search in Aces Up, all cards known: deal after deal, from all positions that are kept.

Before each deal stands a layer of positions: everything that discards and moves make of those
kept. All of it can be dealt on, but only the most promising positions are. Each try keeps more
than the one before; when one has left nothing out, there is no win.

A position is four columns of bytes. Cards are numbers, sixteen to a suit, the ace above the king.
"""

from heapq import nsmallest
from random import Random

from ..cards import ACE, DECK, KING, Suit
from ..game import Draw, Move, Transfer
from ..games.aces_up.rules import COLUMNS, FOUNDATION, STOCK, AcesUp, height
from ..table import Cell, Table
from .answers import Budget

SUITS = tuple(Suit)
SUIT = 16
"""The numbers of a suit."""
NUMBERS = {card.code: SUITS.index(card.suit) * SUIT + height(card) for card in DECK}
ACES = bytes(NUMBERS[card.code] for card in DECK if card.rank == ACE)
FIRST_TRY, GROWTH = 200, 5
"""Positions of a layer that the first try keeps; how many times more each try keeps."""
PLACES = range(len(COLUMNS))
DISCARDS = tuple(Transfer(column, FOUNDATION) for column in COLUMNS)
SHIFTS = tuple(tuple(Transfer(a, b) for b in COLUMNS) for a in COLUMNS)

Position = tuple[bytes, ...]
Layer = dict[Position, tuple[Position, Move] | None]
"""How each position came about; ``None``: it was dealt."""


class Search:
    """One search, over as many tries as it takes."""

    def __init__(
        self, start: Position, deals: tuple[bytes, ...], budget: Budget, seed: int = 0
    ) -> None:
        """Nothing is looked at yet.

        Args:
            start: The four columns.
            deals: What each deal will bring, the first card to the first column.
            budget: How much may be looked at.
            seed: What the choice among equals follows from.

        """
        self._start = start
        self._deals = deals
        self._budget = budget
        self._random = Random(seed).random

    def run(self) -> tuple[Move, ...] | None:
        """The moves to a win; ``None``: there are none.

        Raises:
            Enough: Neither is known.

        """
        keep = FIRST_TRY
        while True:
            line, whole = self._try(keep)
            if line is not None or whole:
                return line
            keep *= GROWTH

    def _try(self, keep: int) -> tuple[tuple[Move, ...] | None, bool]:
        """The line, if one was found; whether nothing was left out."""
        layers: list[Layer] = []
        kept, whole = [self._start], True
        for deal in (*self._deals, None):
            layer = self._layer(kept)
            layers.append(layer)
            if deal is None:
                break
            kept = list(layer)
            if len(kept) > keep:
                whole = False
                kept = nsmallest(keep, kept, key=self._left)
            kept = [dealt(position, deal) for position in kept]
        won = next((position for position in layers[-1] if is_won(position)), None)
        return (None if won is None else self._line(layers, won)), whole

    def _layer(self, kept: list[Position]) -> Layer:
        """Everything that becomes of some positions before the next deal."""
        layer: Layer = dict.fromkeys(kept)
        spend = self._budget.spend
        waiting = list(layer)
        for here in waiting:
            spend()
            tops = [column[-1] if column else 0 for column in here]
            gap = here.index(b"") if 0 in tops else None
            for source in PLACES:
                card = tops[source]
                if not card:
                    continue
                suit = card // SUIT
                for other in tops:
                    if other > card and other // SUIT == suit:
                        after = (*here[:source], here[source][:-1], *here[source + 1 :])
                        if after not in layer:
                            layer[after] = here, DISCARDS[source]
                            waiting.append(after)
                        break
                if gap is not None:
                    for target in PLACES:
                        if not tops[target]:
                            columns = list(here)
                            columns[source] = here[source][:-1]
                            columns[target] = here[source][-1:]
                            after = tuple(columns)
                            if after not in layer:
                                layer[after] = here, SHIFTS[source][target]
                                waiting.append(after)
        return layer

    def _left(self, position: Position) -> float:
        """How much there is left to do, by guess."""
        left = self._random()
        for column in position:
            left += 2.0 * len(column)
            if not column:
                left -= 1.0
            for card in column[1:]:
                if card % SUIT > KING:
                    left += 2.0
        return left

    def _line(self, layers: list[Layer], position: Position) -> tuple[Move, ...]:
        line: list[Move] = []
        for number in range(len(layers) - 1, -1, -1):
            while (step := layers[number][position]) is not None:
                position, move = step
                line.append(move)
            if number:
                line.append(Draw())
                deal = self._deals[number - 1]
                position = undealt(position, deal)
        return tuple(line[::-1])


def dealt(position: Position, deal: bytes) -> Position:
    """The position after a deal, which may be shorter than the columns are many."""
    return tuple(column + deal[at : at + 1] for at, column in enumerate(position))


def undealt(position: Position, deal: bytes) -> Position:
    """The position before a deal."""
    return tuple(column[:-1] if at < len(deal) else column for at, column in enumerate(position))


def is_won(position: Position) -> bool:
    """Whether four aces are all that is left."""
    return bytes(sorted(b"".join(position))) == ACES


def solve(game: AcesUp, table: Table, budget: Budget, seed: int = 0) -> tuple[Move, ...] | None:
    """The moves to a win; ``None``: there are none.

    Raises:
        Enough: Neither is known.

    """
    stock = numbers(table.piles[STOCK])[::-1]
    deals = tuple(stock[at : at + len(COLUMNS)] for at in range(0, len(stock), len(COLUMNS)))
    return Search(tuple(numbers(table.piles[c]) for c in COLUMNS), deals, budget, seed).run()


def numbers(cells: tuple[Cell, ...]) -> bytes:
    """Cards as numbers."""
    return bytes(NUMBERS[cell.known.code] for cell in cells)
