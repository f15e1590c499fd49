"""Whether what is left plays itself: the moves with which a game is won without a thought.

A card that can go where it belongs goes there; where none can, the pack goes on. Promises: a line
that is told wins by the rules, every move of it is legal where it stands, and nothing is shuffled;
only what is known is looked at, and while one card is not there is no line, since in none of the
games a win leaves a card out. Bounded: every position since the last card that went home is met
once. Never: a search; what this does not find may be won all the same.
"""

from .game import NO_CHANCE, Draw, Game, Move, Recycle, Transfer
from .table import Table, fold


class Finishing:
    """One attempt, to be gone on with in pieces."""

    def __init__(self, game: Game, table: Table) -> None:
        """Nothing is played yet.

        Args:
            game: The rules.
            table: As somebody knows it (:meth:`.board.Board.remembered`); it may be hopeless.

        """
        self._game = game
        self._table = table
        self._homes = {place.pile for place in game.layout if place.kind != "fan"}
        self._piles = {place.pile for place in game.layout}
        self._met: set[object] = set()
        self._line: list[Move] = []
        cells = (cell for pile in table.piles.values() for cell in pile)
        self.over = game.is_won(table) or any(cell.card is None for cell in cells)
        """Whether it is known what comes of it."""

    @property
    def line(self) -> tuple[Move, ...]:
        """The moves to the win; none, if this does not lead there, or not yet."""
        return tuple(self._line) if self._line and self._game.is_won(self._table) else ()

    def go_on(self, moves: int) -> None:
        """Make so many moves, or fewer if that is the end."""
        for _ in range(moves):
            if self.over:
                return
            step = self._step()
            if step is None:
                self.over = True
                return
            move, self._table = step
            self._line.append(move)
            self.over = self._game.is_won(self._table)

    def _step(self) -> tuple[Move, Table] | None:
        game, here = self._game, self._table
        score, pack = game.score(here), None
        for move in game.moves(here):
            if isinstance(move, Draw | Recycle):
                pack = move
            elif isinstance(move, Transfer) and self._may_settle(move.target):
                after = fold(game.effect(here, move, NO_CHANCE), here)
                if game.score(after) > score:
                    self._met.clear()
                    return move, after
        if pack is None:
            return None
        after = fold(game.effect(here, pack, NO_CHANCE), here)
        key = (*after.piles.values(), *after.counters.values())
        if key in self._met:
            return None
        self._met.add(key)
        return pack, after

    def _may_settle(self, target: str) -> bool:
        """Whether a card can belong there: on a pile that is no column, or on a kind of piles."""
        return target in self._homes or target not in self._piles


def finish(game: Game, table: Table) -> tuple[Move, ...]:
    """The moves to the win, all at once; see :class:`Finishing`."""
    attempt = Finishing(game, table)
    while not attempt.over:
        attempt.go_on(1)
    return attempt.line
