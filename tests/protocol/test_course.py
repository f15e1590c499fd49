"""How a room goes on: seats, readiness, statuses, times, the table."""

import itertools
from typing import Any

import pytest
from msgspec import UNSET

from kibitz.protocol.course import DEFAULT_COUNTDOWN, DEFAULT_LIMIT, Course, Line, standings
from kibitz.protocol.views import (
    BoardView,
    Control,
    Event,
    Origin,
    Policy,
    Race,
    Recorded,
    Seat,
    Series,
    Status,
    View,
)

NUMBERS = itertools.count(2)


def created(**more: Any) -> Event:
    return Event(**{"seq": 1, "at": 0, "kind": "created", "mode": "solo", "seats": 1, **more})


def event(kind: Any, at: int = 0, **more: Any) -> Event:
    return Event(seq=next(NUMBERS), at=at, kind=kind, **more)


def race(*events: Event, seats: int = 3, **more: Any) -> Course:
    """A race with these seats after some events; seat 1 and 2 are taken."""
    course = Course.of_created(created(mode="race", seats=seats, **more))
    for seat in (1, 2):
        course = course.after(event("joined", seat=seat, by=f"id{seat}", name=f"P{seat}"))
    for one in events:
        course = course.after(one)
    return course


def run(course: Course) -> Race:
    assert course.race
    return course.race


def board(status: Status, score: int = 0, ms: int | None = None, moves: int = 0) -> BoardView:
    return BoardView({}, status, moves, score, {}, ms=UNSET if ms is None else ms)


def test_how_rooms_begin() -> None:
    solo = Course.of_created(created())
    assert (solo.seats, solo.lines, solo.status) == ((Seat(1),), (Line(),), "open")
    assert solo.race is UNSET and solo.is_released()
    coop = Course.of_created(created(mode="coop", seats=4))
    assert (len(coop.seats), len(coop.lines)) == (4, 1)
    fresh = race()
    assert (len(fresh.seats), len(fresh.lines), fresh.is_released()) == (3, 3, False)
    assert fresh.race == Race(countdown=DEFAULT_COUNTDOWN, limit=DEFAULT_LIMIT)
    arranged = race(countdown=0, limit=60, begins=9000)
    assert arranged.race == Race(countdown=0, limit=60, begins=9000)
    shown = Course.of_created(
        created(mode="replay", origin=Origin("old", 9), control=Control(at=1))
    )
    assert shown.lines == () and shown.recorded == Recorded("old", 9, Control(at=1), 0)
    series = Series("first", 2, [1])
    kept = Course.of_created(created(series=series, daily="2026-11-28"))
    assert (kept.series, kept.daily) == (series, "2026-11-28")


def test_ready_is_a_set_of_seats_in_order() -> None:
    course = race(event("ready", seat=2), event("ready", seat=1), event("ready", seat=2))
    assert run(course).ready == [1, 2]
    assert run(course.after(event("unready", seat=1))).ready == [2]
    left = course.after(event("left", seat=2))
    assert run(left).ready == [1] and left.seats[1] == Seat(2)
    assert run(left.after(event("joined", seat=2, by="x", name="X"))).ready == [1]
    solo = Course.of_created(created())
    assert solo.after(event("ready", seat=1)) == solo, "no race, nothing to be ready for"


def test_a_countdown_is_set_and_called_off() -> None:
    course = race(event("countdown", begins=700))
    assert run(course).begins == 700
    assert run(course.after(event("countdown"))).begins is None


def test_the_start_leaves_free_seats_empty() -> None:
    course = race(event("ready", seat=1), event("countdown", begins=5), event("started", at=7))
    assert [line.status for line in course.lines] == ["open", "open", "empty"]
    assert course.race == Race(countdown=5, limit=3600, begins=5, started=7)
    assert course.is_released()


