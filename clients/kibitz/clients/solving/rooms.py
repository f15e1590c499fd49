"""A room of which is asked what became of its game: the text of one board, and whose that is.

Promises: of a race it is said which board was taken, and how another is. Never: who sat in a room
that is archived, for its texts do not tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Seat

from ..racing import board_told
from ..session import Client
from ..telling import printable


@dataclass(frozen=True, slots=True)
class Taken:
    """A board that was taken.

    Attributes:
        text: Its replay text.
        told: Of a race: whose it is, and how to take another.
        option: Of a race: what takes it again, behind a command.

    """

    text: str
    told: str = ""
    option: str = ""


async def take(client: Client, room: str, board: int | None) -> Taken:
    """A board of a room: that of the index, or of the first seat.

    Raises:
        Refused: There is none, or it is not for us.
        OSError: The server does not answer.

    """
    text = await client.archived_text(room, board or 0)
    seats: Sequence[Seat] = ()
    try:
        mirror = await client.join(room)
    except Refused:  # it is archived, or not to be entered
        is_race = bool(board) or await _has_second(client, room)
    else:
        seats, is_race = mirror.course.seats, bool(mirror.course.race)
    if not is_race:
        return Taken(text)
    told = f"{board_told(seats, board or 0)} (`--board N` takes another):"
    return Taken(text, printable(told), f" --board {(board or 0) + 1}")


async def _has_second(client: Client, room: str) -> bool:
    try:
        await client.archived_text(room, 1)
    except Refused as refused:
        if refused.code is ErrorCode.BAD_OPTION:
            return False
        raise
    return True
