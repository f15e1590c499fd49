"""A race in words, and the times that people write."""

from datetime import UTC, datetime

import pytest
import typer

from kibitz.clients import racing
from kibitz.clients.commands.options import unix_ms
from kibitz.clients.scene import Scene
from kibitz.clients.telling import clock_of, time_of, told
from kibitz.clients.terminal.news import news
from kibitz.protocol.views import Event, Policy, Seat, View
from kibitz.protocol.views import Race as Running

NAMES = ("Ann", "Bob", "Cy", "Di", "Ed")


def race(*, started: bool = True, seated: int = 5) -> Scene:
    """A race of five that has begun a second after the room was there."""
    scene = Scene("abc", "aces-up")
    scene.apply(created())
    for seat, name in enumerate(NAMES[:seated], 1):
        scene.apply(Event(seq=scene.seq + 1, at=0, kind="joined", seat=seat, by=name, name=name))
    if started:
        scene.apply(Event(seq=scene.seq + 1, at=1000, kind="started", score=0))
    return scene


def created() -> Event:
    return Event(
        seq=1, at=0, kind="created", game="aces-up", mode="race", seats=5, countdown=3, limit=60
    )


def happen(scene: Scene, at: int, kind: str, **fields: object) -> Event:
    event = Event(seq=scene.seq + 1, at=at, kind=kind, **fields)  # type: ignore[arg-type]
    scene.apply(event)
    return event


def test_before_the_start_one_sees_who_sits() -> None:
    scene = race(started=False, seated=2)
    happen(scene, 0, "ready", seat=2, by="Bob")
    assert racing.instead(scene) == [
        "  seat 1  Ann",
        "  seat 2  Bob  ready",
        "  3 free seats",
        "It begins when all who sit are ready.",
        "Time for everybody: 1:00.",
    ]
    happen(scene, 500, "countdown", begins=3500)
    scene.now = 1400
    assert "The race begins in 3 s." in racing.instead(scene)
    assert racing.heading(scene) == "race of 5"


def test_the_rivals_are_one_line() -> None:
    scene = race()
    happen(scene, 2000, "move", board=1, moves=1, score=3)
    happen(scene, 3300, "won", board=2, moves=9, ms=2300)
    happen(scene, 3400, "resigned", board=3)
    assert racing.rivals(scene, 0) == (
        "1. Cy won in 0:02.3 · 2. Bob 3 (1 move) · 3. Di 0 (0 moves), gave up · and 1 more"
    )
    assert racing.leader(scene) == 1, "the best who still plays"
    scene.now = 31_000
    assert racing.heading(scene) == "race, 0:30 left"


def test_the_table_has_a_line_for_everybody() -> None:
    scene = race()
    happen(scene, 3300, "won", board=2, ms=2300)
    happen(scene, 61_000, "timeout")
    assert racing.table(scene)[:2] == [
        "place  seat  name  status       score  moves  time",
        "1.     3     Cy    won          0      0      0:02.3",
    ]
    assert [line.split()[0] for line in racing.table(scene)[2:]] == ["2."] * 4
    assert all("out of time" in line for line in racing.table(scene)[2:])


def test_others_moves_are_not_told_to_a_racer() -> None:
    scene = race()
    theirs = happen(scene, 2000, "hidden", board=1, moves=1, commit="00" * 32)
    assert news(scene, theirs, 0, mine=False) == (None, None)
    mine = happen(scene, 2000, "won", board=0, moves=3, ms=1000)
    note, remark = news(scene, mine, 0, mine=True)
    assert note and note.startswith("You won in 0:01.0!") and remark is None
    his = happen(scene, 2000, "resigned", board=1)
    assert news(scene, his, 0, mine=False) == (None, "Bob gave up")


def test_words_for_what_happens() -> None:
    scene = race(started=False)
    cases: list[tuple[str, dict[str, object], str | None]] = [
        ("ready", {"seat": 1, "by": "Ann"}, "Ann is ready"),
        ("unready", {"seat": 1, "by": "Ann"}, "Ann is not ready yet"),
        ("countdown", {"begins": 3000}, "everybody is ready: the race begins in 3 seconds"),
        ("countdown", {}, "the start is called off"),
        ("comments", {"on": False}, "comments are off"),
        ("rematch", {"by": "Bob", "next": "xyz"}, "Bob goes on in room xyz"),
        ("control", {}, None),
    ]
    for kind, fields, said in cases:
        assert told(scene, happen(scene, 0, kind, **fields)) == said


def test_a_series_is_counted() -> None:
    scene = race()
    assert racing.tally(scene, [1, 0, 0, 2, 0]) == "Ann 1, Bob 0, Cy 0, Di 2, Ed 0"
    scene.reset(two(), 1)
    assert racing.tally(scene, [1, 2]) == "Ann 1 : 2 Bob"


def two() -> View:
    seats = [Seat(1, "a", "Ann"), Seat(2, "b", "Bob")]
    running = Running(countdown=1, limit=60)
    return View("aces-up", {}, "race", [], seats, "open", Policy(), race=running)


@pytest.mark.parametrize(
    ("ms", "clock"), [(0, "0:00"), (7_999, "0:07"), (750_000, "12:30"), (3_723_000, "1:02:03")]
)
def test_times(ms: int, clock: str) -> None:
    assert clock_of(ms) == clock
    assert time_of(ms).startswith(f"{clock}.")


def test_when_a_race_begins() -> None:
    now = datetime(2026, 11, 28, 18, 0, tzinfo=UTC)
    today, tomorrow = unix_ms("18:30", now), unix_ms("17:30", now)
    assert today == now.timestamp() * 1000 + 30 * 60_000
    assert tomorrow == now.timestamp() * 1000 + (24 * 60 - 30) * 60_000
    assert unix_ms("2026-11-28T18:30+00:00", now) == today
    for wrong in ("noon", "25:00", "2026-11-28T99"):
        with pytest.raises(typer.Exit):
            unix_ms(wrong, now)
