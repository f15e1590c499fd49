"""The moves of a game as numbers, the same in every position.

An action is a line of the game's notation: ``tt 4 2 3``, ``move stock suit``, ``d``. In Montana,
where a card has one place to go and the gaps wander, it is the card (``Th``), for a two with the
row (``2h 3``), or ``s``. Promises: two legal moves never share a number. Never: whether a move is
legal; that is asked of the rules.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from kibitz.engine.cards import DECK, KING
from kibitz.engine.game import PILELESS, Game, Move, Transfer, Why, moves
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.games.klondike.rules import SUIT
from kibitz.engine.games.montana.rules import ABOVE, ROWS, TWOS, Montana
from kibitz.engine.table import Table

Mask = NDArray[np.int8]
"""1 for an action that is legal now, else 0."""


@cache
def names(name: str) -> Mapping[str, int]:
    """Every action that a game has in any position, whatever its options; its number from 0."""
    game = GAMES[name]
    actions = [*_cards()] if isinstance(game, Montana) else []
    actions += (_name(game, game.deal(DECK), move) for move in _moves(game))
    return {action: number for number, action in enumerate(actions)}


def legal(game: Game, table: Table) -> dict[int, Move]:
    """The legal moves of a position by their numbers."""
    numbers = names(game.name)
    return {numbers[_name(game, table, move)]: move for move in moves(game, table)}


def mask_of(game: Game, legal: Iterable[int]) -> Mask:
    """The mask of some actions, of shape (actions,)."""
    mask = np.zeros(len(names(game.name)), np.int8)
    mask[[*legal]] = 1
    return mask


def _name(game: Game, table: Table, move: Move) -> str:
    if isinstance(game, Montana) and isinstance(move, Transfer):
        card = table.piles[move.source][-1].known.code
        return f"{card} {move.target[0]}" if card in TWOS else card
    return TEXTS[game.name].write(move)


def _cards() -> Iterator[str]:
    for card in (code for above in ABOVE.values() for code in above):
        yield from (f"{card} {row}" for row in ROWS) if card in TWOS else [card]


def _moves(game: Game) -> Iterator[Move]:
    """The moves that the rules know, legal or not; of Montana those without a card."""
    table, text = game.deal(DECK), TEXTS[game.name]
    piles = [] if isinstance(game, Montana) else [place.pile for place in game.layout]
    pairs = ((a, b) for a, b in product(piles, (*piles, SUIT)) if a != b)
    wishes = (Transfer(*pair, count) for pair in pairs for count in range(1, KING + 1))
    for move in (*wishes, *PILELESS):
        objection = game.objection(table, move)
        known = objection is None or objection.why is not Why.UNKNOWN
        if known and text.parse(text.write(move)) == move:
            yield move
