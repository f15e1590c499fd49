"""Work that can wait: one piece of it after the other, and a rest behind each.

Promises: however many ask for such work, it takes a quarter of the loop's time at the most, in
pieces as short as those who ask cut them, first come first served; what is done gently in a thread
leaves the interpreter to the loop for the rest of the time. Never: a clock of its own.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

REST = 3.0
"""How long is rested behind a piece of work, in times of what it took."""
PIECE_EVENTS = 32
"""Events that are gone through in one piece: less than a millisecond."""
PIECE_SECONDS = 0.0005
"""How long is worked in a thread between two rests."""
T = TypeVar("T")


class Through(Protocol):
    """A way to go through things."""

    def __call__(self, things: Iterable[T], /) -> Iterator[T]:
        """One after the other."""
        ...


class Gently:
    """Through things in a thread, with a rest behind every piece of the work done with them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    def __call__(self, things: Iterable[T], /) -> Iterator[T]:
        """One after the other."""
        begun = self._clock()
        for thing in things:
            yield thing
            if (spent := self._clock() - begun) > PIECE_SECONDS:
                time.sleep(REST * spent)
                begun = self._clock()


class Pace:
    """The pace of one loop."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._free_at = 0.0

    async def do(self, work: Callable[[], T]) -> T:
        """Do a piece of work when it is its turn."""
        clock = asyncio.get_running_loop().time
        async with self._turn:
            if (rest := self._free_at - clock()) > 0:
                await asyncio.sleep(rest)
            begun = clock()
            try:
                return work()
            finally:
                ended = clock()
                self._free_at = ended + REST * (ended - begun)
