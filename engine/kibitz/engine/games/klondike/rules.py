"""Klondike with runs of any suit: suits tied to their piles, three face-down discards.

Source: course document "Klondike" of CMPUT 175. The number of cards that ``move p q`` takes is
implied: ranks make it unique. Option ``alternate_colours``: build in alternating colours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from ...cards import DECK, Card, Fits, Suit, down, down_other_colour
from ...game import Chance, Draw, Move, Objection, Place, Recycle, Transfer, Why, take, transfer
from ...options import flag, known
from ...table import DOWN, UP, Fact, Moved, Table, Turned
from ..building import (
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

STOCK, DISCARD, SUIT = "Stock", "Discard", "suit"
SUITS = {
    Suit.SPADES: "Spades",
    Suit.HEARTS: "Hearts",
    Suit.DIAMONDS: "Diamonds",
    Suit.CLUBS: "Clubs",
}
PILES = tuple(f"PILE-{n}" for n in range(1, 8))
COLOURS = "alternate_colours"
SOURCES = (*PILES, STOCK)
AT_ONCE = 3
"""Cards that one discard takes."""


@dataclass(frozen=True, slots=True)
class Klondike:
    """A transfer names ``suit`` or a pile; which suit and how many cards, the rules say."""

    alternate_colours: bool = False

    name = "klondike"
    title = "Klondike"
    layout = (
        Place(STOCK, "stock", 0, 0),
        Place(DISCARD, "stock", 1, 0),
        *(Place(pile, "foundation", n, 0) for n, pile in enumerate(SUITS.values(), 3)),
        *(Place(pile, "fan", n, 1) for n, pile in enumerate(PILES)),
    )

    @property
    def options(self) -> Mapping[str, str]:
        """``alternate_colours``: on or off."""
        return {COLOURS: "on" if self.alternate_colours else "off"}

    def with_options(self, options: Mapping[str, str]) -> Self:
        """The same game with or without alternating colours."""
        known(options, self.options)
        colours = flag(COLOURS, options.get(COLOURS, self.options[COLOURS]))
        return replace(self, alternate_colours=colours)

    @property
    def fits(self) -> Fits:
        """What may lie on what in a pile."""
        return down_other_colour if self.alternate_colours else down

    def deal(self, deck: Sequence[Card]) -> Table:
        """The usual seven piles; the stock's top card lies face up."""
        piles, rest = deal_columns(deck, PILES)
        stock = tuple((UP if card is rest[0] else DOWN)[card] for card in reversed(rest))
        return Table({STOCK: stock, DISCARD: (), **dict.fromkeys(SUITS.values(), ()), **piles})

    def objection(self, table: Table, move: Move) -> Objection | None:
        """Discard, reset, or build on a pile or a suit."""
        match move:
            case Transfer(source, target) if source in SOURCES:
                card = table.top(source)
                if card is None:
                    return Objection(Why.EMPTY, source)
                if target == SUIT:
                    fits = self._goes_home(table, card)
                elif target in PILES:
                    fits = source != target and self._count(table, source, target) is not None
                else:
                    return Objection(Why.UNKNOWN)
                return None if fits else Objection(Why.MISMATCH, target)
            case Draw():
                return None if table.piles[STOCK] else Objection(Why.NO_STOCK, STOCK)
            case Recycle():
                if table.piles[STOCK]:
                    return Objection(Why.NOT_YET, STOCK)
                return None if table.piles[DISCARD] else Objection(Why.EMPTY, DISCARD)
            case _:
                return Objection(Why.UNKNOWN)

    def _goes_home(self, table: Table, card: Card) -> bool:
        return card.code in welcome(ON_FOUNDATION, table.piles[SUITS[card.suit]])

    def _count(self, table: Table, source: str, target: str) -> int | None:
        """The one number of cards that ``move source target`` can mean."""
        taken = welcome(self._on_pile, table.piles[target])
        run = enumerate(self._run(table, source), 1)
        return next((count for count, card in run if card in taken), None)

    def _run(self, table: Table, source: str) -> list[str]:
        """The codes of the cards that may move, the last one first."""
        run = last_run(table.piles[source], self._on_pile)
        return run[:1] if source == STOCK else run

    @property
    def _on_pile(self) -> Takes:
        return building(self.fits, KINGS)

    def effect(self, table: Table, move: Move, rng: Chance) -> tuple[Fact, ...]:
        """Move cards and turn up what becomes top of the source."""
        match move:
            case Transfer(source, target):
                if target == SUIT:
                    return take(table, source, SUITS[table.piles[source][-1].known.suit])
                return take(table, source, target, self._count(table, source, target) or 0)
            case Draw():
                stock = table.piles[STOCK]
                gone = stock[: -AT_ONCE - 1 : -1]
                moved = [Moved(STOCK, DISCARD, (DOWN[cell.known],)) for cell in gone]
                rest = stock[:-AT_ONCE]
                return (*moved, *([Turned(STOCK, UP[rest[-1].known])] if rest else []))
            case _:
                discard = table.piles[DISCARD]
                return Moved(DISCARD, STOCK, discard), Turned(STOCK, UP[discard[-1].known])

    def moves(self, table: Table) -> list[Move]:
        """Suits, then piles, then the stock."""
        found, piles = list[Move](), table.piles
        runs = {source: run for source in SOURCES if (run := self._run(table, source))}
        for source in runs:
            if self._goes_home(table, piles[source][-1].known):
                found.append(transfer(source, SUIT))
        open_ = takers(piles, PILES, self._on_pile, set().union(*runs.values()))
        for source, run in runs.items():
            for target, taken in open_:
                if target != source and not taken.isdisjoint(run):
                    found.append(transfer(source, target))
        if piles[STOCK]:
            found.append(Draw())
        elif piles[DISCARD]:
            found.append(Recycle())
        return found

    def is_won(self, table: Table) -> bool:
        """All suits are complete."""
        return self.score(table) == len(DECK)

    def is_idle(self, table: Table, move: Move) -> bool:
        """A run to and fro between piles, or a turn of the stock when none of it can be played."""
        if isinstance(move, Transfer):
            if move.source not in PILES or move.target not in PILES:
                return False
            count = self._count(table, move.source, move.target) or 0
            rest = table.piles[move.source][:-count]
            return not rest or rest[-1].up
        return is_spent(table.piles, (STOCK, DISCARD), SUITS.values(), PILES, self._on_pile)

    def score(self, table: Table) -> int:
        """The cards on the suits, 0 to 52."""
        piles = table.piles
        return sum([len(piles[pile]) for pile in SUITS.values()])

    def check(self, table: Table) -> str | None:
        """Only the stock's top card face up, discards face down, suits in sequence."""
        stock = table.piles[STOCK]
        if [cell.up for cell in stock] != [False] * (len(stock) - 1) + [True] * bool(stock):
            return "only the top card of Stock lies face up"
        if any(cell.up for cell in table.piles[DISCARD]):
            return "Discard lies face down"
        for suit, pile in SUITS.items():
            cells = table.piles[pile]
            if not check_foundation(cells) or any(c.known.suit is not suit for c in cells):
                return f"{pile} runs from the ace up in its own suit, face up"
        return check_columns(table, PILES, self.fits)
