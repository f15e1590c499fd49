"""Positions as lines of text: what saves and replays have in common.

A position is one line for each pile, ``NAME [ card card ... ]``: every card followed by one blank,
from the top of the pile (the card that can be taken) to its bottom, ``+`` face up, ``-`` face down.
Places that lie in a row share a line, left to right, ``--`` for a gap. A card the reader may not
know is ``??``.

Promises: one reader for all of this; it is exact, and a fault is told with line and column.
Never: judge a position by the rules of its game.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .cards import DECK, Card
from .game import Game
from .headers import LineError
from .table import DOWN, UNKNOWN, UP, Cell, Pile, Table

GAP, HIDDEN, END = "--", "??", "]"

_TOKENS = {
    UNKNOWN: HIDDEN,
    **{UP[card]: f"{card}+" for card in DECK},
    **{DOWN[card]: f"{card}-" for card in DECK},
}
_CELLS = {token: cell for cell, token in _TOKENS.items()}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a position: its name, and the places whose cards stand in it.

    ``places`` has one entry for a pile of any height, or one for each place of a row.
    """

    name: str
    places: tuple[str, ...]
    in_row: bool


def rows(game: Game) -> tuple[Row, ...]:
    """The lines of a game's position, in order."""
    in_rows: dict[int, list[str]] = {}
    for place in game.layout:
        if place.kind == "row-cell":
            in_rows.setdefault(place.row, []).append(place.pile)
    if in_rows:
        return tuple(Row(f"ROW-{n + 1}", tuple(at), True) for n, at in sorted(in_rows.items()))
    return tuple(Row(place.pile, (place.pile,), False) for place in game.layout)


def pile_lines(game: Game, table: Table) -> list[str]:
    """The lines of a position, full or redacted, without line ends."""
    return [_write_row(row, table) for row in rows(game)]


def read_piles(
    game: Game, lines: Sequence[str], first: int, *, hidden: bool = False
) -> dict[str, Pile]:
    """The piles of a position; no card is there twice, and none that the game does not use.

    Args:
        game: Which piles there are.
        lines: The text from the position on; what follows it is not looked at.
        first: The number of the first of these lines.
        hidden: Whether cards may be unknown.

    Raises:
        LineError: The lines are no position of this game.

    """
    free = set(cards_of(game.deal(DECK).piles))
    piles: dict[str, Pile] = {}
    for at, row in enumerate(rows(game)):
        if at >= len(lines):
            raise LineError(first + at, 1, f"{row.name} is missing")
        try:
            piles |= _read_row(row, lines[at], free, hidden)
        except _Fault as fault:
            raise LineError(first + at, fault.column, fault.reason) from None
    return piles


def cards_of(piles: Mapping[str, Pile]) -> list[Card]:
    """Every known card of some piles."""
    return [cell.card for pile in piles.values() for cell in pile if cell.card is not None]


class _Fault(ValueError):
    def __init__(self, column: int, reason: str) -> None:
        self.column, self.reason = column, reason


def _write_row(row: Row, table: Table) -> str:
    if row.in_row:
        cells = (table.piles[place] for place in row.places)
        tokens = [_TOKENS[pile[0]] if pile else GAP for pile in cells]
    else:
        tokens = [_TOKENS[cell] for cell in reversed(table.piles[row.name])]
    return " ".join((row.name, "[", *tokens, END))


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _read_row(row: Row, text: str, free: set[Card], hidden: bool) -> dict[str, Pile]:
    """The piles in one line; takes their cards out of ``free``."""
    start = f"{row.name} [ "
    if not text.startswith(start):
        raise _Fault(_common(text, start) + 1, f"expected `{start}`")
    found = list(_read_tokens(text[len(start) :], len(start) + 1, row, free, hidden))
    if not row.in_row:
        return {row.name: tuple(cell for cell in reversed(found) if cell)}
    if len(found) != len(row.places):
        raise _Fault(len(text), f"{row.name} has {len(row.places)} places, not {len(found)}")
    return {p: (cell,) if cell else () for p, cell in zip(row.places, found, strict=True)}


def _read_tokens(
    body: str, column: int, row: Row, free: set[Card], hidden: bool
) -> Iterator[Cell | None]:
    """The cells between the brackets, a gap as ``None``; ``column`` is where they start."""
    tokens = body.split(" ")
    for at, token in enumerate(tokens):
        if token == END:
            if at + 1 < len(tokens):
                raise _Fault(column + 1, "nothing may follow `]`")
            return
        cell = _CELLS.get(token)
        if token == GAP and row.in_row:
            yield None
        elif cell is None:
            reason = f"not a card: `{token:.12}`" if token else "one blank between cards, no more"
            raise _Fault(column, reason)
        elif cell.card is None:
            if not hidden:
                raise _Fault(column, "a hidden card cannot be played with")
            yield cell
        elif cell.card not in free:
            raise _Fault(column, f"{cell.card} is there twice, or not in this game")
        else:
            free.remove(cell.card)
            yield cell
        column += len(token) + 1
    raise _Fault(column - 1, "`]` is missing")
