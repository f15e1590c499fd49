"""A game's commands as one table: its grammar, its menu and its canonical lines all come from it.

Promises: what the menu offers is what is read, and what is written reads back as the same move.
A fault is found in the order of :class:`Fault`; each game's ``text`` puts it into its own words.
Never: rules. A line that reads well may still ask for an illegal move.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Protocol

from .game import Move, Transfer
from .text import Action, Request, numbers

BLANKS = " \t"
REMEMBERED = 4096
"""Lines and moves whose meaning is remembered: about as many as all games have."""
MEMORABLE = 64
"""Longest line that is remembered, in characters."""
_GAP = re.compile(rf"[{BLANKS}]+")

Piles = Mapping[str, str]
"""Piles by the word that names them in a command; a pile named ``""`` goes without saying."""


class Fault(Enum):
    """What is wrong with a line, in the order in which it is looked for."""

    EMPTY = "there is no command"
    COMMAND = "there is no such command"
    COUNT = "the command takes another number of arguments"
    FORM = "an argument is not a number"
    SOURCE = "there is no such pile to take from"
    TARGET = "there is no such pile to move to"
    AMOUNT = "fewer than one card cannot be moved"


class Misread(ValueError):
    """A line is not in the grammar.

    Attributes:
        fault: What is wrong.
        word: The first word of the line, lower case.

    """

    def __init__(self, fault: Fault, word: str) -> None:
        super().__init__(fault.value)
        self.fault, self.word = fault, word


class Command(Protocol):
    """One line of the table."""

    @property
    def word(self) -> str:
        """The word it starts with; ``""`` if it starts with its first argument."""
        ...

    @property
    def usage(self) -> str:
        """The word and the names of its arguments."""
        ...

    @property
    def meaning(self) -> str:
        """What it does, for the menu."""
        ...

    def read(self, rest: str) -> Move | Request | Fault:
        """What the command means with this rest of the line, or what is wrong with it."""
        ...

    def write(self, move: Move) -> str | None:
        """The line that asks for a move; ``None`` if this command cannot."""
        ...


@dataclass(frozen=True, slots=True)
class Alone:
    """A word without arguments that always means the same; ``label`` is for its button."""

    word: str
    result: Move | Request
    meaning: str
    label: str = ""

    @property
    def usage(self) -> str:
        """The word."""
        return self.word

    def read(self, rest: str) -> Move | Request | Fault:
        """Its meaning, if nothing follows."""
        return Fault.COUNT if rest else self.result

    def write(self, move: Move) -> str | None:
        """The word, if that is what it means."""
        return self.word if move == self.result else None


@dataclass(frozen=True, slots=True)
class Carry:
    """A word and its arguments: from which pile, to which pile, and perhaps how many cards."""

    usage: str
    sources: Piles
    targets: Piles
    meaning: str
    counted: bool = False

    @property
    def word(self) -> str:
        """The first word of the usage."""
        return self.usage.split()[0]

    def read(self, rest: str) -> Move | Request | Fault:
        """The transfer, if there are as many arguments as in the usage and each names something."""
        words = [_plain(word) for word in split(rest)]
        if len(words) != len(self.usage.split()) - 1:
            return Fault.COUNT
        names = {**self.sources, **self.targets}
        if any(numbers([word]) is None and word not in names for word in words):
            return Fault.FORM
        given = iter(words)
        source, target = _pick(self.sources, given), _pick(self.targets, given)
        if source is None or target is None:
            return Fault.SOURCE if source is None else Fault.TARGET
        count = int(next(given)) if self.counted else 1
        return Transfer(source, target, count) if count >= 1 else Fault.AMOUNT

    def write(self, move: Move) -> str | None:
        """The line, if source and target are among its piles."""
        if not isinstance(move, Transfer):
            return None
        source, target = _name(self.sources, move.source), _name(self.targets, move.target)
        if source is None or target is None:
            return None
        count = str(move.count) if self.counted else ""
        return " ".join(word for word in (self.word, source, target, count) if word)


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """All commands of a game, in the order of its menu.

    The lines of a game are few and come again and again: what they mean is remembered.
    """

    commands: tuple[Command, ...]

    def read(self, line: str) -> Move | Request:
        """Read one line as typed: case-blind, blanks and tabs anywhere, any line end.

        Raises:
            Misread: The line is not in the grammar.

        """
        return _remembered(self, line) if len(line) <= MEMORABLE else _read(self, line)

    def write(self, move: Move) -> str:
        """The canonical line of a move: lower case, single blanks.

        Raises:
            ValueError: No command of this game means that move.

        """
        return _written(self, move)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The commands that move cards and stand alone, in the order of the menu."""
        alone = (command for command in self.commands if isinstance(command, Alone))
        return tuple(Action(c.word, c.label) for c in alone if not isinstance(c.result, Request))

    @property
    def menu(self) -> str:
        """One line for each command: its usage and its meaning."""
        width = max(len(command.usage) for command in self.commands)
        return "".join(f"  {c.usage:<{width}}   {c.meaning}\n" for c in self.commands)


def _read(grammar: Grammar, line: str) -> Move | Request:
    word, rest = first(line)
    for command in grammar.commands:
        if command.word in (word, ""):
            result = command.read(rest if command.word else line.strip(BLANKS + "\r\n"))
            if isinstance(result, Fault):
                raise Misread(result, word)
            return result
    raise Misread(Fault.COMMAND if word else Fault.EMPTY, word)


_remembered = lru_cache(REMEMBERED)(_read)


@lru_cache(REMEMBERED)
def _written(grammar: Grammar, move: Move) -> str:
    for command in grammar.commands:
        line = command.write(move)
        if line is not None:
            return line
    raise ValueError(f"no command of this game: {move}")


def first(line: str) -> tuple[str, str]:
    """The first word of a line, lower case, and the rest without blanks around it."""
    word, *rest = _GAP.split(line.strip(BLANKS + "\r\n"), maxsplit=1)
    return word.lower(), rest[0] if rest else ""


def split(text: str) -> list[str]:
    """The words between blanks and tabs (other white space is no blank)."""
    return [word for word in _GAP.split(text) if word]


def only(pile: str) -> Piles:
    """The one pile a command can mean: it is not named."""
    return {"": pile}


def numbered(piles: Sequence[str]) -> Piles:
    """Piles named by their number from 1."""
    return {str(n): pile for n, pile in enumerate(piles, 1)}


def _plain(word: str) -> str:
    """An argument in the form in which it is looked up: ``STOCK`` is ``stock``, ``07`` is ``7``."""
    number = numbers([word])
    return str(number[0]) if number else word.lower()


def _pick(piles: Piles, given: Iterator[str]) -> str | None:
    return piles.get("" if "" in piles else next(given))


def _name(piles: Piles, pile: str) -> str | None:
    return next((name for name, known in piles.items() if known == pile), None)
