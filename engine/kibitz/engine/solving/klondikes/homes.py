"""The cards that are home, as one number, and what may follow them.

Promises: a card is called *needless* only where sending it home at once loses no win. It is when
each card that may lie on it is home already, or is itself the next of its suit and needless.
Take any line that wins and leave the card at home: whatever that line would lay on it can go home
instead, and so can what would lie on that. All else stays as it was or is less covered.
"""

from .numbers import RANKS

SUITS = range(4)
WIDTH = 4
"""Bits of the count of each suit."""
FULL = sum(RANKS << WIDTH * suit for suit in SUITS)


def with_counts(counts: list[int]) -> int:
    """The number for so many cards of each suit."""
    return sum(count << WIDTH * suit for suit, count in enumerate(counts))


def with_one_more(home: int, card: int) -> int:
    """After a card has gone home."""
    return home + (1 << WIDTH * (card // RANKS))


def counts(home: int) -> list[int]:
    """How many cards of each suit."""
    return [home >> WIDTH * suit & (1 << WIDTH) - 1 for suit in SUITS]


class Homes:
    """What may go home when some cards are, each looked at once."""

    def __init__(self, on: tuple[int, ...]) -> None:
        """Of a game.

        Args:
            on: For each card, the cards that may lie on it in a column, one bit each.

        """
        self._on = on
        self._known: dict[int, tuple[int, int]] = {}

    def next(self, home: int) -> tuple[int, int]:
        """The cards that may go home, and those of them that are needless elsewhere."""
        known = self._known.get(home)
        if known is None:
            known = self._known[home] = self._look(counts(home))
        return known

    def _look(self, have: list[int]) -> tuple[int, int]:
        wanted = [suit * RANKS + count for suit, count in enumerate(have) if count < RANKS]
        needless = [card for card in wanted if self._is_needless(card, have)]
        return sum(1 << card for card in wanted), sum(1 << card for card in needless)

    def _is_needless(self, card: int, have: list[int]) -> bool:
        for other in range(len(self._on)):
            if self._on[card] >> other & 1:
                missing = other % RANKS - have[other // RANKS]
                if missing > 0 or (missing == 0 and not self._is_needless(other, have)):
                    return False
        return True
