"""What became of a game: whether its deal could be won, and with which move that was over.

Once a position is lost, so is all that follows; so where a line of play became lost is found by
halving. What cannot be decided leaves it between two moves. Promises: a line that is shown wins
by the rules; nothing is said that was not proved. Never: a line of play other than the last one,
for what was taken back has changed nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..game import Game, Move
from ..replays import Played
from ..table import Table
from .answers import Answer, Verdict

QUESTIONS = 2
"""For each halving: so often is asked at most, where much cannot be decided."""

Solve = Callable[[Table], Answer]
"""Looks for a win within a budget of its own."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a line of play.

    Positions are counted from 0, the start; move ``n`` leads from position ``n - 1`` to ``n``.

    Attributes:
        deal: Whether the start could be won.
        winnable: The last position that is known to be winnable; ``None``: there is none.
        lost: The first position that is known to be lost; ``None``: there is none.
        line: Moves that win from the position ``winnable``; none, if it is won already.
        length: How many moves the line of play has.

    """

    deal: Verdict
    winnable: int | None
    lost: int | None
    line: tuple[Move, ...]
    length: int

    @property
    def mistake(self) -> int | None:
        """The number of the move with which the game was lost, if that is known for sure."""
        at = None if self.winnable is None else self.winnable + 1
        return at if at == self.lost else None


def most_questions(positions: int) -> int:
    """Of how many positions of a line of play at most it is asked whether they can be won."""
    return 1 + QUESTIONS * positions.bit_length()


def analyse(game: Game, positions: Sequence[Table], solve: Solve) -> Analysis:
    """Find where a line of play became lost.

    Args:
        game: The rules.
        positions: The start and what each move led to.
        solve: Asked for the start, and for at most twice as many others as halvings take.

    """
    last = len(positions) - 1
    if game.is_won(positions[last]):
        return Analysis(Verdict.WIN, last, None, (), last)
    first = solve(positions[0])
    if first.verdict is Verdict.LOST:
        return Analysis(Verdict.LOST, None, 0, (), last)
    search = _Search(positions, solve)
    search.learn(0, first)
    search.narrow(0, last + 1)
    deal = Verdict.UNKNOWN if search.winnable is None else Verdict.WIN
    return Analysis(deal, search.winnable, search.lost, search.line, last)


class _Search:
    """What is known so far."""

    def __init__(self, positions: Sequence[Table], solve: Solve) -> None:
        self._positions = positions
        self._solve = solve
        self._left = most_questions(len(positions)) - 1
        self.winnable: int | None = None
        self.lost: int | None = None
        self.line: tuple[Move, ...] = ()

    def learn(self, at: int, answer: Answer) -> None:
        """A position is found to be so."""
        if answer.verdict is Verdict.WIN and (self.winnable is None or self.winnable < at):
            self.winnable, self.line = at, answer.line
        elif answer.verdict is Verdict.LOST and (self.lost is None or at < self.lost):
            self.lost = at

    def narrow(self, low: int, high: int) -> None:
        """Look between two positions, both excluded, as long as that says anything new.

        Where the one in the middle is not decided, those behind it are looked at first: a win
        there is one here; then those before it, for a loss there is one here.
        """
        while low + 1 < high and self._left:
            self._left -= 1
            middle = (low + high) // 2
            answer = self._solve(self._positions[middle])
            self.learn(middle, answer)
            match answer.verdict:
                case Verdict.WIN:
                    low = middle
                case Verdict.LOST:
                    high = middle
                case Verdict.UNKNOWN:
                    self.narrow(middle, high)
                    if self.winnable is not None and self.winnable > middle:
                        return
                    high = middle


Line = tuple[int, Played, "Line"] | None
"""Moves and their numbers, the last one first."""


def line_of_play(steps: Iterable[Played]) -> list[tuple[int, Played]]:
    """The moves that led to the last position, without those that were taken back.

    With each of them goes its number among the steps, the first one is 1.
    """
    line: Line = None
    done: list[Line] = []
    undone: list[Line] = []
    for number, step in enumerate(steps, 1):
        match step.kind:
            case "undo":
                undone.append(line)
                line = done.pop()
            case "redo":
                done.append(line)
                line = undone.pop()
            case "move" | "restart":
                undone.clear()
                done.append(line)
                line = (number, step, line) if step.kind == "move" else None
    found: list[tuple[int, Played]] = []
    while line is not None:
        number, step, line = line
        found.append((number, step))
    return found[::-1]
