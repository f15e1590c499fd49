"""A strategy in one game: asked for move after move, until nothing comes of it.

Promises: what it chooses is a plain text or nothing, or the game ends with its fault and where that
is; without progress it is not asked for ever. Never: rules, a server.
"""

import asyncio
import inspect
import os
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from kibitz.protocol.views import BoardView

from ..telling import printable
from . import Strategy

Said = TypeVar("Said")
NO_PROGRESS = 1000
"""Moves without a better score after which the game is given up, whatever the strategy says."""


class Failed(Exception):
    """A strategy raised an exception, or chose what is no move."""


class Turns:
    """One strategy, from the first turn to the last."""

    def __init__(self, choose: Strategy) -> None:
        """Nothing has been asked yet."""
        self._choose = choose
        self._best = -1
        self._waited = 0
        self._process = os.getpid()
        self.thought: list[float] = []
        """Seconds that each choice took."""

    async def next(self, board: BoardView, legal: list[str]) -> str | None:
        """The move it chooses; ``None``: it gives up, or has come no further for too long.

        Raises:
            Failed: It broke.

        """
        self._waited = 0 if board.score > self._best else self._waited + 1
        self._best = max(self._best, board.score)
        if self._waited >= NO_PROGRESS:
            return None
        began = time.perf_counter()
        try:
            choice = await _asked(lambda: self._choose(board, legal))
            move = await asyncio.ensure_future(choice) if inspect.isawaitable(choice) else choice
        except BaseException as error:
            if _is_for_us(error):
                raise
            raise Failed(f"the strategy failed: {said(error)}") from error
        if os.getpid() != self._process:
            os._exit(1)  # a copy that the strategy has made of us
        self.thought.append(time.perf_counter() - began)
        if move is None:
            return None
        if not issubclass(type(move), str):
            raise Failed(printable(f"the strategy chose {_shown(move):.60}, which is no move"))
        return str.__str__(move)  # a text, whatever else it claims to be

    async def values(self) -> dict[str, float]:
        """What the strategy thought of the moves when it chose last, if it can say so.

        Raises:
            Failed: It broke, or said what is no number for each of some moves.

        """
        try:
            explain: Callable[[], Mapping[str, float]] = getattr(self._choose, "explain", dict)
            thought = await _asked(explain)
            said_ = {str.__str__(move): float(value) for move, value in thought.items()}
        except BaseException as error:
            if _is_for_us(error):
                raise
            raise Failed(f"the strategy could not explain itself: {said(error)}") from error
        return said_


async def _asked(question: Callable[[], Said]) -> Said:
    """What a strategy says; it may cancel what it likes, and not us."""
    task = asyncio.current_task()
    assert task, "this is a coroutine"
    cancelled = task.cancelling()
    said_ = question()
    if task.cancelling() > cancelled:
        task.uncancel()
        with suppress(asyncio.CancelledError):  # which has been asked for nevertheless
            await asyncio.sleep(0)
        raise RuntimeError("it cancelled the task in which it was asked")
    return said_


def _is_for_us(error: BaseException) -> bool:
    """Whether an exception tells us to stop, and is not the strategy's own."""
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt)


def _shown(choice: object) -> str:
    """What was chosen, as Python writes it."""
    try:
        return repr(choice)
    except Exception:  # it is one of somebody else's
        return f"a {type(choice).__name__}"


def said(error: BaseException) -> str:
    """An exception in one line that can be printed, and where it was raised."""
    try:
        told = str(error)
    except Exception:  # it is one of somebody else's
        told = "?"
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return printable(f"{type(error).__name__}: {told:.200}{where}".replace("\n", " "))
