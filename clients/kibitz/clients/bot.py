"""Programs at the table: a strategy is given what everybody may see, its choice is played.

The shortest bot is in ``bots/example.py``. Promises: a bot survives a server that is started
anew; it never goes on for ever without progress; what it decides on is the position it saw; in a
race it plays its own board and waits for nobody. Never: hidden cards, rules of its own.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Literal

from kibitz.engine.game import Game
from kibitz.engine.games import GAMES
from kibitz.engine.table import Table
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.mirror import Mirror

from . import offline
from .bots import Maker, Strategy
from .bots.turns import Failed, Turns
from .chosen import read, refused
from .connection import PATIENCE
from .session import Client, Closed, Unreachable, connect
from .trust import Trust

Outcome = Literal["won", "stuck", "gave up", "ended", "timeout"]
"""``stuck``: no legal move is left; ``ended``: by somebody else; ``timeout``: of a race."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a game went; ``seconds`` includes the time to think, but no wait for a start."""

    room: str
    deal: str | None
    outcome: Outcome
    moves: int
    score: int
    seconds: float


def play(url: str | Sequence[str], game: str, choose: Strategy) -> Result:
    """Play one game in a new public room, from start to end.

    Args:
        url: The server, ``ws://127.0.0.1:8765/ws``; or several of one deployment.
        game: The name of a game.
        choose: The strategy.

    Raises:
        Unreachable: There is no server.
        Refused: The strategy chose a move that is not legal.
        Failed: It broke.

    """
    return asyncio.run(run(lambda rules, rng: choose, game, url))[0]


