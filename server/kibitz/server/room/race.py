"""A race: the agreement to start it, its start, the end of its time. Pure, like :mod:`.decide`.

Every racer has a board of the same deal. All boards are released by one record, so at one moment
for everybody, and what chance does is the same on each of them.
"""

import hmac

from msgspec.structs import replace

from kibitz.engine.notation import write_fact
from kibitz.engine.table import lay
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.course import Course
from kibitz.protocol.hashing import SALT_SIZE
from kibitz.protocol.limits import MIN_RACERS
from kibitz.protocol.views import Event

from ..identity import Identity
from .audience import MASKED
from .ending import closed
from .state import RoomState


def salted(state: RoomState, event: Event) -> Event:
    """An event of a race that not everybody may see at once, with its salt."""
    if state.mode != "race" or event.kind not in MASKED:
        return event
    salt = hmac.digest(state.secret.seed.encode(), b"salt:%d" % event.seq, "sha256")
    return replace(event, salt=salt[:SALT_SIZE].hex())


def ready(state: RoomState, on: bool, who: Identity, here: set[str], at: int) -> list[Event]:
    """The events of being ready, or no longer; none where nothing changes.

    ``here`` are the players that are connected.

    Raises:
        Refused: There is no race to be started.

    """
    race, seat = state.course.race, state.seat_of(who.id)
    assert seat is not None, "who asks has a seat"
    if not race:
        raise Refused(ErrorCode.ILLEGAL, "only a race waits for everybody to be ready")
    if race.started is not None:
        raise Refused(ErrorCode.ILLEGAL, "the race has begun")
    if (seat.seat in race.ready) is on:
        return settled(state, here, at)
    kind = "ready" if on else "unready"
    event = Event(seq=state.seq + 1, at=at, kind=kind, by=who.id, seat=seat.seat)  # type: ignore[arg-type]
    return agreed(state, [event], here)


def agreed(state: RoomState, events: list[Event], here: set[str]) -> list[Event]:
    """Events about seats, and the countdown that begins or is called off with them.

    ``here`` are those who are connected; who sits down is, too.
    """
    course, last = state.course, events[-1]
    if not course.race or course.race.started is not None or state.over:
        return events
    for event in events:
        course = course.after(event)
    assert course.race, "a race stays one"
    begins = course.race.begins
    here = here | {event.by for event in events if event.kind == "joined" and event.by}
    off = any(event.kind == "unready" for event in events)
    if begins == (wanted := None if off else _begins(state, course, here, last.at)):
        return events
    countdown = Event(seq=last.seq + 1, at=last.at, kind="countdown", begins=wanted)
    return [*events, countdown]


def settled(state: RoomState, here: set[str], at: int) -> list[Event]:
    """The countdown that begins because nobody waits any longer for who is away, if it does."""
    race = state.course.race
    if not race or race.started is not None or state.over:
        return []
    begins = _begins(state, state.course, here, at)
    if begins == race.begins:
        return []
    return [Event(seq=state.seq + 1, at=at, kind="countdown", begins=begins)]


def _begins(state: RoomState, course: Course, here: set[str], at: int) -> int | None:
    """When the race begins, as things stand: at its time, or once all who sit are ready.

    Nobody waits for who is away: he has his board and may come back to it; but bots alone begin
    no race. Who sits down while it is counted down does not call it off, or anybody could for ever.
    """
    assert course.race, "asked of races"
    begins, soon = course.race.begins, at + course.race.countdown * 1000
    if state.scheduled is not None:
        if not _enough(course):
            return state.scheduled
        return soon if begins is not None and begins <= at else begins
    if len(course.race.ready) < MIN_RACERS or not _enough(course):
        return None
    waited_for = [seat for seat in course.seats if seat.id in here]
    agreed_now = {seat.seat for seat in waited_for} <= set(course.race.ready) and any(
        seat.bot is None for seat in waited_for
    )
    return soon if begins is None and agreed_now else begins


def is_left_to(state: RoomState, who: Identity, here: set[str]) -> bool:
    """Whether a race has not begun that is nobody's but who made it: he may call it off.

    Nobody sits in it but him, bots and who is not ``here`` any more.
    """
    people = {seat.id for seat in state.seats if seat.id and seat.bot is None}
    left = people & here | {who.id} == {who.id}
    return not state.course.is_released() and state.owner == who.id and left


def start_of(state: RoomState) -> int | None:
    """When a race began, ms since the room's creation; ``None`` of other rooms."""
    return state.course.race.started if state.course.race else None


def due_at(course: Course) -> int | None:
    """When something happens by itself, ms since the room's creation; ``None``: nothing does."""
    race = course.race
    if not race or course.status != "open":
        return None
    if race.started is not None:
        return race.started + race.limit * 1000
    return race.begins if _enough(course) else None


def _enough(course: Course) -> bool:
    """Whether those who sit can race: enough of them, and not bots alone."""
    seated = [seat for seat in course.seats if seat.id]
    return len(seated) >= MIN_RACERS and any(seat.bot is None for seat in seated)


def due(state: RoomState, at: int) -> list[Event]:
    """The events that happen by themselves by now, if any: the start, the end of the time."""
    when = due_at(state.course)
    if when is None or when > at:
        return []
    if start_of(state) is not None:
        return closed(state, [Event(seq=state.seq + 1, at=at, kind="timeout")])
    score = state.game.score(state.start)
    started = Event(seq=state.seq + 1, at=at, kind="started", score=score)
    fx = [write_fact(fact) for fact in lay(state.start)]
    return [started, salted(state, Event(seq=started.seq + 1, at=at, kind="dealt", fx=fx))]
