"""Seven columns, four foundations, one stock, one waste: what the two MSU Klondikes share.

One frozen dataclass; what tells the games apart are its settings. Nothing ever leaves a
foundation, and a face-down card that becomes last in a column is turned up in the same move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from ..cards import DECK, KING, Card, Fits
from ..game import (
    Chance,
    Draw,
    Move,
    Objection,
    Place,
    Transfer,
    Why,
    face_up,
    take,
    transfer,
)
from ..options import UNLIMITED, known, number
from ..table import DOWN, FLIPPED, UP, Counted, Fact, Moved, Pile, Table
from .building import (
    ANY,
    KINGS,
    ON_FOUNDATION,
    Takes,
    building,
    check_columns,
    check_foundation,
    deal_columns,
    is_spent,
    last_run,
    takers,
    welcome,
)

STOCK, WASTE, REDEALS = "Stock", "Waste", "redeals"
FOUNDATIONS = tuple(f"FOUNDATION-{n}" for n in range(1, 5))
COLUMNS = tuple(f"COLUMN-{n}" for n in range(1, 8))
SOURCES, TARGETS = (WASTE, *COLUMNS), frozenset((*FOUNDATIONS, *COLUMNS))
DRAW = Draw()


@dataclass(frozen=True, slots=True)
class Columns:
    """One game of the family.

    Attributes:
        fits: What may lie on what in a column.
        kings_only: Whether an empty column takes kings only.
        groups: Whether a run may move as one.
        redeals: How often the waste may become the stock again; ``None``: no limit.
        redeals_settable: Whether ``redeals`` is an option of the game.
        takes: What a column takes.

    """

    name: str
    title: str
    fits: Fits
    kings_only: bool
    groups: bool
    redeals: int | None
    redeals_settable: bool
    takes: Takes = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        first = KINGS if self.kings_only else ANY
        object.__setattr__(self, "takes", building(self.fits, first))

    layout = (
        Place(STOCK, "stock", 0, 0),
        Place(WASTE, "waste", 1, 0),
        *(Place(pile, "foundation", n, 0) for n, pile in enumerate(FOUNDATIONS, 3)),
        *(Place(pile, "fan", n, 1) for n, pile in enumerate(COLUMNS)),
    )

    @property
    def options(self) -> Mapping[str, str]:
        """``redeals``, where the game has it."""
        limit = UNLIMITED if self.redeals is None else str(self.redeals)
        return {REDEALS: limit} if self.redeals_settable else {}

    def with_options(self, options: Mapping[str, str]) -> Self:
        """The same game with another number of redeals."""
        known(options, self.options)
        limit = options.get(REDEALS)
        if limit is None:
            return self
        return replace(self, redeals=None if limit == UNLIMITED else number(REDEALS, limit))

    def deal(self, deck: Sequence[Card]) -> Table:
        """Deal the columns, one card to the waste, the rest to the stock, next card last."""
        columns, (waste, *stock) = deal_columns(deck, COLUMNS)
        down = tuple(DOWN[card] for card in reversed(stock))
        piles = {STOCK: down, WASTE: (UP[waste],), **dict.fromkeys(FOUNDATIONS, ()), **columns}
        counts = self.redeals_settable and self.redeals is not None
        return Table(piles, {REDEALS: self.redeals or 0} if counts else {})

    def objection(self, table: Table, move: Move) -> Objection | None:
        """Draw, or build on a column or a foundation."""
        if isinstance(move, Transfer):
            source, target, count = move.source, move.target, move.count
            if source not in SOURCES or target not in TARGETS:
                return Objection(Why.UNKNOWN)
            if count != 1 and not (self.groups and source in COLUMNS and target in COLUMNS):
                return Objection(Why.UNKNOWN)
            return self._transfer(table, source, target, count)
        if not isinstance(move, Draw):
            return Objection(Why.UNKNOWN)
        drawn = table.piles[STOCK] or self._may_redeal(table)
        return None if drawn else Objection(Why.NO_STOCK, STOCK)

    def _may_redeal(self, table: Table) -> bool:
        allowed = self.redeals_settable and table.counters.get(REDEALS, 1) > 0
        return allowed and bool(table.piles[WASTE])

    def _transfer(self, table: Table, source: str, target: str, count: int) -> Objection | None:
        cells, onto = table.piles[source], table.piles[target]
        takes = ON_FOUNDATION if target in FOUNDATIONS else self.takes
        moving = cells[-count:]
        fits = len(moving) == count and moving[0].text in welcome(takes, onto) and source != target
        if fits and (count == 1 or len(last_run(moving, takes)) == count):
            return None
        if not cells:
            return Objection(Why.EMPTY, source)
        enough = 1 <= count <= face_up(cells)
        return Objection(Why.MISMATCH, target) if enough else Objection(Why.TOO_FEW, source)

    def effect(self, table: Table, move: Move, rng: Chance) -> tuple[Fact, ...]:
        """Move cards and turn what they uncover; an empty stock is made anew before the draw."""
        if isinstance(move, Transfer):
            return take(table, move.source, move.target, move.count)
        stock, waste = table.piles[STOCK], table.piles[WASTE]
        if stock:
            return (Moved(STOCK, WASTE, (FLIPPED[stock[-1].text],)),)
        over = tuple([FLIPPED[cell.text] for cell in reversed(waste)])
        facts: list[Fact] = [Moved(WASTE, STOCK, over)]
        facts.append(Moved(STOCK, WASTE, (FLIPPED[over[-1].text],)))
        if REDEALS in table.counters:
            facts.append(Counted(REDEALS, table.counters[REDEALS] - 1))
        return tuple(facts)

    def moves(self, table: Table) -> list[Move]:
        """Foundations first, then columns, then the stock."""
        found: list[Move] = []
        tops: list[tuple[str, str]] = []
        cards: set[str] = set()
        piles = table.piles
        for source in SOURCES:
            if cells := piles[source]:
                top = cells[-1].text
                tops.append((source, top))
                cards.add(top)
        homes = takers(piles, FOUNDATIONS, ON_FOUNDATION, cards)
        if homes:
            for source, top in tops:
                for target, taken in homes:
                    if top in taken:
                        found.append(transfer(source, target))
        covered = self._covered(piles) if self.groups else {}
        columns = takers(piles, COLUMNS, self.takes, cards.union(*covered.values()))
        if columns:
            for source, top in tops:
                for target, taken in columns:
                    if source != target:
                        if top in taken:
                            found.append(transfer(source, target))
                        if source in covered:
                            for count, card in enumerate(covered[source], 2):
                                if card in taken:
                                    found.append(transfer(source, target, count))
        if piles[STOCK] or self._may_redeal(table):
            found.append(DRAW)
        return found

    def _covered(self, piles: Mapping[str, Pile]) -> dict[str, list[str]]:
        """The cards that may move with those that lie on them."""
        return {column: last_run(piles[column], self.takes)[1:] for column in COLUMNS}

    def is_won(self, table: Table) -> bool:
        """All cards are on the foundations."""
        return len(table.piles[FOUNDATIONS[0]]) == KING and self.score(table) == len(DECK)

    def is_idle(self, table: Table, move: Move) -> bool:
        """A run to and fro between columns, or a draw when no card of the pack can be played."""
        if isinstance(move, Transfer):
            rest = table.piles[move.source][: -move.count]
            return move.target in COLUMNS and move.source in COLUMNS and (not rest or rest[-1].up)
        return is_spent(table.piles, (STOCK, WASTE), FOUNDATIONS, COLUMNS, self.takes)

    def score(self, table: Table) -> int:
        """The cards on the foundations, 0 to 52."""
        piles = table.piles
        return sum([len(piles[pile]) for pile in FOUNDATIONS])

    def check(self, table: Table) -> str | None:
        """Stock face down, waste face up, foundations in sequence, columns in order."""
        if any(cell.up for cell in table.piles[STOCK]):
            return "the stock lies face down"
        if not all(cell.up for cell in table.piles[WASTE]):
            return "the waste lies face up"
        if not all(check_foundation(table.piles[pile]) for pile in FOUNDATIONS):
            return "a foundation runs from the ace up in one suit, face up"
        return check_columns(table, COLUMNS, self.fits)
