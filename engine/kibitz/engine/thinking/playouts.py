"""A Klondike played on to its end by a few simple preferences, very often and very fast.

Cards are numbers here, suit after suit from the ace. Home first; then what turns a card up or
empties a column; then the card of the pack; then what makes way for a card that can go home, or
for one of these; then the next card of the pack. Promises: every step is one that the rules allow;
it uses no card that it could not see; the same table, the same steps. Never: an opinion of the
result.
"""

from collections.abc import Sequence

from ..cards import DECK
from ..games.columns import COLUMNS, FOUNDATIONS, REDEALS, STOCK, WASTE, Columns
from ..games.klondike import rules as klondike
from ..games.klondike.rules import AT_ONCE, Klondike
from ..solving.klondikes.homes import counts
from ..solving.klondikes.numbers import ALL, DOWN, KINGS, NUMBERS, RANKS, takers
from ..solving.klondikes.tables import home_of
from ..table import Cell, Table

PACK, HOME, DRAW = 7, 8, 9
"""Where cards come from and go to, beside the seven columns; ``DRAW``: the pack goes on."""
ROUNDS = 2
"""Times that the whole pack is gone through without a use before it is enough."""
MOST = 400
"""Steps of one playout."""
LOW = 2
"""Ranks that one card below a run is worth where it is chosen what goes into a gap: a king is to
go there, or what turns the last cards of a column up."""

Step = tuple[int, int, int]
"""From where, to where, how many cards."""
DRAWN = DRAW, DRAW, 0
SEVEN = range(7)


