"""A whole won game of each of the five, as the hand on a table does it: drags and buttons.

Deals and lines of play are data (``data/wins.json``): any line that wins is as good as another.
What a line does to the table, the engine says; so these steps know every card before the page does.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from kibitz.engine.deals import deck_of
from kibitz.engine.game import Transfer, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.saves import write
from kibitz.engine.table import Moved, Table, redact_table
from kibitz.engine.text import Request

Piles = dict[str, list[str]]
"""The cards of every pile as everybody may see them, bottom to top."""
WINS = json.loads((Path(__file__).parent / "data" / "wins.json").read_text())


@dataclass(frozen=True)
class Drag:
    """The last ``cards`` cards of one pile go to another."""

    source: str
    target: str
    cards: int = 1


@dataclass(frozen=True)
class Press:
    """A command that is not a drag, by its word in the game's notation."""

    move: str


@dataclass(frozen=True)
class Step:
    """A line of the game's notation, what to do with the hand, and the piles after it."""

    line: str
    do: Drag | Press
    piles: Piles


def deal_of(game: str) -> str:
    """The deal number of the won game."""
    deal: str = WINS[game]["deal"]
    return deal


def seen(table: Table) -> Piles:
    """A table as everybody may see it."""
    return {pile: list(map(str, cells)) for pile, cells in redact_table(table).piles.items()}


def flat(piles: Piles) -> list[str]:
    """All cards of all piles."""
    return [cell for cells in piles.values() for cell in cells]


def start_of(game: str) -> Piles:
    """The piles before the first step."""
    return seen(GAMES[game].deal(deck_of(deal_of(game))))


def save_of(game: str, done: int) -> str:
    """The save after so many steps."""
    rules, text = GAMES[game], TEXTS[game]
    table = rules.deal(deck_of(deal_of(game)))
    for line in WINS[game]["moves"][:done]:
        move = text.parse(line)
        assert not isinstance(move, Request)
        table = play(rules, table, move, Random(0)).table
    return write(rules, table)


def steps(game: str) -> Iterator[Step]:
    """The won game, step by step; the last one wins."""
    rules, text = GAMES[game], TEXTS[game]
    table = rules.deal(deck_of(deal_of(game)))
    for line in WINS[game]["moves"]:
        move = text.parse(line)
        assert not isinstance(move, Request)
        outcome = play(rules, table, move, Random(0))
        table = outcome.table
        if isinstance(move, Transfer):
            moved = next(fact for fact in outcome.facts if isinstance(fact, Moved))
            yield Step(line, Drag(moved.source, moved.target, len(moved.cells)), seen(table))
        else:
            yield Step(line, Press(line), seen(table))
    assert rules.is_won(table), "the last step wins"
