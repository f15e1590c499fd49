"""Where a game was lost: found by halving, honest about what is not known."""

import pytest

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Draw, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.replays import Replay, Step, follow
from kibitz.engine.solving import Answer, Budget, Verdict, solve
from kibitz.engine.solving.analysis import QUESTIONS, analyse, line_of_play
from kibitz.engine.table import Table

GAME = GAMES["thumb-and-pouch"]
WIN, LOST, UNKNOWN = Verdict.WIN, Verdict.LOST, Verdict.UNKNOWN


class Told:
    """A solver that knows of some positions."""

    def __init__(self, lost: int, unknown: set[int] | None = None) -> None:
        self.tables = [Table({}, {"n": n}) for n in range(100)]
        self.lost = lost
        self.unknown = unknown or set()
        self.asked: list[int] = []

    def __call__(self, table: Table) -> Answer:
        at = table.counters["n"]
        self.asked.append(at)
        if at in self.unknown:
            return Answer(UNKNOWN)
        return Answer(WIN, (Draw(),) * at) if at < self.lost else Answer(LOST)


class Never:
    """Rules by which nothing is won."""

    @staticmethod
    def is_won(table: Table) -> bool:
        return False


@pytest.mark.parametrize("lost", [1, 2, 37, 50, 98, 99])
def test_the_move_that_lost_is_found(lost: int) -> None:
    told = Told(lost)
    found = analyse(Never, told.tables, told)  # type: ignore[arg-type]
    assert (found.deal, found.winnable, found.lost) == (WIN, lost - 1, lost)
    assert found.mistake == lost
    assert len(found.line) == lost - 1, "the line that wins from there"
    assert len(told.asked) <= 9


def test_a_deal_that_could_not_be_won() -> None:
    told = Told(0)
    found = analyse(Never, told.tables, told)  # type: ignore[arg-type]
    assert (found.deal, found.winnable, found.lost, found.mistake) == (LOST, None, 0, None)
    assert told.asked == [0]


def test_a_game_that_was_given_up_too_early() -> None:
    told = Told(100)
    found = analyse(Never, told.tables, told)  # type: ignore[arg-type]
    assert (found.winnable, found.lost, found.mistake) == (99, None, None)


@pytest.mark.parametrize(
    ("unknown", "winnable", "lost"),
    [
        ({0}, 56, 57),
        ({50}, 56, 57),
        (set(range(57, 80)), 56, 80),
        (set(range(30, 57)), 29, 57),
        (set(range(99)), None, 99),
        (set(range(100)), None, None),
    ],
)
def test_what_is_not_known_is_left_open(
    unknown: set[int], winnable: int | None, lost: int | None
) -> None:
    told = Told(57, unknown)
    found = analyse(Never, told.tables, told)  # type: ignore[arg-type]
    assert len(told.asked) <= 1 + QUESTIONS * 7
    assert len(set(told.asked)) == len(told.asked), "nothing is asked twice"
    assert found.winnable is None or winnable is None or found.winnable <= winnable
    assert found.lost is None or lost is None or found.lost >= lost
    if len(unknown) < 30:
        assert found.lost == lost
    assert (found.mistake is None) or found.mistake == 57
    assert found.deal is (UNKNOWN if found.winnable is None else WIN)


def test_a_real_game() -> None:
    table = GAME.deal(deck_of("1"))
    tables = [table]
    while (legal := moves(GAME, table)) and len(tables) < 400:
        move = next((move for move in legal if isinstance(move, Draw)), legal[0])
        table = play(GAME, table, move, NO_CHANCE).table
        tables.append(table)
        if not isinstance(move, Draw):
            break
    found = analyse(GAME, tables, lambda each: solve(GAME, each, Budget(20_000)))
    assert found.deal is WIN
    assert found.winnable is not None
    table = tables[found.winnable]
    for move in found.line:
        table = play(GAME, table, move, NO_CHANCE).table
    assert GAME.is_won(table)
    assert found.lost is None or found.lost > found.winnable


def test_a_game_that_was_won_needs_no_search() -> None:
    table = GAME.deal(deck_of("1"))
    tables = [table]
    for move in solve(GAME, table, Budget(50_000)).line:
        table = play(GAME, table, move, NO_CHANCE).table
        tables.append(table)

    def never(table: Table) -> Answer:
        raise AssertionError

    found = analyse(GAME, tables, never)
    assert (found.deal, found.winnable, found.lost) == (WIN, len(tables) - 1, None)


def test_what_was_taken_back_is_no_part_of_the_line() -> None:
    def line(*commands: str) -> list[str]:
        steps = tuple(map(Step, commands))
        replay = Replay(GAME, GAME.deal(deck_of("1")), steps)
        played = line_of_play(follow(replay))
        if played:
            assert played[-1].moves == len(played)
        return [each.step.command for each in played]

    assert line("sw", "sw") == ["sw", "sw"]
    assert line("sw", "undo") == []
    assert line("sw", "sw", "undo", "undo", "redo") == ["sw"]
    assert line("sw", "restart", "sw") == ["sw"]
    assert line("sw", "sw", "restart", "undo") == ["sw", "sw"]
    assert line("sw", "restart", "undo", "redo", "resign") == []
