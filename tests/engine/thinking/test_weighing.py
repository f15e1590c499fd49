"""The usual way is gone unless another is better by more than chance."""

from collections.abc import Iterator, Mapping
from functools import partial

import pytest

from kibitz.engine.game import Draw, Recycle, Shuffle
from kibitz.engine.thinking.preferring import Way
from kibitz.engine.thinking.weighing import FAR, FEWEST, Trial, ahead, weigh, worth_of

USUAL: Way = 0, Draw()
OTHER: Way = 0, Recycle()
THIRD: Way = 0, Shuffle()


class Trials:
    """Worlds in which it is known what each way is worth."""

    def __init__(self, worth: Mapping[Way, list[float]]) -> None:
        self._worth = worth
        self.made: list[Way] = []

    def __iter__(self) -> Iterator[Trial]:
        for number in range(len(self._worth[USUAL])):
            yield partial(self._tried, number)

    def _tried(self, number: int, way: Way) -> float:
        self.made.append(way)
        return self._worth[way][number]


@pytest.mark.parametrize(
    ("other", "better"),
    [
        ([1.0, 1.0, 1.0], True),
        ([0.0, 0.0, 1.0], False),
        ([0.02, 0.02, 0.02], True),
        ([1.0] * 3 + [0.0] * 17, True),
        ([1.0] * 3 + [-1.0] * 2 + [0.0] * 15, False),
        ([0.02, 0.02, 0.0], False),
        ([0.0, 0.0, 0.0], False),
        ([-1.0, -1.0, -1.0], False),
        ([1.0], False),
    ],
)
def test_few_worlds_prove_little(other: list[float], better: bool) -> None:
    trials = Trials({USUAL: [0.0] * len(other), OTHER: other})
    assert weigh(USUAL, [USUAL, OTHER], trials, 0)[0] == (OTHER if better else USUAL)


def test_where_the_usual_way_wins_no_other_is_tried() -> None:
    always = Trials({USUAL: [1.3] * 8, OTHER: [1.3] * 8})
    assert weigh(USUAL, [OTHER, USUAL], always, 3) == (USUAL, {USUAL: [1.3] * 3})
    assert always.made == [USUAL] * 3
    once_not = Trials({USUAL: [1.3, 0.2, *[1.3] * 6], OTHER: [1.3] * 8})
    _, worth = weigh(USUAL, [OTHER, USUAL], once_not, 3)
    assert set(worth) == {USUAL, OTHER}
    all_tried = Trials({USUAL: [1.3] * 8, OTHER: [0.0] * 8})
    assert set(weigh(USUAL, [USUAL, OTHER], all_tried, 0)[1]) == {USUAL, OTHER}


def test_what_is_behind_is_left_out_after_a_few_worlds() -> None:
    trials = Trials({USUAL: [0.5] * 20, OTHER: [0.1] * 20, THIRD: [0.4, 0.6] * 10})
    best, worth = weigh(USUAL, [USUAL, OTHER, THIRD], trials, 0)
    assert best == USUAL
    assert [len(worth[way]) for way in (USUAL, OTHER, THIRD)] == [20, FEWEST, 20]
    alone = Trials({USUAL: [0.5] * 20, OTHER: [0.1] * 20})
    assert len(weigh(USUAL, [USUAL, OTHER], alone, 0)[1][USUAL]) == FEWEST


def test_what_is_ahead_by_chance_is_not_ahead() -> None:
    assert ahead([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], -1) == 1.0
    assert (
        ahead([1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], 2) > 0 > ahead([1.0, 0.0], [0.0, 1.0], -1)
    )
    assert ahead([0.5, 0.5], [0.5, 0.5], 2) == 0
    assert ahead([1.0], [0.0], -1) < 0, "one world says nothing"


def test_a_win_is_worth_more_than_any_number_of_cards() -> None:
    assert worth_of(True, 48, 48) == 1 + FAR
    assert worth_of(False, 47, 48) < FAR < 1 < worth_of(True, 1, 48)
    assert worth_of(False, 0, 48) == 0
