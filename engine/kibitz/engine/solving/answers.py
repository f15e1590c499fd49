"""What a search is given, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ..game import Move


class Verdict(Enum):
    """What is known of a position."""

    WIN = "win"
    LOST = "lost"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found.

    Attributes:
        verdict: ``WIN`` has a line; ``LOST``: no line of the rules leads to a win.
        line: The moves to the win.
        nodes: How many positions were looked at.

    """

    verdict: Verdict
    line: tuple[Move, ...] = ()
    nodes: int = 0


class Enough(Exception):
    """The budget is used up, or nobody wants to know any more."""


@dataclass(slots=True)
class Budget:
    """How much a search may do.

    Attributes:
        nodes: How many positions it may look at.
        stopped: Asked now and then: whether it has to end.

    """

    nodes: int
    stopped: Callable[[], bool] = lambda: False
    used: int = 0

    def spend(self) -> None:
        """One more position.

        Raises:
            Enough: There may be no more.

        """
        self.used += 1
        if self.used > self.nodes or (self.used % ASK_EVERY == 0 and self.stopped()):
            raise Enough


ASK_EVERY = 16
"""Positions between two questions whether it is enough."""
