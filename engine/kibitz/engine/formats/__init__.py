"""Positions as other programs write them, told apart by the text itself.

Promises: a text is read exactly or refused with line and reason; what is written says all of the
position or nothing is written. Never: a guess, a file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .. import saves
from ..game import Game
from ..games import GAMES
from ..headers import LineError
from ..saves import DEFAULT, Save
from ..table import Table
from . import boards, digits, solvitaire
from .layout import Unfit

__all__ = ["FORMATS", "Format", "Unfit", "read_any", "write"]


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        looks_like: Whether a text begins as this format does.
        read: The position in a text; raises ``LineError``.
        write: The text of a position; raises ``Unfit``.

    """

    looks_like: Callable[[str], bool]
    read: Callable[[str, Game], Save]
    write: Callable[[Game, Table], str]


FORMATS: Mapping[str, Format] = {
    "solvitaire": Format(solvitaire.looks_like, solvitaire.read, solvitaire.write),
    "klondike-solver": Format(digits.looks_like, digits.read, digits.write),
    "fc-solve": Format(boards.looks_like, boards.read, boards.write),
}
"""Every format by its name. What Klondike-Solver reads as text is a board of ``fc-solve``."""


def read_any(text: str, game: str | None = None) -> Save:
    """The position in a save text or in a text of one of the formats.

    Args:
        text: What came from outside.
        game: The name of the game; a save says it itself. ``None``: klondike, or what the text
            shows.

    Raises:
        LineError: It is none of them, or of another game.

    """
    for format_ in FORMATS.values():
        if format_.looks_like(text):
            montana = game is None and solvitaire.is_montana(text)
            return format_.read(text, GAMES["montana" if montana else game or DEFAULT])
    save = saves.read(text)
    if game is not None and save.game.name != game:
        raise LineError(1, 1, f"that is a save of {save.game.name}")
    return save


def write(format_: str, game: Game, table: Table) -> str:
    """The text of a position that names all its cards, in one of the formats.

    Raises:
        Unfit: There is no such format, or it would not say all of the position.

    """
    if format_ not in FORMATS:
        raise Unfit(f"there is no format {format_:.32} (formats: {', '.join(FORMATS)})")
    return FORMATS[format_].write(game, table)
