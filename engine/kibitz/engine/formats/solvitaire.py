"""Deals as Solvitaire reads them: one JSON object, its keys the kinds of piles.

``tableau piles``, ``stock``, ``waste`` and ``foundations`` for games of the Klondike kind, every
pile from bottom to top; ``sequences`` for montana, ``""`` a gap. Cards are ``AS``, ``10d``: ranks
``A 2 .. 10 J Q K`` or ``1`` to ``13``, either case. It has no face-down cards: of a column the
last one lies open, as after the deal.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..cards import Card, Suit
from ..game import Game
from ..headers import LineError, split_lines
from ..saves import MAX_SAVE, Save
from ..table import UP, Table
from .layout import Layout, Unfit, faced, is_fit, layout_of, table_of

COLUMNS, STOCK, WASTE = "tableau piles", "stock", "waste"
FOUNDATIONS, SEQUENCES = "foundations", "sequences"
MAX_NESTING = 8
_CARD = re.compile(r"(1[0-3]|[1-9]|[AJQK])([CDHS])", re.IGNORECASE)
_RANKS = {"A": 1, "J": 11, "Q": 12, "K": 13}
_NAMES = {rank: name for name, rank in _RANKS.items()}


def looks_like(text: str) -> bool:
    """Whether the text begins like an object."""
    return text.removeprefix("\ufeff").lstrip().startswith("{")


def is_montana(text: str) -> bool:
    """Whether the text has rows, not columns."""
    return f'"{SEQUENCES}"' in text


def read(text: str, game: Game) -> Save:
    """The position of a deal.

    Raises:
        LineError: It is none, or none of this game.

    """
    whole = "\n".join(split_lines(text, MAX_SAVE))
    reader = _Reader(whole, _parse(whole))
    rows = game.name == "montana"
    if not (rows or is_fit(game)):
        raise LineError(1, 1, f"{game.name} has no such deals")
    reader.check_keys({SEQUENCES} if rows else {COLUMNS, STOCK, WASTE, FOUNDATIONS})
    try:
        table = _montana(reader, game) if rows else table_of(game, _layout(reader))
    except Unfit as error:
        raise LineError(1, 1, str(error)) from None
    return Save(game, table)


def write(game: Game, table: Table) -> str:
    """The deal of a position.

    Raises:
        Unfit: The deal would not say all of it.

    """
    if game.name == "montana":
        said: dict[str, Any] = {SEQUENCES: _rows(game, table)}
    else:
        layout = layout_of(game, table)
        columns = [[cell.known for cell in pile] for pile in layout.columns]
        if any(faced(cards) != pile for cards, pile in zip(columns, layout.columns, strict=True)):
            raise Unfit("a deal has one open card in each column, and this game has gone on")
        said = {
            COLUMNS: [list(map(_said, cards)) for cards in columns],
            STOCK: list(map(_said, reversed(layout.stock))),
        }
        if layout.waste:
            said[WASTE] = list(map(_said, layout.waste))
        if any(layout.foundations):
            said[FOUNDATIONS] = [list(map(_said, cards)) for cards in layout.foundations]
    piles = (f"{json.dumps(key)}: {_pretty(value)}" for key, value in said.items())
    return "{\n  " + ",\n  ".join(piles) + "\n}\n"


def _pretty(value: list[Any]) -> str:
    """A list of piles with one pile a line."""
    if value and isinstance(value[0], list):
        return "[\n    " + ",\n    ".join(map(json.dumps, value)) + "\n  ]"
    return json.dumps(value)


def _said(card: Card) -> str:
    return _NAMES.get(card.rank, str(card.rank)) + card.suit.value.upper()


def _rows(game: Game, table: Table) -> list[list[str]]:
    rows: dict[int, list[str]] = {}
    for place in game.layout:
        cells = table.piles[place.pile]
        rows.setdefault(place.row, []).append(_said(cells[0].known) if cells else "")
    return [row for _, row in sorted(rows.items())]


def _parse(text: str) -> dict[str, Any]:
    def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                raise LineError(_line(text, f'"{key}"', 2), 1, f"`{key:.32}` is there twice")
        return dict(pairs)

    try:
        plain = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise LineError(error.lineno, error.colno, f"not JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        if isinstance(error, LineError):
            raise
        raise LineError(1, 1, "not a deal in JSON") from None
    if not isinstance(plain, dict):
        raise LineError(1, 1, "a deal is an object")
    return plain


def _line(text: str, piece: str, nth: int = 1) -> int:
    """The line of the ``nth`` occurrence of a piece of the text, or of the last one there is."""
    at = -1
    for _ in range(nth):
        found = text.find(piece, at + 1)
        at = at if found < 0 else found
    return text.count("\n", 0, max(at, 0)) + 1


class _Reader:
    """Takes the piles out of an object, each card once."""

    def __init__(self, text: str, plain: Mapping[str, Any]) -> None:
        self._text = text
        self._plain = plain
        self._seen: dict[Card, str] = {}

    def check_keys(self, known: set[str]) -> None:
        """Check that nothing else is there."""
        for key in self._plain:
            if key not in known:
                line = _line(self._text, json.dumps(key))
                raise LineError(line, 1, f"unknown here: `{key:.32}`")

    def cards(self, key: str) -> list[Card]:
        """The cards of a pile."""
        return [self._card(text, key) for text in self._list(self._plain.get(key, []), key)]

    def piles(self, key: str) -> list[list[Card | None]]:
        """The cards of several piles, a gap as ``None``."""
        return [
            [
                None if text == "" and key == SEQUENCES else self._card(text, key)
                for text in self._list(pile, key)
            ]
            for pile in self._list(self._plain.get(key, []), key)
        ]

    def _list(self, value: Any, key: str) -> list[Any]:
        if not isinstance(value, list):
            raise LineError(_line(self._text, f'"{key}"'), 1, f"`{key}` is made of lists")
        return value

    def _card(self, text: Any, key: str) -> Card:
        found = _CARD.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            line = _line(self._text, json.dumps(text, ensure_ascii=False)[:40])
            raise LineError(line, 1, f"not a card in `{key}`: {json.dumps(text)[:20]}")
        rank = found[1].upper()
        card = Card(_RANKS.get(rank) or int(rank), Suit(found[2].lower()))
        if card in self._seen:
            nth = 2 if self._seen[card] == text else 1
            raise LineError(_line(self._text, f'"{text}"', nth), 1, f"{card} is there twice")
        self._seen[card] = text
        return card


def _layout(reader: _Reader) -> Layout:
    columns = [[card for card in pile if card] for pile in reader.piles(COLUMNS)]
    foundations = [[card for card in pile if card] for pile in reader.piles(FOUNDATIONS)]
    return Layout(
        columns=tuple(faced(cards) for cards in columns),
        stock=tuple(reversed(reader.cards(STOCK))),
        waste=tuple(reader.cards(WASTE)),
        foundations=tuple(tuple(cards) for cards in foundations),
    )


def _montana(reader: _Reader, game: Game) -> Table:
    rows = reader.piles(SEQUENCES)
    if len(rows) != 4 or any(len(row) != 13 for row in rows):
        raise Unfit("montana has four rows of 13 places")
    piles = {
        place.pile: (UP[card],) if (card := rows[place.row][place.column]) else ()
        for place in game.layout
    }
    table = Table(piles, {"shuffles": int(game.options["shuffles"])})
    if reason := game.check(table):
        raise Unfit(reason)
    return table
