"""How late the event loop is: a timer that looks, ten times a second, when it really went off."""

import asyncio

from .measures import Distribution

EVERY_SECONDS = 0.1


class LagSampler:
    """Samples the loop it is started in until it is stopped."""

    def __init__(self, lag: Distribution) -> None:
        self._lag = lag
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Look from now on."""
        self._loop = asyncio.get_running_loop()
        self._set(self._loop.time())

    def _set(self, now: float) -> None:
        self._due = now + EVERY_SECONDS
        self._timer = self._loop.call_at(self._due, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        self._lag.observe(max(0.0, now - self._due))
        self._set(now)

    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()
