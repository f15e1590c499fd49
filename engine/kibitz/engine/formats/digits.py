"""What Klondike-Solver takes and prints: a deck string; the rows of its screen are read, too.

A deck string has 52 cards of three digits, in the order they are dealt: two digits are the rank,
01 to 13, the third the suit: 1 clubs, 2 diamonds, 3 hearts, 4 spades. It says a deal, so it fits
every game of the Klondike kind, and only a game's start; which cards lie open, the rules say.
Lines that begin with ``#`` are remarks. (Its third form is a board, see :mod:`.boards`.)
"""

import re

from ..cards import DECK, Card, Suit
from ..game import BadOption, Game
from ..games import GAMES
from ..headers import LineError, split_lines
from ..saves import DEFAULT, MAX_SAVE, Save
from ..table import Table
from . import diagrams
from .layout import Unfit, cards_of, is_fit, layout_of

_SUITS = dict(zip("1234", Suit, strict=True))
_NUMBERS = {suit: number for number, suit in _SUITS.items()}
_LENGTH = 3 * len(DECK)
_BEGIN = re.compile(r"(?:\s|#[^\n]*\n)*[0-9]{3}")
_CARD = re.compile(r"(0[1-9]|1[0-3])([1-4])")


def looks_like(text: str) -> bool:
    """Whether the first line that is no remark begins like a deck string or a screen."""
    return _BEGIN.match(text.removeprefix("\ufeff")) is not None or diagrams.looks_like(text)


def read(text: str, game: Game | None = None) -> Save:
    """The start of a game, dealt from the deck, or the position on a screen.

    Args:
        text: What came from outside.
        game: Of which game; ``None``: klondike.

    Raises:
        LineError: It is no such text, or none of this game.

    """
    lines, game = split_lines(text, MAX_SAVE), game or GAMES[DEFAULT]
    if not is_fit(game):
        raise LineError(1, 1, f"{game.name} is not dealt from such decks")
    if diagrams.looks_like(text):
        return diagrams.read(lines, game)
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
    found = _CARD.fullmatch(digits)
    if found is None:
        raise LineError(line, column, f"not a card: `{digits}`")
    card = Card(int(found[1]), _SUITS[found[2]])
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
