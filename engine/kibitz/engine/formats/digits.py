"""The deck string of Klondike-Solver: 52 cards of three digits, in the order they are dealt.

Two digits are the rank, 01 to 13, the third the suit: 1 clubs, 2 diamonds, 3 hearts, 4 spades.
It says a deal, so it fits every game of the Klondike kind, and only a game's start.
Lines that begin with ``#`` are remarks.
"""

from ..cards import DECK, Card, Suit
from ..game import BadOption, Game
from ..headers import LineError, split_lines
from ..saves import MAX_SAVE, Save
from ..table import Table
from .layout import Unfit, cards_of, is_fit, layout_of

_SUITS = dict(zip("1234", Suit, strict=True))
_NUMBERS = {suit: number for number, suit in _SUITS.items()}
_LENGTH = 3 * len(DECK)


def looks_like(text: str) -> bool:
    """Whether the first line that is no remark begins like a deck string."""
    lines = text.removeprefix("\ufeff").splitlines()
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    first = lines[0].strip() if lines else ""
    return len(first) >= 3 and first.isascii() and first.isdigit()


def read(text: str, game: Game) -> Save:
    """The start of a game, dealt from the deck.

    Raises:
        LineError: It is no such string.

    """
    lines = split_lines(text, MAX_SAVE)
    if not is_fit(game):
        raise LineError(1, 1, f"{game.name} is not dealt from such decks")
    said = [(n, line) for n, line in enumerate(lines, 1) if line and not line.startswith("#")]
    if len(said) != 1:
        raise LineError(said[1][0] if said else 1, 1, "one deal, on one line")
    number, line = said[0]
    digits = line.lstrip()
    deck: list[Card] = []
    for at in range(0, len(digits), 3):
        deck.append(_card(digits[at : at + 3], number, len(line) - len(digits) + at + 1, deck))
    if len(digits) != _LENGTH:
        raise LineError(number, len(line), f"{len(DECK)} cards of three digits are {_LENGTH}")
    try:
        return Save(game, game.deal(deck))
    except BadOption as error:
        raise LineError(number, 1, str(error)) from None


def _card(digits: str, line: int, column: int, before: list[Card]) -> Card:
    known = digits.isascii() and digits.isdigit() and digits[-1] in _SUITS and len(digits) == 3
    if not known or not 1 <= int(digits[:2]) <= 13:
        raise LineError(line, column, f"not a card: `{digits}`")
    card = Card(int(digits[:2]), _SUITS[digits[-1]])
    if card in before:
        raise LineError(line, column, f"{card} is there twice")
    return card


def write(game: Game, table: Table) -> str:
    """The deck that a position was dealt from.

    Raises:
        Unfit: It is no start of a game.

    """
    layout = layout_of(game, table)
    rounds = [pile[r : r + 1] for r in range(7) for pile in layout.columns[r:]]
    deck = [card for cells in rounds for card in cards_of(cells)]
    deck += [*layout.waste, *layout.stock]
    if len(deck) != len(DECK) or game.deal(deck).piles != table.piles:
        raise Unfit("a deck string says a deal, and this game has gone on")
    return "".join(f"{card.rank:02}{_NUMBERS[card.suit]}" for card in deck) + "\n"
