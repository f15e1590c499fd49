"""A room's entry in the lobby: as it is, and as it will be once a record has happened."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from kibitz.engine.board import KINDS
from kibitz.protocol.course import Course
from kibitz.protocol.views import Event, RoomInfo

from .race import due_at
from .state import RoomState


def entry_of(
    id_: str, state: RoomState, spectators: int = 0, ahead: Sequence[Event] = ()
) -> RoomInfo:
    """The entry of a room.

    Args:
        id_: The room.
        state: How it is.
        spectators: How many are looking on.
        ahead: Events that are about to happen: the entry is that of the room after them.

    """
    course = state.course
    scores = [position.score for position in state.positions] or [0]
    moves = state.positions[0].board.moves if state.positions else 0
    for event in ahead:
        if event.kind not in KINDS:
            course = course.after(event)
        if event.score is not UNSET and event.board < len(scores):
            scores[event.board] = event.score
        moves = moves if event.moves is UNSET else event.moves
    at = ahead[-1].at if ahead else state.at
    solo, masked = state.mode != "race", state.policy.masked
    return RoomInfo(
        id=id_,
        game=state.game.name,
        mode=state.mode,
        players=[seat.name or "" for seat in course.seats if seat.id],
        seats=len(course.seats),
        spectators=spectators,
        seq=state.seq + len(ahead),
        score=max(scores),
        status=course.status,
        started=state.started,
        visibility=state.visibility,
        updated=state.started + at,
        waiting=UNSET if course.is_released() or course.status != "open" else True,
        due=_due(state, course) if course.race else UNSET,
        daily=course.daily,
        owner=(state.owner or "") if course.daily else UNSET,
        moves=moves if solo else UNSET,
        ms=at if solo and course.status == "won" else UNSET,
        masked=masked,
        delay=state.policy.delay,
        password=UNSET if state.secret.password is None else True,
        winnable=course.winnable,
    )


def _due(state: RoomState, course: Course) -> int | UnsetType:
    at = due_at(course)
    return UNSET if at is None else state.started + at
