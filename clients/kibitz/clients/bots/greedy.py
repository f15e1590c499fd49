"""The strategy that takes what looks best now, in all games; it never goes round in circles.

What a move does is said in six words that fit every game; what each game prefers is one line of a
table. Promises: the same line of play for the same cards; an end. A position that was there before
is not sought again, nothing is tried twice in one position, and without progress for a while the
game is given up. Never: chance, hidden cards.
"""

from enum import Enum
from random import Random

from kibitz.engine.game import Draw, Game, Move, Recycle, Shuffle, Transfer, moves
from kibitz.engine.games import TEXTS
from kibitz.engine.notation import read_table
from kibitz.engine.table import Table, fold
from kibitz.engine.text import Request
from kibitz.protocol.views import BoardView

PATIENCE = 150
"""Moves without progress after which a game is given up."""


class Kind(Enum):
    """What a move does."""

    HOME = "puts a card where it belongs"
    TURN = "turns up a card or empties a place for good"
    PACK = "brings a card from the pack into play"
    OPEN = "makes way for one of these"
    SHIFT = "only moves cards to and fro"
    PACE = "goes on with the pack, or shuffles"


HOME, TURN, PACK, OPEN, SHIFT, PACE = Kind

PREFERENCES: dict[str, tuple[Kind, ...]] = {
    "montana": (HOME, OPEN, TURN, PACE),
    "aces-up": (HOME, OPEN, PACE, SHIFT),
    "klondike": (HOME, TURN, OPEN, PACK, PACE, SHIFT),
    "klondike-single": (HOME, TURN, OPEN, PACK, PACE, SHIFT),
    "thumb-and-pouch": (HOME, TURN, PACK, OPEN, PACE, SHIFT),
}
"""What each game prefers, best first; what is not there is never played."""


class Greedy:
    """The strategy, for one game from its start to its end."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._text = TEXTS[game.name]
        self._preference = PREFERENCES[game.name]
        self._kinds = {place.pile: place.kind for place in self._game.layout}
        self._seen: dict[object, set[str]] = {}
        self._best = (-1, 0)
        self._waited = 0

    def __call__(self, view: BoardView, legal: list[str]) -> str | None:
        """The best move that leads on; ``None``: there is none, or nothing comes of it."""
        table = read_table(view.piles, view.counters)
        tried = self._seen.setdefault(_key(table), set())
        reached = (self._game.score(table), _known(table))
        self._waited = 0 if reached > self._best else self._waited + 1
        self._best = max(self._best, reached)
        if self._waited > PATIENCE:
            return None
        options = [line for line in legal if line not in tried]
        ranked = [(self._rank(table, line), line) for line in options]
        good = [(rank, at) for at, (rank, _) in enumerate(ranked) if rank is not None]
        if not good:
            return None
        line = ranked[min(good)[1]][1]
        tried.add(line)
        return line

    def _rank(self, table: Table, line: str) -> int | None:
        """How good a move is, 0 is best; ``None``: not to be played."""
        move = self._text.parse(line)
        assert not isinstance(move, Request), "legal moves move cards"
        kind = self._kind(table, move)
        if kind is Kind.SHIFT:
            after = fold(self._game.effect(table, move, Random(0)), table)
            if _key(after) in self._seen:
                return None
            better = (HOME, TURN)
            if any(self._kind(after, then) in better for then in moves(self._game, after)):
                kind = Kind.OPEN
        return self._preference.index(kind) if kind in self._preference else None

    def _kind(self, table: Table, move: Move) -> Kind:
        match move:
            case Draw() | Recycle() | Shuffle():
                return Kind.PACE
            case Transfer(source, target):
                if self._kinds.get(target, "foundation") == "foundation":
                    return Kind.HOME
                if self._kinds[source] in ("stock", "waste"):
                    return Kind.PACK
        return Kind.SHIFT if self._game.is_idle(table, move) else Kind.TURN


def _key(table: Table) -> object:
    return tuple(table.piles.values()), tuple(table.counters.items())


def _known(table: Table) -> int:
    return sum(cell.card is not None for cells in table.piles.values() for cell in cells)
