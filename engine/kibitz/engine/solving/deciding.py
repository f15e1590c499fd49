"""One question for all games: whether, and how, a position can still be won.

Never: how a game is searched; that is a module of its own for each family.
"""

from ..game import Game, Move
from ..games.aces_up.rules import AcesUp
from ..games.columns import Columns
from ..games.klondike.rules import Klondike
from ..games.montana.rules import Montana
from ..table import Table
from . import aces, montana
from .answers import Answer, Budget, Enough, Verdict
from .klondikes import tables as klondikes


def solve(game: Game, table: Table, budget: Budget, seed: int = 0) -> Answer:
    """Look for a line that wins.

    Args:
        game: The rules.
        table: The full table; never a redacted one.
        budget: How much may be looked at.
        seed: Other seeds look in other orders; the same seed and nodes find the same.

    Returns:
        What was found within the budget.

    Raises:
        TypeError: There is no search for this game.

    """
    try:
        line = _line(game, table, budget, seed)
    except Enough:
        return Answer(Verdict.UNKNOWN, nodes=budget.used)
    if line is None:
        return Answer(Verdict.LOST, nodes=budget.used)
    return Answer(Verdict.WIN, line, budget.used)


def _line(game: Game, table: Table, budget: Budget, seed: int) -> tuple[Move, ...] | None:
    match game:
        case Columns() | Klondike():
            return klondikes.solve(game, table, budget, seed)
        case Montana():
            return montana.solve(game, table, budget, seed)
        case AcesUp():
            return aces.solve(game, table, budget, seed)
        case _:
            raise TypeError(f"no search for {game.name}")
