"""Whether the log can be written, and whether its servers can be reached: said once at each turn.

Promises: what the meter says of it is set here and nowhere else; a line when it begins, with the
servers' own last words, and one when it ends, with how long it was. Never: a line for each try.
"""

import time

import structlog

from ...operation.measures import Meter

log = structlog.get_logger("kibitz.log")


class Health:
    """How the log does."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._ill = self._lost = 0.0
        """Since when, if at all."""
        self.words = ""
        """What was heard last of why it is not written."""
        self.written = time.monotonic()
        """When something was stored last, or it was begun."""

    @property
    def connected(self) -> bool:
        """Whether its servers can be reached."""
        return self._meter.connected

    @property
    def failing(self) -> bool:
        """Whether it cannot be written."""
        return self._meter.failing

    def fails(self, why: str = "") -> None:
        """Nothing can be written; ``why``, if that is not what was heard last."""
        if not self._meter.failing:
            self._meter.failing, self._ill = True, time.monotonic()
            log.error("log failing", why=why or self.words)

    def writes(self) -> None:
        """Something has been stored where it is decided what happened."""
        self.written = time.monotonic()
        if self._meter.failing:
            self._meter.failing = False
            log.info("log well", seconds=round(self.written - self._ill, 1))

    def lost(self, server: str) -> None:
        """A server is not there any more."""
        if self._meter.connected:
            self._meter.disconnects += 1
            self._lost = time.monotonic()
            log.error("log lost", server=server)
        self._meter.connected = False

    def found(self, server: str, why_not: str | None) -> None:
        """There is a server; ``why_not``: it cannot be used."""
        if why_not is None and not self._meter.connected and self._lost:
            away = time.monotonic() - self._lost
            log.info("log found", server=server, seconds=round(away, 1))
        self._meter.connected = why_not is None
