"""Analyses of games that have ended: asked for, made one after the other, and kept for a while.

Promises: nothing is searched on the server's loop or in a thread of it; at most one process at a
time, and none when the server has ended; what waits is bounded, for each address and in all, and
what is kept in bytes. Never: a text of a game that still runs (whoever asks sees to that).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from kibitz.protocol.codes import ErrorCode, Refused

from ..limits.table import Over
from ..operation.metrics import FAILED, MADE, Metrics
from ..processes import Failed
from .child import analysed_apart

ASK_SECONDS = 1.0
"""How long somebody who asks is kept waiting at most, before he is told to ask again."""
AGAIN_SECONDS = 2
"""When to ask again for one that is being made."""
MOST_WAITING = 8
"""Analyses that are being made or wait for it; one more is refused."""
MOST_FROM_ONE = 2
"""Those of them that were asked for first from one address."""
MOST_KEPT = 256
"""Analyses that are kept; the one that was asked for last goes last."""
MOST_KEPT_BYTES = 16 << 20
"""Bytes of all that are kept, unless the last one alone has more; most have a few thousand."""
FAILED_SECONDS = 600
"""So long one that could not be made is not tried again."""

Game = tuple[str, int]
"""A room and a board of it. What has ended stays as it is, so that is all it takes."""

log = structlog.get_logger("kibitz.analyses")


@dataclass(slots=True)
class _Asked:
    """One that is being made, or waits for that; ``place``: where it was asked for first."""

    place: str | None
    task: asyncio.Task[None]


class Analyses:
    """Those of one server."""

    def __init__(self, seconds: float, metrics: Metrics) -> None:
        """Nothing has been asked for yet.

        Args:
            seconds: Of the processor, for each position; 0: there are no analyses.
            metrics: Where they are counted.

        """
        self.seconds = seconds
        self._metrics = metrics
        self._turn = asyncio.Semaphore(1)
        self._asked: dict[Game, _Asked] = {}
        self._kept: dict[Game, bytes] = {}
        self._bytes = 0
        """Of all that are kept."""
        self._hopeless: dict[Game, asyncio.TimerHandle] = {}
        self._closed = False

    async def of(
        self, game: Game, text: Callable[[], Awaitable[bytes]], place: str | None
    ) -> bytes | None:
        """The analysis of a game; ``None``: it is being made, ask again.

        Args:
            game: Which.
            text: Its replay text, for which is asked only if it takes that.
            place: What the address of who asks counts as; ``None``: it is not counted.

        Raises:
            Refused: Too many wait, in all or of this address, or the server comes to its end.
            Failed: It cannot be made.

        """
        if self._knows(game):
            return self._said(game)
        if game not in self._asked:
            self._check(game, place)
            whole = await text()
            if not self._knows(game) and game not in self._asked:  # while that was read
                self._check(game, place)
                self._asked[game] = _Asked(place, asyncio.create_task(self._make(game, whole)))
                self._metrics.analysing += 1
        if asked := self._asked.get(game):
            await asyncio.wait([asked.task], timeout=ASK_SECONDS)
        return self._said(game)

    async def close(self) -> None:
        """End what is being made, and make no more."""
        self._closed = True
        asked = [each.task for each in self._asked.values()]
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        for timer in self._hopeless.values():
            timer.cancel()

    def _knows(self, game: Game) -> bool:
        return game in self._kept or game in self._hopeless

    def _said(self, game: Game) -> bytes | None:
        if game in self._hopeless:
            raise Failed
        found = self._kept.pop(game, None)
        if found is not None:
            self._kept[game] = found
        return found

    def _check(self, game: Game, place: str | None) -> None:
        """Check that one more may wait.

        Raises:
            Refused: It may not.

        """
        room, _ = game
        if self._closed:
            raise Refused(ErrorCode.DRAINING, "the server comes to its end", room=room)
        if len(self._asked) >= MOST_WAITING:
            raise Over("analyses that wait", AGAIN_SECONDS * 1000 * MOST_WAITING).refused(room)
        here = sum(each.place == place for each in self._asked.values())
        if place is not None and here >= MOST_FROM_ONE:
            over = Over("analyses per address", AGAIN_SECONDS * 1000 * MOST_FROM_ONE)
            raise over.refused(room)

    async def _make(self, game: Game, text: bytes) -> None:
        try:
            async with self._turn:
                found = await analysed_apart(text, self.seconds)
        except Failed as error:
            self._metrics.analyses[FAILED] += 1
            self._give_up(game)
            log.error("not analysed", room=game[0], why=str(error))
        else:
            self._metrics.analyses[MADE] += 1
            self._keep(game, found)
        finally:
            del self._asked[game]
            self._metrics.analysing -= 1

    def _keep(self, game: Game, found: bytes) -> None:
        """Keep one, and let go of those for which there is no room then."""
        self._kept[game] = found
        self._bytes += len(found)
        while len(self._kept) > MOST_KEPT or (
            self._bytes > MOST_KEPT_BYTES and len(self._kept) > 1
        ):
            self._bytes -= len(self._kept.pop(next(iter(self._kept))))

    def _give_up(self, game: Game) -> None:
        """Let one be, for a while."""
        loop = asyncio.get_running_loop()
        self._hopeless[game] = loop.call_later(FAILED_SECONDS, self._hopeless.pop, game)
        if len(self._hopeless) > MOST_KEPT:
            first = next(iter(self._hopeless))
            self._hopeless.pop(first).cancel()
