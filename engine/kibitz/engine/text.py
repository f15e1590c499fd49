"""What a game's ``text`` module offers: its course's grammar, board and words, exactly.

A text turns a line into a move or a request, a move into its canonical line, an objection into
the game's own words and a table into its board. Never: decide, change or print anything.
"""

from dataclasses import dataclass
from typing import Protocol

from .game import Move, Objection
from .table import Table

SIGNS = str.maketrans("♣♦♥♠", "CDHS")
"""Suit signs to letters, for terminals without them: widths stay as they are."""


class InputError(ValueError):
    """A line is not in the game's grammar; the message is the game's own error text."""


@dataclass(frozen=True, slots=True)
class Request:
    """A line that is in the grammar but moves no card.

    Attributes:
        word: ``help``, ``quit``, ``restart``, ``board``, ``cheat``, ``comment``, ``load``,
            ``save`` or ``shuffle``.
        argument: The file name or the comment, else empty.

    """

    word: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """A command that moves cards and names none: its line, and a word for its button."""

    line: str
    label: str


class Text(Protocol):
    """The words of one game."""

    title: str
    """What stands above the first board; may be empty."""
    prompt: str
    help: str
    """The rules in short and the menu of commands."""
    actions: tuple[Action, ...]
    """The commands that are no drag from pile to pile, in the order of the menu."""

    def parse(self, line: str) -> Move | Request:
        """Read one line as typed (case-blind; blanks, tabs and a trailing CR tolerated).

        Raises:
            InputError: The line is not in the grammar.

        """
        ...

    def write(self, move: Move) -> str:
        """The canonical line of a move: ``parse(write(move)) == move``."""
        ...

    def refusal(self, move: Move, objection: Objection) -> str:
        """The game's own error text for a refused move."""
        ...

    def board(self, table: Table) -> str:
        """The board as the course's program shows it, suit signs and all, LF after every line."""
        ...


def numbers(words: list[str]) -> list[int] | None:
    """The words as whole numbers (ASCII digits, perhaps a minus), or ``None`` if one is not."""
    if not all(_is_integer(word) for word in words):
        return None
    return [_integer(word) for word in words]


def _is_integer(word: str) -> bool:
    digits = word.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def _integer(word: str) -> int:
    """The number, cut to nine digits: longer ones are out of every range just the same."""
    digits = word.removeprefix("-")
    return int(digits.lstrip("0")[:9] or "0") * (-1 if word != digits else 1)
