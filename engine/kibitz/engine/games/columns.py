"""Seven columns, four foundations, one stock, one waste: what the two MSU Klondikes share.

One frozen dataclass; what tells the games apart are its settings. Nothing ever leaves a
foundation, and a face-down card that becomes last in a column is turned up in the same move.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from ..cards import ACE, CARDS, DECK, KING, Card, Fits, fitting, is_run, up_in_suit
from ..game import BadOption, Chance, Draw, Move, Objection, Place, Transfer, Why, face_up, take
from ..options import UNLIMITED, known, number
from ..table import DOWN, UP, Cell, Counted, Fact, Moved, Pile, Table

STOCK, WASTE, REDEALS = "Stock", "Waste", "redeals"
FOUNDATIONS = tuple(f"FOUNDATION-{n}" for n in range(1, 5))
COLUMNS = tuple(f"COLUMN-{n}" for n in range(1, 8))
SOURCES, TARGETS = (WASTE, *COLUMNS), (*FOUNDATIONS, *COLUMNS)
ANY = frozenset(CARDS)
ACES = frozenset(card.code for card in DECK if card.rank == ACE)
KINGS = frozenset(card.code for card in DECK if card.rank == KING)


def deal_columns(
    deck: Sequence[Card], columns: Sequence[str]
) -> tuple[dict[str, Pile], list[Card]]:
    """Deal seven rounds, round r giving one card to each of the columns r..7.

    Returns:
        The columns, the first card of each round face up; and the cards left.

    Raises:
        BadOption: It is not a deck of 52 different cards.

    """
    if sorted(card.code for card in deck) != sorted(card.code for card in DECK):
        raise BadOption("this game needs all 52 cards, each once")
    cards = iter(deck)
    piles: dict[str, Pile] = dict.fromkeys(columns, ())
    for r, first in enumerate(columns):
        for column in columns[r:]:
            piles[column] += ((UP if column == first else DOWN)[next(cards)],)
    return piles, list(cards)


def check_columns(table: Table, columns: Sequence[str], fits: Fits) -> str | None:
    """What is wrong with columns that must be a face-up run on a face-down rest."""
    for column in columns:
        cells = table.piles[column]
        run = face_up(cells)
        if (cells and not run) or any(cell.up for cell in cells[: len(cells) - run]):
            return f"{column} must be face-up cards on face-down ones"
        if not is_run([cell.known for cell in cells[len(cells) - run :]], fits):
            return f"the face-up cards of {column} are no run"
    return None


def check_foundation(cells: Sequence[Cell]) -> bool:
    """Whether a foundation is its suit's run from the ace, face up."""
    cards = [cell.known for cell in cells]
    starts = not cards or cards[0].rank == ACE
    return starts and all(cell.up for cell in cells) and is_run(cards, up_in_suit)


def last_run(cells: Sequence[Cell], fits: Fits) -> list[Card]:
    """The longest face-up run at the end of a pile, its last card first."""
    run: list[Card] = []
    fit = fitting(fits)
    for cell in reversed(cells):
        card = cell.card
        if not cell.up or card is None or (run and run[-1].code not in fit[card.code]):
            break
        run.append(card)
    return run


def all_named(cells: Sequence[Cell]) -> bool:
    """Whether all cells are known."""
    return all(cell.card is not None for cell in cells)


