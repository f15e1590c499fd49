"""What lies on the table, what can happen to it, and what a reader may see of it.

Promises: this module knows no game. Rules decide *which* facts happen (:mod:`.game`); here they
are applied, inverted and redacted. Replays, spectators, undo and old logs need only this file.
Two laws hold for everything here (tested for every game)::

    fold(map(redact, facts)) == redact_table(fold(facts))
    evolve(evolve(table, fact), invert(fact, table)) == table

Never: hide a card anywhere else. :func:`redact`, :func:`redact_table` and :class:`Redacted` share
:func:`_hide`, the only place in the project that makes a public form.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .cards import CARDS, Card


@dataclass(frozen=True, slots=True)
class Cell:
    """One card in a pile; ``card`` is ``None`` for a reader who may not know it.

    As text: ``Qh`` face up, ``Qh-`` face down but known, ``??`` face down and unknown.
    """

    card: Card | None
    up: bool = True
    text: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        text = "??" if self.card is None else self.card.code + ("" if self.up else "-")
        object.__setattr__(self, "text", text)

    @property
    def known(self) -> Card:
        """The card, where the rules can only be looking at a known one."""
        assert self.card is not None, "the rules looked at a hidden card"
        return self.card

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text


UNKNOWN = Cell(None, up=False)
UP = {card: Cell(card) for card in CARDS.values()}
DOWN = {card: Cell(card, up=False) for card in CARDS.values()}
CELLS = {str(cell): cell for cell in (*UP.values(), *DOWN.values(), UNKNOWN)}
"""Every cell there can be, by its text: cells are looked up, not built."""
FLIPPED = {cell.text: (DOWN if cell.up else UP)[cell.known] for cell in CELLS.values() if cell.card}
"""Each card with its other side up, by the text of its cell."""

Pile = tuple[Cell, ...]
"""Cells from bottom to top: the playable one is last."""


NOTHING: Mapping[str, Any] = {}


class Table(NamedTuple):
    """The whole state of one board: all piles by name, and the few numbers some games count."""

    piles: Mapping[str, Pile] = NOTHING
    counters: Mapping[str, int] = NOTHING

    def top(self, pile: str) -> Card | None:
        """The playable card of a pile; ``None`` if it is empty or lies face down."""
        cells = self.piles[pile]
        return cells[-1].card if cells and cells[-1].up else None


class Moved(NamedTuple):
    """The last ``len(cells)`` cells left ``source`` and lie on ``target`` as ``cells``."""

    source: str
    target: str
    cells: Pile


class Turned(NamedTuple):
    """The last cell of ``pile`` was turned and is now ``cell``."""

    pile: str
    cell: Cell


class Set(NamedTuple):
    """The pile is now exactly these cells: a deal, a load, a shuffle."""

    pile: str
    cells: Pile


class Counted(NamedTuple):
    """A counter changed to ``value``; ``None`` removes it."""

    counter: str
    value: int | None


Fact = Moved | Turned | Set | Counted


def evolve(table: Table, fact: Fact) -> Table:
    """The table after the fact. Total: what was decided on this table always applies."""
    return fold((fact,), table)


def fold(facts: Iterable[Fact], table: Table | None = None) -> Table:
    """Apply facts in order, to an empty table if none is given."""
    table = Table() if table is None else table
    piles, counters = dict(table.piles), dict(table.counters)
    for fact in facts:
        _happen(fact, piles, counters)
    return Table(piles, counters)


def fold_back(facts: Iterable[Fact], table: Table) -> tuple[Table, tuple[Fact, ...]]:
    """The table after some facts, and the facts that take them back, in the order to apply."""
    piles, counters = dict(table.piles), dict(table.counters)
    after, back = Table(piles, counters), list[Fact]()
    for fact in facts:
        back.append(invert(fact, after))
        _happen(fact, piles, counters)
    back.reverse()
    return after, tuple(back)


def _happen(fact: Fact, piles: dict[str, Pile], counters: dict[str, int]) -> None:
    """Let a fact happen to piles and counters that nobody else has seen yet."""
    if isinstance(fact, Moved):
        source, onto = piles[fact.source], piles[fact.target]
        piles[fact.source] = source[: len(source) - len(fact.cells)]
        piles[fact.target] = onto + fact.cells
    elif isinstance(fact, Turned):
        piles[fact.pile] = (*piles[fact.pile][:-1], fact.cell)
    elif isinstance(fact, Set):
        piles[fact.pile] = fact.cells
    else:
        counters.pop(fact.counter, None)
        if fact.value is not None:
            counters[fact.counter] = fact.value


def lay(table: Table) -> tuple[Fact, ...]:
    """The facts that turn an empty table into this one."""
    sets = (Set(pile, cells) for pile, cells in table.piles.items())
    return (*sets, *(Counted(name, n) for name, n in table.counters.items()))


def invert(fact: Fact, before: Table) -> Fact:
    """The fact that takes ``evolve(before, fact)`` back to ``before``."""
    if isinstance(fact, Moved):
        pile = before.piles[fact.source]
        return Moved(fact.target, fact.source, pile[len(pile) - len(fact.cells) :])
    if isinstance(fact, Turned):
        return Turned(fact.pile, before.piles[fact.pile][-1])
    if isinstance(fact, Set):
        return Set(fact.pile, before.piles[fact.pile])
    return Counted(fact.counter, before.counters.get(fact.counter))


def _hide(cells: Pile) -> Pile:
    return tuple([cell if cell.up else UNKNOWN for cell in cells])


def redact_table(table: Table) -> Table:
    """What everybody may see: face-down cards lose their names."""
    return Table({name: _hide(cells) for name, cells in table.piles.items()}, table.counters)


class Redacted(Mapping[str, Pile]):
    """The piles of :func:`redact_table`, made when they are asked for: for a look at a few."""

    def __init__(self, piles: Mapping[str, Pile]) -> None:
        self._piles = piles

    def __getitem__(self, name: str) -> Pile:
        return _hide(self._piles[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._piles)

    def __len__(self) -> int:
        return len(self._piles)


def redact(fact: Fact) -> Fact:
    """What everybody may be told of a fact."""
    match fact:
        case Moved(source, target, cells):
            return Moved(source, target, _hide(cells))
        case Turned(pile, cell):
            return Turned(pile, _hide((cell,))[0])
        case Set(pile, cells):
            return Set(pile, _hide(cells))
        case Counted():
            return fact