class Playout:
    """One game from a table on; the table names all cards."""

    __slots__ = (
        *("_columns", "_discard", "_groups", "_home", "_idle", "_on", "_on_nothing", "_pack"),
        *("_redeals", "_stock", "_threes", "_up", "_wanted", "home"),
    )

    def __init__(self, game: Columns | Klondike, table: Table) -> None:
        """Nothing is played yet.

        Args:
            game: The rules.
            table: All cards.

        """
        self._threes = isinstance(game, Klondike)
        self._on = takers(game.fits)
        self._groups = isinstance(game, Klondike) or game.groups
        kings_only = isinstance(game, Klondike) or game.kings_only
        self._on_nothing = KINGS if kings_only else ALL
        if isinstance(game, Klondike):
            columns, suits = klondike.PILES, tuple(klondike.SUITS.values())
            stock, discard = klondike.STOCK, klondike.DISCARD
        else:
            columns, suits, stock, discard = COLUMNS, FOUNDATIONS, STOCK, WASTE
        piles = table.piles
        self._columns = [_column(piles[pile]) for pile in columns]
        self._up = [sum(not cell.up for cell in piles[pile]) for pile in columns]
        self._stock, self._discard = _cards(piles[stock]), _cards(piles[discard])
        self._pack = self._stock if self._threes else self._discard
        settable = isinstance(game, Columns) and game.redeals_settable
        self._redeals = table.counters.get(REDEALS) if settable else 0
        self._home = counts(home_of(table, suits))
        self._wanted = 0
        """The cards that go home next, one bit each."""
        for suit, count in enumerate(self._home):
            if count < RANKS:
                self._wanted |= 1 << RANKS * suit + count
        self.home = sum(self._home)
        """How many cards are home."""
        self._idle = 0

    def run(self) -> bool:
        """Play to the end; whether it is won."""
        step = self.step
        for _ in range(MOST):
            if step() is None:
                break
        return self.home == len(DECK)

    def step(self) -> Step | None:
        """Make one move; ``None``: it is over."""
        step = self._go_home()
        if step is None and self.home < len(DECK):
            step = self._build()
        if step is None:
            return self._draw() if self.home < len(DECK) else None
        self._idle = 0
        return step

    # Home

    def _go_home(self) -> Step | None:
        wanted = self._wanted
        for number, column in enumerate(self._columns):
            if column and wanted >> column[-1] & 1:
                self._put_home(column.pop())
                self._uncover(number)
                return number, HOME, 1
        pack = self._pack
        if pack and wanted >> pack[-1] & 1:
            self._put_home(pack.pop())
            return PACK, HOME, 1
        return None

    def _put_home(self, card: int) -> None:
        self._home[card // RANKS] += 1
        self.home += 1
        self._wanted ^= (3 if card % RANKS < RANKS - 1 else 1) << card

    # Columns

    def _build(self) -> Step | None:
        on, free = self._on, -1
        welcome = 0
        for number, column in enumerate(self._columns):
            if column:
                welcome |= on[column[-1]]
            elif free < 0:
                free = number
        return (
            self._turn(welcome, free)
            or self._play_pack(welcome, free)
            or self._open(free)
            or self._prepare(welcome)
        )

    def _turn(self, welcome: int, free: int) -> Step | None:
        """Move all that lies face up in a column: the deepest first, else what is best in a gap."""
        up = self._up
        best, most = -1, -LOW * RANKS
        for source in sorted(SEVEN, key=up.__getitem__, reverse=True):
            column, first = self._columns[source], up[source]
            count = len(column) - first
            if not count or (count > 1 and not self._groups):
                continue
            card = column[first]
            if welcome >> card & 1:
                return self._move(source, self._taker(card, source), first)
            if free >= 0 and first and self._on_nothing >> card & 1:
                worth = card % RANKS - LOW * first
                if worth > most:
                    best, most = source, worth
        return self._move(best, free, up[best]) if best >= 0 else None

    def _open(self, free: int) -> Step | None:
        """Move what lies on a card that can go home."""
        for suit, count in enumerate(self._home):
            wanted = RANKS * suit + count
            for source, column in enumerate(self._columns):
                if count < RANKS and wanted in column and (at := column.index(wanted) + 1):
                    if at > self._up[source] and (self._groups or len(column) - at == 1):
                        target = self._taker(column[at], source)
                        if target < 0 and self._on_nothing >> column[at] & 1:
                            target = free
                        if target >= 0:
                            return self._move(source, target, at)
                    break
        return None

    def _play_pack(self, welcome: int, free: int) -> Step | None:
        pack = self._pack
        if not pack:
            return None
        card = pack[-1]
        if welcome >> card & 1:
            target = self._taker(card, -1)
        elif free >= 0 and self._on_nothing >> card & 1:
            target = free
        else:
            return None
        self._columns[target].append(pack.pop())
        return PACK, target, 1

    def _prepare(self, welcome: int) -> Step | None:
        """Move a part of a run to another column, where the next step builds on what it leaves."""
        if not self._groups:
            return None
        parts = [
            (source, at)
            for source, column in enumerate(self._columns)
            for at in range(self._up[source] + 1, len(column))
            if welcome >> column[at] & 1
        ]
        if not parts:
            return None
        for wish in self._wishes():
            wanted = wish & ~welcome
            for source, at in parts:
                column = self._columns[source]
                if wanted & self._on[column[at - 1]]:
                    target = self._taker(column[at], source)
                    if target >= 0:
                        return self._move(source, target, at)
        return None

    def _wishes(self) -> tuple[int, int, int]:
        """What to build next, one bit each: what turns a card up, the pack's, a whole column."""
        turning = emptying = 0
        for column, first in zip(self._columns, self._up, strict=True):
            if first:
                turning |= 1 << column[first]
            elif column:
                emptying |= 1 << column[0]
        return turning, 1 << self._pack[-1] if self._pack else 0, emptying

    def _taker(self, card: int, source: int) -> int:
        """A column that is not empty and takes a card; -1: there is none."""
        on = self._on
        for number, column in enumerate(self._columns):
            if column and on[column[-1]] >> card & 1 and number != source:
                return number
        return -1

    def _move(self, source: int, target: int, at: int) -> Step:
        column = self._columns[source]
        moving = column[at:]
        del column[at:]
        self._columns[target] += moving
        self._uncover(source)
        return source, target, len(moving)

    def _uncover(self, number: int) -> None:
        """Turn the last card of a column up, if it lies face down."""
        column, up = self._columns[number], self._up
        if len(column) == up[number] and column:
            column[-1] -= DOWN
            up[number] -= 1

    # The pack

    def _draw(self) -> Step | None:
        stock, discard = self._stock, self._discard
        size = len(stock) + len(discard)
        self._idle += 1
        if not size or self._idle > (ROUNDS * (size // AT_ONCE + 2) if self._threes else size + 1):
            return None
        if self._threes:
            if stock:
                discard += stock[: -AT_ONCE - 1 : -1]
                del stock[-AT_ONCE:]
            else:
                stock += discard
                discard.clear()
            return DRAWN
        if not stock:
            if self._redeals == 0:
                return None
            if self._redeals is not None:
                self._redeals -= 1
            stock += discard[::-1]
            discard.clear()
        discard.append(stock.pop())
        return DRAWN


def _cards(cells: Sequence[Cell]) -> list[int]:
    return [NUMBERS[cell.known.code] for cell in cells]


def _column(cells: Sequence[Cell]) -> list[int]:
    return [NUMBERS[cell.known.code] + (0 if cell.up else DOWN) for cell in cells]
