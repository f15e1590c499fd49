"""Cards as numbers, sets of cards as bits: what the searches in Klondikes count with.

Never: anything of a search. The numbers mean nothing outside of it and are written down nowhere.
"""

from functools import cache, lru_cache

from ...cards import ACE, DECK, KING, Fits

NUMBERS = {card.code: number for number, card in enumerate(DECK)}
"""Suit after suit, each from the ace."""
RANKS = 13
ALL = (1 << len(DECK)) - 1
ACES = sum(1 << NUMBERS[card.code] for card in DECK if card.rank == ACE)
KINGS = sum(1 << NUMBERS[card.code] for card in DECK if card.rank == KING)
DOWN = 64
"""Added to the number of a card that lies face down."""


@lru_cache(1 << 16)
def members(cards: int) -> tuple[int, ...]:
    """The cards of a set."""
    return tuple(card for card in range(len(DECK)) if cards >> card & 1)


def bits(cards: tuple[int, ...]) -> int:
    """The set of some cards."""
    return sum(1 << card for card in cards)


@cache
def takers(fits: Fits) -> tuple[int, ...]:
    """For each card, the cards that may lie on it."""
    return tuple(
        sum(1 << NUMBERS[card.code] for card in DECK if fits(card, below)) for below in DECK
    )
