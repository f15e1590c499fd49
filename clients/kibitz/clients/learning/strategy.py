"""What was learnt, as a strategy: for ``kibitz arena``, a server, or a game offline."""

from collections.abc import Callable

from kibitz.engine.game import Game
from kibitz.engine.games import TEXTS
from kibitz.engine.notation import read_table
from kibitz.protocol.views import BoardView

from ..bots import Strategy
from .actions import Mask, legal, mask_of
from .sight import Observation, observe

Policy = Callable[[Observation, Mask], int]
"""Chooses an action, seeing what :class:`.solitaire.Solitaire` shows; only a legal one is good."""


def strategy(game: Game, policy: Policy) -> Strategy:
    """A policy as a strategy; it gives up where nothing is legal, or chosen that is not."""

    def choose(view: BoardView, lines: list[str]) -> str | None:
        table = read_table(view.piles, view.counters)
        moves = legal(game, table)
        if not moves:
            return None
        move = moves.get(int(policy(observe(game, table), mask_of(game, moves))))
        return None if move is None else TEXTS[game.name].write(move)

    return choose
