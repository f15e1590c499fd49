"""Boards as text get their suits' colours, and a form that fits a small terminal.

Pure. Promises: never a character more or less for colour; never anything cut off.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from rich.text import Text as Painted

from kibitz.engine.game import Game
from kibitz.engine.table import Cell, Table
from kibitz.engine.text import Text

TWO_COLOURS = {"c": "", "d": "red", "h": "red", "s": ""}
FOUR_COLOURS = {"c": "green", "d": "bright_blue", "h": "red", "s": ""}
"""Styles by suit. They are names of the terminal's own colours, so its theme decides."""
HIDDEN = "dim"
INDENT = "    "
"""What stands before the rest of a line that was too long."""

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


def fitted(game: Game, text: Text, table: Table, width: int, height: int = 1000) -> str:
    """The board, at most ``width`` columns wide and ``height`` lines high if it can be."""
    board = text.board(table)
    if _width(board) > width:
        board = _narrowed(game, text, table, width)
    if board.count("\n") > height:
        board = "".join(f"{line}\n" for line in board.splitlines() if line.strip())
    return board


def wrapped(text: str, width: int, indent: str = INDENT) -> list[str]:
    """The lines of a text in parts that fit, broken at blanks; later parts are set in."""
    return [part for line in text.split("\n") for part in _parts(line, width, indent)]


def undealt(game: Game, table: Table, board: str) -> str:
    """The open cards of the stock that a board does not show, the next one first."""
    stocks = [place.pile for place in game.layout if place.kind == "stock"]
    cards = [cell.card for pile in stocks for cell in reversed(table.piles[pile]) if cell.up]
    hidden = [c for c in cards if c and c.sign not in board and c.code not in board]
    return "Stock: " + " ".join(card.sign for card in hidden) + "\n" if hidden else ""


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


def columns(game: Game, table: Table, width: int) -> str:
    """Stock, waste and foundations in lines of their own, the columns below them, close by."""
    kinds = {kind: [p.pile for p in game.layout if p.kind == kind] for kind in _KINDS}
    stock = sum(len(table.piles[pile]) for pile in kinds["stock"])
    waste = [_show(cell) for pile in kinds["waste"] for cell in table.piles[pile]]
    tops = [_show(*table.piles[pile][-1:]) or "--" for pile in kinds["foundation"]]
    fans = [table.piles[pile] for pile in kinds["fan"]]
    lines = [f"stock {stock}", f"foundation {' '.join(tops)}"]
    if kinds["waste"]:
        lines.insert(1, f"waste {' '.join(waste) or '--'}")
    rows = [[str(n) for n in range(1, len(fans) + 1)]]
    rows += [[_show(cell) for cell in row] for row in zip_longest(*fans)]
    lines += ["".join(f"{cell:<4}" for cell in row).rstrip() for row in rows]
    return "".join(f"{line}\n" for line in wrapped("\n".join(lines), width))


_KINDS = ("stock", "waste", "foundation", "fan")


def _narrowed(game: Game, text: Text, table: Table, width: int) -> str:
    if any(place.kind == "row-cell" for place in game.layout):
        wide, narrow = compact(game, table, 3), compact(game, table, 2)
        return wide if _width(wide) <= width else narrow
    board = text.board(table)
    if not all(place.pile in board for place in game.layout if place.kind == "fan"):
        wastes = [place.pile for place in game.layout if place.kind == "waste"]
        short = {**table.piles, **{pile: table.piles[pile][-1:] for pile in wastes}}
        if _width(text.board(Table(short, table.counters))) > width:  # not for its waste alone
            return columns(game, table, width)
    return "".join(f"{line}\n" for line in wrapped(board.removesuffix("\n"), width))


COMMAND = "kibitz "
"""What a line begins with that somebody copies."""


def legible(line: str, width: int) -> list[str]:
    """A line in parts that fit; a command in it is not broken, and has a line to itself."""
    before, found, command = line.rpartition(f": {COMMAND}")
    if not found or len(line.rstrip()) <= width:
        return wrapped(line, width)
    return [*wrapped(f"{before}:", width), COMMAND + command]


def height_of(lines: Iterable[str], width: int) -> int:
    """The lines that some take on a terminal, which breaks what does not fit."""
    return sum(max(1, -(-len(line.rstrip()) // width)) for line in lines)


def _show(cell: Cell | None = None) -> str:
    return cell.card.sign if cell and cell.up and cell.card else "XX" if cell else ""


def _width(board: str) -> int:
    return widest(board.splitlines())


def widest(lines: Iterable[str]) -> int:
    """The length of the longest line."""
    return max((len(line.rstrip()) for line in lines), default=0)


def _parts(line: str, width: int, indent: str) -> Iterator[str]:
    while len(line.rstrip()) > width:
        at = line.rfind(" ", len(indent) + 1, width + 1)
        if at <= 0 or not line[:at].strip():
            break
        yield line[:at]
        line = indent + line[at + 1 :]
    yield line
