"""What players want to be told while they play: one question of each, answered one by one.

Promises: nothing is thought on the server's loop or in a thread of it; at most one process at a
time, and none when the server has ended; who asks something new, or asks no more, is no longer
worked for; what waits is bounded, for each address and in all. Never: know what is asked.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from kibitz.protocol.codes import ErrorCode, Refused

from ..limits.table import Over
from ..operation.metrics import ANSWERED, DROPPED, FAILED, REFUSED, Metrics
from ..processes import Failed
from .child import advised_apart

AGAIN_MS = 250
"""When to ask again for what is being worked out."""
MOST_WAITING = 16
"""Questions that are worked on or wait; one more is refused."""
MOST_FROM_ONE = 4
"""Those of them that come from one address."""
PATIENCE_SECONDS = 5.0
"""Who has not asked again by then does not want to know."""

log = structlog.get_logger("kibitz.advisers")


@dataclass(slots=True)
class _Asked:
    """What somebody asked last."""

    about: object
    place: str | None
    task: asyncio.Task[None]
    timer: asyncio.TimerHandle
    found: bytes | None = None
    failed: bool = False


class Advisers:
    """Those of one server."""

    def __init__(self, seconds: float, metrics: Metrics) -> None:
        """Nothing has been asked yet.

        Args:
            seconds: Of the processor, for each question; 0: nobody can ask.
            metrics: Where what comes of the questions is counted.

        """
        self.seconds = seconds
        self._metrics = metrics
        self._turn = asyncio.Semaphore(1)
        self._asked: dict[str, _Asked] = {}
        self._working = set[asyncio.Task[None]]()
        """Those who work on a question, or are just ending to."""
        self._closed = False

    def of(
        self, who: str, place: str | None, about: object, question: Callable[[], bytes]
    ) -> bytes | None:
        """The answer to what somebody asks; ``None``: it is being worked out, ask again.

        Args:
            who: Whose question it is; what he asked before is forgotten.
            place: What his address counts as; ``None``: it is not counted.
            about: What tells the question from his others.
            question: The question itself, which is asked for only once.

        Raises:
            Refused: Too many wait, or the server comes to its end.
            Failed: There is no answer.

        """
        asked = self._asked.get(who)
        if asked is None or asked.about != about:
            self._drop(who)
            self._check(place)
            task = asyncio.create_task(self._work(who, about, question()))
            self._working.add(task)
            self._metrics.advising += 1
            task.add_done_callback(self._done)
            asked = self._asked[who] = _Asked(about, place, task, self._soon(who))
        asked.timer.cancel()
        asked.timer = self._soon(who)
        if asked.failed:
            raise Failed
        return asked.found

    async def close(self) -> None:
        """End what is worked on, and take no more."""
        self._closed = True
        for who in list(self._asked):
            self._drop(who)
        await asyncio.gather(*self._working, return_exceptions=True)

    def _soon(self, who: str) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._drop, who)

    def _drop(self, who: str) -> None:
        """Let somebody's question be."""
        if (asked := self._asked.pop(who, None)) is not None:
            asked.timer.cancel()
            self._metrics.advice[DROPPED] += not asked.task.done()
            asked.task.cancel()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._working.discard(task)
        self._metrics.advising -= 1

    def _check(self, place: str | None) -> None:
        """Check that one more may wait.

        Raises:
            Refused: It may not.

        """
        if self._closed:
            raise Refused(ErrorCode.DRAINING, "the server comes to its end")
        waiting = [asked.place for asked in self._asked.values() if not asked.task.done()]
        limit = None
        if len(waiting) >= MOST_WAITING:
            limit = "questions that wait"
        elif place is not None and waiting.count(place) >= MOST_FROM_ONE:
            limit = "questions per address"
        if limit is not None:
            self._metrics.advice[REFUSED] += 1
            raise Over(limit, 1000).refused()

    async def _work(self, who: str, about: object, question: bytes) -> None:
        found: bytes | None = None
        try:
            async with self._turn:
                found = await advised_apart(question, self.seconds)
        except Failed as error:
            log.error("not advised", why=str(error))
        self._metrics.advice[FAILED if found is None else ANSWERED] += 1
        asked = self._asked.get(who)
        if asked is not None and asked.about == about:
            asked.found, asked.failed = found, found is None
