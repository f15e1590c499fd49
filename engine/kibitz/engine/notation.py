"""Facts and piles as plain lists and strings: the one form they have on the wire and in logs.

Shapes (a cell is ``Qh`` up, ``Qh-`` down but known, ``??`` down and unknown)::

    ["mv", from, to, [cells]]   the last cells of from leave it and lie on to, bottom to top
    ["up", pile, card]          the last cell of the pile is turned up and is that card
    ["dn", pile] or ["dn", pile, cell]   it is turned down (cell: where it stays known)
    ["set", pile, [cells]]      the pile is now exactly this
    ["count", name, n]          a counter changed; n null: it is gone
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .table import CELLS, UNKNOWN, UP, Cell, Counted, Fact, Moved, Pile, Set, Table, Turned

_UP = frozenset(cell.text for cell in UP.values())


def write_fact(fact: Fact) -> list[Any]:
    """The plain form of a fact."""
    if isinstance(fact, Moved):
        return ["mv", fact.source, fact.target, write_pile(fact.cells)]
    if isinstance(fact, Turned):
        cell = fact.cell
        if cell.up:
            return ["up", fact.pile, cell.text]
        return ["dn", fact.pile] if cell.card is None else ["dn", fact.pile, cell.text]
    if isinstance(fact, Set):
        return ["set", fact.pile, write_pile(fact.cells)]
    return ["count", fact.counter, fact.value]


def read_fact(plain: Sequence[Any]) -> Fact:
    """A fact from its plain form.

    Raises:
        ValueError: It is not one.

    """
    if type(plain) is list and len(plain) == 4 and plain[0] == "mv":  # by far the most frequent
        _, source, target, cells = plain
        if isinstance(source, str) and isinstance(target, str) and type(cells) is list:
            return Moved(source, target, read_pile(cells))
    match plain:
        case ["mv", str(source), str(target), [*cells]]:
            return Moved(source, target, read_pile(cells))
        case ["up", str(pile), str(card)]:
            return Turned(pile, read_cell(card))
        case ["dn", str(pile)]:
            return Turned(pile, UNKNOWN)
        case ["dn", str(pile), str(cell)]:
            return Turned(pile, read_cell(cell))
        case ["set", str(pile), [*cells]]:
            return Set(pile, read_pile(cells))
        case ["count", str(counter), int() | None as value]:
            return Counted(counter, value)
        case _:
            raise ValueError(f"not a fact: {plain!r:.60}")


def is_open(plain: Sequence[Any]) -> bool:
    """Whether a fact in its plain form is about cards that lie face up only, or about none.

    Then everybody may be told of it as it is.
    """
    word = plain[0]
    if word in ("mv", "set"):
        return _UP.issuperset(plain[-1])
    return word == "count" or (word == "up" and plain[-1] in _UP)


def read_cell(text: object) -> Cell:
    """A cell from its text.

    Raises:
        ValueError: It is not one.

    """
    cell = CELLS.get(text) if isinstance(text, str) else None
    if cell is None:
        raise ValueError(f"not a cell: {text!r:.20}")
    return cell


def write_pile(cells: Pile) -> list[str]:
    """The cells of a pile as texts, bottom to top."""
    return [cell.text for cell in cells]


def read_pile(texts: Iterable[object]) -> Pile:
    """A pile from the texts of its cells.

    Raises:
        ValueError: One is not a cell.

    """
    return tuple([read_cell(text) for text in texts])


def write_piles(table: Table) -> dict[str, list[str]]:
    """All piles of a table by name."""
    return {name: write_pile(cells) for name, cells in table.piles.items()}


def read_table(piles: Mapping[str, Iterable[object]], counters: Mapping[str, int]) -> Table:
    """A table from what :func:`write_piles` made and its counters.

    Raises:
        ValueError: A cell is none.

    """
    return Table({name: read_pile(cells) for name, cells in piles.items()}, dict(counters))
