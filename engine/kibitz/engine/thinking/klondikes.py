"""What is preferred in Klondikes: playouts, and their first step as a move of the game."""

from random import Random

from ..game import Draw, Move, Recycle, Transfer
from ..games.columns import COLUMNS, FOUNDATIONS, WASTE, Columns
from ..games.klondike.rules import PILES, STOCK, SUIT, Klondike
from ..table import Table
from .playouts import DRAW, HOME, PACK, Playout, Step


class Preferences:
    """How a Klondike is played on."""

    def __init__(self, game: Columns | Klondike, wide: float) -> None:
        """Of one game.

        Args:
            game: The rules.
            wide: How likely a run moves for no good reason, before the next card of the pack.

        """
        self._game = game
        self._wide = wide

    def begin(self, table: Table, rng: Random) -> Playout:
        """A playout of a table that names all cards."""
        return Playout(self._game, table, rng, self._wide)

    def first(self, table: Table, rng: Random) -> Move | None:
        """The move with which a playout begins; ``None``: there is nothing to be done."""
        step = self.begin(table, rng).step()
        return None if step is None else as_move(self._game, table, step)


def as_move(game: Columns | Klondike, table: Table, step: Step) -> Move:
    """A step of a playout from a table as a move of the game."""
    source, target, count = step
    if isinstance(game, Klondike):
        if source == DRAW:
            return Draw() if table.piles[STOCK] else Recycle()
        pile = STOCK if source == PACK else PILES[source]
        return Transfer(pile, SUIT if target == HOME else PILES[target])
    if source == DRAW:
        return Draw()
    pile = WASTE if source == PACK else COLUMNS[source]
    if target < HOME:
        return Transfer(pile, COLUMNS[target], count)
    homes = (Transfer(pile, suit) for suit in FOUNDATIONS)
    return next(move for move in homes if game.objection(table, move) is None)
