"""Bots: how those of a server are asked for and what they are given to do; what any bot thinks.

A bot of the server's is a process of its own and a client like any other. All that it is told is an
errand, one line of JSON on its standard input; it ends when that does.
"""

from enum import IntEnum
from typing import Annotated

from msgspec import Meta, Struct

from .asking import InRoom
from .limits import MAX_MOVE, MAX_RACERS, MAX_THOUGHTS, MAX_VALUE
from .views import Pace, RoomId, Strategy

PACE_MS = 700
"""The pace of a bot, if none is wished: a person can watch it."""
MoveText = Annotated[str, Meta(min_length=1, max_length=MAX_MOVE)]
SeatNumber = Annotated[int, Meta(ge=1, le=MAX_RACERS)]


class SeatBot(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="bot"):
    """Have a bot of the server's sit down in a race that has not begun; who made it may.

    Or, with ``on`` false, send the one on ``seat`` away: its seat is free again, or once the race
    has begun, its board is given up. ``pace``: milliseconds from one move to the next, at least.
    """

    strategy: Strategy = "strong"
    pace: Pace = PACE_MS
    on: bool = True
    seat: SeatNumber | None = None

    def __post_init__(self) -> None:
        """Check that it says which one is to go.

        Raises:
            ValueError: It does not.

        """
        if not self.on and self.seat is None:
            raise ValueError("which bot is to go? Say its `seat`")


class Think(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="think"):
    """Say what is thought of the moves on one's own board, the best first: the larger, the better.

    It is shown to those who see that board, and written down nowhere.
    """

    moves: Annotated[list[tuple[MoveText, float]], Meta(min_length=1, max_length=MAX_THOUGHTS)]

    def __post_init__(self) -> None:
        """Check that the values are numbers that anybody can draw.

        Raises:
            ValueError: One is not.

        """
        if not all(abs(value) <= MAX_VALUE for _, value in self.moves):
            raise ValueError(f"a value is a number, {MAX_VALUE:.0f} at most")


class Errand(Struct, frozen=True, kw_only=True):
    """A seat to be played from.

    Attributes:
        url: The server, as a client reaches it.
        pin: File with the certificate that the server has, and no other; ``None``: no TLS.
        token: What brings the bot's identity, and with it the seat.
        room: Where the seat is.
        strategy: How to play.
        pace: The least time from one move to the next, ms.

    """

    url: str
    pin: str | None
    token: str
    room: RoomId
    strategy: Strategy
    pace: int

    def __repr__(self) -> str:
        """Without the token, which stands in no log."""
        return f"Errand(room={self.room!r}, strategy={self.strategy!r}, pace={self.pace!r})"


class Exit(IntEnum):
    """How the process ended; anything else: it failed."""

    DONE = 0
    """The board is done or given up, or the seat is free again."""
    REPLACED = 3
    """Another process has this seat."""
