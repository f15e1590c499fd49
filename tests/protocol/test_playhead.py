"""Where a replay is: the same for everybody, and never backwards while it plays."""

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from kibitz.protocol.playhead import due_at, position_at
from kibitz.protocol.views import Control, Recorded

GAPS = st.lists(st.integers(0, 100_000), min_size=1, max_size=40)
CONTROLS = st.builds(
    Control,
    at=st.integers(1, 50),
    playing=st.booleans(),
    speed=st.integers(10, 1600),
    beat=st.none() | st.integers(50, 60_000),
)
NOW = st.integers(0, 3_000_000)


def recorded(control: Control, times: list[int], since: int = 0) -> Recorded:
    return Recorded("room", len(times), control, since)


@given(GAPS, CONTROLS, NOW, NOW, st.integers(0, 100_000))
def test_it_never_goes_back_and_never_beyond(
    gaps: list[int], control: Control, one: int, other: int, since: int
) -> None:
    times = list(accumulate(gaps))
    shown = recorded(control, times, since)
    early, late = sorted((one, other))
    first, then = position_at(shown, times, early), position_at(shown, times, late)
    assert min(control.at, len(times)) <= first <= then <= len(times)
    if not control.playing:
        assert first == then == min(control.at, len(times))


@given(GAPS, CONTROLS, NOW, NOW)
def test_a_late_joiner_sees_what_an_early_one_sees(
    gaps: list[int], control: Control, paused: int, passed: int
) -> None:
    """A control that says where it is now changes nothing: only when one looks matters."""
    times = list(accumulate(gaps))
    early = recorded(control, times)
    seen = {position_at(recorded(control, times, since), times, since + passed) for since in (0, 9)}
    assert seen == {position_at(early, times, passed)}
    longer = [*times, times[-1] + 1]
    assert position_at(early, longer, passed) == position_at(early, times, passed)


@given(GAPS, CONTROLS, NOW)
def test_it_is_what_the_words_say(gaps: list[int], control: Control, now: int) -> None:
    times = list(accumulate(gaps))
    at = min(control.at, len(times))
    if not control.playing:
        said = at
    elif control.beat is not None:
        said = min(at + now // control.beat, len(times))
    else:
        budget = times[at - 1] * 100 + now * control.speed
        said = max(n for n in range(1, len(times) + 1) if n == at or times[n - 1] * 100 <= budget)
    assert position_at(recorded(control, times), times, now) == said


@given(GAPS, CONTROLS, st.integers(1, 60))
def test_an_event_is_seen_when_it_is_due_and_not_before(
    gaps: list[int], control: Control, number: int
) -> None:
    times = list(accumulate(gaps))
    shown = recorded(control, times)
    due = due_at(shown, times, number)
    if due is None:
        assert not control.playing or not control.at < number <= len(times)
    else:
        assert position_at(shown, times, due) >= number
        assert due == 0 or position_at(shown, times, due - 1) < number


def test_what_has_not_been_read_yet_is_not_shown() -> None:
    control = Control(at=5, playing=True)
    assert position_at(Recorded("room", 9, control, 0), [0, 1, 2], 10_000) == 3
    assert position_at(Recorded("room", 9, control, 0), [], 10_000) == 0
