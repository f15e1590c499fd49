"""Klondike with runs of any suit: suits tied to their piles, three face-down discards.

Source: course document "Klondike" of CMPUT 175. The number of cards that ``move p q`` takes is
implied: ranks make it unique. Option ``alternate_colours``: build in alternating colours.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from ...cards import ACE, DECK, Card, Fits, Suit, down, down_other_colour, fitting, up_in_suit
from ...game import Chance, Draw, Move, Objection, Place, Recycle, Transfer, Why, take
from ...options import flag, known
from ...table import DOWN, UP, Fact, Moved, Table, Turned
from ..columns import KINGS, all_named, check_columns, check_foundation, deal_columns, last_run

STOCK, DISCARD, SUIT = "Stock", "Discard", "suit"
SUITS = {
    Suit.SPADES: "Spades",
    Suit.HEARTS: "Hearts",
    Suit.DIAMONDS: "Diamonds",
    Suit.CLUBS: "Clubs",
}
PILES = tuple(f"PILE-{n}" for n in range(1, 8))
COLOURS = "alternate_colours"
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
            case Draw():
                return None if table.piles[STOCK] else Objection(Why.NO_STOCK, STOCK)
            case Recycle():
                if table.piles[STOCK]:
                    return Objection(Why.NOT_YET, STOCK)
                return None if table.piles[DISCARD] else Objection(Why.EMPTY, DISCARD)
            case Transfer(source, target) if source in (STOCK, *PILES):
                card = table.top(source)
                if card is None:
                    return Objection(Why.EMPTY, source)
                if target == SUIT:
                    onto = table.top(SUITS[card.suit])
                    fits = up_in_suit(card, onto) if onto else card.rank == ACE
                elif target in PILES:
                    fits = source != target and self._count(table, source, target) is not None
                else:
                    return Objection(Why.UNKNOWN)
                return None if fits else Objection(Why.MISMATCH, target)
            case _:
                return Objection(Why.UNKNOWN)

    def _count(self, table: Table, source: str, target: str) -> int | None:
        """The one number of cards that ``move source target`` can mean."""
        run = last_run(table.piles[source], self.fits)
        welcome = self._welcome(table, target)
        movable = enumerate(run[:1] if source == STOCK else run, 1)
        return next((n for n, card in movable if card.code in welcome), None)

    def _welcome(self, table: Table, pile: str) -> frozenset[str]:
        """The codes of the cards that a pile takes now."""
        onto = table.top(pile)
        return fitting(self.fits)[onto.code] if onto else KINGS

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

    def candidates(self, table: Table) -> Iterator[Move]:
        """Suits, then piles, then the stock."""
        runs = {p: last_run(table.piles[p], self.fits) for p in (*PILES, STOCK) if table.piles[p]}
        yield from (Transfer(source, SUIT) for source in runs)
        welcome = {pile: self._welcome(table, pile) for pile in PILES}
        for source, run in runs.items():
            movable = [card.code for card in (run[:1] if source == STOCK else run)]
            for target in PILES:
                if target != source and not welcome[target].isdisjoint(movable):
                    yield Transfer(source, target)
        yield Draw()
        yield Recycle()

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
        pack = (*table.piles[STOCK], *table.piles[DISCARD])
        return all_named(pack) and not any(self._is_playable(table, cell.known) for cell in pack)

    def _is_playable(self, table: Table, card: Card) -> bool:
        onto = table.top(SUITS[card.suit])
        home = up_in_suit(card, onto) if onto else card.rank == ACE
        return home or any(card.code in self._welcome(table, pile) for pile in PILES)

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
