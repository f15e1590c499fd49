"""What an operator does to a room: from its state to events, pure like :mod:`..decide`.

Promises: the events name nobody who ordered them, and open no card. Never: who may order.
"""

from msgspec.structs import replace

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Event

from ..identity import Identity
from ..room.decide import check_open, note, stand_up
from ..room.state import RoomState


def close(reason: str | None, state: RoomState, here: set[str], at: int) -> list[Event]:
    """The event of closing a room for good; none where it is closed already.

    Raises:
        Refused: The game has ended.

    """
    if state.ended:
        raise Refused(ErrorCode.GAME_OVER, "the game has ended: nothing is left to be closed")
    if state.over:
        return []
    return [replace(note(state, "closed", None, at), text=reason)]


def unseat(id_: str, state: RoomState, here: set[str], at: int) -> list[Event]:
    """The events of taking a seat from somebody; none where he has none.

    Raises:
        Refused: It is kept for him, or the room has been closed.

    """
    check_open(state)
    if state.seat_of(id_) is None:
        return []
    events = stand_up(state, Identity(id_, ""), here, at)
    if not events:
        raise Refused(ErrorCode.ILLEGAL, "that seat is kept, and nobody waits for who has it")
    return [replace(each, by=None) if each.kind == "left" else each for each in events]
