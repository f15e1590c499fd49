"""Cards and the tests that building rules are made of.

Promises: a card is a small frozen value; its code is ``Th`` (rank ``A 2..9 T J Q K``, suit
``c d h s``) everywhere: on the wire, in logs and in saves. Never: piles, games, randomness.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

RANKS = "A23456789TJQK"
ACE, TWO, KING = 1, 2, 13


class Suit(Enum):
    """The four suits, in the order of a new deck."""

    CLUBS = "c"
    DIAMONDS = "d"
    HEARTS = "h"
    SPADES = "s"

    def __init__(self, letter: str) -> None:
        self.red = letter in "dh"
        """Whether the suit is red."""

    @property
    def sign(self) -> str:
        """The suit as a sign, one character: ``♥``."""
        return _SIGNS[self]


_SIGNS = {Suit.CLUBS: "♣", Suit.DIAMONDS: "♦", Suit.HEARTS: "♥", Suit.SPADES: "♠"}


@dataclass(frozen=True, slots=True)
class Card:
    """One playing card; ``rank`` runs from 1 (ace) to 13 (king)."""

    rank: int
    suit: Suit
    code: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not ACE <= self.rank <= KING:
            raise ValueError(f"not a rank: {self.rank}")
        object.__setattr__(self, "code", RANKS[self.rank - 1] + self.suit.value)

    def __hash__(self) -> int:
        return hash(self.code)

    def __str__(self) -> str:
        return self.code

    @property
    def sign(self) -> str:
        """The card as players read it: ``10♠``."""
        return self.code[:-1].replace("T", "10") + self.suit.sign


DECK = tuple(Card(rank, suit) for suit in Suit for rank in range(ACE, KING + 1))
"""A new deck: clubs, diamonds, hearts, spades, each from the ace to the king."""

CARDS = {card.code: card for card in DECK}
"""Every card by its code. Exact: ``th`` and ``10h`` are not codes."""


def read_card(text: str) -> Card:
    """Read a card as people write it: ``Th``, ``10H``, ``tH`` or ``10♥``.

    Raises:
        ValueError: The text names no card.

    """
    rank = text[:-1].upper().replace("10", "T")
    suit = next((s.value for s in Suit if text[-1:] in (s.sign, s.value, s.value.upper())), "")
    card = CARDS.get(rank + suit)
    if card is None:
        raise ValueError(f"not a card: {text[:8]!r}")
    return card


Fits = Callable[[Card, Card], bool]
"""Whether the first card may lie on the second."""


def down(card: Card, below: Card) -> bool:
    """Build down in rank regardless of suit."""
    return card.rank == below.rank - 1


def down_other_suit(card: Card, below: Card) -> bool:
    """Build down in any suit but the same one."""
    return card.rank == below.rank - 1 and card.suit is not below.suit


def down_other_colour(card: Card, below: Card) -> bool:
    """Build down in alternating colours."""
    return card.rank == below.rank - 1 and card.suit.red is not below.suit.red


def up_in_suit(card: Card, below: Card) -> bool:
    """Build up in one suit, as on a foundation."""
    return card.rank == below.rank + 1 and card.suit is below.suit


def is_run(cards: Sequence[Card], fits: Fits) -> bool:
    """Whether each card (bottom to top) fits on the one before it."""
    return all(fits(card, below) for below, card in pairwise(cards))
