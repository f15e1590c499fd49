"""Montana: bring each row to 2..K of one suit by filling gaps.

A place is a pile of at most one card, so a gap is an empty pile and needs no type of its own.
Source: course document "Montana" (four rows of thirteen, two shuffles).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from ...cards import ACE, DECK, TWO, Card, up_in_suit
from ...game import BadOption, Chance, Move, Objection, Place, Shuffle, Transfer, Why, transfer
from ...options import known, number
from ...table import UP, Counted, Fact, Moved, Set, Table

SHUFFLES = "shuffles"
ROWS, COLUMNS = range(1, 5), range(1, 14)


def place(row: int, column: int) -> str:
    """The name of a place: ``2.13``."""
    return f"{row}.{column}"


NAMES = {row: tuple(place(row, column) for column in COLUMNS) for row in ROWS}
PLACES = tuple(place(row, column) for row in ROWS for column in COLUMNS)
LEFT = {place(r, c): place(r, c - 1) if c > 1 else None for r in ROWS for c in COLUMNS}
TWOS = tuple(card.code for card in DECK if card.rank == TWO)
ABOVE = {a.code: (b.code,) for a, b in pairwise(DECK) if up_in_suit(b, a)}
"""What may lie right of each card."""


def kept(table: Table, row: int) -> int:
    """How many places of a row a shuffle leaves alone: the run 2, 3, .. of one suit."""
    welcome: Sequence[str] = TWOS
    for at, name in enumerate(NAMES[row]):
        card = table.top(name)
        if card is None or card.code not in welcome:
            return at
        welcome = ABOVE.get(card.code, ())
    raise AssertionError("a row has thirteen places and a suit twelve cards above the ace")


@dataclass(frozen=True, slots=True)
class Montana:
    """Four rows of thirteen places, four gaps, and a few shuffles."""

    shuffles: int = 2

    name = "montana"
    title = "Montana"
    layout = tuple(Place(place(r, c), "row-cell", c - 1, r - 1) for r in ROWS for c in COLUMNS)

    @property
    def options(self) -> Mapping[str, str]:
        """``shuffles``: how many the player has."""
        return {SHUFFLES: str(self.shuffles)}

    def with_options(self, options: Mapping[str, str]) -> Self:
        """The same game with another number of shuffles."""
        known(options, self.options)
        return type(self)(number(SHUFFLES, options.get(SHUFFLES, str(self.shuffles))))

    def deal(self, deck: Sequence[Card]) -> Table:
        """Lay the deck out row by row; the aces become gaps."""
        if len(deck) != len(PLACES) or len(set(deck)) != len(PLACES):
            raise BadOption("this game needs all 52 cards, each once")
        cards = zip(PLACES, deck, strict=True)
        piles = {p: () if card.rank == ACE else (UP[card],) for p, card in cards}
        return Table(piles, {SHUFFLES: self.shuffles})

    def objection(self, table: Table, move: Move) -> Objection | None:
        """A card fills a gap right of its own suit's next lower card; a two, any first column."""
        match move:
            case Shuffle():
                return None if table.counters[SHUFFLES] else Objection(Why.NO_SHUFFLE)
            case Transfer(source, target, 1) if source in LEFT and target in LEFT:
                card, left = table.top(source), LEFT[target]
                if card is None:
                    return Objection(Why.EMPTY, source)
                if table.piles[target]:
                    return Objection(Why.OCCUPIED, target)
                below = table.top(left) if left else None
                fits = (below and up_in_suit(card, below)) if left else card.rank == TWO
                return None if fits else Objection(Why.MISMATCH, target)
            case _:
                return Objection(Why.UNKNOWN)

    def effect(self, table: Table, move: Move, rng: Chance) -> tuple[Fact, ...]:
        """Fill a gap, or shuffle what is not yet in place."""
        if isinstance(move, Transfer):
            return (Moved(move.source, move.target, table.piles[move.source]),)
        keep = {row: kept(table, row) for row in ROWS}
        loose = [(row, column) for row in ROWS for column in COLUMNS if column > keep[row]]
        pool = [table.piles[place(*at)] for at in loose]
        rng.shuffle(pool)  # gaps included, dropped afterwards: the order of the course's program
        cards = iter([pile for pile in pool if pile])
        sets = [
            Set(place(row, column), () if column == keep[row] + 1 else next(cards))
            for row, column in loose
        ]
        return (*sets, Counted(SHUFFLES, table.counters[SHUFFLES] - 1))

    def moves(self, table: Table) -> list[Move]:
        """What fits each gap; then the shuffle."""
        found, piles = list[Move](), table.piles
        where, gaps = dict[str, str](), list[str]()
        for name in PLACES:
            if cells := piles[name]:
                where[cells[0].text] = name
            else:
                gaps.append(name)
        for gap in gaps:
            left = LEFT[gap]
            card = table.top(left) if left else None
            fitting = ABOVE.get(card.code, ()) if card else () if left else TWOS
            found += [transfer(where[code], gap) for code in fitting if code in where]
        if table.counters[SHUFFLES]:
            found.append(Shuffle())
        return found

    def is_won(self, table: Table) -> bool:
        """Twelve in place in every row."""
        return all(kept(table, row) == 12 for row in ROWS)

    def is_idle(self, table: Table, move: Move) -> bool:
        """Never: every move changes what fits where."""
        return False

    def score(self, table: Table) -> int:
        """The cards that a shuffle would keep, 0 to 48."""
        return sum(kept(table, row) for row in ROWS)

    def check(self, table: Table) -> str | None:
        """All cards but the aces, face up."""
        cells = [cell for pile in table.piles.values() for cell in pile]
        if not all(cell.up for cell in cells):
            return "every card lies face up"
        if {cell.card for cell in cells} != {card for card in DECK if card.rank != ACE}:
            return "every card but the aces must be there"
        return None
