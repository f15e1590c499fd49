"""What a typed line means: the game's own command first, else a word that every game knows."""

from dataclasses import dataclass

from kibitz.engine.game import Move
from kibitz.engine.grammar import first
from kibitz.engine.text import InputError, Request, Text


@dataclass(frozen=True, slots=True)
class Word:
    """A word that every game knows.

    Attributes:
        meaning: What it does, for the help.
        argument: What must follow it, or nothing may.

    """

    meaning: str
    argument: str = ""


WORDS = {
    "undo": Word("take the last change back"),
    "redo": Word("do again what was taken back"),
    "restart": Word("lay out the same start again"),
    "resign": Word("give the game up; its cards are opened"),
    "new": Word("play a new game, in a new room"),
    "moves": Word("list the legal moves"),
    "board": Word("show the board"),
    "say": Word("write a comment, for everybody in the room", "TEXT"),
    "save": Word("write the position to a file of yours", "FILE"),
    "load": Word("play on from such a file, in a new room", "FILE"),
    "cheat": Word("show all cards, where the room allows it"),
    "help": Word("show the commands"),
    "quit": Word("leave; the room stays"),
}

SAME = {"comment": "say", "shuffle": "new"}
"""Words of single games, and the word that means the same everywhere."""


def interpret(text: Text, line: str) -> Move | Request:
    """What a line means.

    Raises:
        InputError: Neither the game nor the table above knows it; the game's own words say so.

    """
    try:
        said = text.parse(line)
    except InputError as error:
        word, rest = first(line)
        if word in WORDS and bool(rest) == bool(WORDS[word].argument):
            return Request(word, rest)
        raise error from None
    if isinstance(said, Request):
        return Request(SAME.get(said.word, said.word), said.argument)
    return said


def menu() -> str:
    """One line for every word."""
    usages = {f"{name} {word.argument}".rstrip(): word.meaning for name, word in WORDS.items()}
    return "In every game:\n" + "".join(f"  {usage:<10} {m}\n" for usage, m in usages.items())
