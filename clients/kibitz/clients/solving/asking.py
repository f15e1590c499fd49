"""A search with a clock, and games to be looked at: from texts, from deals."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.engine import replays, saves
from kibitz.engine.game import Game
from kibitz.engine.replays import FORMAT, ReplayError
from kibitz.engine.solving import Answer, Budget, solve
from kibitz.engine.solving.analysis import Analysis, analyse, line_of_play
from kibitz.engine.table import Table


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is searched for one answer.

    Attributes:
        seconds: Of the processor; nobody else's work counts.
        nodes: Positions that are looked at; ``None``: as many as there is time for.

    """

    seconds: float
    nodes: int | None = None

    def answer(self, game: Game, table: Table) -> Answer:
        """What is found by then."""
        end = time.process_time() + self.seconds
        budget = Budget(self.nodes or sys.maxsize, lambda: time.process_time() > end)
        return solve(game, table, budget)


@dataclass(frozen=True, slots=True)
class Course:
    """A game as it was played.

    Attributes:
        game: The rules.
        start: The position at the start.
        commands: The moves that led to its end, none of them taken back.
        positions: What each of them led to.

    """

    game: Game
    start: Table
    commands: Sequence[str] = ()
    positions: Sequence[Table] = ()

    def analysis(self, patience: Patience) -> Analysis:
        """Where it was lost, with that much patience for each position that is looked at."""
        tables = [self.start, *self.positions]
        return analyse(self.game, tables, lambda table: patience.answer(self.game, table))


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
    line = line_of_play(replays.follow(replay))
    commands = [played.step.command for played in line]
    return Course(replay.game, replay.start, commands, [played.table for played in line])


class Hidden(ReplayError):
    """Not all cards are known."""
