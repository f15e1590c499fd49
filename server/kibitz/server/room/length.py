"""How long a room may grow. Pure.

Promises: however many events there are, a game can be brought to its end, a seat given up, and a
series gone on with. Never: undo what has happened: a room that is longer already stays as it is.
"""

from collections.abc import Sequence

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Event

from .state import RoomState

EVENTS = "events per room"
LAST = frozenset({"left", "won", "resigned", "ended", "rematch"})
"""Kinds of events that are always possible: each comes once, or makes it so that less can come."""


def check_length(room: str, state: RoomState, events: Sequence[Event], most: int) -> None:
    """Check that what somebody asked for has room yet.

    Args:
        room: Which it is.
        state: How it is.
        events: What would happen.
        most: How many events it may have.

    Raises:
        Refused: There are too many.

    """
    is_last = not events or any(event.kind in LAST for event in events)
    if is_last or state.seq + len(events) <= most:
        return
    message = f"this game is too long to go on, at {most} events: resign, or fork it"
    if state.over:
        message = f"this room is full: it has {most} events"
    raise Refused(ErrorCode.FULL, message, room=room, limit=EVENTS)
