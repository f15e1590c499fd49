"""Flat Monte Carlo: every move is tried in worlds that may be the real one.

For each world that is imagined every candidate is made in it, and the rest is played out with the
same chance, by simple preferences. What these prefer is played unless another move does better,
world for world, by more than chance would have it; so the fewer worlds, the closer it stays to
them. Nothing is sought again that was there before. Where the pack may be gone through without
end, it is looked through first, and a candidate is a move after any number of draws. Promises:
repeatable; at most worlds times candidates playouts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, sqrt
from random import Random
from statistics import fmean, stdev

from ..cards import DECK
from ..game import NO_CHANCE, Draw, Game, Move, Recycle, Transfer, moves, play
from ..table import Table, redact_table
from .knowledge import Knowledge
from .packs import PACK, after_each, draws
from .preferring import Preferring, Way

FAR = 0.3
"""What bringing all cards home but for one is worth, where a win is 1."""
FEWEST = 5
"""Worlds after which a move that is behind may be left out."""
BEHIND, AHEAD = 2.0, 1.0
"""Standard errors by which a move must be behind to be left out, or ahead to be played."""


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
        free = PACK if preferences.is_free else ()
        self._pack = {place.pile for place in game.layout if place.kind in free}
        """Where it makes no difference how far it is drawn."""
        kept = self._pack.union(self._fans)
        self._others = [place.pile for place in game.layout if place.pile not in kept]
        self._been: set[object] = set()
        self._plan: list[Move] = []
        self._expected: Table | None = None
        self.values: Mapping[Move, float] = {}
        """What was thought of the moves last, of a draw the best; 1 + FAR: won in all worlds."""

    def recall(self, met: Iterable[Table]) -> None:
        """These positions were there before."""
        self._been.update(map(self._place, met))

    def choose(self, seen: Table) -> Move | None:
        """A move; ``None``: there is none that leads anywhere new."""
        self._knowledge.look(seen)
        seen = redact_table(seen)
        self._been.add(self._place(seen))
        self.values = {}
        if not self._plan or seen != self._expected:
            self._plan = self._planned()[::-1]
        if not self._plan:
            return None
        move = self._plan.pop()
        if self._plan:  # a draw of what is known
            self._expected = redact_table(play(self._game, self._world(), move, NO_CHANCE).table)
        return move

    def _world(self) -> Table:
        return self._knowledge.imagine(self._rng)

    def _planned(self) -> list[Move]:
        """The next move, after the draws that lead to it."""
        world = self._world()
        made = draws(self._game, world) if self._preferences.is_free else []
        turns = list(after_each(self._game, world, made))
        sure = next(self._sure(turns), None)
        if sure and sure[0] == 0:
            return [sure[1]]
        for number, table in enumerate(turns):
            if not self._knowledge.has_seen(table):
                return made[:number]
        options = [sure] if sure else self._options(turns)
        if not options:
            return []
        way = options[0] if len(options) == 1 else self._best(options, made)
        return [*made[: way[0]], way[1]]

    def _options(self, turns: Sequence[Table]) -> list[Way]:
        """What is worth a trial: all that lead anywhere new.

        Those that show or settle something come first.
        """
        some, idle, been = list[Way](), list[Way](), set(self._been)
        for way, world in self._ways(turns):
            move = way[1]
            place = self._place(play(self._game, world, move, NO_CHANCE).table)
            if place in been:
                continue
            been.add(place)
            (idle if self._game.is_idle(world, move) else some).append(way)
        return some + idle

    def _sure(self, turns: Sequence[Table]) -> Iterator[Way]:
        """What loses no win, whatever is hidden."""
        return (way for way, world in self._ways(turns) if self._preferences.is_sure(world, way[1]))

    def _ways(self, turns: Sequence[Table]) -> Iterator[tuple[Way, Table]]:
        """Every move, and the table on which it is made; after draws only those of the pack."""
        for number, world in enumerate(turns):
            for move in moves(self._game, world):
                match move:
                    case Draw() | Recycle() if self._pack:
                        continue
                    case Transfer(source) if number and source not in self._pack:
                        continue
                yield (number, move), world

    def _place(self, table: Table) -> object:
        """A position as somebody sees it: columns may stand in another order."""

        def seen(pile: str) -> str:
            return " ".join([cell.text if cell.up else "??" for cell in table.piles[pile]])

        fans = sorted(map(seen, self._fans))
        return *fans, *map(seen, self._others), *table.counters.values()

    def _best(self, options: list[Way], made: Sequence[Move]) -> Way:
        preferred = self._preferences.first(self._world(), self._rng)
        if preferred is None or preferred not in options:
            preferred = options[0]
        worth: dict[Way, list[float]] = {way: [] for way in options}
        for tried in range(1, self._worlds + 1):
            turns = list(after_each(self._game, self._world(), made))
            chance = self._rng.getrandbits(64)
            for way in options:
                worth[way].append(self._worth(turns[way[0]], way[1], Random(chance)))
            if tried >= FEWEST:
                usual = worth[preferred]
                options = [
                    way
                    for way in options
                    if way == preferred or ahead(worth[way], usual, BEHIND) > 0
                ]
                if len(options) == 1:
                    break
        self.values = _values(worth, made)
        gain = {way: ahead(worth[way], worth[preferred], -AHEAD) for way in options}
        gain[preferred] = 0.0
        return max(options, key=gain.__getitem__)

    def _worth(self, world: Table, move: Move, rng: Random) -> float:
        outcome = play(self._game, world, move, NO_CHANCE)
        if outcome.won:
            return 1 + FAR
        playout = self._preferences.begin(outcome.table, rng)
        return playout.run() + FAR * playout.home / len(DECK)


def _values(worth: Mapping[Way, Sequence[float]], made: Sequence[Move]) -> dict[Move, float]:
    values: dict[Move, float] = {}
    for (number, move), found in worth.items():
        next_ = made[0] if number else move
        values[next_] = max(fmean(found), values.get(next_, 0.0))
    return values


def ahead(worth: Sequence[float], usual: Sequence[float], errors: float) -> float:
    """By how much one move is ahead of another in the same worlds, and so many standard errors."""
    apart = [one - other for one, other in zip(worth, usual, strict=False)]
    spread = stdev(apart) / sqrt(len(apart)) if len(apart) > 1 else inf
    return fmean(apart) + errors * spread
