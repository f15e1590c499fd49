"""Every strategy plays every deal, in processes of their own.

Promises: all strategies get the same cards and the same shuffles; a seed repeats every game,
however many processes there are; a strategy that breaks has lost that game and no other.
"""

import asyncio
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from random import Random

from msgspec import Struct

from kibitz.engine.deals import deck_of
from kibitz.engine.game import Game
from kibitz.engine.games import GAMES

from ..abreast import abreast
from ..bots.finding import find
from ..bots.turns import Failed
from ..offline import play_out, shuffles_of

MOST_DEALS = 100_000
"""Deals that a range may name."""
RANGE = re.compile(r"(?P<kind>|ms)(?P<first>[0-9]{1,18})-(?P=kind)(?P<last>[0-9]{1,18})")
LIKE_A_RANGE = re.compile(r"(ms)?[0-9]+-", re.IGNORECASE)


class Contest(Struct, frozen=True, kw_only=True):
    """What is played.

    Attributes:
        game: The name of a game.
        options: Its options.
        bots: The strategies' names.
        deals: The deals.
        seed: What all chance of the strategies follows from.

    """

    game: str
    options: dict[str, str]
    bots: list[str]
    deals: list[str]
    seed: int


class Row(Struct, frozen=True, kw_only=True):
    """How one strategy fared on one deal.

    Attributes:
        outcome: ``won``, ``stuck``, ``gave up`` or ``failed``.
        score: The cards that are where they belong.
        fault: Why it failed.
        thought: Milliseconds of each choice.

    """

    bot: str
    deal: str
    outcome: str
    score: int = 0
    moves: int = 0
    fault: str = ""
    thought: list[float] = []


def run(contest: Contest, jobs: int) -> Iterator[Row]:
    """Play all games, deal after deal, so many at a time.

    Raises:
        Broken: A strategy has ended its process.
        Failed: The module of a strategy cannot be loaded.
        Unknown: There is no such strategy.

    """
    for bot in contest.bots:
        find(bot)
    games = [(bot, deal) for deal in contest.deals for bot in contest.bots]
    return abreast(partial(_play, contest), games, jobs)


def _play(contest: Contest, game: tuple[str, str]) -> Row:
    bot, deal = game
    return fare(GAMES[contest.game].with_options(contest.options), bot, deal, contest.seed)


def fare(rules: Game, bot: str, deal: str, seed: int) -> Row:
    """How one strategy fares on one deal."""
    chance = Random(f"{seed}:{bot}:{deal}")
    try:
        choose = find(bot)(rules, chance)
        table = rules.deal(deck_of(deal))
        with redirect_stdout(sys.stderr):  # what a strategy prints is no part of the result
            played = asyncio.run(play_out(rules, table, choose, shuffles_of(deal)))
    except Failed as error:
        return Row(bot=bot, deal=deal, outcome="failed", fault=str(error))
    return Row(
        bot=bot,
        deal=deal,
        outcome=played.outcome,
        score=played.score,
        moves=len(played.line),
        thought=[round(seconds * 1000, 3) for seconds in played.thought],
    )


def deals_of(text: str) -> list[str]:
    """The deals that a list names: ``1-300``, ``ms1-ms100``, ``7,ms11982,monday``.

    Raises:
        ValueError: It names none, or one twice.
        BadOption: One is no deal.

    """
    deals: list[str] = []
    for part in filter(None, text.split(",")):
        if named := RANGE.fullmatch(part):
            kind, first, last = named["kind"], int(named["first"]), int(named["last"])
            if last - first >= MOST_DEALS:
                raise ValueError(f"{part} is more than {MOST_DEALS:,} deals")
            deals += [f"{kind}{number}" for number in range(first, last + 1)]
        elif LIKE_A_RANGE.match(part):
            raise ValueError(f"{part!r:.40} is no range of deals; these are: 1-300, ms1-ms100")
        else:
            deals.append(part)
    if not deals or len(set(deals)) < len(deals):
        raise ValueError(f"{text!r} names no deals, or one twice; deals look like 1-300 or 7,ms11")
    for deal in deals:
        deck_of(deal)
    return deals


def by_bot(contest: Contest, rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    """Each strategy's games, in the order of the deals."""
    return {bot: [row for row in rows if row.bot == bot] for bot in contest.bots}
