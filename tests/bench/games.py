"""The games that are measured, by name: ours, and the control, which is none of ours."""

from small_decks import CONTROL, klondike

from kibitz.engine.game import Game
from kibitz.engine.games import GAMES


def game_of(name: str) -> Game:
    """A game with its options, ``klondike alternate_colours=on``; or the control."""
    if name == CONTROL.name:
        return klondike(name)
    first, *options = name.split()
    return GAMES[first].with_options(dict(option.split("=") for option in options))
