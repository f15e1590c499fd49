"""The words of Klondike with runs of any suit: whole words, a board in the form of its saves.

Source: course document "Klondike" of CMPUT 175. A line is checked for its command, the number
of its arguments, then their values; whether a game is loaded, and the rules, come after that.
An empty line is ignored: its error text is empty, and whoever prints errors prints nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ...game import Draw, Move, Objection, Recycle
from ...grammar import Alone, Carry, Fault, Grammar, Misread, numbered, split
from ...table import Cell, Table
from ...text import InputError, Request
from .rules import DISCARD, PILES, STOCK, SUIT, SUITS


@dataclass(frozen=True, slots=True)
class Say:
    """A word and one argument: a file name without blanks, or (``free``) all that follows."""

    usage: str
    meaning: str
    free: bool = False

    @property
    def word(self) -> str:
        """The first word of the usage."""
        return self.usage.split()[0]

    def read(self, rest: str) -> Move | Request | Fault:
        """The request, its argument as it was typed."""
        words = split(rest)
        return Request(self.word, rest) if words and (self.free or len(words) == 1) else Fault.COUNT

    def write(self, move: Move) -> str | None:
        """Nothing: it moves no card."""
        return None


_PILES = numbered(PILES)

GRAMMAR = Grammar(
    (
        Carry(
            "move from to",
            {"stock": STOCK, **_PILES},
            {SUIT: SUIT, **_PILES},
            "from stock or a pile 1-7 to suit or a pile 1-7",
        ),
        Alone("discard", Draw(), "discard three cards from the stock", "Discard"),
        Alone("reset", Recycle(), "make the discards the stock again, when that is empty", "Reset"),
        Alone("board", Request("board"), "show the board"),
        Alone("cheat", Request("cheat"), "show all cards, + face up and - face down"),
        Say("load file", "load a game"),
        Say("save file", "save the game"),
        Alone("shuffle", Request("shuffle"), "deal a new game"),
        Say("comment text", "say something", free=True),
        Alone("done", Request("quit"), "quit"),
    )
)

_FAULTS = {
    Fault.COMMAND: "illegal command",
    Fault.COUNT: "incorrect number of arguments",
}


class KlondikeText:
    """What the Klondike program reads and prints."""

    title = "Klondike!"
    prompt = "Your move: "
    help = (
        "Build each suit up from its ace.\n"
        "Piles build down in rank; a move between piles takes as many face-up cards as fit;\n"
        "an empty pile takes a king. Discards come back in reverse order when the stock is\n"
        "empty, as often as you like.\n\n"
    ) + GRAMMAR.menu
    actions = GRAMMAR.actions

    def parse(self, line: str) -> Move | Request:
        """Read a line: the command, the number of its arguments, their values."""
        try:
            return GRAMMAR.read(line)
        except Misread as misread:
            if misread.fault is Fault.EMPTY:
                raise InputError from None
            text = _FAULTS.get(misread.fault, "arguments incorrect")
            raise InputError(f"{misread.word}: {text}") from None

    def write(self, move: Move) -> str:
        """The canonical line: ``move stock suit``, ``move 6 1``, ``discard``."""
        return GRAMMAR.write(move)

    def refusal(self, move: Move, objection: Objection) -> str:
        """One text for everything the rules forbid, after the word of the command."""
        word = {Draw: "discard", Recycle: "reset"}.get(type(move), "move")
        return f"{word}: illegal move"

    def board(self, table: Table) -> str:
        """One pile a line, its top first, face-down cards unnamed."""
        return "".join(f"{name:>8} {_line(table, name, _show)}\n" for name in NAMES)

    def cheat(self, table: Table) -> str:
        """All cards with their flags, in the form of a save."""
        return "".join(f"{name} {_line(table, name, _flagged)}\n" for name in NAMES)


NAMES = (STOCK, DISCARD, *SUITS.values(), *PILES)
"""The piles in the order of board and save."""


def _line(table: Table, name: str, show: Callable[[Cell], str]) -> str:
    return "[ " + "".join(show(cell) + " " for cell in reversed(table.piles[name])) + "]"


def _show(cell: Cell) -> str:
    return cell.card.code if cell.up and cell.card else "??"


def _flagged(cell: Cell) -> str:
    return (cell.card.code if cell.card else "??") + ("+" if cell.up else "-")


TEXT = KlondikeText()
