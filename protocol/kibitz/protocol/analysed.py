"""What became of a game that has ended, as it is told: by a server, and by `kibitz solve`."""

from typing import Literal

from msgspec import Struct

from kibitz.engine.solving.analysis import Analysis
from kibitz.engine.solving.courses import Course


class Analysed(Struct, frozen=True, kw_only=True):
    """Whether a deal could be won, with which move it was lost, and what would have won.

    Positions are counted from 0, the start; move ``n`` leads from position ``n - 1`` to ``n``.

    Attributes:
        deal: Whether the start could be won; what is not proved is ``unknown``.
        winnable: The last position that is known to be winnable. lost: The first that is known to
            be lost. ``None``: there is none.
        mistake: The number of the move that lost the game, if it is known for sure.
        length: How many moves the line of play has, without those that were taken back.
        moves: These, in the game's notation.
        commands: Which command of the board each of them was: the first one is 1; undo, redo,
            restart and giving up count.
        line: Moves that win from the position ``winnable``; none, if it is won.
        given_up: Whether the game was given up in the end.

    """

    deal: Literal["win", "lost", "unknown"]
    winnable: int | None
    lost: int | None
    mistake: int | None
    length: int
    moves: list[str]
    commands: list[int]
    line: list[str]
    given_up: bool = False


def analysed(course: Course, found: Analysis) -> Analysed:
    """An analysis as it is told."""
    return Analysed(
        deal=found.deal.value,
        winnable=found.winnable,
        lost=found.lost,
        mistake=found.mistake,
        length=found.length,
        moves=list(course.commands),
        commands=list(course.numbers),
        line=course.written(found),
        given_up=bool(course.given_up),
    )
