"""What a person sees: a page that is drawn anew on a terminal, lines everywhere else.

Promises: on a terminal the page is a heading, the board, the last remarks and the answer to the
last line, and fits if it can; through a pipe every board and every message is printed once, in
order, without colour or control characters unless they were asked for; what the output cannot
encode becomes letters, never a traceback.
"""

import io
import os
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Literal, TextIO

from rich.console import Console
from rich.control import Control

from kibitz.engine.games import GAMES
from kibitz.engine.text import SIGNS

from .. import racing
from ..pushes import Link
from ..scene import Scene
from ..telling import number_of, printable, status_told
from .paint import (
    FOUR_COLOURS,
    TWO_COLOURS,
    fitted,
    height_of,
    legible,
    paint,
    undealt,
    wrapped,
)

Color = Literal["auto", "always", "never"]

MAX_REMARKS = 5
"""Lines of what others did and said that are kept under the board."""
MAX_BESIDE = 6
"""Lines of an answer that may push a board over the edge; for a longer one the board gives way."""
LEAST_DETAILS = 4
"""Lines of details that have their place, whatever becomes of the board."""
LETTERS = SIGNS | str.maketrans("×", "x")
"""For an output that has no more than these."""
OFFLINE = "no connection; waiting for the server"
GOING = "the server goes down for a moment; this comes back by itself"


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
        self.reserved = 1
        """Lines that are needed below the page: a prompt, or the cursor's."""
        self.offline = ""
        """Why nothing goes on, while there is no connection."""
        self.footer: list[str] = []
        """Lines at the foot of a page on a terminal: where a replay is, and its keys."""
        self.details: list[str] = []
        """Lines above that, of which a terminal shows as many as there is room for."""
        self.details_more = "…"
        """What stands in the place of the others."""
        self._out = out
        self._coloured = coloured
        self._colours = FOUR_COLOURS if four_colours else TWO_COLOURS
        self._letters = LETTERS if ascii_only or not _can_carry(out) else {}
        self._remarks: deque[str] = deque(maxlen=MAX_REMARKS)
        self._answer: list[str] = []
        self._asides: list[str] = []

    def draw(self, scene: Scene) -> None:
        """Show the page anew on a terminal; else print the board below the last one."""
        if self.in_place:
            with self.console:  # in one piece: a prompt may be printed at any time
                self.console.control(Control.home(), Control.clear())
                self.write("".join(f"{line}\n" for line in self._page(scene)))
        else:
            self.write(_board(scene))

    def note(self, text: str) -> None:
        """Answer the last line; on a terminal the answer is there when the page is drawn."""
        self._put(self._answer, text)

    def aside(self, text: str) -> None:
        """Add something to an answer, that a terminal shows where there is room."""
        self._put(self._asides, text)

    def remark(self, text: str) -> None:
        """Tell what somebody did or said; on a terminal the last ones stay under the board."""
        self._put(self._remarks, text)

    def forget(self) -> None:
        """The answer has been read."""
        self._answer.clear()
        self._asides.clear()

    def remarks_are(self, remarks: Iterable[str]) -> None:
        """Exactly this was said, up to the page that is drawn next."""
        self._remarks.clear()
        for remark in remarks:
            self.remark(remark)

    def link(self, link: Link) -> None:
        """The server is gone, or there again."""
        self.offline = "" if link.up else GOING if link.going else OFFLINE
        if not self.in_place:
            self.say(self.offline or "connected again")

    def say(self, text: str) -> None:
        """Print a message, on a terminal below what is there."""
        self.write(f"{printable(text)}\n")

    def write(self, text: str) -> None:
        """Print text as it is, cards in colour."""
        text = text.translate(self._letters)
        if self._coloured or self.in_place:
            self.console.print(paint(text, self._colours), end="")
        else:
            self._out.write(text)
        self._out.flush()

    def _put(self, lines: deque[str] | list[str], text: str) -> None:
        if self.in_place:
            lines.extend(printable(text).split("\n"))
        else:
            self.say(text)

    def _page(self, scene: Scene) -> list[str]:
        """Heading, board, remarks, answer; where there is no room, fewer remarks or no board."""
        width, height = self.console.size
        head = wrapped(_heading(scene), width)
        head += wrapped(self.offline, width) if self.offline else []
        foot = [part for line in self.footer for part in wrapped(printable(line), width)]
        answer = [part for line in self._answer for part in legible(line, width)]
        long = height_of(answer, width)
        room = height - len(head) - long - len(foot) - self.reserved
        details = [part for line in self.details for part in wrapped(printable(line), width)]
        least = min(len(details), LEAST_DETAILS)
        board = _fitted(scene, width, room - least)
        most = max(least, room - len(board))
        if len(details) > most:
            details = [*details[: most - 1], *wrapped(self.details_more, width)[:1]]
        room -= len(details)
        if len(board) > room and long > MAX_BESIDE:
            board = []
        told = [*self._remarks, *self._asides]
        remarks = [part for line in told for part in legible(line, width)]
        room -= len(board)
        while remarks and height_of(remarks, width) > room:
            del remarks[0]
        return [*head, *board, *remarks, *answer, *details, *foot]


def _board(scene: Scene) -> str:
    """The board, whatever its size; or what there is to see instead."""
    if scene.dark:
        return "".join(f"{printable(line)}\n" for line in racing.instead(scene))
    board = scene.text.board(scene.shown)
    return board + undealt(GAMES[scene.game], scene.shown, board)


def _fitted(scene: Scene, width: int, height: int) -> list[str]:
    if scene.dark:
        return [part for line in racing.instead(scene) for part in wrapped(printable(line), width)]
    game, text, table = GAMES[scene.game], scene.text, scene.shown
    stock = undealt(game, table, text.board(table)).rstrip("\n")
    below = wrapped(stock, width) if stock else []
    board = fitted(game, text, table, width, height - len(below))
    return [*board.splitlines(), *below]


def _heading(scene: Scene) -> str:
    moves = number_of(scene.seen.moves, "move")
    told = [GAMES[scene.game].title, scene.room]
    if scene.course.race:
        told.append(racing.heading(scene))
    if not scene.dark:
        told += [moves, f"score {scene.seen.score}"]
    if scene.spectators:
        told.append(f"{scene.spectators} watching")
    if scene.over and not scene.course.race:
        told.append(status_told(scene.status))
    return printable(" · ".join(told))


def _can_carry(out: TextIO) -> bool:
    try:
        "".join(map(chr, SIGNS)).encode(out.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
