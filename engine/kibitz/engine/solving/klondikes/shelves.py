"""Columns of a Klondike as numbers: each that a search has met, and what is known of it.

Promises: equal numbers are equal columns, so a position is a few numbers that say all of it.
"""

from .numbers import DOWN, RANKS, bits

Column = tuple[int, ...]
EMPTY = 0
"""The number of a column without cards."""


class Shelf:
    """The columns met so far; what is known of each stands at its number.

    Attributes:
        on: For each card, the cards that may lie on it in a column, one bit each.
        on_nothing: The same for an empty column.
        groups: Whether runs move as one.
        cards: The column itself.
        top: Its last card, as a bit.
        welcome: The cards that may lie on it.
        movable: The cards of it that may move, with all that lies on them.
        hidden: How many of it lie face down.

    """

    def __init__(self, on: tuple[int, ...], on_nothing: int, *, groups: bool) -> None:
        """Only the empty column is known."""
        self.on, self.on_nothing, self.groups = on, on_nothing, groups
        self.cards: list[Column] = [()]
        self.top, self.movable, self.hidden = [0], [0], [0]
        self.welcome = [on_nothing]
        self._numbers: dict[Column, int] = {(): EMPTY}
        self._cuts: dict[tuple[int, int], int] = {}

    def number(self, cards: Column) -> int:
        """The number of a column."""
        known = self._numbers.get(cards)
        if known is None:
            known = self._numbers[cards] = len(self.cards)
            open_ = tuple(card for card in cards if card < DOWN)
            self.cards.append(cards)
            self.top.append(1 << cards[-1])
            self.welcome.append(self.on[cards[-1]])
            self.movable.append(bits(open_ if self.groups else cards[-1:]))
            self.hidden.append(len(cards) - len(open_))
        return known

    def count(self, column: int, card: int) -> int:
        """How many cards move when this one does: those above it are each one rank lower."""
        return card % RANKS - self.cards[column][-1] % RANKS + 1

    def cut(self, column: int, count: int) -> int:
        """What is left without the last cards; a face-down card that becomes last is turned up."""
        known = self._cuts.get((column, count))
        if known is None:
            rest = self.cards[column][:-count]
            if rest and rest[-1] >= DOWN:
                rest = (*rest[:-1], rest[-1] - DOWN)
            known = self._cuts[column, count] = self.number(rest)
        return known
