"""The end of a turn of the loop: everything that is to be sent by then leaves in one write each.

Promises: answers and what a room tells its players leave first; a crowd is told in slices, so that
its size delays nobody else; a crowd that is told slice by slice is told the next thing after that.
Never: keep anybody's bytes longer than he takes to read them.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

import structlog

from ..pace import Pace
from .share import Share

T = TypeVar("T")

log = structlog.get_logger("kibitz.turn")

work_clock = time.perf_counter
PIECE_SECONDS = 0.004
"""After so much time of deciding, what else there is to decide waits for a later turn."""
SLICE = 100
"""Most writes to crowds between two looks at what has come in."""


class Sender(Protocol):
    """Something with bytes of its own to be sent."""

    def flush(self) -> None:
        """Send them."""
        ...


class Slices(Protocol):
    """Many who are told the same, so many at a time."""

    def begin(self) -> bool:
        """Begin to tell them; whether there is something to be told now."""
        ...

    def tell_some(self, most: int) -> int:
        """Tell at most so many; how many were told. Fewer than that: it is done."""
        ...


class Turn:
    """One loop's turns."""

    def __init__(self) -> None:
        self.sockets: list[Sender] = []
        """Who has something to be sent when the turn ends."""
        self.crowds: list[Slices] = []
        """Who is to be told something then."""
        self._first: list[Callable[[], None]] = []
        self._put_off: deque[Callable[[], None]] = deque()
        self._telling: deque[Slices] = deque()
        self._ending = False
        self.share = Share()
        """Whose messages are taken up when."""
        self.pace = Pace()
        """The pace of what can wait."""

    def first(self, do: Callable[[], None]) -> None:
        """Do something once all that has come in this turn is read, before it ends."""
        if not self._first:
            asyncio.get_running_loop().call_soon(self._do)
        self._first.append(do)

    def _do(self) -> None:
        """Those who are new, then those put off: one of these at least, then as the time allows."""
        new, self._first = deque(self._first), []
        begun = work_clock()
        while new or self._put_off:
            _tried((new or self._put_off).popleft(), None)
            if work_clock() - begun > PIECE_SECONDS:
                self._put_off += new
                break
        if self._put_off:
            _tried(self._put_off.popleft(), None)
        if self._put_off and not self._first:
            asyncio.get_running_loop().call_soon(self._do)

    def end_soon(self) -> None:
        """See that the turn ends."""
        if not self._ending:
            self._ending = True
            asyncio.get_running_loop().call_soon(self._end)

    def _end(self) -> None:
        self._ending = False
        sockets, self.sockets = self.sockets, []
        for socket in sockets:
            _tried(socket.flush, None)
        crowds, self.crowds = self.crowds, []
        self._telling += [crowd for crowd in crowds if _tried(crowd.begin, False)]
        left = SLICE
        while self._telling and left > 0:
            told = _tried(partial(self._telling[0].tell_some, left), left)  # of a failure: the rest
            if told < left:
                self._telling.popleft()
            left -= told
        if self._telling:
            self._telling.rotate(-1)
            self.end_soon()


def _tried(do: Callable[[], T], otherwise: T) -> T:
    """What comes of something; its failure is its own and keeps nobody else waiting."""
    try:
        return do()
    except Exception:
        log.exception("not sent")
        return otherwise
