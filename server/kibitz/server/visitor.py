"""Who asks: what the answers need of a connection, and what it may do in a room.

Never: frames, the log.
"""

from collections.abc import Mapping
from typing import Protocol

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.replies import Searching
from kibitz.protocol.requests import RequestBase
from kibitz.protocol.views import Role

from .access.roles import PLAYS, check_request, check_roles
from .dealing.winnable import Asker
from .lobby.pledges import Pledge
from .room.audience import Audience
from .room.listener import Listener
from .room.room import Room
from .room.stage import Stage
from .room.state import RoomState
from .sockets.frames import framed


class Visitor(Listener, Protocol):
    """What the answers need of a connection."""

    @property
    def address(self) -> str:
        """Where it comes from (:mod:`.access.addresses`)."""
        ...

    @property
    def place(self) -> str | None:
        """What its address counts as (:mod:`.limits.places`); ``None``: it is not counted."""
        ...

    @property
    def is_gone(self) -> bool:
        """Whether nobody is there any more."""
        ...

    passes: dict[str, Role]
    """What it was let in as at most, of rooms that are closed."""

    @property
    def rooms(self) -> Mapping[str, Room]:
        """The rooms it follows, by id."""
        ...

    def check_follow(self, room: str | None) -> None:
        """Check that it may follow one more room; ``None``: a new one.

        Raises:
            Refused: It follows as many as it may, or all from its address do.

        """
        ...

    def follow(self, room: Room) -> None:
        """Follow a room from now on."""
        ...

    def count_work(self, seconds: float) -> None:
        """Count the time that it took to decide a command of it, more than others."""
        ...

    def count_events(self, count: int) -> None:
        """It is given so many events of the past, which took work."""
        ...

    def unfollow(self, room: str) -> None:
        """Follow it no longer."""
        ...

    lobby: bool
    """Whether it wants to be told of changes in the lobby."""
    tv: bool
    """Whether it wants to be told what is worth watching."""
    on_air: str | None
    """What it was told; ``""``: nothing yet."""
    pledge: Pledge
    """The secret that is kept for it."""


def check_visitor(request: RequestBase, visitor: Visitor) -> None:
    """Check that somebody like this may ask this at all.

    Raises:
        Refused: He may not.

    """
    who = visitor.identity
    check_request(request, who.roles, is_bot=who.bot is not None)


def asker_of(visitor: Visitor) -> Asker:
    """The same as one who waits for a deal; he is told how far it is, if he reads."""

    def tell(deals: int) -> None:
        visitor.offer(framed(Searching(deals=deals), visitor.encoding))

    counted = visitor.identity.id, visitor.place
    return Asker(counted, lambda: visitor.is_gone, tell)


def check_player(room: Room, visitor: Visitor) -> None:
    """Check that somebody plays here, on this connection.

    Raises:
        Refused: He is looking on, or may not play at all.

    """
    check_roles(PLAYS, visitor.identity.roles)
    seated = room.people.is_seated(visitor.identity.id)
    if room.people.role(visitor) != "player" or not seated:
        raise Refused(ErrorCode.NOT_SEATED, "not allowed: you are watching", room=room.id)


def check_past(stage: Stage, seq: int) -> None:
    """Check that an event has happened, as far as these people know.

    Raises:
        Refused: It has not.

    """
    if seq > stage.seq:
        message = f"the room is at event {stage.seq}"
        raise Refused(ErrorCode.BAD_OPTION, message, seq=stage.seq)


def checked_board(state: RoomState, index: int, audience: Audience) -> int:
    """The index of a board that an audience sees and that has cards.

    Raises:
        Refused: There is none, or not yet, or not for them.

    """
    if index >= len(state.positions):
        raise Refused(ErrorCode.BAD_OPTION, f"there is no board {index}")
    if not state.course.is_released():
        raise Refused(ErrorCode.ILLEGAL, "the race has not begun")
    if not audience.sees(index):
        raise Refused(ErrorCode.FORBIDDEN, "this board cannot be seen yet")
    return index
