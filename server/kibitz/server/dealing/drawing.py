"""Draw deals from a secret and a nonce, one after the other, until one is known to be winnable.

Promises: the deck of a draw follows from secret, nonce and its number alone; which draw is the
first one does, too, for searches are bounded by positions: anybody who has the secret finds the
same. Never: a deal of which only something is believed.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct

from kibitz.engine.deals import shuffled
from kibitz.engine.games import GAMES
from kibitz.engine.solving import Budget, Verdict, solve
from kibitz.engine.table import Table
from kibitz.protocol.fairness import drawn, seed_of
from kibitz.protocol.limits import MAX_DRAWS

NODES: Mapping[str, int] = {"montana": 300_000, "aces-up": 30_000}
"""Positions that are looked at in one deal, where it is not ``USUAL``."""
USUAL = 2_000


class Wish(Struct, frozen=True):
    """What is drawn: a game with its options, from a secret (hex) and a nonce."""

    game: str
    options: dict[str, str]
    secret: str
    nonce: str


def first_winnable(
    wish: Wish, stopped: Callable[[], bool], begin: Callable[[int], None]
) -> int | None:
    """The number of the first draw that is found to be winnable; ``None``: none in time.

    Args:
        wish: What is drawn.
        stopped: Asked now and then: whether it has to end.
        begin: Told of every draw that is looked at.

    """
    game = GAMES[wish.game].with_options(wish.options)
    nodes = NODES.get(wish.game, USUAL)
    for draw in range(1, MAX_DRAWS + 1):
        begin(draw)
        answer = solve(game, deal_of(wish, draw), Budget(nodes, stopped))
        if answer.verdict is Verdict.WIN:
            return draw
        if stopped():
            return None
    return None


def deal_of(wish: Wish, draw: int) -> Table:
    """What is dealt by a draw."""
    game = GAMES[wish.game].with_options(wish.options)
    seed = seed_of(bytes.fromhex(wish.secret), drawn(wish.nonce, draw))
    return game.deal(shuffled(seed))
