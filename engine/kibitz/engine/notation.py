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

from .table import CELLS, UNKNOWN, Cell, Counted, Fact, Moved, Pile, Set, Table, Turned


def write_fact(fact: Fact) -> list[Any]:
    """The plain form of a fact."""
    match fact:
        case Moved(source, target, cells):
            return ["mv", source, target, write_pile(cells)]
        case Turned(pile, cell):
            if cell.up:
                return ["up", pile, str(cell)]
            return ["dn", pile] if cell.card is None else ["dn", pile, str(cell)]
        case Set(pile, cells):
            return ["set", pile, write_pile(cells)]
        case Counted(counter, value):
            return ["count", counter, value]


def read_fact(plain: Sequence[Any]) -> Fact:
    """A fact from its plain form.

    Raises:
        ValueError: It is not one.

    """
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
    return [str(cell) for cell in cells]


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
