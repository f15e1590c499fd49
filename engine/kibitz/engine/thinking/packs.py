"""A pack that may be gone through without end: what all of its draws bring, one after another.

Promises: no draw that leads back to where they began; the draws of one table can be made on every
other that differs only in hidden cards.
"""

from collections.abc import Iterable, Iterator

from ..game import NO_CHANCE, Draw, Game, Move, Recycle, play
from ..table import Table

PACK = "stock", "waste"
"""Kinds of its piles."""
DRAWS: tuple[Move, ...] = Draw(), Recycle()
"""Whichever of them is legal."""


def draws(game: Game, table: Table) -> list[Move]:
    """The draws until the pack is again as it was."""
    piles = [place.pile for place in game.layout if place.kind in PACK]
    found, been = list[Move](), set[object]()
    while True:
        been.add(tuple([table.piles[pile] for pile in piles]))
        draw = next((draw for draw in DRAWS if game.objection(table, draw) is None), None)
        if draw is None:
            return found
        table = play(game, table, draw, NO_CHANCE).table
        if tuple([table.piles[pile] for pile in piles]) in been:
            return found
        found.append(draw)


def after_each(game: Game, table: Table, made: Iterable[Move]) -> Iterator[Table]:
    """The table, and what each draw makes of it."""
    yield table
    for draw in made:
        table = play(game, table, draw, NO_CHANCE).table
        yield table
