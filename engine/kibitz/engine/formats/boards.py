"""Boards as PySol's deals, fc-solve and Klondike-Solver write them.

``Foundations: H-2 C-0 D-0 S-A`` (the highest card of each) and ``Talon: QC QD ...`` in either
order, both of them optional, then a line for each column from bottom to top, ``<5H>`` face down,
perhaps with ``: `` before it. ``Talon: KD 4C ==> QC QD <==`` has the waste before the arrow, its
top first, then the stock, next card first. Without arrows the talon is the stock as dealt: where
the rules deal its first card to a waste, that card lies there. Tens are ``T`` or ``10``, letters
of either case; lines that begin with ``#`` before it all are remarks.
"""

import re
from collections.abc import Iterator

from ..cards import RANKS, Card, Suit, read_card
from ..game import Game
from ..games import GAMES
from ..headers import LineError, split_lines
from ..saves import DEFAULT, MAX_SAVE, Save
from ..table import DOWN, UP, Cell, Pile, Table
from .layout import Layout, Unfit, cards_of, has_suits, is_fit, layout_of, piles, table_of

TALON, FOUNDATIONS, FREECELLS = "talon", "foundations", "freecells"
TO_STOCK, END = "==>", "<=="
ORDER = Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS, Suit.SPADES
_HEAD = re.compile(rf"({TALON}|{FOUNDATIONS}|{FREECELLS}):", re.IGNORECASE | re.ASCII)
_BEGIN = re.compile(rf"(?:\s|#[^\n]*\n)*(?:{_HEAD.pattern}|: )", re.IGNORECASE | re.ASCII)
_TOP = re.compile(r"([HCDS])-(0|A|[2-9]|T|10|J|Q|K)", re.IGNORECASE | re.ASCII)
_TOKEN = re.compile(r"\S+")


def looks_like(text: str) -> bool:
    """Whether the text begins like a board."""
    return _BEGIN.match(text.removeprefix("\ufeff")) is not None


def read(text: str, game: Game | None = None) -> Save:
    """The position of a board.

    Args:
        text: What came from outside.
        game: Of which game; ``None``: klondike.

    Raises:
        LineError: It is none, or none of this game.

    """
    lines, game = split_lines(text, MAX_SAVE), game or GAMES[DEFAULT]
    if not is_fit(game):
        raise LineError(1, 1, f"{game.name} has no such boards")
    reader = _Reader(game)
    at = next((n for n, line in enumerate(lines) if line and line[0] != "#"), len(lines))
    while at < len(lines) and (head := _HEAD.match(lines[at])):
        reader.head(head[1].lower(), lines[at], at + 1)
        at += 1
    columns = [
        tuple(reader.cells(line, 1 if line.startswith(":") else 0, number))
        for number, line in enumerate(lines[at:], at + 1)
    ]
    lacking = len(piles(game, "fan")) - len(columns)
    if lacking < 0 or (lacking and any(line.startswith(":") for line in lines[at:])):
        number = len(lines) + min(lacking + 1, 0)
        raise LineError(number, 1, f"there are {len(columns) + lacking} columns")
    layout = Layout(
        columns=(*columns, *[()] * lacking),  # empty lines at the end are not in ``lines``
        stock=reader.stock,
        waste=reader.waste,
        foundations=reader.foundations,
    )
    try:
        return Save(game, table_of(game, layout))
    except Unfit as error:
        number = len(lines) if error.column is None else min(at + error.column + 1, len(lines))
        raise LineError(max(number, 1), 1, str(error)) from None


def write(game: Game, table: Table) -> str:
    """The board of a position.

    Raises:
        Unfit: There is a card that it has no place for.

    """
    layout = layout_of(game, table)
    heads = f"Foundations: {_tops(game, layout)}", " ".join(["Talon:", *_talon(game, layout)])
    columns = (" ".join([":", *map(_cell, pile)]) for pile in layout.columns)
    return "".join(line + "\n" for line in (*heads, *columns))


