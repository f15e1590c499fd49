"""Positions from which no win is possible even if far more were allowed than is.

Promises: what is called hopeless is lost. Here a card that can lie open once is said to lie open
for ever, with room on it for all that fit; all of the pack can be had at any time; and a column
that can be empty once always is. Each real move keeps within what is reached so: whatever really
lies open, is home or is empty is found so here. Where a card is still missing in the end, no line
brings it home.
"""

from .homes import counts
from .numbers import ACES, ALL, DOWN, RANKS, members
from .positions import Position
from .shelves import Shelf


class Hopeless:
    """Looks at positions of one search."""

    def __init__(self, shelf: Shelf) -> None:
        """Nothing is looked at yet."""
        self._shelf = shelf
        self._heaps: dict[int, tuple[int, ...]] = {}

    def __call__(self, here: Position) -> bool:
        """Whether a position is lost beyond doubt; ``False`` says nothing."""
        columns, pack, home = here
        shelf = self._shelf
        reach = _Reach(shelf, pack & ALL, _cards(home))
        for column in columns:
            reach.welcome |= shelf.welcome[column]
            if column:
                reach.had |= shelf.top[column]
                reach.piles.append(_Pile(self._heap(column), shelf.hidden[column], 0))
        while reach.home != ALL:
            if not reach.grows():
                return True
        return False

    def _heap(self, column: int) -> tuple[int, ...]:
        known = self._heaps.get(column)
        if known is None:
            cards = self._shelf.cards[column]
            known = self._heaps[column] = tuple(1 << card % DOWN for card in cards)
        return known


def _cards(home: int) -> int:
    """The cards that are home, one bit each."""
    return sum((1 << count) - 1 << suit * RANKS for suit, count in enumerate(counts(home)))


class _Pile:
    """Cards on one another, one bit each, of which those after ``last`` have left."""

    __slots__ = ("cards", "first", "floor", "last")

    def __init__(self, cards: tuple[int, ...], first: int, floor: int) -> None:
        """With all its cards.

        Args:
            cards: They.
            first: From which on an end of them may leave as one.
            floor: The first that may leave.

        """
        self.cards, self.first, self.floor = cards, first, floor
        self.last = len(cards) - 1


class _Reach:
    """The cards, one bit each, that can be had, that are welcome in a column, that are home."""

    __slots__ = ("_laid", "_pack", "_shelf", "had", "home", "piles", "welcome")

    def __init__(self, shelf: Shelf, pack: int, home: int) -> None:
        """Columns are still to come."""
        self._shelf, self._pack, self._laid = shelf, pack, 0
        self.had, self.home, self.welcome = pack, home, 0
        self.piles: list[_Pile] = []

    def grows(self) -> bool:
        """Add what follows from what is there; whether that is more."""
        on, grown = self._shelf.on, False
        while new := (self.home << 1 | ACES) & ~self.home & self.had:
            self.home |= new
            grown = True
        while new := self._pack & self.welcome & ~self._laid:
            self._laid |= new
            for card in members(new):
                self.welcome |= on[card]
            grown = True
        goes = self.welcome | self.home
        for pile in self.piles:
            cards, last, floor = pile.cards, pile.last, pile.floor
            if last >= floor and cards[last] & goes:
                last -= 1
                while last >= floor and cards[last] & goes:
                    self.had |= cards[last]
                    self.welcome |= on[cards[last].bit_length() - 1]
                    last -= 1
                self._leave(pile, last)
                grown = True
            if self._shelf.groups and last > pile.first:
                grown |= self._part(pile)
        return grown

    def _part(self, pile: _Pile) -> bool:
        """The longest end of a run that is welcome leaves, and is a pile of its own then."""
        for at in range(pile.first, pile.last):
            if pile.cards[at] & self.welcome:
                self.piles.append(_Pile(pile.cards[at : pile.last + 1], 1, 1))
                self._leave(pile, at - 1)
                return True
        return False

    def _leave(self, pile: _Pile, last: int) -> None:
        """All after one card have left: it lies open, or the column is empty."""
        pile.last = last
        if last >= 0:
            self.had |= pile.cards[last]
            self.welcome |= self._shelf.on[pile.cards[last].bit_length() - 1]
        else:
            self.welcome |= self._shelf.on_nothing
