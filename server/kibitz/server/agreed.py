"""A wall clock that all servers on one log share: the one of whoever stores it.

Promises: what is due is so at the same moment on every server, whatever the clocks of their
machines say: how far ours is off is measured before anybody is let in, and all the time. What is
shown is steady (:mod:`.steady`). Never: wait for an answer while somebody asks what time it is.

Where the machines that store the log differ among themselves, it is the clock of the one that is
asked, which all servers ask.
"""

import asyncio
import contextlib
from collections.abc import Callable

import structlog

from .log.log import EventLog, LogFailure
from .steady import Steady

TRIES = 5
"""Times that the time is asked for at the start; what was answered soonest is believed."""
PAUSE_SECONDS = 0.1
"""Between two of these, where there was no answer."""
KEEP_SECONDS = 10.0
"""Between two times that it is asked for later."""
ALARM_MS = 2000
"""Milliseconds by which the clock of a machine may differ before somebody has to be told."""

log = structlog.get_logger("kibitz.clock")


class Agreed:
    """The clock; until it has agreed with a log, the machine's."""

    def __init__(self, wall_ms: Callable[[], int], seconds: Callable[[], float]) -> None:
        """See :class:`.steady.Steady`."""
        self._wall_ms = wall_ms
        self._seconds = seconds
        self.now_ms = Steady(wall_ms, seconds).now_ms
        """Unix milliseconds."""
        self._offset = 0
        """What the log's clock shows less the seconds that nobody sets, in milliseconds: how the
        machine's wall clock is set meanwhile makes no difference."""
        self._alarmed = False

    async def agree(self, log_: EventLog) -> None:
        """Show what a log's clock shows, if it has one.

        Raises:
            LogFailure: It does not say.

        """
        found: list[tuple[int, int]] = []
        why: LogFailure | None = None
        for _ in range(TRIES):
            try:
                measured = await self._measure(log_)
            except LogFailure as error:
                why = error
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                if measured is None:
                    return
                found.append(measured)
        if not found:
            assert why is not None, "it was tried"
            raise why
        _, self._offset = min(found)
        self._note(log_)
        self.now_ms = Steady(lambda: self._passed_ms() + self._offset, self._seconds).now_ms

    def _passed_ms(self) -> int:
        return round(self._seconds() * 1000)

    async def _measure(self, log_: EventLog) -> tuple[int, int] | None:
        """By how much it may be wrong, and how far the log's clock is ahead; milliseconds."""
        begun = self._passed_ms()
        there = await log_.time_ms()
        if there is None:
            return None
        half = (self._passed_ms() - begun + 1) // 2
        return half, there - begun - half

    async def keep(self, log_: EventLog) -> None:
        """Stay so, for ever, or as long as the log has a clock."""
        while True:
            await asyncio.sleep(KEEP_SECONDS)
            with contextlib.suppress(LogFailure):  # it goes on as it did
                measured = await self._measure(log_)
                if measured is None:
                    return
                half, offset = measured
                if abs(offset - self._offset) > half:  # else it says nothing new
                    self._offset = offset
                self._note(log_)

    def _note(self, log_: EventLog) -> None:
        """Say how far the machine's own clock is off."""
        apart = self._passed_ms() + self._offset - self._wall_ms()
        log_.meter.clock_offset = apart / 1000
        far = abs(apart) > ALARM_MS
        if far is not self._alarmed:
            self._alarmed = far
            if far:
                log.error("clock differs", seconds=log_.meter.clock_offset)
            else:
                log.info("clock agrees", seconds=log_.meter.clock_offset)
