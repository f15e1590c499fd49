"""The same line a thousand times is one line and a number.

Promises: of one kind at most ``MOST`` lines in ``WINDOW_SECONDS``; the rest are counted and summed
up, also if nothing more of that kind comes. Kinds are few: an event, its code, its request.
"""

import threading
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any

import structlog

from .vocabulary import WHOLE

WINDOW_SECONDS = 10.0
MOST = 20
"""Lines of one kind that are told in a window."""
MOST_DEBUG = 200
"""The same of what is told at ``debug`` only."""

Kind = tuple[str, str | None, str | None, str]
"""The event, its code and its request if it has them, and the level."""


@dataclass(slots=True)
class _Window:
    since: float
    told: int = 0
    kept_back: int = 0


class Flood:
    """Counts lines; a processor of structlog."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._windows: dict[Kind, _Window] = {}
        self._lock = threading.Lock()

    def __call__(
        self, logger: Any, method: str, line: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        """Let a line pass.

        Raises:
            structlog.DropEvent: There were too many like it.

        """
        code = line.get("code")
        code = None if code is None else str(code)
        kind = str(line["event"]), code, line.get("request"), method
        if kind[0] == "repeated" or kind[0] in WHOLE:
            return line
        now = self._monotonic()
        with self._lock:
            window = self._windows.get(kind)
            over = window if window and now >= window.since + WINDOW_SECONDS else None
            if window is None or over:
                window = self._windows[kind] = _Window(now)
            window.told += 1
            if dropped := window.told > (MOST_DEBUG if method == "debug" else MOST):
                window.kept_back += 1
        if over:
            _sum_up(kind, over, now)
        if dropped:
            raise structlog.DropEvent
        return line

    def sum_up(self, *, everything: bool = False) -> None:
        """Say how many lines were kept back in the windows that are over."""
        now = self._monotonic()
        with self._lock:
            over = list(self._over(now, everything))
            for kind, _ in over:
                del self._windows[kind]
        for kind, window in over:
            _sum_up(kind, window, now)

    def _over(self, now: float, everything: bool) -> Iterator[tuple[Kind, _Window]]:
        for kind, window in self._windows.items():
            if everything or now >= window.since + WINDOW_SECONDS:
                yield kind, window


def _sum_up(kind: Kind, window: _Window, now: float) -> None:
    if window.kept_back:
        event, code, request, level = kind
        seconds = round(now - window.since, 1)
        tell = getattr(structlog.get_logger("kibitz.flood"), level)
        tell(
            "repeated",
            of=event,
            code=code,
            request=request,
            count=window.kept_back,
            seconds=seconds,
        )