@pytest.mark.parametrize("kind", ["won", "resigned"])
def test_a_board_is_done_after_its_own_time(kind: Any) -> None:
    course = race(event("started", at=100), event(kind, at=350, board=1))
    assert course.lines == (Line(), Line(kind, 250), Line("empty"))
    assert course.status == "open", "until it is ended"
    solo = Course.of_created(created()).after(event(kind, at=350))
    assert solo.lines == (Line(kind),), "the time is about races"


def test_the_end_of_the_time_is_about_every_open_board() -> None:
    course = race(
        event("started", at=100), event("resigned", at=150, board=0), event("timeout", at=400)
    )
    assert course.lines == (Line("resigned", 50), Line("timeout", 300), Line("empty"))
    assert course.after(event("ended", at=400, result="timeout")).status == "timeout"


def test_comments_series_and_controls() -> None:
    course = Course.of_created(created())
    off = course.after(event("comments", on=False))
    assert off.comments is False and off.after(event("comments", on=True)) == course
    assert course.after(event("rematch", next="new")).next == "new"
    assert course.after(event("control", control=Control(at=4))) == course, "no replay room"
    shown = Course.of_created(created(origin=Origin("old", 9), control=Control(at=1)))
    steered = shown.after(event("control", at=80, control=Control(at=4, playing=True)))
    assert steered.recorded == Recorded("old", 9, Control(at=4, playing=True), 80)


@pytest.mark.parametrize("kind", ["move", "say", "saved", "hidden", "stuck", "dealt"])
def test_what_is_about_cards_or_words_changes_nothing(kind: Any) -> None:
    course = race(event("started", at=100))
    assert course.after(event(kind, at=200, board=1, seat=1)) == course


def test_a_view_says_as_much_as_the_events() -> None:
    course = race(
        event("ready", seat=2),
        event("started", at=100),
        event("won", at=300, board=1),
        event("comments", on=False),
        event("rematch", next="new"),
        series=Series("first", 2, [1, 0, 0]),
    )
    view = View(
        game="montana",
        options={},
        mode="race",
        boards=[BoardView({}, each.status, 0, 0, {}, ms=each.ms) for each in course.lines],
        seats=list(course.seats),
        status=course.status,
        policy=Policy(),
        race=course.race,
        series=course.series,
        comments=course.comments,
        next=course.next,
    )
    assert Course.of_view(view) == course


def test_a_course_is_a_value() -> None:
    course = race(event("ready", seat=1))
    before = repr(course)
    for kind in ("ready", "left", "started", "ended", "timeout"):
        course.after(event(kind, seat=2, result="won"))
    assert repr(course) == before


def test_the_table_has_winners_by_time_then_the_others_by_score() -> None:
    boards = [
        board("resigned", score=9, ms=5),
        board("won", score=52, ms=900),
        board("timeout", score=51, ms=1000, moves=7),
        board("empty"),
        board("won", score=52, ms=100, moves=80),
        board("open", score=51),
        board("won", score=52, ms=900, moves=1),
    ]
    seats = [Seat(n, f"id{n}", f"P{n}") for n in range(1, 8)]
    seats[3] = Seat(4)
    table = standings(boards, seats)
    assert [(row.place, row.seat, row.status, row.ms) for row in table] == [
        (1, 5, "won", 100),
        (2, 2, "won", 900),
        (2, 7, "won", 900),
        (4, 3, "timeout", 1000),
        (4, 6, "open", None),
        (6, 1, "resigned", 5),
    ]
    assert [(table[0].name, table[0].id, table[0].moves, table[0].score)] == [("P5", "id5", 80, 52)]


@pytest.mark.parametrize("count", [0, 1, 100])
def test_equals_all_share_the_first_place(count: int) -> None:
    boards = [board("timeout", score=3, ms=1)] * count
    table = standings(boards, [Seat(n, str(n), str(n)) for n in range(1, count + 1)])
    assert [row.place for row in table] == [1] * count
    assert [row.seat for row in table] == list(range(1, count + 1))
