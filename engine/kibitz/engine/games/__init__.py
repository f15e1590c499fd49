"""The rule sets and their words, by name. A new game is a folder here and two lines below."""

from collections.abc import Iterable

from ..game import Game, Move
from ..text import Text
from .aces_up.rules import AcesUp
from .aces_up.text import TEXT as ACES_UP_TEXT
from .klondike.rules import Klondike
from .klondike.text import TEXT as KLONDIKE_TEXT
from .klondike_single.rules import KLONDIKE_SINGLE
from .klondike_single.text import TEXT as KLONDIKE_SINGLE_TEXT
from .montana.rules import Montana
from .montana.text import TEXT as MONTANA_TEXT
from .thumb_and_pouch.rules import THUMB_AND_POUCH
from .thumb_and_pouch.text import TEXT as THUMB_AND_POUCH_TEXT

GAMES: dict[str, Game] = {
    game.name: game for game in (Montana(), AcesUp(), Klondike(), KLONDIKE_SINGLE, THUMB_AND_POUCH)
}

TEXTS: dict[str, Text] = {
    "montana": MONTANA_TEXT,
    "aces-up": ACES_UP_TEXT,
    "klondike": KLONDIKE_TEXT,
    "klondike-single": KLONDIKE_SINGLE_TEXT,
    "thumb-and-pouch": THUMB_AND_POUCH_TEXT,
}


def written(game: Game, line: Iterable[Move]) -> list[str]:
    """Moves in a game's notation."""
    return [TEXTS[game.name].write(move) for move in line]
