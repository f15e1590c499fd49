"""What a player may see, as arrays of one shape.

* ``cards``: for every pile in the order of the save text a row of cells, bottom to top: 0 nothing,
  1 to 52 a card face up (clubs, diamonds, hearts, spades, each from the ace), 53 a card face down.
  ``int8``; shape (13, 24) for ``klondike``, ``klondike-single`` and ``thumb-and-pouch``, (6, 48)
  for ``aces-up``, and (4, 13) for ``montana``: its places, row by row.
* ``option``: the game's one option, ``int8``, shape (1,): the shuffles or the redeals that are
  left (-1: no limit), 1 or 0 for ``alternate_colours``; 0 where the game has none.

These are categories, not quantities: ``gymnasium.wrappers.FlattenObservation`` makes them one
vector of zeros and ones. Never: a hidden card; what lies face down has passed the one redaction.
"""

from typing import Any

import numpy as np
from gymnasium import spaces

from kibitz.engine.game import Game
from kibitz.engine.games.montana.rules import Montana
from kibitz.engine.options import MOST, UNLIMITED
from kibitz.engine.table import UNKNOWN, UP, Table, redact_table

Observation = dict[str, Any]
"""Arrays by name, and dictionaries of them."""

HIDDEN = len(UP) + 1
"""A cell that lies face down."""
_CELLS = {UNKNOWN: HIDDEN} | {cell: number for number, cell in enumerate(UP.values(), 1)}
_DEEPEST = {"montana": 1, "aces-up": 48}
"""The most cells that a pile can have, where it is not ``_PACK``."""
_PACK = 24
"""What is left when the seven columns of a Klondike are dealt; no column can be longer."""
_FLAGS = {"on": 1, "off": 0, UNLIMITED: -1}


def space_of(game: Game) -> spaces.Dict:
    """The space of a game's observations."""
    cells = np.full(_shape(game), HIDDEN + 1)
    cards = spaces.MultiDiscrete(cells, dtype=np.int8)
    return spaces.Dict({"cards": cards, "option": spaces.Box(-1, MOST, (1,), np.int8)})


def observe(game: Game, table: Table) -> Observation:
    """What a player may see of a table."""
    seen = redact_table(table)
    depth = _DEEPEST.get(game.name, _PACK)
    rows = np.zeros((len(game.layout), depth), np.int8)
    for row, place in zip(rows, game.layout, strict=True):
        cells = seen.piles[place.pile]
        row[: len(cells)] = [_CELLS[cell] for cell in cells]
    return {"cards": rows.reshape(_shape(game)), "option": np.array([_option(game, seen)], np.int8)}


def _shape(game: Game) -> tuple[int, int]:
    if isinstance(game, Montana):
        return (4, 13)
    return (len(game.layout), _DEEPEST.get(game.name, _PACK))


def _option(game: Game, table: Table) -> int:
    for name, value in game.options.items():
        if name in table.counters:
            return table.counters[name]
        return _FLAGS[value] if value in _FLAGS else int(value)
    return 0
