"""What a player wants to be told of his own game: as it is handed to a process, and its answer.

Promises: a question holds what the player has seen and nothing else; so no answer can tell more.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from kibitz.engine.board import Board
from kibitz.engine.game import Game
from kibitz.engine.notation import write_fact, write_piles
from kibitz.engine.table import redact
from kibitz.protocol.asking import Advised

BACK = 120
"""Changes that are looked back on, so that nothing is sought which was there a moment ago."""
STARTING_SECONDS = 8
"""Processor seconds for all that does not look at the time: the start, what the bot thinks."""


class Question(Struct, frozen=True):
    """What is asked.

    Attributes:
        what: What somebody wants to know.
        game, options: The rules.
        piles, counters: The table as it is remembered: cards that were never seen are ``??``.
        back: For each of the last changes, the last one first, the public facts that take it back.
        seed: What chance follows from: the same question has the same answer.

    """

    what: Advised
    game: str
    options: Mapping[str, str]
    piles: Mapping[str, Sequence[str]]
    counters: Mapping[str, int]
    back: Sequence[Sequence[Sequence[Any]]]
    seed: str


class Answer(Struct, frozen=True, omit_defaults=True):
    """What was found: a move in the game's notation, or counts of worlds."""

    move: str | None = None
    worlds: int | None = None
    winnable: int | None = None
    lost: int | None = None
    proved: str | None = None


def question_of(what: Advised, game: Game, board: Board, seed: str) -> Question:
    """What is asked about a board."""
    table = board.remembered()
    looks_back = board.way_back(BACK) if what == "move" else ()
    return Question(
        *(what, game.name, game.options, write_piles(table), table.counters),
        [[write_fact(redact(fact)) for fact in facts] for facts in looks_back],
        seed,
    )


def most(seconds: float) -> int:
    """Processor seconds after which a process is ended that has so many for an answer."""
    return math.ceil(seconds) + STARTING_SECONDS