@dataclass(frozen=True, slots=True)
class Columns:
    """One game of the family.

    Attributes:
        fits: What may lie on what in a column.
        kings_only: Whether an empty column takes kings only.
        groups: Whether a run may move as one.
        redeals: How often the waste may become the stock again; ``None``: no limit.
        redeals_settable: Whether ``redeals`` is an option of the game.

    """

    name: str
    title: str
    fits: Fits
    kings_only: bool
    groups: bool
    redeals: int | None
    redeals_settable: bool

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
        match move:
            case Draw():
                return (
                    None
                    if table.piles[STOCK] or self._may_redeal(table)
                    else Objection(Why.NO_STOCK, STOCK)
                )
            case Transfer(source, target, count) if source in SOURCES and target in TARGETS:
                if count != 1 and not (self.groups and source in COLUMNS and target in COLUMNS):
                    return Objection(Why.UNKNOWN)
                return self._transfer(table, source, target, count)
            case _:
                return Objection(Why.UNKNOWN)

    def _may_redeal(self, table: Table) -> bool:
        allowed = self.redeals_settable and table.counters.get(REDEALS, 1) > 0
        return allowed and bool(table.piles[WASTE])

    def _transfer(self, table: Table, source: str, target: str, count: int) -> Objection | None:
        cells = table.piles[source]
        if not cells:
            return Objection(Why.EMPTY, source)
        if not 1 <= count <= face_up(cells):
            return Objection(Why.TOO_FEW, source)
        cards = [cell.known for cell in cells[len(cells) - count :]]
        fits = (
            source != target
            and cards[0].code in self._welcome(table, target)
            and is_run(cards, self.fits)
        )
        return None if fits else Objection(Why.MISMATCH, target)

    def _welcome(self, table: Table, target: str) -> frozenset[str]:
        """The codes of the cards that a pile takes now."""
        onto = table.top(target)
        if target in FOUNDATIONS:
            return fitting(up_in_suit)[onto.code] if onto else ACES
        if onto is None:
            return KINGS if self.kings_only else ANY
        return fitting(self.fits)[onto.code]

    def effect(self, table: Table, move: Move, rng: Chance) -> tuple[Fact, ...]:
        """Move cards and turn what they uncover; an empty stock is made anew before the draw."""
        if isinstance(move, Transfer):
            return take(table, move.source, move.target, move.count)
        stock, waste = table.piles[STOCK], table.piles[WASTE]
        if stock:
            return (Moved(STOCK, WASTE, (UP[stock[-1].known],)),)
        over = tuple(DOWN[cell.known] for cell in reversed(waste))
        facts: list[Fact] = [Moved(WASTE, STOCK, over), Moved(STOCK, WASTE, (UP[over[-1].known],))]
        if REDEALS in table.counters:
            facts.append(Counted(REDEALS, table.counters[REDEALS] - 1))
        return tuple(facts)

    def candidates(self, table: Table) -> Iterator[Move]:
        """Foundations first, then columns, then the stock."""
        runs = {pile: run for pile in SOURCES if (run := self._movable(table, pile))}
        welcome = {pile: self._welcome(table, pile) for pile in TARGETS}
        for source, run in runs.items():
            for target in FOUNDATIONS:
                if run[0].code in welcome[target]:
                    yield Transfer(source, target)
        for source, run in runs.items():
            for target in COLUMNS:
                for count, card in enumerate(run, 1):
                    if card.code in welcome[target] and target != source:
                        yield Transfer(source, target, count)
        yield Draw()

    def _movable(self, table: Table, pile: str) -> list[Card]:
        """The cards of a pile that may move together, the last one first."""
        run = last_run(table.piles[pile], self.fits)
        return run if self.groups and pile != WASTE else run[:1]

    def is_won(self, table: Table) -> bool:
        """All cards are on the foundations."""
        return self.score(table) == len(DECK)

    def is_idle(self, table: Table, move: Move) -> bool:
        """A run to and fro between columns, or a draw when no card of the pack can be played."""
        if isinstance(move, Transfer):
            rest = table.piles[move.source][: -move.count]
            return move.target in COLUMNS and move.source in COLUMNS and (not rest or rest[-1].up)
        stock, waste = table.piles[STOCK], table.piles[WASTE]
        if not (all_named(stock) and all_named(waste)):
            return False
        welcome = frozenset[str]().union(*(self._welcome(table, target) for target in TARGETS))
        return all(cell.known.code not in welcome for cell in (*stock, *waste))

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
