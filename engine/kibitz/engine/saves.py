"""The text save format: a position that can be played on.

Klondike with its usual options is exactly the thirteen lines of its piles. Every other game, and
other options, have ``# key: value`` lines in front: the game, options and what is left of them
(``# shuffles: 1``), the deal number. An option that limits something is the value its counter
starts from; so a save says how many are left, and the game read from it is one that starts there.

Promises: ``write`` of what ``read`` gave is the same text, byte for byte, for every text that
``write`` made; whatever else is a :class:`SaveError`. A finished game is a position like any
other and can be read; it only refuses moves. Never: files, pickles, a guess.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from .cards import DECK
from .deals import deck_of
from .game import BadOption, Game
from .games import GAMES
from .headers import Header, LineError, read_game, read_headers, read_option, settings, split_lines
from .lines import cards_of, pile_lines, read_piles, rows
from .table import Pile, Table

__all__ = ["MAX_SAVE", "Save", "SaveError", "pile_lines", "read", "write"]

MAX_SAVE = 65536
"""Longest save text that is looked at, in bytes."""

DEFAULT = "klondike"
"""The game that a save without a header is of."""


class SaveError(LineError):
    """A text is no save: ``line 3, column 12: not a card: `10c+```."""


@dataclass(frozen=True, slots=True)
class Save:
    """A saved position: the game with its options, the table, the deal number if it is known."""

    game: Game
    table: Table
    deal: str | None = None


def write(game: Game, table: Table, deal: str | None = None) -> str:
    """The save text of a position that names all its cards.

    Args:
        game: The rules; its counted options are written as the table has them.
        table: The full table.
        deal: The deal number, kept as it is. Default klondike has no line for it.

    """
    lines = [*_header(game, table, deal), *pile_lines(game, table)]
    return "".join(line + "\n" for line in lines)


def read(text: str) -> Save:
    """The position that a save text holds.

    Raises:
        SaveError: It is no save; says where and why.

    """
    try:
        return _read(split_lines(text, MAX_SAVE))
    except LineError as error:
        raise SaveError(error.line, error.column, error.reason) from None


def _header(game: Game, table: Table, deal: str | None) -> list[str]:
    options = settings(game, table.counters)
    if game.name == DEFAULT and not options:
        return []
    values = {"game": game.name, **options, **({} if deal is None else {"deal": deal})}
    return [f"# {key}: {value}" for key, value in values.items()]


def _read(lines: Sequence[str]) -> Save:
    headers = read_headers(lines)
    game, deal = _read_settings(headers)
    counters = game.deal(DECK).counters
    first = len(headers) + 1
    piles = read_piles(game, lines[len(headers) :], first)
    table = Table(piles, dict(counters))
    _check_header(lines[: len(headers)], _header(game, table, deal))
    last = len(headers) + len(rows(game))
    if len(lines) > last:
        raise LineError(last + 1, 1, "nothing may follow the last pile")
    missing = set(cards_of(game.deal(DECK).piles)) - set(cards_of(piles))
    if missing:
        names = ", ".join(card.code for card in DECK if card in missing)
        raise LineError(last, len(lines[-1]), f"cards are missing: {names}")
    _check_rules(game, table, first)
    return Save(game, table, deal)


def _read_settings(headers: Sequence[Header]) -> tuple[Game, str | None]:
    """The game and the deal number that the first lines name."""
    if not headers:
        return GAMES[DEFAULT], None
    game, deal = read_game(headers[0]), None
    for header in headers[1:]:
        if header.key in game.options:
            game = read_option(game, header)
        elif header.key == "deal":
            deal = _read_deal(header)
        else:
            raise LineError(header.line, 3, f"{game.name} has no `{header.key}`")
    return game, deal


def _read_deal(header: Header) -> str:
    try:
        deck_of(header.value)
    except BadOption as error:
        raise LineError(header.line, header.column, str(error)) from None
    return header.value


def _check_header(given: Sequence[str], wanted: Sequence[str]) -> None:
    """The one way to say it is the way it is written: in order, nothing left out or added.

    Raises:
        LineError: It is said in another way.

    """
    for number, (line, right) in enumerate(zip_longest(given, wanted), 1):
        if line != right:
            raise LineError(number, 1, f"expected `{right}`" if right else "needless header line")


def _check_rules(game: Game, table: Table, first: int) -> None:
    """Check what the rules say of a position; the fault is in the first line that brings it in.

    Raises:
        LineError: No play could have led there.

    """
    reason = game.check(table)
    if reason is None:
        return
    piles: dict[str, Pile] = dict.fromkeys(table.piles, ())
    for number, row in enumerate(rows(game), first):
        piles |= {place: table.piles[place] for place in row.places}
        if game.check(Table(piles, table.counters)) == reason:
            raise LineError(number, len(f"{row.name} [ ") + 1, reason)
    raise AssertionError("the last of these tables is the whole one")
