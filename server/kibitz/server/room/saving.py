"""The text of a position, for a file.

It names hidden cards: who may have it is decided elsewhere. Never: decide, write down.
"""

from kibitz.engine import formats
from kibitz.engine.saves import write
from kibitz.protocol.codes import ErrorCode, Refused

from .state import RoomState


def save_text(state: RoomState, board: int, format_: str | None = None) -> str:
    """The save text of a whole position, or its text for another program.

    Raises:
        Refused: That format cannot say it.

    """
    table = state.positions[board].board.table
    if format_ is None:
        return write(state.game, table, state.secret.deal)
    try:
        return formats.write(format_, state.game, table)
    except formats.Unfit as error:
        raise Refused(ErrorCode.BAD_OPTION, str(error)) from None
