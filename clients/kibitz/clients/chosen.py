"""What a strategy chose, as a move of the game.

Promises: what is no move, or not legal on that table, is said so in the game's own words before a
server hears of it. Never: hidden cards; a table may be what everybody may see.
"""

from kibitz.engine.game import Game, Move, Why, object_to
from kibitz.engine.games import TEXTS
from kibitz.engine.table import Table
from kibitz.engine.text import InputError, Request
from kibitz.protocol.codes import ErrorCode, Refused

from .telling import in_line, printable


def read(rules: Game, table: Table, line: str) -> Move:
    """The move that a strategy chose.

    Raises:
        Refused: It is none, or not legal now.

    """
    text = TEXTS[rules.name]
    try:
        move = text.parse(line)
    except InputError as error:
        raise refused(ErrorCode.BAD_MOVE, line, str(error) or "an empty line is no move") from None
    if isinstance(move, Request):
        said = f"{move.word} is a request of its own, not a move"
        raise refused(ErrorCode.BAD_MOVE, line, said)
    objection = object_to(rules, table, move)
    if objection is not None:
        over = objection.why is Why.OVER
        code = ErrorCode.GAME_OVER if over else ErrorCode.ILLEGAL
        raise refused(code, line, text.refusal(move, objection))
    return move


def refused(code: ErrorCode, line: str, why: str) -> Refused:
    """That it cannot be played, and why, in one line that can be printed."""
    chose = f"the strategy chose {line!r:.60}, which is not one of the legal moves"
    return Refused(code, printable(f"{chose}: {in_line(why):.170}"))
