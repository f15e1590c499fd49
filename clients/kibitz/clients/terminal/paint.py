"""Boards as text get their suits' colours, and a form that fits a narrow terminal.

Pure. Promises: never a character more or less for colour; never anything cut off.
"""

import re
from collections.abc import Iterator

from rich.text import Text as Painted

from kibitz.engine.game import Game
from kibitz.engine.table import Table
from kibitz.engine.text import Text

TWO_COLOURS = {"c": "", "d": "red", "h": "red", "s": ""}
FOUR_COLOURS = {"c": "green", "d": "bright_blue", "h": "red", "s": ""}
"""Styles by suit. They are names of the terminal's own colours, so its theme decides."""
HIDDEN = "dim"

_CARD = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])([cdhsCDHS♣♦♥♠])(?![A-Za-z0-9])")
_FACE_DOWN = re.compile(r"(?<![A-Za-z0-9])(?:XX|\?\?)(?![A-Za-z0-9])")
_SUITS = str.maketrans("CDHS♣♦♥♠", "cdhscdhs")


def paint(text: str, colours: dict[str, str]) -> Painted:
    """The same text with every card in the colour of its suit."""
    painted = Painted(text)
    for card in _CARD.finditer(text):
        painted.stylize(colours[card[1].translate(_SUITS)], *card.span())
    for hidden in _FACE_DOWN.finditer(text):
        painted.stylize(HIDDEN, *hidden.span())
    return painted


def fitted(game: Game, text: Text, table: Table, width: int) -> str:
    """The board, at most ``width`` columns wide if it can be."""
    board = text.board(table)
    if _width(board) <= width:
        return board
    if any(place.kind == "row-cell" for place in game.layout):
        wide, narrow = compact(game, table, 3), compact(game, table, 2)
        return wide if _width(wide) <= width else narrow
    return "".join(f"{part}\n" for line in board.splitlines() for part in _wrapped(line, width))


def compact(game: Game, table: Table, cell: int) -> str:
    """Rows of single places, each card two characters in a cell of 2 or 3."""
    rows: dict[int, dict[int, str]] = {}
    for place in game.layout:
        card = table.top(place.pile)
        shown = f"{card.code[0]}{card.suit.sign}" if card else ""
        rows.setdefault(place.row, {})[place.column] = shown
    heading = "  " + "".join(f"{column + 1:{cell}}" for column in sorted(rows[0]))
    lines = [heading]
    for row, cards in sorted(rows.items()):
        lines.append(f"{row + 1}:" + "".join(f"{cards[c]:>{cell}}" for c in sorted(cards)))
    return "".join(f"{line}\n" for line in lines)


def _width(board: str) -> int:
    return max((len(line.rstrip()) for line in board.splitlines()), default=0)


def _wrapped(line: str, width: int) -> Iterator[str]:
    """A line in parts that fit, broken at blanks; all but the first are set in."""
    indent = "    "
    while len(line.rstrip()) > width:
        at = line.rfind(" ", len(indent) + 1, width + 1)
        if at <= 0 or not line[:at].strip():
            break
        yield line[:at]
        line = indent + line[at + 1 :]
    yield line
