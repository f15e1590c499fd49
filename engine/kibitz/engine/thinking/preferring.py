"""What a sampler asks of a game's simple preferences."""

from random import Random
from typing import Protocol

from ..game import Move
from ..table import Table

Way = tuple[int, Move]
"""A move, after so many draws."""


class Playing(Protocol):
    """A game played on by simple preferences."""

    home: int
    """Cards where they belong."""

    def run(self) -> bool:
        """Play to the end; whether it is won."""
        ...


class Preferring(Protocol):
    """Simple preferences. All tables name all cards."""

    @property
    def is_free(self) -> bool:
        """Whether the pack may be gone through without end, so that draws lose nothing."""
        ...

    def is_sure(self, table: Table, move: Move) -> bool:
        """Whether a move loses no win, whatever is hidden."""
        ...

    def begin(self, table: Table, rng: Random) -> Playing:
        """Play on from a table."""
        ...

    def first(self, table: Table, rng: Random) -> Way | None:
        """What is preferred, draws counted if they are free; ``None``: nothing can be done."""
        ...
