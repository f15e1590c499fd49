"""Deal numbers: a short text that names the same deck for ever.

Two schemes, told apart by the text itself:

* ``ms1`` .. ``ms32000``: the order in which the Microsoft generator picks cards for that number
  (a linear congruential generator, 15 bits a draw, from a deck of aces to kings, each clubs,
  diamonds, hearts, spades).
* anything else of letters, digits, ``.``, ``_`` and ``-``: scheme 1, a shuffle drawn from SHA-256
  of the exact text, so ``42`` and ``0042`` are two deals and neither depends on any library.

A secret shuffle uses scheme 1 over 256 random bits that the caller supplies. The draws are the
same everywhere (:class:`Drawn`), so that anybody can repeat them from these lines: 32-bit words,
big-endian, eight from each ``SHA-256(seed || block number as 8 bytes, big-endian)``, blocks from
0; the list is shuffled from its last place to its second, place ``i`` changing with place
``word mod (i + 1)``, where words from ``2**32 - 2**32 mod (i + 1)`` on are skipped.
"""

import hashlib
import re
from collections.abc import Iterator
from copy import deepcopy
from struct import unpack
from typing import Any

from .cards import DECK, Card
from .game import BadOption

MAX_DEAL = 64
"""Longest deal number, in characters."""

_DEAL = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_DEAL - 1}}}", re.ASCII)
_MICROSOFT = re.compile(r"ms(\d+)", re.ASCII)


def deck_of(deal: str) -> tuple[Card, ...]:
    """The deck of a deal number, first dealt first.

    Raises:
        BadOption: The text is no deal number.

    """
    if not _DEAL.fullmatch(deal):
        raise BadOption(f"not a deal number: {deal[:MAX_DEAL]!r}")
    if found := _MICROSOFT.fullmatch(deal):
        number = int(found[1])
        if not 1 <= number <= 32000:
            raise BadOption("Microsoft deals run from ms1 to ms32000")
        return _microsoft(number)
    return shuffled(b"kibitz deal 1\0" + deal.encode())


def shuffled(seed: bytes) -> tuple[Card, ...]:
    """A new deck shuffled by Fisher and Yates with draws from SHA-256 in counter mode."""
    cards = list(DECK)
    Drawn(seed).shuffle(cards)
    return tuple(cards)


class Drawn:
    """Chance that follows from a seed: the same draws in every language, for ever.

    A copy draws what this one would draw next, and neither knows of the other.
    """

    def __init__(self, seed: bytes) -> None:
        self._words = _Words(seed)

    def __copy__(self) -> "Drawn":
        return deepcopy(self)

    def shuffle(self, x: list[Any], /) -> None:
        """Bring a list into the order that the next draws give."""
        for last in range(len(x) - 1, 0, -1):
            pick = _below(last + 1, self._words)
            x[last], x[pick] = x[pick], x[last]


class _Words(Iterator[int]):
    """32-bit numbers, big-endian, eight from each hash of seed and block number."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._blocks = 0
        """How many hashes have been made."""
        self._left: list[int] = []
        """What is left of the last one, its end first."""

    def __next__(self) -> int:
        if not self._left:
            digest = hashlib.sha256(self._seed + self._blocks.to_bytes(8, "big")).digest()
            self._blocks += 1
            self._left = [*unpack(">8I", digest)][::-1]
        return self._left.pop()


def _below(bound: int, words: Iterator[int]) -> int:
    """A number from 0 to bound - 1, each as likely: words past the last full turn are skipped."""
    limit = 2**32 - 2**32 % bound
    return next(word for word in words if word < limit) % bound


def _microsoft(number: int) -> tuple[Card, ...]:
    rest = sorted(DECK, key=lambda card: card.rank)  # stable: suits stay in the order of a new deck
    state, dealt = number, []
    while rest:
        state = (state * 214013 + 2531011) % 2**31
        pick = (state >> 16) % len(rest)
        rest[pick], rest[-1] = rest[-1], rest[pick]
        dealt.append(rest.pop())
    return tuple(dealt)
