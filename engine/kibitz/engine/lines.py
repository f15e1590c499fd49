"""Positions as lines of text: what saves and replays have in common.

A position is one line for each pile, ``NAME [ card card ... ]``: every card followed by one blank,
from the top of the pile (the card that can be taken) to its bottom, ``+`` face up, ``-`` face down.
Places that lie in a row share a line, left to right, ``--`` for a gap. A card the reader may not
know is ``??``. In front stand ``# key: value`` lines.

Promises: reading is exact, and a fault is told with line and column (from 1). Forgiven are only
a byte order mark, CRLF, blanks and tabs at the end of lines, empty lines at the end and a missing
last newline. Never: files, evaluation of anything that was read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .cards import DECK, Card
from .game import BadOption, Game
from .games import GAMES
from .table import DOWN, UNKNOWN, UP, Cell, Pile, Table

GAP, HIDDEN, END = "--", "??", "]"

_TOKENS = {
    UNKNOWN: HIDDEN,
    **{UP[card]: f"{card}+" for card in DECK},
    **{DOWN[card]: f"{card}-" for card in DECK},
}
_CELLS = {token: cell for cell, token in _TOKENS.items()}
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
class Row:
    """One line of a position: its name, and the places whose cards stand in it.

    ``places`` has one entry for a pile of any height, or one for each place of a row.
    """

    name: str
    places: tuple[str, ...]
    in_row: bool


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


def rows(game: Game) -> tuple[Row, ...]:
    """The lines of a game's position, in order."""
    in_rows: dict[int, list[str]] = {}
    for place in game.layout:
        if place.kind == "row-cell":
            in_rows.setdefault(place.row, []).append(place.pile)
    if in_rows:
        return tuple(Row(f"ROW-{n + 1}", tuple(at), True) for n, at in sorted(in_rows.items()))
    return tuple(Row(place.pile, (place.pile,), False) for place in game.layout)


def pile_lines(game: Game, table: Table) -> list[str]:
    """The lines of a position, full or redacted, without line ends."""
    return [_write_row(row, table) for row in rows(game)]


def settings(game: Game, counters: Mapping[str, int]) -> dict[str, str]:
    """What has to be said of a game's options: those not as usual, and those that count down.

    An option that limits something is the value its counter starts from, so what is left of it
    now says all there is to know.
    """
    usual = GAMES[game.name].options
    now = {key: str(counters.get(key, value)) for key, value in game.options.items()}
    return {k: value for k, value in now.items() if k in counters or value != usual[k]}


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


def read_piles(
    game: Game, lines: Sequence[str], first: int, *, hidden: bool = False
) -> dict[str, Pile]:
    """The piles of a position; no card is there twice, and none that the game does not use.

    Args:
        game: Which piles there are.
        lines: The text from the position on; what follows it is not looked at.
        first: The number of the first of these lines.
        hidden: Whether cards may be unknown.

    Raises:
        LineError: The lines are no position of this game.

    """
    free = set(cards_of(game.deal(DECK).piles))
    piles: dict[str, Pile] = {}
    for at, row in enumerate(rows(game)):
        if at >= len(lines):
            raise LineError(first + at, 1, f"{row.name} is missing")
        try:
            piles |= _read_row(row, lines[at], free, hidden)
        except _Fault as fault:
            raise LineError(first + at, fault.column, fault.reason) from None
    return piles


def cards_of(piles: Mapping[str, Pile]) -> list[Card]:
    """Every known card of some piles."""
    return [cell.card for pile in piles.values() for cell in pile if cell.card is not None]


class _Fault(ValueError):
    def __init__(self, column: int, reason: str) -> None:
        self.column, self.reason = column, reason


def _write_row(row: Row, table: Table) -> str:
    if row.in_row:
        cells = (table.piles[place] for place in row.places)
        tokens = [_TOKENS[pile[0]] if pile else GAP for pile in cells]
    else:
        tokens = [_TOKENS[cell] for cell in reversed(table.piles[row.name])]
    return " ".join((row.name, "[", *tokens, END))


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _read_row(row: Row, text: str, free: set[Card], hidden: bool) -> dict[str, Pile]:
    """The piles in one line; takes their cards out of ``free``."""
    start = f"{row.name} [ "
    if not text.startswith(start):
        raise _Fault(_common(text, start) + 1, f"expected `{start}`")
    found = list(_read_tokens(text[len(start) :], len(start) + 1, row, free, hidden))
    if not row.in_row:
        return {row.name: tuple(cell for cell in reversed(found) if cell)}
    if len(found) != len(row.places):
        raise _Fault(len(text), f"{row.name} has {len(row.places)} places, not {len(found)}")
    return {p: (cell,) if cell else () for p, cell in zip(row.places, found, strict=True)}


def _read_tokens(
    body: str, column: int, row: Row, free: set[Card], hidden: bool
) -> Iterator[Cell | None]:
    """The cells between the brackets, a gap as ``None``; ``column`` is where they start."""
    tokens = body.split(" ")
    for at, token in enumerate(tokens):
        if token == END:
            if at + 1 < len(tokens):
                raise _Fault(column + 1, "nothing may follow `]`")
            return
        cell = _CELLS.get(token)
        if token == GAP and row.in_row:
            yield None
        elif cell is None:
            reason = f"not a card: `{token:.12}`" if token else "one blank between cards, no more"
            raise _Fault(column, reason)
        elif cell.card is None:
            if not hidden:
                raise _Fault(column, "a hidden card cannot be played with")
            yield cell
        elif cell.card not in free:
            raise _Fault(column, f"{cell.card} is there twice, or not in this game")
        else:
            free.remove(cell.card)
            yield cell
        column += len(token) + 1
    raise _Fault(column - 1, "`]` is missing")
