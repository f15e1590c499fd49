"""The search in Klondikes: columns with face-down cards, a pack, four suits to be filled.

It goes down the most promising way first, knows again where it has been, and begins anew with
other preferences when a try has become too long. Two things are left out, and neither loses a
win: a column is not moved to an empty one, which is the same position; and a card that nothing
needs any more goes home at once. Nothing needs a card on which every card that could lie is home,
aces aside, which always go home instead: whatever leads to a win with it in its place does so
without it.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from random import Random

from .answers import Budget, Enough
from .packs import Pack

DOWN = 64
"""Added to the number of a card that lies face down."""
HOME, PACK = -1, -1
FIRST_TRY = 1000
"""Positions of the first try."""
GROWTH = 1.5
"""How much longer each try may be than the one before."""
UNREST = 3.0
"""How far preferences are changed by chance after the first try."""

Column = tuple[int, ...]
Step = tuple[int, int, int, int]
"""Draws first, then so many cards from a column or the pack to a column or home."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What tells the Klondikes apart.

    Attributes:
        on: For each card, the cards that may lie on it in a column, one bit each.
        on_nothing: The same for an empty column.
        groups: Whether runs move as one.

    """

    on: tuple[int, ...]
    on_nothing: int
    groups: bool


@dataclass(frozen=True, slots=True)
class Position:
    """All of it: seven columns, the cards home of each suit, the pack."""

    columns: tuple[Column, ...]
    home: tuple[int, ...]
    pack: Pack

    @property
    def key(self) -> Hashable:
        """The same for positions that differ in the order of their columns only."""
        return tuple(sorted(self.columns)), self.pack.key

    @property
    def is_won(self) -> bool:
        """Whether all are home."""
        return sum(self.home) == 52


class Search:
    """One search, over as many tries as it takes."""

    def __init__(self, rules: Rules, start: Position, budget: Budget, seed: int = 0) -> None:
        """Nothing is looked at yet."""
        self._rules = rules
        self._start = start
        self._budget = budget
        self._rng = Random(seed)
        self._movable: dict[Column, int] = {}

    def run(self) -> list[Step] | None:
        """The steps to a win; ``None``: there are none.

        Raises:
            Enough: Neither is known.

        """
        most, unrest = float(FIRST_TRY), 0.0
        while True:
            found, whole = self._try(int(most), unrest)
            if found is not None or whole:
                return found
            most, unrest = most * GROWTH, UNREST

    def _try(self, most: int, unrest: float) -> tuple[list[Step] | None, bool]:
        """The steps, if they were found; whether everything has been tried."""
        start, steps = self._settled(self._start)
        path: list[tuple[Step, ...]] = [tuple(steps)]
        if start.is_won:
            return steps, True
        seen = {start.key}
        open_ = [self._steps(start, unrest)]
        at = [start]
        while open_:
            if (step := next(open_[-1], None)) is None:
                open_.pop(), at.pop(), path.pop()
                continue
            then, more = self._settled(after(at[-1], step))
            if (key := then.key) in seen:
                continue
            seen.add(key)
            self._budget.spend()
            path.append((step, *more))
            if then.is_won:
                return [each for steps_ in path for each in steps_], True
            if len(seen) > most:
                return None, False
            at.append(then)
            open_.append(self._steps(then, unrest))
        return None, True

    # What follows from a step

    def _settled(self, here: Position) -> tuple[Position, list[Step]]:
        """After everything has gone home that nothing needs any more."""
        steps: list[Step] = []
        while (step := self._needless(here)) is not None:
            steps.append(step)
            here = after(here, step)
        return here, steps

    def _needless(self, here: Position) -> Step | None:
        away, on = _away(here.home), self._rules.on
        for number, column in enumerate(here.columns):
            if column and column[-1] % 13 == here.home[column[-1] // 13]:
                card = column[-1]
                if card % 13 <= 1 or not on[card] & away:
                    return 0, number, HOME, 1
        if (loose := here.pack.loose) is not None:
            card = loose[0]
            if card % 13 == here.home[card // 13] and (card % 13 <= 1 or not on[card] & away):
                return 0, PACK, HOME, 1
        return None

    # What can be done

    def _steps(self, here: Position, unrest: float) -> Iterator[Step]:
        """Everything that can be done, the best first."""
        ranked = list(self._ranked(here))
        if unrest:
            ranked = [(rank + unrest * self._rng.random(), step) for rank, step in ranked]
        ranked.sort()
        return iter([step for _, step in ranked])

    def _ranked(self, here: Position) -> Iterator[tuple[float, Step]]:
        """Everything that can be done; the smaller the number before it, the better."""
        columns, home, on = here.columns, here.home, self._rules.on
        wanted = sum([1 << suit * 13 + count for suit, count in enumerate(home) if count < 13])
        welcome = [on[column[-1]] if column else 0 for column in columns]
        if () in columns:
            welcome[columns.index(())] = self._rules.on_nothing
        places = [(target, mask) for target, mask in enumerate(welcome) if mask]
        for source, column in enumerate(columns):
            if not column:
                continue
            top, movable = column[-1], self._run(column)
            if wanted >> top & 1:
                yield 0.0, (0, source, HOME, 1)
            for target, mask in places:
                fit = movable & mask
                while fit and target != source:
                    card = fit.bit_length() - 1
                    fit ^= 1 << card
                    count = card % 13 - top % 13 + 1
                    if count == len(column):
                        if columns[target]:
                            yield 2.0, (0, source, target, count)
                    elif (below := column[-count - 1]) >= DOWN:
                        yield 1.0 + 0.1 * (len(column) - count), (0, source, target, count)
                    else:
                        yield 5.0 if wanted >> below & 1 else 8.0, (0, source, target, count)
        for number, (card, draws, _) in enumerate(here.pack.reached):
            late = 0.03 * draws
            if wanted >> card & 1:
                yield 1.0 + late, (number, PACK, HOME, 1)
            for target, mask in places:
                if mask >> card & 1:
                    yield 4.0 + late, (number, PACK, target, 1)

    def _run(self, column: Column) -> int:
        """The cards at the end of a column that may move, one bit each."""
        if (known := self._movable.get(column)) is not None:
            return known
        mask = 1 << column[-1]
        if self._rules.groups:
            for card in reversed(column[:-1]):
                if card >= DOWN:
                    break
                mask |= 1 << card
        self._movable[column] = mask
        return mask


def after(here: Position, step: Step) -> Position:
    """The position after a step."""
    place, source, target, count = step
    columns, home, pack = list(here.columns), here.home, here.pack
    if source == PACK:
        cards: Column = (pack.reached[place][0],)
        pack = pack.without(pack.reached[place][2])
    else:
        column = columns[source]
        cards, rest = column[-count:], column[:-count]
        if rest and rest[-1] >= DOWN:
            rest = (*rest[:-1], rest[-1] - DOWN)
        columns[source] = rest
    if target == HOME:
        suit = cards[0] // 13
        home = (*home[:suit], home[suit] + 1, *home[suit + 1 :])
    else:
        columns[target] += cards
    return Position(tuple(columns), home, pack)


def _away(home: tuple[int, ...]) -> int:
    """The cards that are not home, one bit each, but for aces: those never need a place."""
    away = 0
    for suit, count in enumerate(home):
        away |= ((1 << 13) - (1 << max(1, count))) << suit * 13
    return away
