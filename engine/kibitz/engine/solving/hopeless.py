"""Positions from which no win is possible even if far more were allowed than is.

Promises: what is called hopeless is lost. Here a card that can lie open once is said to lie open
for ever, with room on it for all that fit; all of the pack can be had at any time; and a column
that can be empty once always is. Each real move keeps within what is reached so: whatever really
lies open, is home or is empty is found so here. Where a card is still missing in the end, no line
brings it home.
"""

from .homes import counts
from .numbers import ALL, DOWN, KINGS, RANKS, members
from .positions import Position
from .shelves import Shelf

Heap = tuple[tuple[int, int], ...]
"""Cards that lie on one another: each as a bit, with the cards that it may lie on."""


class Hopeless:
    """Looks at positions of one search."""

    def __init__(self, shelf: Shelf) -> None:
        """Nothing is looked at yet."""
        self._shelf = shelf
        self._under = tuple(
            sum(1 << below for below, takes in enumerate(shelf.on) if takes >> card & 1)
            for card in range(len(shelf.on))
        )
        self._heaps: dict[int, Heap] = {}

    def __call__(self, here: Position) -> bool:
        """Whether a position is lost beyond doubt; ``False`` says nothing."""
        columns, pack, home = here
        hidden, groups = self._shelf.hidden, self._shelf.groups
        spread = _Spread(pack & ALL, home, self._shelf.on_nothing, empty=0 in columns)
        for column in columns:
            if column:
                spread.add(_Pile(self._heap(column), hidden[column], floor=0))
        waiting = members(pack & ALL)
        while True:
            before = spread.size
            spread.bring_home()
            if spread.home == ALL:
                return False
            for pile in spread.piles:
                spread.uncover(pile)
                if groups:
                    spread.part(pile)
            waiting = tuple([card for card in waiting if not spread.lay(card, self._under[card])])
            if spread.size == before:
                return True

    def _heap(self, column: int) -> Heap:
        known = self._heaps.get(column)
        if known is None:
            cards = [card % DOWN for card in self._shelf.cards[column]]
            known = self._heaps[column] = tuple((1 << card, self._under[card]) for card in cards)
        return known


class _Pile:
    """Cards on one another, of which the last ones have left: those after ``last``."""

    __slots__ = ("cards", "first", "floor", "last")

    def __init__(self, cards: Heap, first: int, floor: int) -> None:
        """With all its cards.

        Args:
            cards: They.
            first: From which on they are a run, and what lies before may not be parted from them.
            floor: The first that may leave.

        """
        self.cards, self.first, self.floor = cards, first, floor
        self.last = len(cards) - 1


class _Spread:
    """What can lie open in a column, be home, or be empty."""

    __slots__ = ("_next", "_on_nothing", "_pack", "empty", "home", "open", "piles", "size")

    def __init__(self, pack: int, home: int, on_nothing: int, *, empty: bool) -> None:
        """At first, what it is now.

        Args:
            pack: The cards of the pack.
            home: How many cards of each suit are home.
            on_nothing: The cards that an empty column takes.
            empty: Whether a column is empty.

        """
        self._pack, self._on_nothing = pack, on_nothing
        self.empty, self.open, self.home = empty, 0, 0
        self.piles: list[_Pile] = []
        self._next: list[int] = []
        for suit, count in enumerate(counts(home)):
            self.home |= (1 << count) - 1 << suit * RANKS
            if count < RANKS:
                self._next.append(1 << suit * RANKS + count)
        self.size = 0
        """Grows whenever something is found."""

    def add(self, pile: _Pile) -> None:
        """Cards that lie on one another; the last lies open."""
        self.piles.append(pile)
        self.open |= pile.cards[-1][0]

    def bring_home(self) -> None:
        """Each card goes home that is the next of its suit and can be had."""
        had = self.open | self._pack
        for at, card in enumerate(self._next):
            while card & had:
                self.home |= card
                self.size += 1
                card = 0 if card & KINGS else card << 1
            self._next[at] = card

    def uncover(self, pile: _Pile) -> None:
        """The last cards of a pile leave, one by one, as long as there is a place for them."""
        cards, last, floor = pile.cards, pile.last, pile.floor
        while last >= floor:
            card, under = cards[last]
            if not (card & self.home or self._fits(card, under)):
                break
            last -= 1
            if last >= floor:
                self.open |= cards[last][0]
        if last < pile.last:
            self.size += pile.last - last
            self._leave(pile, last)

    def part(self, pile: _Pile) -> None:
        """The longest end of a run leaves as one if there is a place; it is another pile then."""
        for at in range(pile.first, pile.last):
            if self._fits(*pile.cards[at]):
                self.size += 1
                self.piles.append(_Pile(pile.cards[at : pile.last + 1], first=1, floor=1))
                self._leave(pile, at - 1)
                return

    def lay(self, card: int, under: int) -> bool:
        """Whether there is a place for a card of the pack in the columns; it lies there then."""
        if not self._fits(1 << card, under):
            return False
        self.open |= 1 << card
        self.size += 1
        return True

    def _fits(self, card: int, under: int) -> bool:
        return bool(under & self.open or (self.empty and card & self._on_nothing))

    def _leave(self, pile: _Pile, last: int) -> None:
        pile.last = last
        if last >= 0:
            self.open |= pile.cards[last][0]
        elif not pile.floor:
            self.empty = True
