"""The pack of a Klondike: which of its cards can be played, after how many draws.

A pack is a value: without a card it is another one. Cards are numbers, see :mod:`.numbers`.
Packs of the same cards from which the same can be got in the same ways have the same key.
"""

from collections.abc import Hashable
from functools import cached_property
from typing import Protocol, Self

Reached = tuple[int, int, int]
"""A card that can be played, the draws that it takes, the place it has in the pack."""


class Pack(Protocol):
    """What is neither in a column nor home."""

    @property
    def reached(self) -> tuple[Reached, ...]:
        """Every way to get at a card, those with fewer draws first."""
        ...

    @property
    def key(self) -> Hashable:
        """What tells it from other packs of the same cards."""
        ...

    @property
    def loose(self) -> Reached | None:
        """A card that can be had without a draw, and whose going costs the rest nothing."""
        ...

    def without(self, place: int) -> Self:
        """The pack after the card at that place has been drawn to, and played."""
        ...


class OneByOne:
    """Cards drawn one at a time, so many times through."""

    def __init__(self, cards: tuple[int, ...], drawn: int, redeals: int | None) -> None:
        """Any pack.

        Args:
            cards: All of them in the order in which they are drawn.
            drawn: How many of them are drawn; the last of these can be played.
            redeals: How often all may be drawn again; ``None``: no limit.

        """
        self._cards = cards
        self._drawn = drawn
        self._redeals = redeals

    @cached_property
    def reached(self) -> tuple[Reached, ...]:
        """See :class:`Pack`."""
        cards, drawn = self._cards, self._drawn
        first = max(0, drawn - 1)
        found = [(cards[at], at + 1 - drawn, at) for at in range(first, len(cards))]
        if self._redeals != 0:
            left = len(cards) - drawn
            found += [(cards[at], left + at + 1, at) for at in range(first)]
        return tuple(found)

    @property
    def loose(self) -> Reached | None:
        """See :class:`Pack`."""
        return self.reached[0] if self._drawn else None

    def without(self, place: int) -> Self:
        """See :class:`Pack`."""
        cards, redeals = self._cards, self._redeals
        if redeals and place < self._drawn - 1:
            redeals -= 1
        return type(self)(cards[:place] + cards[place + 1 :], place, redeals)

    @property
    def key(self) -> Hashable:
        """See :class:`Pack`."""
        return None if self._redeals is None else (self._drawn, self._redeals)


class ByThrees:
    """Klondike's stock: its top can be played, three are discarded, all come back turned round."""

    SIZE = 3

    def __init__(self, stock: tuple[int, ...], discard: tuple[int, ...]) -> None:
        """Any pack.

        Args:
            stock: The next one first.
            discard: The first discarded first.

        """
        self._stock = stock
        self._discard = discard

    loose = None
    """A card that goes changes which ones the next discards bring."""

    @cached_property
    def _passes(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """How it looks after each number of draws: to the end, all of it back, all of it forth."""
        stock, discard = self._stock, self._discard
        ends, found = 0, [(stock, discard)]
        while ends < (3 if discard else 2):
            if stock:
                stock, discard = stock[self.SIZE :], discard + stock[: self.SIZE]
            else:
                stock, discard, ends = discard[::-1], (), ends + 1
            found.append((stock, discard))
        return tuple(found)

    @cached_property
    def reached(self) -> tuple[Reached, ...]:
        """See :class:`Pack`."""
        found: dict[object, Reached] = {}
        for draws, (stock, discard) in enumerate(self._passes):
            if stock:
                key = stock[0], type(self)(stock[1:], discard).key
                found.setdefault(key, (stock[0], draws, draws))
        return tuple(found.values())

    def without(self, place: int) -> Self:
        """See :class:`Pack`."""
        stock, discard = self._passes[place]
        return type(self)(stock[1:], discard)

    @property
    def key(self) -> Hashable:
        """See :class:`Pack`: all that draws lead to from one another have one."""
        if not self._stock or len(self._discard) % self.SIZE == 0:
            return None
        return self._stock, self._discard
