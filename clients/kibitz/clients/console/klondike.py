"""The Klondike program: starts without a game, shows the board when asked, loads and saves.

Promises: no input or output but through the :class:`~.files.Folder` it was given. A file that
does not load leaves the game as it was.
"""

from kibitz.engine.game import IllegalMove, Move, play
from kibitz.engine.games.klondike.text import TEXT
from kibitz.engine.grammar import first
from kibitz.engine.saves import Save, SaveError, write
from kibitz.engine.table import Table
from kibitz.engine.text import InputError, Request

from .files import Folder
from .program import WON, Deals


class KlondikeProgram:
    """The program and the game that is loaded, if any."""

    def __init__(self, deals: Deals, folder: Folder, start: Save | None = None) -> None:
        self.over = False
        self._deals = deals
        self._folder = folder
        self._loaded = start

    @property
    def table(self) -> Table | None:
        """The position, if a game is loaded."""
        return self._loaded.table if self._loaded else None

    @property
    def prompt(self) -> str:
        """Always the same."""
        return TEXT.prompt

    def open(self) -> str:
        """The welcome."""
        return "Welcome to Klondike!\n"

    def feed(self, line: str) -> str:
        """What follows a line; nothing follows a command that just worked."""
        word, _ = first(line)
        try:
            said = TEXT.parse(line)
            match said:
                case Request("quit"):
                    self.over = True
                    return "Thank you for playing\n"
                case Request("comment", text):
                    return f"Comment: {text}\n"
                case Request("shuffle"):
                    self._loaded = Save(self._deals.game, self._deals.fresh())
                    return ""
                case Request("load", name):
                    self._loaded = self._load(name)
                    return ""
            if self._loaded is None:
                raise InputError(f"{word}: no game loaded")
            return self._go_on(said, self._loaded)
        except InputError as error:
            return f"{error}\n" if str(error) else ""

    def _go_on(self, said: Move | Request, loaded: Save) -> str:
        """Do what needs a game."""
        match said:
            case Request("board"):
                return f"{TEXT.title}\n{TEXT.board(loaded.table)}"
            case Request("cheat"):
                return TEXT.cheat(loaded.table)
            case Request(_, name):
                try:
                    self._folder.write(name, write(loaded.game, loaded.table))
                except OSError:
                    raise InputError("save: could not open file") from None
                return ""
            case move:
                return self._move(move, loaded)

    def _move(self, move: Move, loaded: Save) -> str:
        try:
            outcome = play(loaded.game, loaded.table, move, self._deals.chance)
        except IllegalMove as refused:
            raise InputError(TEXT.refusal(move, refused.objection)) from None
        self._loaded = Save(loaded.game, outcome.table)
        return WON if outcome.won else ""

    def _load(self, name: str) -> Save:
        try:
            save = self._folder.read(name)
        except OSError:
            raise InputError("load: could not open file") from None
        except SaveError:
            save = None
        if save is None or save.game.name != self._deals.game.name:
            raise InputError("load: format error in file")
        return save
