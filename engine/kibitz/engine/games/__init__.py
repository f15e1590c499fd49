"""The rule sets, by name. A new game is a folder here and a line below."""

from ..game import Game
from .aces_up.rules import AcesUp
from .klondike.rules import Klondike
from .klondike_single.rules import KLONDIKE_SINGLE
from .montana.rules import Montana
from .thumb_and_pouch.rules import THUMB_AND_POUCH

GAMES: dict[str, Game] = {
    game.name: game for game in (Montana(), AcesUp(), Klondike(), KLONDIKE_SINGLE, THUMB_AND_POUCH)
}
