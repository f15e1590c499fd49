"""The four programs that show a board after every move: they differ in a table of words.

Promises: no input or output. ``open`` gives what is printed first, ``feed`` what follows a line;
``prompt`` is printed before the next line is read, until ``over``.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random, SystemRandom
from typing import Protocol

from kibitz.engine.cards import DECK, Card
from kibitz.engine.deals import shuffled
from kibitz.engine.game import Game, IllegalMove, play
from kibitz.engine.games import TEXTS
from kibitz.engine.table import Table
from kibitz.engine.text import InputError, Request

WON = "You won!\n"
AGAIN = "Do you want to play again (y/n)?"
THANKS = "Thank you for playing.\n"


class Program(Protocol):
    """One program: takes lines, gives text."""

    over: bool
    """Whether it has ended."""

    @property
    def prompt(self) -> str:
        """What is printed before the next line is read."""
        ...

    def open(self) -> str:
        """What is printed first."""
        ...

    def feed(self, line: str) -> str:
        """What is printed after a line."""
        ...


@dataclass(frozen=True, slots=True)
class Deals:
    """Where games and chance come from.

    Attributes:
        game: The rules.
        start: The position every game starts from; ``None``: each is freshly shuffled.
        rng: What is dealt and shuffled follows from this, in the order it is asked for;
            ``None``: it is secret.

    """

    game: Game
    start: Table | None = None
    rng: Random | None = None

    def new(self) -> Table:
        """A new game, or the same start again."""
        return self.fresh() if self.start is None else self.start

    def fresh(self) -> Table:
        """A freshly shuffled game."""
        return self.game.deal(self._deck())

    def _deck(self) -> Sequence[Card]:
        if self.rng is None:
            return shuffled(secrets.token_bytes(32))
        deck = list(DECK)
        self.rng.shuffle(deck)
        return deck

    @property
    def chance(self) -> Random:
        """Where a shuffle inside a game comes from."""
        return SystemRandom() if self.rng is None else self.rng


@dataclass(frozen=True, slots=True)
class Manner:
    """What one program prints when; ``{board}``, ``{help}`` and ``{error}`` are filled in.

    ``again``: it asks for another game instead of ending.
    """

    opening: str = "{help}{board}"
    helped: str = "{help}{board}"
    restarted: str = ""
    misread: str = "{error}\n{board}"
    refused: str = "{error}\n{board}"
    won: str = "{board}" + WON
    quit: str = ""
    again: bool = False


MANNERS = {
    "montana": Manner(
        opening="Montana Solitaire.\n{board}", misread="{error}\n", refused="{error}\n", again=True
    ),
    "aces-up": Manner(
        restarted="===== Restarting: new game =====\n", quit="You have chosen to quit.\n"
    ),
    "klondike-single": Manner(
        misread="\n{error}\n{board}", refused="\n{error}\n\n{board}", won=WON + "{board}"
    ),
    "thumb-and-pouch": Manner(
        misread="{error}\nTry again.\n",
        refused="{error}\nTry again.\n",
    ),
}


class TableProgram:
    """A program that always has a game on the table."""

    def __init__(self, deals: Deals) -> None:
        self.over = False
        self.table = deals.new()
        self._deals = deals
        self._text = TEXTS[deals.game.name]
        self._manner = MANNERS[deals.game.name]
        self._asking = False

    @property
    def prompt(self) -> str:
        """The game's prompt, or the question for another game."""
        return AGAIN if self._asking else self._text.prompt

    def open(self) -> str:
        """The first words and the board. A deal can win, too."""
        opening = self._say(self._manner.opening)
        if not self._deals.game.is_won(self.table):
            return opening
        self._end()
        return opening + WON

    def feed(self, line: str) -> str:
        """What follows a line: a move, a request, or the answer to the question."""
        if self._asking:
            return self._answer(line.strip().lower())
        try:
            said = self._text.parse(line)
            if isinstance(said, Request):
                return self._serve(said.word)
            outcome = play(self._deals.game, self.table, said, self._deals.chance)
        except InputError as error:
            return self._say(self._manner.misread, str(error))
        except IllegalMove as refused:
            # Only play() raises this, after the line was read as a move.
            assert not isinstance(said, Request)
            return self._say(self._manner.refused, self._text.refusal(said, refused.objection))
        self.table = outcome.table
        if not outcome.won:
            return self._say("{board}")
        self._end()
        return self._say(self._manner.won)

    def _serve(self, request: str) -> str:
        match request:
            case "help":
                return self._say(self._manner.helped)
            case "restart":
                self.table = self._deals.new()
                return self._manner.restarted + self.open()
            case _:
                self._end()
                return self._manner.quit

    def _answer(self, answer: str) -> str:
        """Another game, the end, or (for any other answer) the question again."""
        if answer == "y":
            self._asking = False
            self.table = self._deals.new()
            return self.open()
        self.over = answer == "n"
        return THANKS if self.over else ""

    def _end(self) -> None:
        self._asking = self._manner.again
        self.over = not self._asking

    def _say(self, manner: str, error: str = "") -> str:
        board = self._text.board(self.table)
        return manner.format(board=board, help=self._text.help, error=error)
