"""What all formats say of a game of the Klondike kind, and how our tables say it.

Promises: a layout becomes a table only if every card is there once and the rules of the game
have nothing against it; a table becomes a layout only if no card of it is lost. Rules and what
is left of their limits are in no layout: the game brings them. Never: text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..cards import DECK, Card
from ..game import Game
from ..games.klondike.rules import SUITS
from ..table import DOWN, UP, Cell, Pile, Table


class Unfit(ValueError):
    """The position cannot be said in that format, or not in that game; the message says why.

    Attributes:
        column: Which of the columns it is about, from 0; ``None``: no single one.

    """

    def __init__(self, reason: str, column: int | None = None) -> None:
        super().__init__(reason)
        self.column = column


@dataclass(frozen=True, slots=True)
class Layout:
    """A position of seven columns, four foundations, a stock and perhaps a waste.

    Attributes:
        columns: Cells from bottom to top.
        stock: The next card to be drawn first.
        waste: Cards from bottom to top.
        foundations: Cards from the ace up, perhaps none; in the order of the game's piles, but
            where each suit has its own pile, in any.

    """

    columns: tuple[Pile, ...]
    stock: tuple[Card, ...]
    waste: tuple[Card, ...] = ()
    foundations: tuple[tuple[Card, ...], ...] = ()


def piles(game: Game, kind: str) -> list[str]:
    """The names of a game's piles of one kind, in the order of its saves."""
    return [place.pile for place in game.layout if place.kind == kind]


def is_fit(game: Game) -> bool:
    """Whether a game has the piles of a layout."""
    return len(piles(game, "fan")) == 7 and len(piles(game, "foundation")) == 4


def has_suits(game: Game) -> bool:
    """Whether each suit has its own foundation."""
    return set(piles(game, "foundation")) == set(SUITS.values())


def table_of(game: Game, layout: Layout) -> Table:
    """The table of a layout.

    Raises:
        Unfit: It is no position of this game.

    """
    fans, stock = piles(game, "fan"), piles(game, "stock")[0]
    if not is_fit(game):
        raise Unfit(f"{game.name} has other piles")
    if len(layout.columns) != len(fans):
        raise Unfit(f"{game.name} has {len(fans)} columns, not {len(layout.columns)}")
    if layout.waste and not piles(game, "waste"):
        raise Unfit(f"{game.name} has no waste")
    _check_deck(layout)
    start = game.deal(DECK)
    pack = [DOWN[card] for card in reversed(layout.stock)]
    if pack and not piles(game, "waste"):  # where there is no waste, the stock's top lies open
        pack[-1] = UP[layout.stock[0]]
    said = dict(zip(fans, layout.columns, strict=True)) | {stock: tuple(pack)}
    said |= {name: _up(layout.waste) for name in piles(game, "waste")}
    said |= _foundations(game, layout.foundations)
    made = Table(dict.fromkeys(start.piles, ()) | said, start.counters)
    if reason := game.check(made):
        raise Unfit(reason, _blame(game, made, reason))
    return made


def layout_of(game: Game, table: Table) -> Layout:
    """The layout of a table.

    Raises:
        Unfit: There is a card on it that a layout has no place for.

    """
    if not is_fit(game):
        raise Unfit(f"{game.title} has no columns and foundations of this kind")
    stock, *discards = piles(game, "stock")
    if any(table.piles[name] for name in discards):
        raise Unfit(f"no place for the cards of {discards[0]}")
    return Layout(
        columns=tuple(table.piles[name] for name in piles(game, "fan")),
        stock=cards_of(reversed(table.piles[stock])),
        waste=tuple(c for name in piles(game, "waste") for c in cards_of(table.piles[name])),
        foundations=tuple(cards_of(table.piles[name]) for name in piles(game, "foundation")),
    )


def cards_of(cells: Iterable[Cell]) -> tuple[Card, ...]:
    """The cards of cells whose cards are known."""
    return tuple(cell.known for cell in cells)


def faced(cells: Sequence[Cell]) -> Pile:
    """A column of which only the last card lies face up, as after the deal."""
    return tuple((UP if cell is cells[-1] else DOWN)[cell.known] for cell in cells)


def _up(cards: Iterable[Card]) -> Pile:
    return tuple(UP[card] for card in cards)


def _check_deck(layout: Layout) -> None:
    cards = [card for pile in layout.columns for card in cards_of(pile)]
    cards += [*layout.stock, *layout.waste, *(c for pile in layout.foundations for c in pile)]
    if twice := {card.code for card in cards if cards.count(card) > 1}:
        raise Unfit(f"there twice: {', '.join(sorted(twice))}")
    if missing := [card.code for card in DECK if card not in cards]:
        raise Unfit(f"missing: {', '.join(missing)}")


def _foundations(game: Game, given: Sequence[Sequence[Card]]) -> dict[str, Pile]:
    """Foundations by their names."""
    names = piles(game, "foundation")
    if len(given) > len(names):
        raise Unfit(f"there are {len(names)} foundations")
    if not has_suits(game):
        return {name: _up(cards) for name, cards in zip(names, given, strict=False)}
    found: dict[str, Pile] = {}
    for cards in filter(None, given):
        name = SUITS[cards[0].suit]
        if name in found:
            raise Unfit(f"{name} are there twice")
        found[name] = _up(cards)
    return found


def _blame(game: Game, table: Table, reason: str) -> int | None:
    """The column that alone brings in what the rules have against a table."""
    none: dict[str, Pile] = dict.fromkeys(table.piles, ())
    alone = ({**none, fan: table.piles[fan]} for fan in piles(game, "fan"))
    checks = (game.check(Table(only, table.counters)) for only in alone)
    return next((n for n, check in enumerate(checks) if check == reason), None)
