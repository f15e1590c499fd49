"""What all formats say of a game of the Klondike kind, and how our tables say it.

Promises: a layout becomes a table only if every card is there once and the rules of the game
have nothing against it; a table becomes a layout only if nothing of it is lost. Never: text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..cards import DECK, Card
from ..game import Game
from ..games.klondike.rules import SUITS
from ..table import DOWN, UP, Cell, Pile, Table


class Unfit(ValueError):
    """The position cannot be said in that format; the message says why."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A position of seven columns, four foundations, a stock and perhaps a waste.

    Attributes:
        columns: Cells from bottom to top.
        stock: The next card to be drawn first.
        waste: Cards from bottom to top.
        foundations: Cards from the ace up; in any order.

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


def table_of(game: Game, layout: Layout) -> Table:
    """The table of a layout.

    Raises:
        Unfit: It is no position of this game.

    """
    fans, stock = piles(game, "fan"), piles(game, "stock")[0]
    if not is_fit(game) or len(layout.columns) != len(fans):
        raise Unfit(f"{game.name} has other piles")
    _check_deck(layout)
    table = game.deal(DECK)
    names = dict.fromkeys(table.piles, ()) | dict(zip(fans, layout.columns, strict=True))
    waste, cards = _waste(game, layout)
    pack = [DOWN[card] for card in reversed(cards)]
    if not waste and pack:  # where there is no waste, the stock's top card lies open
        pack[-1] = UP[cards[0]]
    names |= {stock: tuple(pack), **waste, **_foundations(game, layout.foundations)}
    made = Table(names, table.counters)
    if reason := game.check(made):
        raise Unfit(reason)
    return made


def layout_of(game: Game, table: Table) -> Layout:
    """The layout of a table.

    Raises:
        Unfit: There is something on it that a layout does not know.

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


def faced(cards: Sequence[Card]) -> Pile:
    """A column of which only the last card lies face up."""
    return tuple((UP if card is cards[-1] else DOWN)[card] for card in cards)


def _check_deck(layout: Layout) -> None:
    cards = [card for pile in layout.columns for card in cards_of(pile)]
    cards += [*layout.stock, *layout.waste, *(c for pile in layout.foundations for c in pile)]
    if twice := {card.code for card in cards if cards.count(card) > 1}:
        raise Unfit(f"there twice: {', '.join(sorted(twice))}")
    if missing := [card.code for card in DECK if card not in cards]:
        raise Unfit(f"missing: {', '.join(missing)}")


def _waste(game: Game, layout: Layout) -> tuple[dict[str, Pile], tuple[Card, ...]]:
    """The waste by its name, and the cards of the stock."""
    names = piles(game, "waste")
    if not names:
        if layout.waste:
            raise Unfit(f"{game.name} has no waste")
        return {}, layout.stock
    return {names[0]: tuple(UP[card] for card in layout.waste)}, layout.stock


def _foundations(game: Game, given: Sequence[Sequence[Card]]) -> dict[str, Pile]:
    """Foundations by their names: of a suit, or else in the order in which they are given."""
    names = piles(game, "foundation")
    if len(given) > len(names):
        raise Unfit(f"there are {len(names)} foundations")
    by_suit = set(names) == set(SUITS.values())
    found: dict[str, Pile] = {}
    for name, cards in zip(names, given, strict=False):
        if cards:
            found[SUITS[cards[0].suit] if by_suit else name] = tuple(UP[card] for card in cards)
    return found
