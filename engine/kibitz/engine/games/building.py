"""Piles that are built: what they take, which of their cards move together, how they are dealt.

What the Klondikes share, whatever their piles are called. Cards are spoken of by their codes,
piles by the text of their last cell: what may lie where is looked up, not worked out.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache

from ..cards import ACE, CARDS, DECK, KING, Card, Fits, is_run, up_in_suit
from ..game import BadOption, face_up
from ..table import CELLS, DOWN, UP, Cell, Pile, Table

ANY = frozenset(CARDS)
ACES = frozenset(card.code for card in DECK if card.rank == ACE)
KINGS = frozenset(card.code for card in DECK if card.rank == KING)
NO_CARD = ""
Takes = Mapping[str, frozenset[str]]
"""The codes of the cards that a pile takes, by the text of its last cell or ``NO_CARD``."""


@cache
def building(fits: Fits, first: frozenset[str]) -> Takes:
    """What piles take that are built in some way, and what empty ones take."""
    on = {below.code: frozenset(c.code for c in DECK if fits(c, below)) for below in DECK}
    return {NO_CARD: first, **dict.fromkeys(CELLS, frozenset[str]()), **on}


ON_FOUNDATION = building(up_in_suit, ACES)


def deal_columns(
    deck: Sequence[Card], columns: Sequence[str]
) -> tuple[dict[str, Pile], list[Card]]:
    """Deal seven rounds, round r giving one card to each of the columns r..7.

    Returns:
        The columns, the first card of each round face up; and the cards left.

    Raises:
        BadOption: It is not a deck of 52 different cards.

    """
    if sorted(card.code for card in deck) != sorted(card.code for card in DECK):
        raise BadOption("this game needs all 52 cards, each once")
    cards = iter(deck)
    piles: dict[str, Pile] = dict.fromkeys(columns, ())
    for r, first in enumerate(columns):
        for column in columns[r:]:
            piles[column] += ((UP if column == first else DOWN)[next(cards)],)
    return piles, list(cards)


def check_columns(table: Table, columns: Sequence[str], fits: Fits) -> str | None:
    """What is wrong with columns that must be a face-up run on a face-down rest."""
    for column in columns:
        cells = table.piles[column]
        run = face_up(cells)
        if (cells and not run) or any(cell.up for cell in cells[: len(cells) - run]):
            return f"{column} must be face-up cards on face-down ones"
        if not is_run([cell.known for cell in cells[len(cells) - run :]], fits):
            return f"the face-up cards of {column} are no run"
    return None


def check_foundation(cells: Sequence[Cell]) -> bool:
    """Whether a foundation is its suit's run from the ace, face up."""
    cards = [cell.known for cell in cells]
    starts = not cards or cards[0].rank == ACE
    return starts and all(cell.up for cell in cells) and is_run(cards, up_in_suit)


def last_run(cells: Pile, takes: Takes) -> list[str]:
    """The codes of the longest face-up run at the end of a pile, its last card first."""
    run: list[str] = []
    for cell in reversed(cells):
        text = cell.text
        if not cell.up or (run and run[-1] not in takes[text]):
            break
        run.append(text)
    return run


def takers(
    piles: Mapping[str, Pile], names: Iterable[str], takes: Takes, cards: Set[str]
) -> list[tuple[str, frozenset[str]]]:
    """Of some piles those that take one of some cards, and what each of them takes."""
    found = []
    for name in names:
        cells = piles[name]
        taken = takes[cells[-1].text if cells else NO_CARD]
        if not taken.isdisjoint(cards):
            found.append((name, taken))
    return found


def welcome(takes: Takes, cells: Pile) -> frozenset[str]:
    """The codes of the cards that a pile takes now."""
    return takes[cells[-1].text if cells else NO_CARD]


def is_spent(
    piles: Mapping[str, Pile],
    pack: Iterable[str],
    homes: Iterable[str],
    columns: Iterable[str],
    takes: Takes,
) -> bool:
    """Whether all cards of a pack are known, and none of them could be played now."""
    cells = [cell for name in pack for cell in piles[name]]
    if any(cell.card is None for cell in cells):
        return False
    cards = {cell.known.code for cell in cells}
    return not takers(piles, homes, ON_FOUNDATION, cards) and not takers(
        piles, columns, takes, cards
    )
