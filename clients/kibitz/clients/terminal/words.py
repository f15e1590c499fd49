"""What a typed line means: the game's own command first, else a word that every game knows."""

from dataclasses import dataclass

from kibitz.engine.game import Move
from kibitz.engine.grammar import first
from kibitz.engine.text import InputError, Request, Text
from kibitz.protocol.limits import MAX_SAY

from .paint import widest


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
    "new": Word("another deal, in a new room"),
    "resign": Word("give up; cards are opened"),
    "moves": Word("list the legal moves"),
    "board": Word("show the board"),
    "say": Word("a remark to all in the room", "TEXT"),
    "save": Word("the position, to a file", "FILE"),
    "load": Word("go on from it, in a new room", "FILE"),
    "cheat": Word("all cards, where allowed"),
    "help": Word("show the commands"),
    "quit": Word("leave; the room stays"),
}

SAME = {"comment": "say", "shuffle": "new"}
"""Words of single games, and the word that means the same everywhere."""
SHORT = {"h": "help", "q": "quit"}
"""Letters that mean a word in every game."""


def interpret(text: Text, line: str) -> Move | Request:
    """What a line means.

    Raises:
        InputError: Neither the game nor the tables above know it, and the game's own words say
            so; or a word of ours lacks its argument, or has too much of it.

    """
    try:
        said = text.parse(line)
    except InputError as error:
        said = _ours(line, error)
    if isinstance(said, Request):
        said = Request(SAME.get(said.word, said.word), said.argument)
        if said.word == "say" and len(said.argument) > MAX_SAY:
            raise InputError(f"a remark has at most {MAX_SAY} characters")
    return said


def _ours(line: str, error: InputError) -> Request:
    typed, rest = first(line)
    word = SHORT.get(typed, typed)
    argument = WORDS[word].argument if word in WORDS else ""
    if argument and not rest:
        raise InputError(f"usage: {word} {argument}")
    if word not in WORDS or bool(rest) != bool(argument):
        raise error
    return Request(word, rest)


def help_of(text: Text, width: int) -> str:
    """The game's own help, with our meanings where a word is ours, and the words it lacks."""
    lines, known = [], set()
    for line in text.help.rstrip("\n").split("\n"):
        usage, _, _ = line.removeprefix("  ").partition("   ")
        word = _word(text, usage.strip()) if line.startswith("  ") else None
        if word is not None:
            known.add(word)
            line = line[: line.rindex("   ") + 3] + WORDS[word].meaning
        lines.append(line)
    return "\n".join([*lines, *_menu([word for word in WORDS if word not in known], width)])


def _word(text: Text, usage: str) -> str | None:
    """The word of ours that a command of the game means."""
    try:
        said = text.parse(usage)
    except InputError:
        return None
    word = SAME.get(said.word, said.word) if isinstance(said, Request) else None
    return word if word in WORDS else None


def _menu(words: list[str], width: int) -> list[str]:
    """Words and meanings, in two columns where there is room; in half a terminal only words."""
    usages = {word: f"{word} {WORDS[word].argument}".rstrip() for word in words}
    entries = [f"  {usages[word]:<9} {WORDS[word].meaning}" for word in words]
    left, column = (len(entries) + 1) // 2, widest(entries)
    if 2 * column > width:
        return ["In every game: " + ", ".join(usages.values())]
    pairs = zip(entries[:left], [*entries[left:], ""], strict=False)
    return [f"{one:<{column}}{other}".rstrip() for one, other in pairs]