async def run(
    make: Maker,
    game: str,
    url: str | Sequence[str],
    *,
    games: int = 1,
    deals: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    room: str | None = None,
    delay: float = 0.0,
    explain: bool = False,
    seed: int | None = None,
    name: str = "bot",
    race: Mapping[str, Any] | None = None,
    token: str | None = None,
    trust: Trust | None = None,
    met: Callable[[Client], None] = lambda client: None,
    sat: Callable[[Client, str], None] = lambda client, room: None,
    tell: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Play games one after the other.

    Args:
        make: Makes the strategy for each game.
        game: The name of a game.
        url: The server, or several of one deployment.
        games: How many games; with ``deals``, they are taken in turn.
        deals: Deal numbers; none: secret shuffles.
        options: The rules' options.
        room: Play in this room instead, as one of its players; in a race, it is ready at once.
        delay: Seconds to wait before each move.
        explain: Show those who see the board what the strategy thinks, if it can say so.
        seed: What the chance of each game follows from, with its number.
        name: The display name.
        race: Open a race for each game, with these settings (``seats``, ``limit``, ...).
        token: What brings back an identity.
        trust: Whose certificates are good.
        met: Called once, when the server has said who we are.
        sat: Called with the room of each game, before its first move.
        tell: Called after each game.

    Raises:
        Unreachable: There is no server, or it is gone.
        Refused: A chosen move is not legal, or the room cannot be made or joined.
        Failed: A strategy broke.

    """
    results: list[Result] = []
    async with connect(url, name=name, token=token, patience=PATIENCE, trust=trust) as client:
        met(client)
        for number in range(1 if room else games):
            deal = deals[number % len(deals)] if deals else None
            if room is None:
                mode = {} if race is None else {"mode": "race", **race}
                mirror = await client.create(game, deal=deal, options=dict(options or {}), **mode)
            else:
                mirror = await client.join(room, "player")
            sat(client, mirror.room)
            rng = Random() if seed is None else Random(f"{seed}:{number}")
            try:
                choose = make(rules_of(mirror), rng)
                result = await play_out(
                    *(client, mirror, choose), deal=deal, delay=lambda: delay, explain=explain
                )
            finally:
                if room is None:
                    with suppress(Refused, Unreachable, Closed):
                        await clear(client, mirror)
            results.append(result)
            tell(result)
    return results


async def play_out(
    client: Client,
    mirror: Mirror,
    choose: Strategy,
    *,
    deal: str | None = None,
    delay: Callable[[], float] = lambda: 0.0,
    explain: bool = False,
) -> Result:
    """Play in a room until the game has ended or the strategy has nothing more to say.

    In a race: be ready, wait for the start, and give the own board up where nothing is left to do.
    With ``explain`` a strategy that has such a method, which says what it thought of the moves
    last, is asked for it before each move, and that is shown.

    Raises:
        Refused: A chosen move is not legal.
        Failed: The strategy broke.

    """
    await _started(client, mirror)
    began = time.monotonic()
    turns, rules = Turns(choose), rules_of(mirror)
    outcome: Outcome = "ended"
    while is_going(mirror):
        table, board, legal = mirror.tables[mirror.own], mirror.board, legal_moves(mirror)
        move = await turns.next(board, legal)
        if mirror.tables[mirror.own] != table:
            continue  # somebody else has moved meanwhile
        if move is None:
            outcome = "gave up" if legal else "stuck"
            break
        read(rules, table, move)  # a server is not asked for what it refuses
        if explain:
            await _explain(client, mirror, turns)
        await asyncio.sleep(delay())
        await _move(client, mirror, move, table)
    if mirror.course.race and is_going(mirror):
        with suppress(Refused):  # the time was up just now
            await client.resign(mirror.room)
    board = mirror.board
    if board.status in ("won", "timeout"):
        outcome = board.status
    seconds = time.monotonic() - began
    return Result(mirror.room, deal, outcome, board.moves, board.score, seconds)


def legal_moves(mirror: Mirror) -> list[str]:
    """The legal moves of a room's board, best first, as far as everybody may know."""
    return offline.legal_moves(rules_of(mirror), mirror.tables[mirror.own])


def rules_of(mirror: Mirror) -> Game:
    """The rules that are played in a room, with its options."""
    return GAMES[mirror.view.game].with_options(mirror.view.options)


def is_going(mirror: Mirror) -> bool:
    """Whether there is something to play: the game is open, and so is the own board of a race."""
    return mirror.status == "open" and mirror.board.status == "open"


async def _started(client: Client, mirror: Mirror) -> None:
    """Be ready for a race, and wait until it begins."""
    race = mirror.course.race
    if race and race.started is None and mirror.seat not in race.ready:
        await client.ready(mirror.room)
    await client.until(lambda: mirror.tables[mirror.own].piles or not is_going(mirror))


async def _explain(client: Client, mirror: Mirror, turns: Turns) -> None:
    """Show what was thought of the moves."""
    if values := await turns.values():
        try:
            with suppress(Refused):  # the game has just ended
                await client.think(mirror.room, values)
        except ValueError as error:  # what it says is no thought
            raise Failed(f"the strategy could not explain itself: {error}") from None


async def clear(client: Client, mirror: Mirror) -> None:
    """Leave a room of ours behind in order: a game that is still open is given up."""
    if is_going(mirror):
        await client.resign(mirror.room)
    await client.leave(mirror.room)


async def _move(client: Client, mirror: Mirror, move: str, chosen_for: Table) -> None:
    """Make a move on the position it was chosen for.

    What others say meanwhile does not matter; when they move, the choice is void.
    """
    while mirror.tables[mirror.own] == chosen_for and is_going(mirror):
        try:
            await client.move(mirror.room, move, expect=mirror.seq)
        except Refused as no:
            if no.code is ErrorCode.GAME_OVER:
                return
            if no.code in (ErrorCode.BAD_MOVE, ErrorCode.ILLEGAL):
                raise refused(no.code, move, no.message) from None
            if no.code is not ErrorCode.STALE:
                raise
            await client.until(partial(_has, mirror, no.seq or 0))


def _has(mirror: Mirror, seq: int) -> bool:
    return mirror.seq >= seq
