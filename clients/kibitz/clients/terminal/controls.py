"""What keys do to a replay: where it is, whether it plays and how fast.

Pure. Promises: the same keys for a file, a room and a replay room that others follow.
"""

from enum import Enum

from msgspec.structs import replace

from kibitz.protocol.limits import MAX_BEAT, MIN_BEAT
from kibitz.protocol.views import Control

from ..film import Film

QUIT = "q: quit"
SLOWEST, FASTEST = 100, 1600
"""Percent of how fast it happened."""
HINT = "left, right: step · space: play · + -: speed · g 57: move 57 · o: open · q: quit"
ANALYSE = " · a: analyse"
"""Beside where a replay is, if what became of its game can be found out."""
WINNING = " · w: see what would have won"
"""And if that has been found out."""
BACK = " · what would have won · w: back to the game"
"""And where that is shown."""


class Wish(Enum):
    """What a key can mean beside a place and a speed."""

    QUIT = "quit"
    OPEN = "all cards open, or as it was played"
    BOARD = "the next board"


RIGHT = ("\x1b[C", "\x1bOC", "\r", "\n", "n", "\x1b[B", "\x1bOB")
LEFT = ("\x1b[D", "\x1bOD", "b", "p", "\x7f", "\x1b[A", "\x1bOA")
HOME = ("\x1b[H", "\x1bOH", "\x1b[1~", "0")
END = ("\x1b[F", "\x1bOF", "\x1b[4~", "l", "$")
ESCAPE = "\x1b"
STOPS = ("q", "Q", "\x03", "\x04", ESCAPE, "")


class Controls:
    """Keys, and the number that is being typed after a ``g``."""

    def __init__(self) -> None:
        self.typed: str | None = None

    @property
    def asks(self) -> str:
        """What is being typed, for the foot of the page."""
        return "" if self.typed is None else f"go to move: {self.typed}_ (Enter; Esc: not)"

    def press(self, key: str, control: Control, at: int, film: Film) -> Control | Wish | None:
        """What a key means, where a replay is at event ``at``; ``None``: nothing yet.

        Args:
            key: The key.
            control: The control so far.
            at: What is to be seen now.
            film: What is shown.

        """
        if self.typed is not None and (key == ESCAPE or key not in STOPS):
            return self._go(key, control, film)
        self.typed = None
        still = replace(control, at=at, playing=False)
        match key:
            case _ if key in STOPS:
                return Wish.QUIT
            case "g":
                self.typed = ""
            case " ":
                if at >= film.last:
                    return replace(control, at=film.first, playing=True)
                return replace(control, at=at, playing=not control.playing)
            case "o":
                return Wish.OPEN
            case "\t":
                return Wish.BOARD
            case "+" | "=":
                return _faster(replace(control, at=at), 2)
            case "-":
                return _faster(replace(control, at=at), 0.5)
            case _ if key in RIGHT:
                return replace(still, at=film.after(at))
            case _ if key in LEFT:
                return replace(still, at=film.before(at))
            case _ if key in HOME:
                return replace(still, at=film.first)
            case _ if key in END:
                return replace(still, at=film.last)
        return None

    def _go(self, key: str, control: Control, film: Film) -> Control | None:
        typed, self.typed = self.typed or "", None
        if (key.isdecimal() and key.isascii()) or (key == " " and not typed):
            self.typed = f"{typed}{key}".strip()[:9]
        elif key in ("\x7f", "\b"):
            self.typed = typed[:-1]
        elif key in ("\r", "\n") and typed:
            return replace(control, at=film.at_move(int(typed)), playing=False)
        return None


def _faster(control: Control, times: float) -> Control:
    if control.beat is not None:
        beat = round(control.beat / times)
        return replace(control, beat=min(max(beat, MIN_BEAT), MAX_BEAT))
    speed = round(control.speed * times)
    return replace(control, speed=min(max(speed, SLOWEST), FASTEST))


def words_of(control: Control, at: int, film: Film) -> str:
    """Where a replay is, for people."""
    last = film.last
    pace = f"{control.speed / 100:g}x"
    if control.beat is not None:
        pace = f"every {control.beat / 1000:g} s"
    goes = "paused" if not control.playing else "playing" if at < last else "at the end"
    return f"move {film.move_at(at)}, {film.unit} {at} of {last} · {goes}, {pace}"
