"""A strategy at a table of its own: the rules and views of a server, and no network.

Promises: what a strategy is given is what a server would show it; the same deal brings the same
cards and the same shuffles. Never: hidden cards, a clock that decides.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kibitz.engine.deals import Drawn, deck_of
from kibitz.engine.game import BadOption, Chance, Game, moves
from kibitz.engine.game import play as decide
from kibitz.engine.games import GAMES, written
from kibitz.engine.notation import write_piles
from kibitz.engine.table import Table, redact_table
from kibitz.protocol.codes import Refused
from kibitz.protocol.views import BoardView, Status

from .bots import Strategy
from .bots.turns import Failed, Turns
from .chosen import read

Outcome = Literal["won", "stuck", "gave up"]
"""``stuck``: no legal move is left."""


@dataclass(frozen=True, slots=True)
class Played:
    """How a game went.

    Attributes:
        outcome: How it ended.
        line: The moves, in the game's notation.
        score: The cards that are where they belong.
        thought: Seconds that each choice took.

    """

    outcome: Outcome
    line: tuple[str, ...]
    score: int
    thought: tuple[float, ...]


def play(
    game: str,
    deal: str | int,
    choose: Strategy,
    *,
    options: Mapping[str, str | int] | None = None,
) -> Played:
    """Play one game to its end.

    Args:
        game: The name of a game.
        deal: A deal: a number or a word.
        choose: The strategy; it may be asynchronous.
        options: The rules' options.

    Raises:
        BadOption: There is no such game, deal or option.
        Failed: The strategy broke, or chose a move that is not legal.

    """
    if game not in GAMES:
        raise BadOption(f"no game {game!r} (there are {', '.join(GAMES)})")
    said = {str(name): str(value) for name, value in (options or {}).items()}
    rules, named = GAMES[game].with_options(said), str(deal)
    table = rules.deal(deck_of(named))
    return asyncio.run(play_out(rules, table, choose, shuffles_of(named)))


def shuffles_of(deal: str) -> Chance:
    """Where the outcomes of a deal's shuffles come from, where no server decides them."""
    return Drawn(b"kibitz shuffles offline\0" + deal.encode())


async def play_out(rules: Game, table: Table, choose: Strategy, chance: Chance) -> Played:
    """Play on from a position.

    Raises:
        Failed: The strategy broke, or chose a move that is not legal.

    """
    turns, line = Turns(choose), list[str]()
    outcome: Outcome = "won"
    while not rules.is_won(table):
        legal = legal_moves(rules, table)
        move = await turns.next(view_of(rules, table, len(line)), legal)
        if move is None:
            outcome = "gave up" if legal else "stuck"
            break
        table = _after(rules, table, move, chance)
        line.append(move)
    return Played(outcome, tuple(line), rules.score(table), tuple(turns.thought))


def legal_moves(rules: Game, table: Table) -> list[str]:
    """The legal moves, best first, in the game's notation."""
    return written(rules, moves(rules, table))


def view_of(rules: Game, table: Table, made: int) -> BoardView:
    """What everybody may see after so many moves."""
    status: Status = "won" if rules.is_won(table) else "open"
    piles = write_piles(redact_table(table))
    return BoardView(piles, status, made, rules.score(table), dict(table.counters))


def _after(rules: Game, table: Table, line: str, chance: Chance) -> Table:
    try:
        move = read(rules, table, line)
    except Refused as refused:
        raise Failed(refused.message) from None
    return decide(rules, table, move, chance).table
