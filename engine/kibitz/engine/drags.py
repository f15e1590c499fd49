"""Drags: so many last cards of one pile dropped on another, and the moves that do just that.

The same for every game: which cards a move takes where is read off the first fact it makes
happen. That fact depends on open cards only, so drags tell no more than the moves themselves.
Never: rules, and nothing about a single game.
"""

from dataclasses import dataclass

from .game import NO_CHANCE, Game, IllegalMove, Move, Objection, Transfer, Why, moves, object_to
from .table import Moved, Table, redact_table


@dataclass(frozen=True, slots=True)
class Drag:
    """The ``count`` last cards of ``source`` are dropped on ``target``: piles by their names."""

    source: str
    target: str
    count: int = 1


def drag_of(game: Game, table: Table, move: Move) -> Drag | None:
    """The drag that a legal move is on this full table; ``None`` if it is no transfer."""
    if not isinstance(move, Transfer):
        return None
    first = game.effect(table, move, NO_CHANCE)[0]
    assert isinstance(first, Moved), "a transfer begins with cards that move"
    return Drag(first.source, first.target, len(first.cells))


def move_of(game: Game, table: Table, drag: Drag) -> Move:
    """The legal move that a drag between piles of this game means on a full table.

    Raises:
        IllegalMove: There is none; the objection is the one to the transfer, or that it does not
            fit.

    """
    wish = Transfer(drag.source, drag.target, drag.count)
    for move in moves(game, redact_table(table)):
        if drag_of(game, table, move) == drag:
            return move
    objection = object_to(game, table, wish)
    if objection is None or objection.why is Why.UNKNOWN:
        objection = Objection(Why.MISMATCH, drag.target)
    raise IllegalMove(objection)
