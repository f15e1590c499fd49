"""The board as Klondike-Solver prints it while it replays: thirteen numbered rows.

`` 0: `` the waste, `` 1: `` to `` 7: `` the columns, `` 8: `` the stock, `` 9: `` to ``12: `` the
foundations of clubs, diamonds, spades and hearts; each from the top to the bottom, cards as
``TH``, those face down behind the open ones as ``-TH``. What it says of moves may follow. It is
only read: that program itself does not read it.
"""

import re
from collections.abc import Iterator, Sequence

from ..cards import CARDS, Card
from ..game import Game
from ..headers import LineError
from ..saves import Save
from ..table import DOWN, UP, Cell, Pile
from .layout import Layout, Unfit, cards_of, table_of

ROWS = 13
WASTE, COLUMNS, STOCK, FOUNDATIONS = 0, slice(1, 8), 8, slice(9, ROWS)
SUITS = "cdsh"
_FIRST = re.compile(r"\s*0: ?")
_MOVES = re.compile(r"Minimum Moves Needed: \d+", re.ASCII)
_CARD = re.compile(r"\s+|(-?)([A2-9TJQK][CDSH])(?=[ -]|$)", re.IGNORECASE | re.ASCII)


def looks_like(text: str) -> bool:
    """Whether the text begins like the first row."""
    return _FIRST.match(text.removeprefix("\ufeff")) is not None


def read(lines: Sequence[str], game: Game) -> Save:
    """The position of the rows.

    Raises:
        LineError: They are none, or none of this game.

    """
    seen: set[Card] = set()
    rows = [_row(lines, n, seen) for n in range(ROWS)]
    if len(lines) > ROWS and not (len(lines) == ROWS + 1 and _MOVES.fullmatch(lines[ROWS])):
        raise LineError(ROWS + 1, 1, "nothing may follow the last row")
    for number in (WASTE, STOCK, *range(FOUNDATIONS.start, ROWS)):
        if not all(cell.up for cell in rows[number]):
            raise LineError(number + 1, 1, "only columns have cards face down here")
    foundations = tuple(cards_of(row) for row in rows[FOUNDATIONS])
    for number, (suit, cards) in enumerate(zip(SUITS, foundations, strict=True), ROWS - 3):
        if any(card.suit.value != suit for card in cards):
            raise LineError(number, 1, f"this is the foundation of `{suit}`")
    layout = Layout(
        columns=tuple(rows[COLUMNS]),
        stock=cards_of(reversed(rows[STOCK])),
        waste=cards_of(rows[WASTE]),
        foundations=foundations,
    )
    try:
        return Save(game, table_of(game, layout))
    except Unfit as error:
        number = ROWS if error.column is None else COLUMNS.start + error.column + 1
        raise LineError(number, 1, str(error)) from None


def _row(lines: Sequence[str], n: int, seen: set[Card]) -> Pile:
    """The cells of a row from bottom to top."""
    if n >= len(lines):
        raise LineError(n + 1, 1, f"row {n} is missing")
    line, start = lines[n], f"{n:2}:"
    if not line.startswith(start) and (n > 0 or not line.startswith(start := "0:")):
        raise LineError(n + 1, 1, f"expected `{start}`")
    return tuple(_cells(line, len(start), n + 1, seen))[::-1]


def _cells(line: str, at: int, number: int, seen: set[Card]) -> Iterator[Cell]:
    """The cells of a row from its top, ``at`` where they begin."""
    below = False
    while at < len(line):
        found = _CARD.match(line, at)
        if found is None or (below and found[2] and not found[1]):
            raise LineError(number, at + 1, f"not a card here: `{line[at : at + 12]}`")
        at = found.end()
        if not found[2]:
            continue
        card = CARDS[found[2][0].upper() + found[2][1].lower()]
        if card in seen:
            raise LineError(number, found.start() + 1, f"{card} is there twice")
        seen.add(card)
        below = bool(found[1])
        yield (DOWN if below else UP)[card]
