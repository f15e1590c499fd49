"""The search in Montana: all cards lie open, so only a shuffle is not known.

Positions wait in groups of equal progress: as many cards in place, as many that follow their
lower neighbour. Half of the time the search goes on where most is done, half of the time with any
group, since much done is often a dead end. It leaves nothing out and never looks at a position
twice: when nothing waits any more, there is no win.

A position is four rows of fourteen bytes and one more: an ``EDGE`` stands before and after each
row, a gap is 0. Cards are numbers, suit after suit from the ace, so what fits right of a card is
its number and one; what would fit right of a king or a gap is an ace and never on the table.
"""

from contextlib import suppress
from heapq import heappop, heappush
from itertools import pairwise
from random import Random

from ..cards import DECK, TWO
from ..game import Move, Transfer
from ..games.montana.rules import COLUMNS, ROWS, SHUFFLES, Montana, place
from ..table import Table
from .answers import Budget, Enough

NUMBERS = {card.code: number for number, card in enumerate(DECK, 1)}
RANK = (0, *(card.rank for card in DECK), 0)
"""The rank of each number; 0: a gap."""
TWOS = tuple(NUMBERS[card.code] for card in DECK if card.rank == TWO)
EDGE, WIDTH = 255, 14
COLUMN = tuple(at % WIDTH for at in range(len(ROWS) * WIDTH))
PLACES = {row * WIDTH - WIDTH + column: place(row, column) for row in ROWS for column in COLUMNS}
SETTLED = 48
"""The cards of a won game."""
MANY = 64
"""A group is named by the cards in place, times this, and the pairs; there are fewer pairs."""
ANYWHERE = 0.5
"""How often any group is taken instead of the best one."""


class Search:
    """One search, from its start to its end."""

    def __init__(self, start: bytes, budget: Budget, seed: int = 0) -> None:
        """Nothing is looked at yet."""
        self._before: dict[bytes, bytes] = {start: b""}
        self._groups: dict[int, list[bytes]] = {}
        self._best: list[int] = []
        self._any: list[int] = []
        self._in_best: set[int] = set()
        self._in_any: set[int] = set()
        self._budget = budget
        self._random = Random(seed).random
        self._start = start
        self._most, self._farthest = settled(start), start

    def run(self) -> list[bytes] | None:
        """The positions on the way to a win, from the start; ``None``: there is no way.

        Raises:
            Enough: Neither is known.

        """
        done = self._most
        if done == SETTLED:
            return [self._start]
        self._wait(self._start, done * MANY + pairs(self._start))
        while (group := self._group()) is not None:
            won = self._expand(self._groups[group].pop(), group)
            if won is not None:
                return self._way(won)
        return None

    def _expand(self, here: bytes, group: int) -> bytes | None:
        """Let everything wait that one move leads to; a win, if there is one."""
        come, spend, groups = self._before.setdefault, self._budget.spend, self._groups
        find = here.find
        gap = find(0)
        while gap >= 0:
            left = here[gap - 1]
            for card in TWOS if left == EDGE else (left + 1,):
                if (source := find(card)) < 0:
                    continue
                cells = bytearray(here)
                cells[source] = 0
                cells[gap] = card
                after = bytes(cells)
                if come(after, here) is not here:
                    continue
                spend()
                then = group if left == EDGE else group + 1
                if here[source + 1] == card + 1:
                    then -= 1
                if here[gap + 1] == card + 1:
                    then += 1
                if RANK[card] == COLUMN[gap] + 1:
                    done = settled(after)
                    if done > self._most:
                        self._most, self._farthest = done, after
                        if done == SETTLED:
                            return after
                    then = done * MANY + then % MANY
                if waiting := groups.get(then):
                    waiting.append(after)
                else:
                    self._wait(after, then)
            gap = find(0, gap + 1)
        return None

    def _wait(self, position: bytes, group: int) -> None:
        """Let the first position of a group wait."""
        self._groups.setdefault(group, []).append(position)
        if group not in self._in_best:
            self._in_best.add(group)
            heappush(self._best, -group)
        if group not in self._in_any:
            self._in_any.add(group)
            self._any.append(group)

    def _group(self) -> int | None:
        """A group in which something waits; those in which nothing does are forgotten."""
        groups, best, some = self._groups, self._best, self._any
        while some:
            if self._random() < ANYWHERE:
                at = int(self._random() * len(some))
                if groups[some[at]]:
                    return some[at]
                self._in_any.remove(some[at])
                some[at] = some[-1]
                some.pop()
            elif best:
                if groups[-best[0]]:
                    return -best[0]
                self._in_best.remove(-heappop(best))
        return None

    def farthest(self) -> list[bytes]:
        """The positions on the way to the first one found in which most is in place."""
        return self._way(self._farthest)

    def _way(self, position: bytes) -> list[bytes]:
        way: list[bytes] = []
        while position:
            way.append(position)
            position = self._before[position]
        return way[::-1]


def settled(cells: bytes) -> int:
    """The cards that a shuffle would keep."""
    count = 0
    for edge in range(0, len(ROWS) * WIDTH, WIDTH):
        two = cells[edge + 1]
        if RANK[two] == TWO:
            length = 1
            while length < WIDTH - 2 and cells[edge + 1 + length] == two + length:
                length += 1
            count += length
    return count


def pairs(cells: bytes) -> int:
    """The cards right of their lower neighbour."""
    return sum(cells[at] == cells[at - 1] + 1 and RANK[cells[at]] >= TWO for at in PLACES)


def solve(game: Montana, table: Table, budget: Budget, seed: int = 0) -> tuple[Move, ...] | None:
    """The moves to a win without a shuffle; ``None``: there are none at all.

    Raises:
        Enough: Neither is known: the budget is used up, or only a shuffle could help.

    """
    way = Search(cells_of(table), budget, seed).run()
    if way is not None:
        return _moves(way)
    if table.counters[SHUFFLES]:
        raise Enough
    return None


def farthest(table: Table, budget: Budget, seed: int = 0) -> tuple[Move, ...]:
    """The moves to a win, or else to where most cards are in place, as far as is found."""
    search = Search(cells_of(table), budget, seed)
    with suppress(Enough):
        search.run()
    return _moves(search.farthest())


def cells_of(table: Table) -> bytes:
    """A table as a position."""
    cells = bytearray([EDGE, *[0] * (WIDTH - 1)] * len(ROWS) + [EDGE])
    for at, name in PLACES.items():
        card = table.top(name)
        cells[at] = 0 if card is None else NUMBERS[card.code]
    return bytes(cells)


def _moves(way: list[bytes]) -> tuple[Move, ...]:
    return tuple(_move(here, after) for here, after in pairwise(way))


def _move(here: bytes, after: bytes) -> Move:
    source, target = sorted((at for at in PLACES if here[at] != after[at]), key=after.__getitem__)
    return Transfer(PLACES[source], PLACES[target])
