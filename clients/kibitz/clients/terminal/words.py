"""What a typed line means: the game's own command first, else a word that every game knows."""

from collections.abc import Mapping, Sequence
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
        argument: What must follow it, or in brackets may; else nothing may.

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
    "hint": Word("a move; winnable: chances"),
    "winnable": Word("whether it can still be won"),
    "finish": Word("play the rest, if offered"),
    "board": Word("show the board"),
    "say": Word("a remark to all in the room", "TEXT"),
    "comments": Word("take remarks, or none", "on|off"),
    "save": Word("the position, to a file", "FILE"),
    "load": Word("go on from it, in a new room", "FILE"),
    "cheat": Word("all cards, where allowed"),
    "rematch": Word("the next deal, same players"),
    "help": Word("show the commands"),
    "quit": Word("leave; the room stays"),
}

RACE_WORDS = {
    "ready": Word("let the race begin"),
    "unready": Word("not yet"),
    "bot": Word("a bot: strong, fast, greedy", "[HOW]"),
    "away": Word("send a bot away", "SEAT"),
    "look": Word("another board, after yours", "SEAT"),
    "standings": Word("how everybody stands"),
}
"""More words, in a race."""

BY_NAME = {"finish"}
"""Words whose meaning is told when they can be used; in the help there is no room for it."""
BESIDE = {"winnable"}
"""Words that the help has beside another one, if it has meanings."""
SAME = {"comment": "say", "shuffle": "new"}
"""Words of single games, and the word that means the same everywhere."""
SHORT = {"h": "help", "q": "quit"}
"""Letters that mean a word in every game."""


def interpret(text: Text, line: str, race: bool = False, instead: str = "") -> Move | Request:
    """What a line means; in a race there are more words.

    Args:
        text: The game's words.
        line: What was typed.
        race: Whether this is in a race.
        instead: Where there is nothing to play, what is said of moves and of what nobody knows.

    Raises:
        InputError: Neither the game nor the tables above know it, and the game's own words say
            so; or a word of ours lacks its argument, or has too much of it.

    """
    try:
        said = text.parse(line)
    except InputError as error:
        unknown = InputError(instead) if instead else error
        said = _ours(line, unknown, WORDS | RACE_WORDS if race else WORDS)
    if instead and not isinstance(said, Request):
        raise InputError(instead)
    if isinstance(said, Request):
        said = Request(SAME.get(said.word, said.word), said.argument)
        if said.word == "say" and len(said.argument) > MAX_SAY:
            raise InputError(f"a remark has at most {MAX_SAY} characters")
    return said


def _ours(line: str, error: InputError, words: Mapping[str, Word]) -> Request:
    typed, rest = first(line)
    word = SHORT.get(typed, typed)
    argument = words[word].argument if word in words else ""
    if argument and not rest and argument[0] != "[":
        raise InputError(f"usage: {word} {argument}")
    if word not in words or (rest and not argument):
        raise error
    return Request(word, rest)


def help_of(text: Text, width: int, race: bool = False) -> str:
    """The game's own help, with our meanings where a word is ours, and the words it lacks."""
    lines, known = [], set()
    for line in text.help.rstrip("\n").split("\n"):
        usage, _, _ = line.removeprefix("  ").partition("   ")
        word = _word(text, usage.strip()) if line.startswith("  ") else None
        if word is not None:
            known.add(word)
            line = line[: line.rindex("   ") + 3] + WORDS[word].meaning
        lines.append(line)
    words = WORDS | RACE_WORDS if race else WORDS
    missing = {each: words[each] for each in words if each not in known | BY_NAME}
    by_name = known - _commands(text) | BY_NAME
    others = [_usage(word, words) for word in words if word in by_name]
    return "\n".join([*lines, *_menu(missing, others, width)])


def _commands(text: Text) -> set[str]:
    """The first words of the game's own commands, as its help has them."""
    return {line.split()[0] for line in text.help.split("\n") if line.startswith("  ")}


def _word(text: Text, usage: str) -> str | None:
    """The word of ours that a command of the game means."""
    try:
        said = text.parse(usage)
    except InputError:
        return None
    word = SAME.get(said.word, said.word) if isinstance(said, Request) else None
    return word if word in WORDS else None


def _usage(word: str, words: Mapping[str, Word]) -> str:
    return f"{word} {words[word].argument}".rstrip()


def _menu(words: Mapping[str, Word], others: Sequence[str], width: int) -> list[str]:
    """Words and meanings, in two columns where there is room; in half a terminal only words.

    ``others`` are words of ours for which the game has one of its own.
    """
    usages = {word: _usage(word, words) for word in words}
    told = [word for word in words if word not in BESIDE]
    entries = [f"  {usages[word]:<9} {words[word].meaning}" for word in told]
    if others and "help" in told:  # there is no room for one line more
        entries[told.index("help")] = f"  help      this; also: {', '.join(others)}"
    elif others:
        entries.append(f"  as well   {', '.join(others)}")
    left, column = (len(entries) + 1) // 2, widest(entries)
    if 2 * column > width:
        names = [usage.split()[0] for usage in (*usages.values(), *others)]
        return ["Also: " + ", ".join(names)]
    pairs = zip(entries[:left], [*entries[left:], ""], strict=False)
    return [f"{one:<{column}}{other}".rstrip() for one, other in pairs]
