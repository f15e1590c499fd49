"""The words of Thumb and Pouch: two-letter commands, a board in three parts.

Source: course document "Thumb and Pouch" and its two sample sessions.
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
        Carry("tf c n", _COLUMNS, _FOUNDATIONS, "move the last card of column c to foundation n"),
        Carry("tt c1 c2 n", _COLUMNS, _COLUMNS, "move n cards from column c1 to c2", counted=True),
        Carry("wf n", _WASTE, _FOUNDATIONS, "move the top card of the waste to foundation n"),
        Carry("wt c", _WASTE, _COLUMNS, "move the top card of the waste to column c"),
        Alone("sw", Draw(), "draw: one card from the stock to the waste", "Draw"),
        Alone("r", Request("restart"), "restart with a new game"),
        Alone("h", Request("help"), "show this help"),
        Alone("q", Request("quit"), "quit"),
    )
)

_RANGE = "Error: arguments must be numbers in range"
_FAULTS = {
    Fault.EMPTY: "Error: no command entered",
    Fault.COUNT: "Error: wrong number of arguments",
}
_REFUSALS = {
    Why.OVER: "Error: the game is over",
    Why.UNKNOWN: "Error: there is no such move in this game",
    Why.NO_STOCK: "Error: the stock is empty",
    Why.TOO_FEW: "Error: insufficient number of cards to move",
}


class ThumbAndPouchText:
    """What the Thumb and Pouch program reads and prints."""

    title = ""
    prompt = "prompt :> "
    help = (
        "Build each foundation up from its ace in one suit.\n"
        "Columns build down in any suit but the same one; face-up runs move as a whole or in\n"
        "part; an empty column takes any card or run. The stock is gone through once.\n\n"
    ) + GRAMMAR.menu
    actions = GRAMMAR.actions

    def parse(self, line: str) -> Move | Request:
        """Read a line: the command, the number of arguments, then their range."""
        try:
            return GRAMMAR.read(line)
        except Misread as misread:
            if misread.fault is Fault.COMMAND:
                raise InputError(f"{misread.word} is an Invalid Command") from None
            raise InputError(_FAULTS.get(misread.fault, _RANGE)) from None

    def write(self, move: Move) -> str:
        """The canonical line: ``sw``, ``wf 1``, ``tt 4 2 1``."""
        return GRAMMAR.write(move)

    def refusal(self, move: Move, objection: Objection) -> str:
        """Too few cards, nothing to take, or cards that do not match."""
        if objection.why is Why.EMPTY:
            return f"Error: {objection.pile.lower().replace('-', ' ')} is empty"
        return _REFUSALS.get(objection.why, "Error: invalid move due to mismatched cards")

    def board(self, table: Table) -> str:
        """Foundations, columns downwards, stock and waste."""
        tops = (table.piles[pile][-1:] for pile in FOUNDATIONS)
        rows = zip_longest(*(table.piles[column] for column in COLUMNS))
        waste = ", ".join(_show(cell) for cell in table.piles[WASTE]) or "  "
        lines = [
            "================= FOUNDATION =================",
            "".join(f"f{n:<9}" for n in range(1, len(FOUNDATIONS) + 1)),
            "".join(f"[{_show(*top)}]     " for top in tops),
            "==================  TABLEAU  =================",
            *("".join(f"{_show(cell)}    " for cell in row) for row in rows),
            "================= STOCK/WASTE =================",
            f"Stock #({len(table.piles[STOCK])}) ==> [{waste}]",
        ]
        return "".join(line + "\n" for line in lines)


def _show(cell: Cell | None = None) -> str:
    shown = cell.card.sign if cell and cell.up and cell.card else "XX" if cell else ""
    return f"{shown:>3}"


TEXT = ThumbAndPouchText()
