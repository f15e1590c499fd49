"""The words of Aces Up: six letters, a board of four columns.

Source: course document "Aces Up".
"""

from itertools import zip_longest

from ...game import Draw, Move, Objection, Transfer, Why
from ...grammar import Alone, Carry, Grammar, Misread, numbered, only
from ...table import Cell, Table
from ...text import InputError, Request
from .rules import COLUMNS, FOUNDATION, STOCK

_COLUMNS = numbered(COLUMNS)

GRAMMAR = Grammar(
    (
        Alone("d", Draw(), "deal one card from the stock to each column", "Deal"),
        Carry("f x", _COLUMNS, only(FOUNDATION), "discard the last card of column x"),
        Carry("t x y", _COLUMNS, _COLUMNS, "move the last card of column x to empty column y"),
        Alone("r", Request("restart"), "restart with a new game"),
        Alone("h", Request("help"), "show this help"),
        Alone("q", Request("quit"), "quit"),
    )
)


class AcesUpText:
    """What the Aces Up program reads and prints."""

    title = ""
    prompt = "Input an option (DFTRHQ): "
    help = (
        "Get rid of everything but the aces, which are high.\n"
        "The last card of a column may be discarded to the foundation while the last card of\n"
        "another column is higher in the same suit. An empty column takes any last card.\n"
        "You win when the stock is dealt and four aces are left.\n\n"
    ) + GRAMMAR.menu
    actions = GRAMMAR.actions

    def parse(self, line: str) -> Move | Request:
        """Read a line; everything that is not in the grammar gets one answer."""
        try:
            return GRAMMAR.read(line)
        except Misread:
            raw = line.rstrip("\r\n")
            raise InputError(f"Error in option: {raw}\nInvalid option.") from None

    def write(self, move: Move) -> str:
        """The canonical line: ``d``, ``f 2``, ``t 1 2``."""
        return GRAMMAR.write(move)

    def refusal(self, move: Move, objection: Objection) -> str:
        """Why a card stays; a move between columns is just invalid."""
        match move, objection.why:
            case _, Why.OVER:
                return "Error, the game is over."
            case _, Why.NO_STOCK:
                return "Error, stock is empty."
            case Transfer(target=target), Why.EMPTY if target == FOUNDATION:
                return f"Error, empty column: {objection.pile.removeprefix('COLUMN-')}"
            case Transfer(), Why.KEPT if objection.card:
                return f"Error, cannot move {objection.card.sign}."
            case _:
                return "Invalid move"

    def board(self, table: Table) -> str:
        """A heading, then the columns downwards; stock and foundation stand in the first row."""
        stock = "XX" if table.piles[STOCK] else ""
        top = table.top(FOUNDATION)
        rows = list(zip_longest(*(table.piles[column] for column in COLUMNS))) or [()]
        lines = ["", f"{'stock':<8}{'tableau':^13}  foundation"]
        for n, row in enumerate(rows):
            cells = f"{stock if n == 0 else '':<8}" + "".join(f"{_show(cell):<4}" for cell in row)
            lines.append(f"{cells:<24}    {top.sign}" if n == 0 and top else cells)
        return "".join(line + "\n" for line in lines)


def _show(cell: Cell | None) -> str:
    return cell.card.sign if cell and cell.up and cell.card else "XX" if cell else ""


TEXT = AcesUpText()
