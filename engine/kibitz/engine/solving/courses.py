"""A game as it was played, from a text, looked at with so much patience.

Promises: what cannot be seen in the text is never guessed. Never: a clock of its own; it is
handed in.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import replays, saves
from ..game import Game
from ..games import written
from ..replays import FORMAT, ReplayError
from ..table import Table
from .analysis import Analysis, analyse, line_of_play
from .answers import Answer, Budget
from .deciding import solve


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is searched for one answer.

    Attributes:
        clock: Seconds that have passed; best those of the processor, so that nobody else's work
            counts.
        seconds: By that clock.
        nodes: Positions that are looked at; ``None``: as many as there is time for.
        stopped: Asked now and then: whether nobody wants to know any more.

    """

    clock: Callable[[], float]
    seconds: float
    nodes: int | None = None
    stopped: Callable[[], bool] = lambda: False

    def answer(self, game: Game, table: Table) -> Answer:
        """What is found by then."""
        end = self.clock() + self.seconds
        budget = Budget(self.nodes or sys.maxsize, lambda: self.clock() > end or self.stopped())
        return solve(game, table, budget)


@dataclass(frozen=True, slots=True)
class Course:
    """A game as it was played.

    Attributes:
        game: The rules.
        start: The position at the start.
        commands: The moves that led to its end, none of them taken back.
        positions: What each of them led to.
        numbers: Which command each of them was, the first one is 1; what was taken back, done
            again or given up counts, comments do not.
        given_up: Whether it was given up in the end; ``None``: it is a position alone, of a save.

    """

    game: Game
    start: Table
    commands: Sequence[str] = ()
    positions: Sequence[Table] = ()
    numbers: Sequence[int] = ()
    given_up: bool | None = None

    def analysis(self, patience: Patience) -> Analysis:
        """Where it was lost, with that much patience for each position that is looked at."""
        tables = [self.start, *self.positions]
        return analyse(self.game, tables, lambda table: patience.answer(self.game, table))

    def written(self, found: Analysis) -> list[str]:
        """The moves that would have won, in the game's notation."""
        return written(self.game, found.line)


def course_of(text: str) -> Course:
    """The game in a replay text; of a save, the position alone.

    Raises:
        LineError: It is neither.
        Hidden: Cards are hidden: the game was still running.

    """
    if not text.lstrip().startswith(f"# format: {FORMAT}"):
        save = saves.read(text)
        return Course(save.game, save.table)
    replay = replays.read(text)
    if not replay.shown:
        raise Hidden(replay.first, 1, replays.HIDDEN)
    line = line_of_play(played for played in replays.follow(replay) if played.step.command)
    return Course(
        replay.game,
        replay.start,
        [played.step.command for _, played in line],
        [played.table for _, played in line],
        [number for number, _ in line],
        given_up=any(step.command.lower() == "resign" for step in replay.steps),
    )


class Hidden(ReplayError):
    """Not all cards are known."""
