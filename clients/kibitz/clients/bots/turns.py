"""A strategy in one game: asked for move after move, until nothing comes of it.

Promises: what it chooses is a text or nothing, or the game ends with its fault and where that is;
without progress it is not asked for ever. Never: rules, a server.
"""

import asyncio
import inspect
import os
import time
import traceback

from kibitz.protocol.views import BoardView

from ..telling import printable
from . import Strategy

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
            choice = self._choose(board, legal)
            move = await choice if inspect.isawaitable(choice) else choice
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException as error:
            raise Failed(f"the strategy failed: {said(error)}") from error
        if os.getpid() != self._process:
            os._exit(1)  # a copy that the strategy has made of us
        self.thought.append(time.perf_counter() - began)
        if move is not None and not isinstance(move, str):
            raise Failed(f"the strategy chose {move!r:.60}, which is no move")
        return move


def said(error: BaseException) -> str:
    """An exception in one line that can be printed, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return printable(f"{type(error).__name__}: {error!s:.200}{where}".replace("\n", " "))
