"""Who may do what in a room, as far as its events show it.

Promises: what it objects to no honest server writes. Never: cards.
"""

from datetime import UTC, date, datetime, time

from kibitz.protocol.course import Course
from kibitz.protocol.fairness import draw_of
from kibitz.protocol.limits import MAX_RACERS, MAX_SEATS, MIN_RACERS
from kibitz.protocol.views import Event, Mode, Policy

from .verdict import Unfit

DAY_MS, LATE_MS = 86_400_000, 60_000
"""A day; and how long behind midnight somebody may get the room that he asked for before it."""
ON_A_BOARD = ("move", "undo", "redo", "restart", "resigned")
AFTERWARDS = ("say", "comments", "rematch", "left")
"""Kinds that there may be when the game has ended."""
SEATED = (*ON_A_BOARD, "saved", "cheated", "comments", "control")
"""Kinds that only somebody with a seat brings about."""
SEATS: dict[Mode, tuple[int, int]] = {
    "solo": (1, 1),
    "coop": (1, MAX_SEATS),
    "race": (MIN_RACERS, MAX_RACERS),
    "replay": (1, MAX_SEATS),
}
"""The fewest and the most seats of a room of each mode."""


def check_seats(created: Event) -> None:
    """Check that a room has as many seats as its mode allows.

    Raises:
        Unfit: It has more, or fewer.

    """
    fewest, most = SEATS[created.mode or "solo"]
    if created.seats is None or not fewest <= created.seats <= most:
        raise Unfit(f"`{created.mode}` has {fewest} to {most} seats", created.seq)


def check_day(created: Event) -> None:
    """Check that a room with the deal of a day was made on that day (UTC), or just behind it.

    Raises:
        Unfit: It was not.

    """
    if created.daily is None:
        return
    try:
        day = datetime.combine(date.fromisoformat(created.daily), time(), UTC).timestamp() * 1000
    except ValueError:
        raise Unfit(f"there is no day {created.daily:.20}", created.seq) from None
    since = (created.started or 0) - day
    if len(created.daily) != len("2026-11-28") or not 0 <= since < DAY_MS + LATE_MS:
        raise Unfit(f"the deal of {created.daily} was not dealt on that day", created.seq)


def check_draw(created: Event) -> None:
    """Check that a deal was looked for if and only if it is said to be a winnable one.

    Raises:
        Unfit: It was not.

    """
    fair = created.fair
    looked_for = fair is not None and "." in (fair.nonce or "")
    if not created.winnable and not looked_for:
        return
    if fair is None or fair.loaded or fair.numbered or not created.winnable:
        raise Unfit("it is not the deal of a room whose deal was looked for", created.seq)
    if draw_of(fair.nonce) is None:
        raise Unfit("there is no such draw", created.seq)


def check_manners(created: Event, course: Course, event: Event) -> None:
    """Check that an event that somebody asked for, or that is due, may come there.

    Args:
        created: The first event.
        course: How the room stands before it.
        event: The event.

    Raises:
        Unfit: It may not.

    """
    kind = event.kind
    if (kind == "created") is not (event.seq == 1):
        raise Unfit("a room is created once, by its first event")
    if course.status != "open" and kind not in AFTERWARDS:
        raise Unfit("the game is over")
    if kind in SEATED and event.by not in {seat.id for seat in course.seats if seat.id}:
        raise Unfit("who did that has no seat")
    if kind in ON_A_BOARD and created.mode != "replay":
        _check_board(course, event)
    assert created.policy is not None, "checked"
    _check_policy(created.policy, course, event)
    match kind:
        case "joined" | "left" | "ready" | "unready":
            _check_seat(course, event)
        case "started" | "timeout" | "countdown":
            _check_time(course, event)
        case "closed" if event.by is not None:
            raise Unfit("nobody is told who closed a room")
        case "rematch" if course.status == "open" or event.next is None:
            raise Unfit("the next game comes when this one has ended")
        case "control" if not course.recorded or event.control is None:
            raise Unfit("no recorded game is shown here")
        case _:
            pass


def _check_board(course: Course, event: Event) -> None:
    if not 0 <= event.board < len(course.lines) or course.lines[event.board].status != "open":
        raise Unfit("there is no such board, or it is done")
    if not course.is_released():
        raise Unfit("the race has not begun")
    if course.race and course.seats[event.board].id != event.by:
        raise Unfit("that is not his board")


def _check_policy(policy: Policy, course: Course, event: Event) -> None:
    allowed = {
        "undo": policy.undo,
        "redo": policy.undo,
        "restart": policy.undo,
        "saved": policy.save,
        "cheated": policy.cheat,
        "say": policy.say and course.comments is not False,
        "comments": policy.say,
    }
    if not allowed.get(event.kind, True):
        raise Unfit("the room does not allow that")


def _check_seat(course: Course, event: Event) -> None:
    if event.seat is None or not 1 <= event.seat <= len(course.seats):
        raise Unfit("there is no such seat")
    holder = course.seats[event.seat - 1].id
    if event.kind == "joined" and (holder is not None or event.by is None):
        raise Unfit("that seat is taken")
    if event.kind == "left" and (holder is None or event.by not in (None, holder)):
        raise Unfit("nobody had that seat")
    if event.kind in ("ready", "unready") and event.by != holder:
        raise Unfit("that is not his seat")
    if course.race and course.race.started is not None:
        raise Unfit("the race has begun")


def _check_time(course: Course, event: Event) -> None:
    race = course.race
    if not race:
        raise Unfit("this is no race")
    if event.kind == "timeout":
        if race.started is None or event.at < race.started + race.limit * 1000:
            raise Unfit("the time is not over")
    elif race.started is not None:
        raise Unfit("the race has begun")
    elif event.kind == "started" and (race.begins is None or event.at < race.begins):
        raise Unfit("the race begins later")
