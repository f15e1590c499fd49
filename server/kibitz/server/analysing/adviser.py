"""One piece of advice: what a player has seen comes in, what to make of it goes out, as JSON.

``python -m kibitz.server.analysing.adviser SECONDS SERVER`` is a process of its own; ``SERVER`` is
the id of the process that wants to know. Promises: it takes no more than is said here and in
:mod:`.bounds`, and ends when the server does. Never: a card that the player has not seen, for
nobody hands it one.
"""

import sys
import time
from collections.abc import Iterator
from random import Random

import msgspec

from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.notation import read_fact, read_table
from kibitz.engine.solving import Verdict
from kibitz.engine.solving.courses import Patience
from kibitz.engine.table import Table, fold, redact_table
from kibitz.engine.thinking import Strength, breathing, policy
from kibitz.engine.thinking.chances import chances

from ..processes import LET_OTHERS
from .bounds import bound, enough
from .questions import Answer, Question, most


def main() -> int:
    """Read, think, write; the exit code."""
    seconds, parent = float(sys.argv[1]), int(sys.argv[2])
    bound(most(seconds))
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=Question)
    patience = Patience(time.process_time, seconds, stopped=enough(seconds, parent))
    sys.stdout.buffer.write(msgspec.json.encode(answered(question, patience)))
    return 0


def answered(question: Question, patience: Patience) -> Answer:
    """The answer to a question."""
    game = GAMES[question.game].with_options(question.options)
    seen, rng = read_table(question.piles, question.counters), Random(question.seed)
    if question.what == "move":
        bot = policy(game, Strength.STRONG, rng, breathing(time.monotonic, LET_OTHERS))
        bot.recall(_before(question, seen))
        move = bot.choose(seen)
        return Answer(move=None if move is None else TEXTS[game.name].write(move))
    found = chances(game, seen, rng, patience)
    proved = None if found.proved is Verdict.UNKNOWN else found.proved.value
    return Answer(None, found.worlds, found.winnable, found.lost, proved)


def _before(question: Question, seen: Table) -> Iterator[Table]:
    """The positions on the way here, the last one first."""
    table = redact_table(seen)
    for facts in question.back:
        table = fold(map(read_fact, facts), table)
        yield table


if __name__ == "__main__":
    sys.exit(main())
