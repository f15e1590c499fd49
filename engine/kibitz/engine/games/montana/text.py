"""The words of Montana: four numbers and two letters, a board of four rows.

Source: course document "Montana". A line is checked for its form, then for its range; the rule
comes last and is not checked here.
"""

from dataclasses import dataclass

from ...game import Move, Objection, Shuffle, Transfer, Why
from ...grammar import Alone, Fault, Grammar, Misread, split
from ...table import Table
from ...text import InputError, Request, numbers
from .rules import COLUMNS, LEFT, ROWS, place


@dataclass(frozen=True, slots=True)
class Fill:
    """Four numbers, no word: the card at one place goes into the gap at another."""

    word = ""
    usage = "source_row source_col dest_row dest_col"
    meaning = "move a card into a gap (rows 1-4, columns 1-13)"

    def read(self, rest: str) -> Move | Request | Fault:
        """The transfer, if there are four whole numbers in range."""
        given = numbers(split(rest))
        if given is None or len(given) != 4:
            return Fault.FORM
        source, target = place(*given[:2]), place(*given[2:])
        if source not in LEFT or target not in LEFT:
            return Fault.SOURCE if source not in LEFT else Fault.TARGET
        return Transfer(source, target)

    def write(self, move: Move) -> str | None:
        """The four numbers."""
        if not isinstance(move, Transfer):
            return None
        return f"{move.source} {move.target}".replace(".", " ")


GRAMMAR = Grammar(
    (
        Alone("s", Shuffle(), "shuffle all cards that are not in place yet", "Shuffle"),
        Alone("q", Request("quit"), "quit this game"),
        Fill(),
    )
)


class MontanaText:
    """What the Montana program reads and prints."""

    title = "Montana Solitaire."
    prompt = (
        "Enter choice:\n"
        " (q)uit, (s)huffle, or space-separated: source_row,source_col,dest_row,dest_col: "
    )
    help = (
        "Bring every row to 2, 3, .. K of one suit, starting in column 1.\n"
        "A gap takes the card that is one higher than, and of the suit of, the card left of it;\n"
        "a gap in column 1 takes any 2; nothing goes right of a king or of another gap.\n"
        "A shuffle keeps what is in place and leaves one gap behind it in every row.\n\n"
    ) + GRAMMAR.menu
    actions = GRAMMAR.actions

    def parse(self, line: str) -> Move | Request:
        """Read a line: its form first, then its range."""
        try:
            return GRAMMAR.read(line)
        except Misread as misread:
            if misread.fault in (Fault.SOURCE, Fault.TARGET):
                text = "Error: row and/or column out of range. Please Try again."
            else:
                text = "Error: invalid input.  Please try again."
            raise InputError(text) from None

    def write(self, move: Move) -> str:
        """The canonical line: ``4 13 1 10`` or ``s``."""
        return GRAMMAR.write(move)

    def refusal(self, move: Move, objection: Objection) -> str:
        """One text for all illegal moves, one for the missing shuffle."""
        match objection.why:
            case Why.NO_SHUFFLE:
                return "No more shuffles remain."
            case Why.OVER:
                return "Error: the game is over."
            case _:
                return "Error: invalid move.  Please try again."

    def board(self, table: Table) -> str:
        """Column numbers, then four rows; a gap is blank."""
        lines = ["    " + "".join(f"{column:3} " for column in COLUMNS)]
        for row in ROWS:
            cards = (table.top(place(row, column)) for column in COLUMNS)
            lines.append(f"{row:3}:" + "".join(f"{card.sign if card else '':>4}" for card in cards))
        return "".join(line + "\n" for line in lines)


TEXT = MontanaText()
