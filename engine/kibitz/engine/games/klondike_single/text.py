"""The words of one-card Klondike: two-letter commands, a wide board.

Source: course document "Klondike" of MSU. On the board its tabs are written as the blanks they
stand for, so that it looks the same wherever it is shown.
"""

from itertools import zip_longest

from ...game import Draw, Move, Objection, Why
from ...grammar import Alone, Carry, Fault, Grammar, Misread, numbered, only
from ...table import Cell, Table
from ...text import InputError, Request
from ..columns import COLUMNS, FOUNDATIONS, STOCK, WASTE

_COLUMNS, _FOUNDATIONS, _WASTE = numbered(COLUMNS), numbered(FOUNDATIONS), only(WASTE)

GRAMMAR = Grammar(
    (
        Carry("tt c1 c2", _COLUMNS, _COLUMNS, "move the last card of column c1 to column c2"),
        Carry("tf c n", _COLUMNS, _FOUNDATIONS, "move the last card of column c to foundation n"),
        Carry("wt c", _WASTE, _COLUMNS, "move the top card of the waste to column c"),
        Carry("wf n", _WASTE, _FOUNDATIONS, "move the top card of the waste to foundation n"),
        Alone("sw", Draw(), "draw: one card from the stock to the waste", "Draw"),
        Alone("r", Request("restart"), "restart with a new game"),
        Alone("h", Request("help"), "show this help"),
        Alone("q", Request("quit"), "quit"),
    )
)


class KlondikeSingleText:
    """What the one-card Klondike program reads and prints."""

    title = ""
    prompt = "Input an option (TT,TF,WT,WF,SW,R,H,Q): "
    help = (
        "Build each foundation up from its ace in one suit.\n"
        "Columns build down in alternating colours, one card at a time; an empty column takes a\n"
        "king. When the stock is empty, drawing turns the waste over first.\n\n"
    ) + GRAMMAR.menu
    actions = GRAMMAR.actions

    def parse(self, line: str) -> Move | Request:
        """Read a line: its form, then its source, then its destination."""
        try:
            return GRAMMAR.read(line)
        except Misread as misread:
            texts = {Fault.SOURCE: "Error in Source.", Fault.TARGET: "Error in Destination"}
            raw = line.rstrip("\r\n")
            raise InputError(texts.get(misread.fault, f"Error in option: {raw}")) from None

    def write(self, move: Move) -> str:
        """The canonical line: ``sw``, ``wf 1``, ``tt 4 2``."""
        return GRAMMAR.write(move)

    def refusal(self, move: Move, objection: Objection) -> str:
        """One text for all illegal moves."""
        return "The game is over!" if objection.why is Why.OVER else "Invalid move!"

    def board(self, table: Table) -> str:
        """Stock, waste and foundations above the seven columns."""
        stock = "XX" if table.piles[STOCK] else "empty"
        waste = _top(table, WASTE)
        tops = [_top(table, pile) for pile in FOUNDATIONS]
        rows = zip_longest(*(table.piles[column] for column in COLUMNS))
        lines = [
            "",
            f"{'stock':5} {'waste':5} {'':36} foundation",
            f"{'':37}" + "".join(f" {n:5} " for n in range(1, len(FOUNDATIONS) + 1)),
            f"{stock:5} {waste:5} {'':28}" + "".join(f" {top:5} " for top in tops),
            *[""] * 3,
            f"{'':40}tableau",
            f"{'':17}" + "".join(f" {n:5} " for n in range(1, len(COLUMNS) + 1)),
            *(f"{'':20}" + "".join(f" {_show(cell):5} " for cell in row) for row in rows),
            "",
        ]
        return "".join(line + "\n" for line in lines)


def _top(table: Table, pile: str) -> str:
    return _show(table.piles[pile][-1]) if table.piles[pile] else "empty"


def _show(cell: Cell | None) -> str:
    return cell.card.sign if cell and cell.up and cell.card else "XX" if cell else ""


TEXT = KlondikeSingleText()
