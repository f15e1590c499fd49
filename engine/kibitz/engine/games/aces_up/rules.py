"""Aces Up: discard whatever a higher card of its suit beats until only the aces are left.

Source: course document "Aces Up" (four columns, one stock, one foundation; aces high).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from ...cards import ACE, KING, Card
from ...game import BadOption, Chance, Draw, Move, Objection, Place, Transfer, Why, transfer
from ...options import known
from ...table import DOWN, UP, Fact, Moved, Table

STOCK, FOUNDATION = "Stock", "Foundation"
COLUMNS = tuple(f"COLUMN-{n}" for n in range(1, 5))


def height(card: Card) -> int:
    """The rank with the ace above the king."""
    return KING + 1 if card.rank == ACE else card.rank


@dataclass(frozen=True, slots=True)
class AcesUp:
    """Four columns, one stock, one foundation."""

    name = "aces-up"
    title = "Aces Up"
    layout = (
        Place(STOCK, "stock", 0, 0),
        Place(FOUNDATION, "foundation", 5, 0),
        *(Place(column, "fan", n, 0) for n, column in enumerate(COLUMNS, 1)),
    )

    @property
    def options(self) -> Mapping[str, str]:
        """None."""
        return {}

    def with_options(self, options: Mapping[str, str]) -> Self:
        """The same game; there are no options."""
        known(options, self.options)
        return self

    def deal(self, deck: Sequence[Card]) -> Table:
        """One card to each column; the rest is the stock, next card last."""
        if not deck or len(deck) % len(COLUMNS) or len(set(deck)) != len(deck):
            raise BadOption("aces-up needs a deck of 4, 8, .. 52 different cards")
        columns = {column: (UP[card],) for column, card in zip(COLUMNS, deck, strict=False)}
        stock = tuple(DOWN[card] for card in reversed(deck[len(COLUMNS) :]))
        return Table({STOCK: stock, FOUNDATION: (), **columns})

    def objection(self, table: Table, move: Move) -> Objection | None:
        """Deal while there is a stock, discard beaten cards, move to empty columns."""
        match move:
            case Draw():
                return None if table.piles[STOCK] else Objection(Why.NO_STOCK, STOCK)
            case Transfer(source, target, 1) if source in COLUMNS:
                card = table.top(source)
                if card is None:
                    return Objection(Why.EMPTY, source)
                if target == FOUNDATION:
                    beaten = self._is_beaten(table, source, card)
                    return None if beaten else Objection(Why.KEPT, source, card)
                if target in COLUMNS:
                    return Objection(Why.OCCUPIED, target) if table.piles[target] else None
        return Objection(Why.UNKNOWN)

    @staticmethod
    def _is_beaten(table: Table, source: str, card: Card) -> bool:
        others = (table.top(column) for column in COLUMNS if column != source)
        return any(o and o.suit is card.suit and height(o) > height(card) for o in others)

    def effect(self, table: Table, move: Move, rng: Chance) -> tuple[Fact, ...]:
        """Move one card, or deal one to each column."""
        if isinstance(move, Transfer):
            return (Moved(move.source, move.target, table.piles[move.source][-1:]),)
        dealt = zip(COLUMNS, reversed(table.piles[STOCK]), strict=False)
        return tuple(Moved(STOCK, column, (UP[cell.known],)) for column, cell in dealt)

    def moves(self, table: Table) -> list[Move]:
        """Discards first, then the deal, then gaps."""
        found, piles = list[Move](), table.piles
        tops = [(column, card) for column in COLUMNS if (card := table.top(column))]
        for column, card in tops:
            if self._is_beaten(table, column, card):
                found.append(transfer(column, FOUNDATION))
        if piles[STOCK]:
            found.append(Draw())
        gaps = [column for column in COLUMNS if not piles[column]]
        return found + [transfer(column, gap) for column, _ in tops for gap in gaps]

    def is_won(self, table: Table) -> bool:
        """The stock is dealt and only the four aces are left."""
        left = [cell for column in COLUMNS for cell in table.piles[column]]
        aces = all(cell.card and cell.card.rank == ACE for cell in left)
        return not table.piles[STOCK] and len(left) == len(COLUMNS) and aces

    def is_idle(self, table: Table, move: Move) -> bool:
        """Moves between columns: dead ends are found by trying all their orders."""
        return isinstance(move, Transfer) and move.target in COLUMNS

    def score(self, table: Table) -> int:
        """The cards discarded, 0 to 48."""
        return len(table.piles[FOUNDATION])

    def check(self, table: Table) -> str | None:
        """The stock face down, everything else face up, no ace discarded."""
        if any(cell.up for cell in table.piles[STOCK]):
            return "the stock lies face down"
        if not all(cell.up for p in (FOUNDATION, *COLUMNS) for cell in table.piles[p]):
            return "cards outside the stock lie face up"
        if any(cell.known.rank == ACE for cell in table.piles[FOUNDATION]):
            return "an ace cannot be on the foundation"
        return "the stock holds a multiple of four" if len(table.piles[STOCK]) % 4 else None
