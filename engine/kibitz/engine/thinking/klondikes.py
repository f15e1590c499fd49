"""What is preferred in Klondikes: playouts, and their first step as a move of the game."""

from random import Random

from ..game import NO_CHANCE, Draw, Move, Recycle, Transfer, play
from ..games.columns import COLUMNS, FOUNDATIONS, WASTE, Columns
from ..games.klondike.rules import PILES, STOCK, SUIT, SUITS, Klondike
from ..solving.klondikes.homes import Homes
from ..solving.klondikes.numbers import NUMBERS, takers
from ..solving.klondikes.tables import home_of
from ..table import Table
from .playouts import DRAW, DRAWN, HOME, PACK, Playout, Step
from .preferring import Way

HOMES = frozenset({SUIT, *FOUNDATIONS})
"""Where cards go home, in any of the games."""


class Preferences:
    """How a Klondike is played on."""

    def __init__(self, game: Columns | Klondike) -> None:
        """Of one game."""
        self._game = game
        self._homes = Homes(takers(game.fits))
        self._suits = SUITS.values() if isinstance(game, Klondike) else FOUNDATIONS

    def is_sure(self, table: Table, move: Move) -> bool:
        """Whether a card goes home that nothing needs elsewhere."""
        if not isinstance(move, Transfer) or move.target not in HOMES:
            return False
        if move.source == STOCK:  # what is had after it changes
            return False
        needless = self._homes.next(home_of(table, self._suits))[1]
        return bool(needless >> NUMBERS[table.piles[move.source][-1].known.code] & 1)

    def begin(self, table: Table, rng: Random) -> Playout:
        """A playout of a table that names all cards."""
        return Playout(self._game, table)

    @property
    def is_free(self) -> bool:
        """Whether the pack may be gone through without end."""
        return isinstance(self._game, Klondike) or (
            self._game.redeals_settable and self._game.redeals is None
        )

    def first(self, table: Table, rng: Random) -> Way | None:
        """The move with which a playout begins, after as many draws; ``None``: there is none."""
        playout, draws = self.begin(table, rng), 0
        while (step := playout.step()) is not None:
            if step != DRAWN or not self.is_free:
                return draws, as_move(self._game, table, step)
            draw = as_move(self._game, table, step)
            table, draws = play(self._game, table, draw, NO_CHANCE).table, draws + 1
        return None


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
