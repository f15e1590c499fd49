"""Flat Monte Carlo: every move is tried in worlds that may be the real one.

For each world that is imagined every candidate is made in it, and the rest is played out with the
same chance, by simple preferences. What these prefer is played unless another move does better,
world for world, by more than chance would have it; so the fewer worlds, the closer it stays to
them. Nothing is sought again that was there before. Promises: repeatable; at most worlds times
candidates playouts.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import inf, sqrt
from random import Random
from statistics import fmean, stdev
from typing import Protocol

from ..cards import DECK
from ..game import NO_CHANCE, Game, Move, moves, play
from ..table import Table, redact_table
from .knowledge import Knowledge

FAR = 0.3
"""What bringing all cards home but for one is worth, where a win is 1."""
FEWEST = 5
"""Worlds after which a move that is behind may be left out."""
BEHIND, AHEAD = 2.0, 1.0
"""Standard errors by which a move must be behind to be left out, or ahead to be played."""


class Playing(Protocol):
    """A game played on by simple preferences."""

    home: int
    """Cards where they belong."""

    def run(self) -> bool:
        """Play to the end; whether it is won."""
        ...


class Preferring(Protocol):
    """Simple preferences."""

    def begin(self, table: Table, rng: Random) -> Playing:
        """A playout of a table that names all cards."""
        ...

    def first(self, table: Table, rng: Random) -> Move | None:
        """The move that is preferred; ``None``: there is none."""
        ...


class Sampler:
    """Plays one game."""

    def __init__(self, game: Game, preferences: Preferring, worlds: int, rng: Random) -> None:
        """Nothing has been seen yet.

        Args:
            game: The rules.
            preferences: What plays on.
            worlds: How many are imagined for one choice.
            rng: Where all chance comes from.

        """
        self._game = game
        self._preferences = preferences
        self._worlds = worlds
        self._rng = rng
        self._knowledge = Knowledge(game)
        self._fans = [place.pile for place in game.layout if place.kind == "fan"]
        self._been: set[object] = set()
        self.values: Mapping[Move, float] = {}
        """What was thought of the moves last: 1 is a sure win."""

    def recall(self, met: Iterable[Table]) -> None:
        """These positions were there before."""
        self._been.update(map(self._place, met))

    def choose(self, seen: Table) -> Move | None:
        """A move; ``None``: there is none that leads anywhere new."""
        self._knowledge.look(seen)
        seen = redact_table(seen)
        self._been.add(self._place(seen))
        self.values = {}
        options = self._options(seen)
        if len(options) <= 1:
            return options[0] if options else None
        return self._best(options)

    def _options(self, seen: Table) -> list[Move]:
        """What is worth a trial: a move that brings a card home, else all that lead anywhere new.

        Those that show or settle something come first.
        """
        game, some, idle = self._game, list[Move](), list[Move]()
        world = self._knowledge.imagine(self._rng)
        score = game.score(seen)
        for move in moves(game, world):
            after = play(game, world, move, NO_CHANCE).table
            if self._place(after) in self._been:
                continue
            if game.score(after) > score:
                return [move]
            (idle if game.is_idle(seen, move) else some).append(move)
        return some + idle

    def _place(self, table: Table) -> object:
        """A position as somebody sees it: columns may stand in another order."""
        seen = {
            pile: " ".join([cell.text if cell.up else "??" for cell in cells])
            for pile, cells in table.piles.items()
        }
        fans = sorted(seen.pop(pile) for pile in self._fans)
        return *fans, *seen.values(), *table.counters.values()

    def _best(self, options: list[Move]) -> Move:
        preferred = self._preferences.first(self._knowledge.imagine(self._rng), self._rng)
        if preferred not in options:
            preferred = options[0]
        worth: dict[Move, list[float]] = {move: [] for move in options}
        for tried in range(1, self._worlds + 1):
            world, chance = self._knowledge.imagine(self._rng), self._rng.getrandbits(64)
            for move in options:
                worth[move].append(self._worth(world, move, Random(chance)))
            if tried >= FEWEST:
                usual = worth[preferred]
                options = [
                    move
                    for move in options
                    if move == preferred or ahead(worth[move], usual, BEHIND) > 0
                ]
                if len(options) == 1:
                    break
        self.values = {move: fmean(worth[move]) for move in worth}
        gain = {move: ahead(worth[move], worth[preferred], -AHEAD) for move in options}
        gain[preferred] = 0.0
        return max(options, key=gain.__getitem__)

    def _worth(self, world: Table, move: Move, rng: Random) -> float:
        outcome = play(self._game, world, move, NO_CHANCE)
        if outcome.won:
            return 1 + FAR
        playout = self._preferences.begin(outcome.table, rng)
        return playout.run() + FAR * playout.home / len(DECK)


def ahead(worth: Sequence[float], usual: Sequence[float], errors: float) -> float:
    """By how much one move is ahead of another in the same worlds, and so many standard errors."""
    apart = [one - other for one, other in zip(worth, usual, strict=False)]
    spread = stdev(apart) / sqrt(len(apart)) if len(apart) > 1 else inf
    return fmean(apart) + errors * spread
