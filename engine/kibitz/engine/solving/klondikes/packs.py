"""The pack of a Klondike: which of its cards can be played, and what is left then.

A pack is one number: its cards, one bit each, and above them what else tells it from other packs
of the same cards. Packs from which the same can be got in the same ways are the same number.
"""

from typing import Protocol

from .numbers import ALL, bits

ABOVE = 52
"""Where the bits begin that are not cards."""
PLACE = 6
"""Bits of a place in the order of the cards."""


class Pack(Protocol):
    """What is neither in a column nor home."""

    start: int
    is_free: bool
    """Whether any card can be had at any time, and whatever goes, the others still can."""

    def reached(self, pack: int) -> int:
        """The cards that can be played, after as many draws as it takes."""
        ...

    def loose(self, pack: int) -> int:
        """The cards that can be played at no cost for the others."""
        ...

    def skipped(self, pack: int, card: int) -> int:
        """How many cards are passed over on the way to a card."""
        ...

    def without(self, pack: int, card: int) -> int:
        """What is left when a card has been played."""
        ...


class Free:
    """Drawn one at a time, again and again: all the same as lying open."""

    is_free = True

    def __init__(self, cards: tuple[int, ...]) -> None:
        """Of these cards."""
        self.start = bits(cards)

    def reached(self, pack: int) -> int:
        """See :class:`Pack`."""
        return pack

    def loose(self, pack: int) -> int:
        """See :class:`Pack`."""
        return pack

    def skipped(self, pack: int, card: int) -> int:
        """See :class:`Pack`."""
        return 0

    def without(self, pack: int, card: int) -> int:
        """See :class:`Pack`."""
        return pack ^ 1 << card


class Counted:
    """Drawn one at a time, so many times through.

    Above the cards: the place up to which they are drawn, and how often all may be drawn again.
    """

    is_free = False

    def __init__(self, cards: tuple[int, ...], drawn: int, redeals: int) -> None:
        """Any pack.

        Args:
            cards: All of them in the order in which they are drawn.
            drawn: How many of them are drawn; the last of these can be played.
            redeals: How often all may be drawn again.

        """
        self._order = cards
        self._place = {card: place for place, card in enumerate(cards)}
        self._known: dict[int, dict[int, int]] = {}
        self.start = self._pack(bits(cards), drawn, redeals)

    def _pack(self, cards: int, place: int, redeals: int) -> int:
        return cards | place << ABOVE | redeals << ABOVE + PLACE

    def _ways(self, pack: int) -> dict[int, int]:
        """The cards that can be had, each with the number that is passed over for it."""
        if (known := self._known.get(pack)) is not None:
            return known
        drawn = pack >> ABOVE & (1 << PLACE) - 1
        left = [card for card in self._order if pack >> card & 1]
        waste = [card for card in left if self._place[card] < drawn]
        stock = left[len(waste) :]
        order = waste[-1:] if waste else []
        found = dict.fromkeys(order, 0) | {card: at for at, card in enumerate(stock)}
        if pack >> ABOVE + PLACE:
            found |= {card: len(stock) + at for at, card in enumerate(waste[:-1])}
        self._known[pack] = found
        return found

    def reached(self, pack: int) -> int:
        """See :class:`Pack`."""
        return bits(tuple(self._ways(pack)))

    def loose(self, pack: int) -> int:
        """See :class:`Pack`: the top of the waste."""
        drawn = pack >> ABOVE & (1 << PLACE) - 1
        return next((1 << card for card in self._order[:drawn][::-1] if pack >> card & 1), 0)

    def skipped(self, pack: int, card: int) -> int:
        """See :class:`Pack`."""
        return self._ways(pack)[card]

    def without(self, pack: int, card: int) -> int:
        """See :class:`Pack`."""
        place, redeals = self._place[card], pack >> ABOVE + PLACE
        again = place < pack >> ABOVE & (1 << PLACE) - 1 and not self.loose(pack) >> card & 1
        return self._pack(pack & ALL ^ 1 << card, place, redeals - again)


class ByThrees:
    """Klondike's stock: its top can be played, three are discarded, all come back turned round.

    As long as the number of the discarded is a multiple of three, draws lead from each such pack
    to all others of the same cards: they are one. Else there is above the cards the number of the
    discarded plus one, and whether the order is turned round; from such a pack draws lead to the
    others, never back.
    """

    SIZE = 3
    is_free = False

    def __init__(self, stock: tuple[int, ...], discard: tuple[int, ...]) -> None:
        """Any pack.

        Args:
            stock: The next one first.
            discard: The first discarded first.

        """
        self._order = discard + stock
        self._known: dict[int, int] = {}
        self.start = self._pack(bits(self._order), len(discard), len(self._order))

    def _pack(self, cards: int, discarded: int, size: int, turned: int = 0) -> int:
        if discarded % self.SIZE == 0 or discarded == size:
            return cards
        return cards | (discarded + 1) << ABOVE | turned << ABOVE + PLACE

    def _rest(self, pack: int) -> list[int]:
        """What is left in the order in which it lies."""
        left = [card for card in self._order if pack >> card & 1]
        return left[::-1] if pack >> ABOVE + PLACE else left

    def _tail(self, pack: int) -> list[int]:
        """What can be played before all is turned round, where that makes a difference."""
        discarded = (pack >> ABOVE & (1 << PLACE) - 1) - 1
        return self._rest(pack)[discarded :: self.SIZE] if discarded > 0 else []

    def reached(self, pack: int) -> int:
        """See :class:`Pack`."""
        known = self._known.get(pack)
        if known is None:
            left = self._rest(pack)
            ways = {*self._tail(pack), *left[:: self.SIZE], *left[:: -self.SIZE]}
            known = self._known[pack] = bits(tuple(ways))
        return known

    def loose(self, pack: int) -> int:
        """See :class:`Pack`: none, what goes changes which ones the next discards bring."""
        return 0

    def skipped(self, pack: int, card: int) -> int:
        """See :class:`Pack`: one that is passed over comes again."""
        return 0

    def without(self, pack: int, card: int) -> int:
        """See :class:`Pack`; before all is turned round if it can, as that leaves more open."""
        cards = pack & ALL ^ 1 << card
        if card not in self._tail(pack):
            return cards
        left = self._rest(pack)
        return self._pack(cards, left.index(card), len(left) - 1, pack >> ABOVE + PLACE)
