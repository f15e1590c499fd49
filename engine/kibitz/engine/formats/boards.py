"""Boards as fc-solve and PySol write them, and Klondike-Solver reads them.

Perhaps ``Foundations: H-0 C-A D-0 S-5`` (the highest card of each), then ``Talon: QC QD ...``,
the next card first, then a line for each column from bottom to top, ``<5H>`` face down, perhaps
with ``: `` before it. Tens are ``T`` or ``10``, letters of either case. There is no waste: in a
game that has one, the first card of the talon lies on it, as after the deal.
"""

import re
from collections.abc import Iterator

from ..cards import RANKS, Card, Suit, read_card
from ..game import Game
from ..headers import LineError, split_lines
from ..saves import MAX_SAVE, Save
from ..table import DOWN, UP, Cell, Table
from .layout import Layout, Unfit, is_fit, layout_of, piles, table_of

TALON, FOUNDATIONS, FREECELLS = "Talon:", "Foundations:", "Freecells:"
_TOP = re.compile(r"([HCDS])-(0|A|[2-9]|T|10|J|Q|K)", re.IGNORECASE)
_TOKEN = re.compile(r"\S+")
_SUITS = {suit.value.upper(): suit for suit in Suit}


def looks_like(text: str) -> bool:
    """Whether the text begins like a board."""
    begins = text.removeprefix("\ufeff").lstrip().lower()
    return begins.startswith((TALON.lower(), FOUNDATIONS.lower(), FREECELLS.lower(), ": "))


def read(text: str, game: Game) -> Save:
    """The position of a board.

    Raises:
        LineError: It is none, or none of this game.

    """
    lines = split_lines(text, MAX_SAVE)
    if not is_fit(game):
        raise LineError(1, 1, f"{game.name} has no such boards")
    at, seen = 0, set[Card]()
    foundations: tuple[tuple[Card, ...], ...] = ()
    talon: tuple[Card, ...] = ()
    if at < len(lines) and _begins(lines[at], FREECELLS):
        raise LineError(1, 1, f"{game.name} has no free cells")
    if at < len(lines) and _begins(lines[at], FOUNDATIONS):
        foundations = _read_foundations(lines[at], at + 1, seen)
        at += 1
    if at < len(lines) and _begins(lines[at], TALON):
        cells = _read_cells(lines[at], len(TALON), at + 1, seen)
        talon = tuple(cell.known for cell in cells)
        at += 1
    fans = len(piles(game, "fan"))
    columns = tuple(
        tuple(_read_cells(line, 1 if line.startswith(":") else 0, number, seen))
        for number, line in enumerate(lines[at:], at + 1)
    )
    if len(columns) > fans:
        raise LineError(at + fans + 1, 1, f"there are {fans} columns")
    columns += ((),) * (fans - len(columns))
    waste = talon[:1] if piles(game, "waste") else ()
    layout = Layout(columns, talon[len(waste) :], waste, foundations)
    try:
        return Save(game, table_of(game, layout))
    except Unfit as error:
        raise LineError(len(lines) or 1, 1, str(error)) from None


def write(game: Game, table: Table) -> str:
    """The board of a position.

    Raises:
        Unfit: The board would not say all of it.

    """
    layout = layout_of(game, table)
    talon = [*layout.waste, *layout.stock]
    if piles(game, "waste") and len(layout.waste) != min(1, len(talon)):
        raise Unfit("a board has no waste but the first card of its talon")
    tops = {pile[-1].suit: pile[-1] for pile in layout.foundations if pile}
    order = [*tops, *(suit for suit in Suit if suit not in tops)]
    said = [f"{s.value.upper()}-{RANKS[tops[s].rank - 1] if s in tops else 0}" for s in order]
    lines = [" ".join([FOUNDATIONS, *said]), " ".join([TALON, *map(_said, talon)])]
    lines += [" ".join([":", *map(_cell, pile)]) for pile in layout.columns]
    return "".join(line + "\n" for line in lines)


def _said(card: Card) -> str:
    return card.code.upper()


def _cell(cell: Cell) -> str:
    return _said(cell.known) if cell.up else f"<{_said(cell.known)}>"


def _begins(line: str, word: str) -> bool:
    return line.lower().startswith(word.lower())


def _read_foundations(line: str, number: int, seen: set[Card]) -> tuple[tuple[Card, ...], ...]:
    found: list[tuple[Card, ...]] = []
    suits: set[Suit] = set()
    for token in _TOKEN.finditer(line, len(FOUNDATIONS)):
        said = _TOP.fullmatch(token[0])
        suit = _SUITS[said[1].upper()] if said else None
        if said is None or suit is None or suit in suits:
            raise LineError(number, token.start() + 1, f"not a foundation: `{token[0]:.12}`")
        suits.add(suit)
        top = said[2].upper().replace("10", "T")
        cards = tuple(Card(rank, suit) for rank in range(1, RANKS.find(top) + 2))
        seen.update(cards)
        found += [cards] if cards else []
    return tuple(found)


def _read_cells(line: str, start: int, number: int, seen: set[Card]) -> Iterator[Cell]:
    for token in _TOKEN.finditer(line, start):
        text, column = token[0], token.start() + 1
        down = text.startswith("<") and text.endswith(">")
        try:
            card = read_card(text[1:-1] if down else text)
        except ValueError:
            raise LineError(number, column, f"not a card: `{text:.12}`") from None
        if card in seen:
            raise LineError(number, column, f"{card} is there twice")
        seen.add(card)
        yield (DOWN if down else UP)[card]