def _tops(game: Game, layout: Layout) -> str:
    """The highest card of each suit; where suits have no piles of their own, pile by pile."""
    tops = {pile[-1].suit: RANKS[pile[-1].rank - 1] for pile in layout.foundations if pile}
    rest = iter([suit for suit in ORDER if suit not in tops])
    suits = [pile[-1].suit if pile else next(rest) for pile in layout.foundations]
    order = ORDER if has_suits(game) else suits
    return " ".join(f"{suit.value.upper()}-{tops.get(suit, 0)}" for suit in order)


def _talon(game: Game, layout: Layout) -> list[str]:
    """Waste and stock, without arrows where they lie as dealt."""
    waste, stock = ([card.code.upper() for card in pile] for pile in (layout.waste, layout.stock))
    as_dealt = min(1, len(waste + stock)) if piles(game, "waste") else 0
    return waste + stock if len(waste) == as_dealt else [*waste[::-1], TO_STOCK, *stock, END]


def _cell(cell: Cell) -> str:
    said = cell.known.code.upper()
    return said if cell.up else f"<{said}>"


class _Reader:
    """Takes what a board says out of its lines, each card once."""

    def __init__(self, game: Game) -> None:
        self.foundations: tuple[tuple[Card, ...], ...] = ()
        self.waste: tuple[Card, ...] = ()
        self.stock: tuple[Card, ...] = ()
        self._game = game
        self._seen: set[Card] = set()
        self._heads: set[str] = set()

    def head(self, name: str, line: str, number: int) -> None:
        """One of the lines in front of the columns."""
        if name in self._heads:
            raise LineError(number, 1, f"`{name}` are there twice")
        if name == FREECELLS:
            raise LineError(number, 1, f"{self._game.name} has no free cells")
        self._heads.add(name)
        start = len(name) + 1
        if name == FOUNDATIONS:
            self.foundations = tuple(self._tops(line, start, number))
        else:
            self._talon(line, start, number)

    def cells(self, line: str, start: int, number: int) -> Iterator[Cell]:
        """The cards of a line."""
        for token in _TOKEN.finditer(line, start):
            text, column = token[0], token.start() + 1
            down = text.startswith("<") and text.endswith(">")
            try:
                card = read_card(text[1:-1] if down else text)
            except ValueError:
                raise LineError(number, column, f"not a card: `{text:.12}`") from None
            self._take(card, number, column)
            yield (DOWN if down else UP)[card]

    def _talon(self, line: str, start: int, number: int) -> None:
        arrow = line.find(TO_STOCK)
        if arrow < 0:
            cards = self._open(tuple(self.cells(line, start, number)), number)
            dealt = 1 if piles(self._game, "waste") else 0
            self.waste, self.stock = cards[:dealt], cards[dealt:]
            return
        if not line.endswith(f" {END}"):
            raise LineError(number, len(line), f"`{END}` is missing")
        waste, line = line[:arrow], line.removesuffix(END)
        cards = self._open(tuple(self.cells(waste, start, number)), number)
        if cards and not piles(self._game, "waste"):
            raise LineError(number, start + 1, f"{self._game.name} has no waste")
        self.waste = cards[::-1]
        self.stock = self._open(tuple(self.cells(line, arrow + len(TO_STOCK), number)), number)

    def _open(self, cells: Pile, number: int) -> tuple[Card, ...]:
        if not all(cell.up for cell in cells):
            raise LineError(number, 1, "nothing is marked as face down in a talon")
        return cards_of(cells)

    def _tops(self, line: str, start: int, number: int) -> Iterator[tuple[Card, ...]]:
        suits: set[Suit] = set()
        for token in _TOKEN.finditer(line, start):
            said = _TOP.fullmatch(token[0])
            suit = Suit(said[1].lower()) if said else None
            if said is None or suit is None or suit in suits:
                raise LineError(number, token.start() + 1, f"not a foundation: `{token[0]:.12}`")
            suits.add(suit)
            top = RANKS.find(said[2].upper().replace("10", "T")) + 1
            cards = tuple(Card(rank, suit) for rank in range(1, top + 1))
            for card in cards:
                self._take(card, number, token.start() + 1)
            yield cards

    def _take(self, card: Card, number: int, column: int) -> None:
        if card in self._seen:
            raise LineError(number, column, f"{card} is there twice")
        self._seen.add(card)
