"""Flat Monte Carlo: every move is tried in worlds that may be the real one.

For each world that is imagined every candidate is made in it, and the rest is played out with the
same chance, by simple preferences. What these prefer is played unless another move does clearly
better (:mod:`.weighing`). Nothing is sought again that was there before. Where the pack may be
gone through without end, it is looked through first, and a candidate is a move after any number of
draws. Promises: repeatable; at most worlds times candidates playouts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from statistics import fmean

from ..cards import DECK
from ..game import NO_CHANCE, Draw, Game, Move, Recycle, Transfer, moves, play
from ..table import Table, redact_table
from .knowledge import Knowledge
from .packs import PACK, after_each, draws
from .preferring import Preferring, Way
from .weighing import FAR, Trial, weigh, worth_of


class Sampler:
    """Plays one game."""

    def __init__(
        self,
        game: Game,
        preferences: Preferring,
        worlds: int,
        rng: Random,
        content: int = 0,
        breathe: Callable[[], object] = lambda: None,
    ) -> None:
        """Nothing has been seen yet.

        Args:
            game: The rules.
            preferences: What plays on.
            worlds: How many are imagined for one choice.
            rng: Where all chance comes from.
            content: If what is preferred wins in so many worlds, the first, nothing else is tried.
            breathe: Called after every game that was played on.

        """
        self._game = game
        self._preferences = preferences
        self._worlds, self._content = worlds, content
        self._rng = rng
        self._breathe = breathe
        self._knowledge = Knowledge(game)
        self._fans = [place.pile for place in game.layout if place.kind == "fan"]
        free = PACK if preferences.is_free else ()
        self._pack = {place.pile for place in game.layout if place.kind in free}
        """Where it makes no difference how far it is drawn."""
        kept = self._pack.union(self._fans)
        self._others = [place.pile for place in game.layout if place.pile not in kept]
        self._been: set[object] = set()
        self._plan: list[Move] = []
        self._hope: float | None = None
        """What the plan is worth, where that was weighed."""
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
            self._hope = None
            self._plan = self._planned()[::-1]
        elif self._hope is not None:
            self.values = {self._plan[-1]: self._hope}
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
        ways = list(self._ways(turns[:1]))
        sure = self._sure(ways)
        if sure:
            return [sure[1]]
        for number, table in enumerate(turns):
            if not self._knowledge.has_seen(table):
                return made[:number]
        ways += self._ways(turns, 1)
        sure = self._sure(ways)
        options = [sure] if sure else self._options(ways)
        if not options:
            return []
        way = options[0] if len(options) == 1 else self._best(options, made)
        return [*made[: way[0]], way[1]]

    def _options(self, ways: Iterable[tuple[Way, Table]]) -> list[Way]:
        """What is worth a trial: all that lead anywhere new.

        Those that show or settle something come first.
        """
        some, idle, been = list[Way](), list[Way](), set(self._been)
        for way, world in ways:
            move = way[1]
            place = self._place(play(self._game, world, move, NO_CHANCE).table)
            if place in been:
                continue
            been.add(place)
            (idle if self._game.is_idle(world, move) else some).append(way)
        return some + idle

    def _sure(self, ways: Iterable[tuple[Way, Table]]) -> Way | None:
        """What loses no win, whatever is hidden, if anything does."""
        is_sure = self._preferences.is_sure
        return next((way for way, world in ways if is_sure(world, way[1])), None)

    def _ways(self, turns: Sequence[Table], first: int = 0) -> Iterator[tuple[Way, Table]]:
        """Every move, and the table on which it is made; after draws only those of the pack."""
        for number in range(first, len(turns)):
            for move in moves(self._game, turns[number]):
                match move:
                    case Draw() | Recycle() if self._pack:
                        continue
                    case Transfer(source) if number and source not in self._pack:
                        continue
                yield (number, move), turns[number]

    def _place(self, table: Table) -> object:
        """A position as somebody sees it: columns may stand in another order."""

        def seen(pile: str) -> str:
            return " ".join([cell.text if cell.up else "??" for cell in table.piles[pile]])

        fans = sorted(map(seen, self._fans))
        return *fans, *map(seen, self._others), *table.counters.values()

    def _best(self, options: list[Way], made: Sequence[Move]) -> Way:
        usual = self._preferences.first(self._world(), self._rng)
        if usual is None or usual not in options:
            usual = options[0]
        best, worth = weigh(usual, options, self._trials(made), self._content)
        self.values = _values(worth, made)
        self._hope = fmean(worth[best])
        return best

    def _trials(self, made: Sequence[Move]) -> Iterator[Trial]:
        """World after world: what the ways are worth in it, all by the same chance."""
        for _ in range(self._worlds):
            yield self._trial(made)

    def _trial(self, made: Sequence[Move]) -> Trial:
        turns = list(after_each(self._game, self._world(), made))
        chance = self._rng.getrandbits(64)
        return lambda way: self._worth(turns[way[0]], way[1], Random(chance))

    def _worth(self, world: Table, move: Move, rng: Random) -> float:
        outcome = play(self._game, world, move, NO_CHANCE)
        if outcome.won:
            return 1 + FAR
        playout = self._preferences.begin(outcome.table, rng)
        won = playout.run()
        self._breathe()
        return worth_of(won, playout.home, len(DECK))


def _values(worth: Mapping[Way, Sequence[float]], made: Sequence[Move]) -> dict[Move, float]:
    values: dict[Move, float] = {}
    for (number, move), found in worth.items():
        next_ = made[0] if number else move
        values[next_] = max(fmean(found), values.get(next_, 0.0))
    return values
