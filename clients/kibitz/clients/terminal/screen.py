"""What a person sees: a board that is drawn anew on a terminal, lines everywhere else.

Promises: on a terminal the board stays in place with the last notes under it; through a pipe every
board and every note is printed once, in order, without colour or control characters unless they
were asked for; what the output cannot encode becomes letters, never a traceback.
"""

import io
import os
from collections import deque
from collections.abc import Mapping
from typing import Literal, TextIO

from rich.console import Console
from rich.control import Control

from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.text import SIGNS

from ..scene import Scene, printable
from .paint import FOUR_COLOURS, TWO_COLOURS, fitted, paint

Color = Literal["auto", "always", "never"]

MAX_NOTES = 5
"""Lines kept under a board that is drawn anew."""


class Screen:
    """One output."""

    def __init__(
        self,
        out: TextIO,
        *,
        color: Color = "auto",
        four_colours: bool = False,
        ascii_only: bool = False,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Take an output over.

        Args:
            out: Where to.
            color: Whether suits are coloured; ``auto``: on a terminal, unless ``NO_COLOR`` is set.
            four_colours: A colour for every suit instead of red and black.
            ascii_only: Letters instead of suit signs, even if the output could carry them.
            environ: Where ``TERM`` and ``NO_COLOR`` stand.

        """
        if isinstance(out, io.TextIOWrapper):
            out.reconfigure(errors="replace")
        self.in_place = out.isatty() and environ.get("TERM") != "dumb"
        coloured = color == "always" or (
            color == "auto" and self.in_place and not environ.get("NO_COLOR")
        )
        self.console = Console(
            file=out,
            force_terminal=coloured or self.in_place,
            color_system="standard" if coloured else None,
            no_color=not coloured,
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=True,
        )
        self._out = out
        self._coloured = coloured
        self._colours = FOUR_COLOURS if four_colours else TWO_COLOURS
        self._letters = SIGNS if ascii_only or not _can_carry(out) else {}
        self._notes: deque[str] = deque(maxlen=MAX_NOTES)

    def draw(self, scene: Scene) -> None:
        """Show a board: in place of the last one on a terminal, else below it."""
        game, text = GAMES[scene.game], TEXTS[scene.game]
        if not self.in_place:
            self.write(text.board(scene.table))
            return
        self.console.control(Control.home(), Control.clear())
        self.write(f"{_heading(scene)}\n{fitted(game, text, scene.table, self.console.width)}")
        for line in self._notes:
            self.write(f"{line}\n")

    def note(self, text: str) -> None:
        """Print a message; on a terminal it stays under the next boards for a while."""
        for line in printable(text).split("\n"):
            self._notes.append(line)
            self.write(f"{line}\n")

    def forget(self) -> None:
        """Show the notes so far under no further board."""
        self._notes.clear()

    def write(self, text: str) -> None:
        """Print text as it is, cards in colour."""
        text = text.translate(self._letters)
        if self._coloured:
            self.console.print(paint(text, self._colours), end="")
        else:
            self._out.write(text)
        self._out.flush()


def _heading(scene: Scene) -> str:
    watching = f" · {scene.spectators} watching" if scene.spectators else ""
    over = "" if scene.status == "open" else f" · {scene.status}"
    title = GAMES[scene.game].title
    return f"{title} · {scene.room} · {scene.moves} moves · score {scene.score}{watching}{over}"


def _can_carry(out: TextIO) -> bool:
    try:
        "".join(map(chr, SIGNS)).encode(out.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
