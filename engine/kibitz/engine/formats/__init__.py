"""Positions as other programs write them, told apart by the text itself.

Promises: a text is read exactly or refused with line and reason; what is written says where every
card lies, or nothing is written. These formats know no rules: options and what is left of them
(shuffles, redeals) come from the game that is named, not from the text. Never: a guess, a file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .. import saves
from ..game import Game
from ..games import GAMES
from ..headers import LineError
from ..saves import Save
from ..table import Table
from . import boards, digits, solvitaire
from .layout import Unfit

__all__ = ["FORMATS", "Format", "Unfit", "read_any", "write"]


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        name: What commands and requests call it.
        looks_like: Whether a text begins as this format does.
        read: The position in a text, of this game or else of the one that the format is mostly
            used for; raises ``LineError``.
        write: The text of a position that names all its cards; raises ``Unfit``.

    """

    name: str
    looks_like: Callable[[str], bool]
    read: Callable[[str, Game | None], Save]
    write: Callable[[Game, Table], str]


_ALL = (
    Format("solvitaire", solvitaire.looks_like, solvitaire.read, solvitaire.write),
    Format("klondike-solver", digits.looks_like, digits.read, digits.write),
    Format("fc-solve", boards.looks_like, boards.read, boards.write),
)

FORMATS: Mapping[str, Format] = {format_.name: format_ for format_ in _ALL}
"""Every format by its name."""


def read_any(text: str, game: str | None = None) -> Save:
    """The position in a save text or in a text of one of the formats.

    Args:
        text: What came from outside.
        game: The name of the game; a save says it itself. ``None``: klondike, or what the text
            shows.

    Raises:
        LineError: It is none of them, or of another game, or there is no such game.

    """
    if game is not None and game not in GAMES:
        raise LineError(1, 1, f"there is no game {game:.32}")
    for format_ in FORMATS.values():
        if format_.looks_like(text):
            return format_.read(text, None if game is None else GAMES[game])
    save = saves.read(text)
    if game is not None and save.game.name != game:
        raise LineError(1, 1, f"that is a save of {save.game.name}")
    return save


def write(format_: str, game: Game, table: Table) -> str:
    """The text of a position that names all its cards, in one of the formats.

    Raises:
        Unfit: There is no such format, or it has no place for some card.

    """
    if format_ not in FORMATS:
        raise Unfit(f"there is no format {format_:.32} (formats: {', '.join(FORMATS)})")
    return FORMATS[format_].write(game, table)
