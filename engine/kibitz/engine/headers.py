"""What stands in front of a position in a text: ``# key: value`` lines.

Promises: reading is exact, and a fault is told with line and column (from 1). Forgiven are only
a byte order mark, CRLF, blanks and tabs at the end of lines, empty lines at the end and a missing
last newline. Never: files, evaluation of anything that was read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .game import BadOption, Game
from .games import GAMES

_HEADER = re.compile(r"# ([a-z][a-z0-9_-]*): (\S.*)")


class LineError(ValueError):
    """A text that is not in the format.

    Attributes:
        line: The number of the line, from 1.
        column: The number of the character in it, from 1.
        reason: What is wrong there.

    """

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.line, self.column, self.reason = line, column, reason


@dataclass(frozen=True, slots=True)
class Header:
    """One ``# key: value`` line and its number."""

    line: int
    key: str
    value: str

    @property
    def column(self) -> int:
        """Where the value stands."""
        return len(f"# {self.key}: ") + 1


def split_lines(text: str, most: int) -> list[str]:
    """The lines of a text without what is forgiven.

    Args:
        text: What came from outside.
        most: The longest text to be looked at, in bytes.

    Raises:
        LineError: The text is longer.

    """
    if len(text) > most or len(text.encode(errors="surrogatepass")) > most:
        raise LineError(1, 1, f"the text is longer than {most} bytes")
    text = text.removeprefix("\ufeff")
    lines = [line.removesuffix("\r").rstrip(" \t") for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def read_headers(lines: Sequence[str]) -> list[Header]:
    """The ``# key: value`` lines at the start.

    Raises:
        LineError: One is malformed, or says a thing for the second time.

    """
    headers: dict[str, Header] = {}
    for number, line in enumerate(lines, 1):
        if not line.startswith("#"):
            break
        found = _HEADER.fullmatch(line)
        if found is None or not line.isprintable():
            raise LineError(number, 1, "expected `# key: value`")
        if found[1] in headers:
            raise LineError(number, 3, f"`{found[1]}` is there twice")
        headers[found[1]] = Header(number, found[1], found[2])
    return list(headers.values())


def read_game(header: Header) -> Game:
    """The game that a ``# game: NAME`` line names.

    Raises:
        LineError: It is another line, or there is no such game.

    """
    if header.key != "game":
        raise LineError(header.line, 3, "`# game: NAME` must stand here")
    if header.value not in GAMES:
        raise LineError(header.line, header.column, "there is no such game")
    return GAMES[header.value]


def read_option(game: Game, header: Header) -> Game:
    """The same game with the option that a line sets.

    Raises:
        LineError: The game has no such option, or it cannot be that.

    """
    try:
        return game.with_options({header.key: header.value})
    except BadOption as error:
        raise LineError(header.line, header.column, str(error)) from None


def settings(game: Game, counters: Mapping[str, int]) -> dict[str, str]:
    """What has to be said of a game's options: those not as usual, and those that count down.

    An option that limits something is the value its counter starts from, so what is left of it
    now says all there is to know.
    """
    usual = GAMES[game.name].options
    now = {key: str(counters.get(key, value)) for key, value in game.options.items()}
    return {k: value for k, value in now.items() if k in counters or value != usual[k]}
