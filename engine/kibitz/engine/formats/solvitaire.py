"""Deals as Solvitaire reads them: one JSON object, its keys the kinds of piles.

``tableau piles``, ``stock``, ``waste`` and ``foundations`` for games of the Klondike kind, every
pile from bottom to top; ``sequences`` for montana, ``""`` a gap. The foundations are one list, each
suit upwards; where suits have no places of their own, the first suit gets the first place, and so
on. A list for each foundation, as in older files, is read too. A card is its rank, ``A 2 .. 10 J Q
K`` or ``1`` to ``13``, and its suit. In a column a capital suit is face up, ``5H``, a small one
face down, ``5h``; elsewhere, and in ranks, case says nothing. A whole deal of columns of one to
seven cards that are all capitals, but no runs, has no such marks: then only the last card of each
lies open, as the rules deal it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..cards import DECK, Card, Suit
from ..game import Game
from ..games import GAMES
from ..headers import LineError, split_lines
from ..saves import DEFAULT, MAX_SAVE, Save
from ..table import DOWN, UP, Cell, Table
from .layout import Layout, Unfit, faced, is_fit, layout_of, table_of
from .objects import Value, fault, read_json, shown

COLUMNS, STOCK, WASTE = "tableau piles", "stock", "waste"
FOUNDATIONS, SEQUENCES = "foundations", "sequences"
MONTANA = "montana"
_CARD = re.compile(r"(1[0-3]|[1-9]|[AJQK])([CDHS])", re.IGNORECASE | re.ASCII)
_RANKS = {"A": 1, "J": 11, "Q": 12, "K": 13}
_NAMES = {rank: name for name, rank in _RANKS.items()}


def looks_like(text: str) -> bool:
    """Whether the text begins like an object."""
    return text.removeprefix("\ufeff").lstrip().startswith("{")


def read(text: str, game: Game | None = None) -> Save:
    """The position of a deal.

    Args:
        text: What came from outside.
        game: Of which game; ``None``: montana if there are sequences, else klondike.

    Raises:
        LineError: It is none, or none of this game.

    """
    reader = _Reader("\n".join(split_lines(text, MAX_SAVE)))
    game = game or GAMES[MONTANA if SEQUENCES in reader.values else DEFAULT]
    in_rows = game.name == MONTANA
    if not (in_rows or is_fit(game)):
        raise LineError(1, 1, f"{game.name} has no such deals")
    reader.check_keys({SEQUENCES} if in_rows else {COLUMNS, STOCK, WASTE, FOUNDATIONS})
    try:
        return Save(game, _montana(reader, game) if in_rows else _klondike(reader, game))
    except Unfit as error:
        raise fault(reader.text, reader.place_of(error.column), str(error)) from None


def write(game: Game, table: Table) -> str:
    """The deal of a position.

    Raises:
        Unfit: There is a card that it has no place for.

    """
    if game.name == MONTANA:
        said: dict[str, Any] = {SEQUENCES: _rows(game, table)}
    else:
        layout = layout_of(game, table)
        said = {
            COLUMNS: [[_marked(cell) for cell in pile] for pile in layout.columns],
            STOCK: [_said(card) for card in reversed(layout.stock)],
        }
        if layout.waste:
            said[WASTE] = [_said(card) for card in layout.waste]
        if any(layout.foundations):
            said[FOUNDATIONS] = [_said(card) for pile in layout.foundations for card in pile]
    piles = (f"{json.dumps(key)}: {_pretty(value)}" for key, value in said.items())
    return "{\n  " + ",\n  ".join(piles) + "\n}\n"


def _pretty(value: list[Any]) -> str:
    """A list of piles with one pile a line."""
    if value and isinstance(value[0], list):
        return "[\n    " + ",\n    ".join(map(json.dumps, value)) + "\n  ]"
    return json.dumps(value)


def _said(card: Card) -> str:
    return _NAMES.get(card.rank, str(card.rank)) + card.suit.value.upper()


def _marked(cell: Cell) -> str:
    said = _said(cell.known)
    return said if cell.up else said[:-1] + said[-1].lower()


def _rows(game: Game, table: Table) -> list[list[str]]:
    rows: dict[int, list[str]] = {}
    for place in game.layout:
        cells = table.piles[place.pile]
        rows.setdefault(place.row, []).append(_said(cells[0].known) if cells else "")
    return [row for _, row in sorted(rows.items())]


class _Reader:
    """Takes the piles out of an object, each card once."""

    def __init__(self, text: str) -> None:
        self.text = text
        root = read_json(text)
        if not isinstance(root.plain, dict):
            raise fault(text, root.at, "a deal is an object")
        self.values: Mapping[str, Value] = root.plain
        self._seen: set[Card] = set()

    def check_keys(self, known: set[str]) -> None:
        """Check that nothing else is there."""
        for key, value in self.values.items():
            if key not in known:
                raise fault(self.text, value.at, f"unknown here: `{shown(key)}`")

    def place_of(self, column: int | None) -> int:
        """Where a column stands; without one, the columns or the rows."""
        values = self.values.get(COLUMNS) or self.values.get(SEQUENCES)
        if values is None:
            return 0
        return values.at if column is None else self._items(values, COLUMNS)[column].at

    def items(self, key: str) -> list[Value]:
        """What the list of a key holds; nothing if there is none."""
        return self._items(self.values[key], key) if key in self.values else []

    def cells(self, value: Value, key: str) -> list[Cell]:
        """The cards of a pile, face down where they are marked so."""
        return [self.cell(item, key) for item in self._items(value, key)]

    def gaps(self, value: Value) -> list[Cell | None]:
        """The places of a row."""
        row = self._items(value, SEQUENCES)
        return [None if item.plain == "" else self.cell(item, SEQUENCES) for item in row]

    def cell(self, value: Value, key: str) -> Cell:
        """One card."""
        found = _CARD.fullmatch(value.plain) if isinstance(value.plain, str) else None
        if found is None:
            said = f": `{shown(value.plain)}`" if isinstance(value.plain, str) else ", not a text"
            raise fault(self.text, value.at, f"not a card in `{key}`{said}")
        rank, suit = found[1].upper(), found[2]
        card = Card(_RANKS.get(rank) or int(rank), Suit(suit.lower()))
        if card in self._seen:
            raise fault(self.text, value.at, f"{card} is there twice")
        self._seen.add(card)
        return (UP if suit.isupper() else DOWN)[card]

    def _items(self, value: Value, key: str) -> list[Value]:
        if not isinstance(value.plain, list):
            raise fault(self.text, value.at, f"`{key}` is made of lists")
        return value.plain


def _klondike(reader: _Reader, game: Game) -> Table:
    def pile(key: str) -> list[Card]:
        return [reader.cell(item, key).known for item in reader.items(key)]

    layout = Layout(
        columns=tuple(tuple(reader.cells(item, COLUMNS)) for item in reader.items(COLUMNS)),
        stock=tuple(reversed(pile(STOCK))),
        waste=tuple(pile(WASTE)),
        foundations=_foundations(reader),
    )
    try:
        return table_of(game, layout)
    except Unfit as error:
        if error.column is None or not _is_unmarked(layout):
            raise
    return table_of(game, replace(layout, columns=tuple(map(faced, layout.columns))))


def _is_unmarked(layout: Layout) -> bool:
    """Whether this is a whole deal without a face-down card, which no rules make."""
    sizes = [len(pile) for pile in layout.columns]
    is_open = all(cell.up for pile in layout.columns for cell in pile)
    return is_open and sizes == list(range(1, 8)) and not any(layout.foundations)


def _foundations(reader: _Reader) -> tuple[tuple[Card, ...], ...]:
    """One list of all cards, or a list for each foundation."""
    items = reader.items(FOUNDATIONS)
    if items and all(isinstance(item.plain, list) for item in items):
        cells = [reader.cells(item, FOUNDATIONS) for item in items]
        return tuple(tuple(cell.known for cell in pile) for pile in cells)
    suits: dict[Suit, tuple[Card, ...]] = {}
    for item in items:
        card = reader.cell(item, FOUNDATIONS).known
        suits[card.suit] = (*suits.get(card.suit, ()), card)
    return tuple(suits.values())


def _montana(reader: _Reader, game: Game) -> Table:
    rows = [reader.gaps(item) for item in reader.items(SEQUENCES)]
    if len(rows) != 4 or any(len(row) != 13 for row in rows):
        raise Unfit("montana has four rows of 13 places")
    piles = {
        place.pile: (UP[cell.known],) if (cell := rows[place.row][place.column]) else ()
        for place in game.layout
    }
    table = Table(piles, game.deal(DECK).counters)
    if reason := game.check(table):
        raise Unfit(reason)
    return table
