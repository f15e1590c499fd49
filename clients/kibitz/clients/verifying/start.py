"""What a room starts from: as the end has laid it open, or as far as it was proved till now.

Promises: of cards that nobody has been shown it says nothing: they lie in any order, which neither
what is legal nor what everybody sees depends on.
"""

from collections.abc import Iterator, Mapping

from kibitz.engine.cards import CARDS, DECK, Card
from kibitz.engine.game import Game
from kibitz.engine.lines import cards_of
from kibitz.engine.notation import read_table
from kibitz.engine.table import Cell, Pile, Table
from kibitz.protocol.views import Opened

from .verdict import Unfit


def laid_open(game: Game, opened: Opened) -> Table:
    """The start that the end has laid open.

    Raises:
        Unfit: It is none.

    """
    try:
        table = read_table(opened.start, opened.counters)
    except ValueError as error:
        raise Unfit(f"what was laid open is no start: {error}") from None
    if not all(cell.card for pile in table.piles.values() for cell in pile):
        raise Unfit("a card of the start was not laid open")
    return _checked(game, table)


def completed(game: Game, told: Table, opened: Mapping[int, str]) -> Table:
    """A start of which not all cards are known, with all cards.

    Args:
        game: The rules.
        told: The start as it was told.
        opened: The cards that were proved, by their positions.

    Raises:
        Unfit: It cannot be a start.

    """
    table = _in_order(game, told)
    seen = [cell.card for cell in cells(game, table)]
    known = [card or CARDS.get(opened.get(at, "")) for at, card in enumerate(seen)]
    rest = iter([card for card in _deck(game) if card not in set(known)])
    if missing := known.count(None):
        known = [card or next(rest, None) for card in known]
        if None in known:
            raise Unfit(f"{missing} cards are hidden; so many there are not in this game", 1)
    cards = iter(known)
    piles = {
        name: tuple(Cell(next(cards), cell.up) for cell in pile)
        for name, pile in table.piles.items()
    }
    return _checked(game, Table(piles, table.counters))


def cells(game: Game, table: Table) -> Iterator[Cell]:
    """The cells of a start in the order of their positions."""
    for place in game.layout:
        yield from table.piles.get(place.pile, ())


def _deck(game: Game) -> list[Card]:
    return cards_of(game.deal(DECK).piles)


def _in_order(game: Game, table: Table) -> Table:
    names = [place.pile for place in game.layout]
    if table.piles.keys() != set(names):
        raise Unfit("these are not the piles of the game", 1)
    piles: dict[str, Pile] = {name: table.piles[name] for name in names}
    return Table(piles, table.counters)


def _checked(game: Game, table: Table) -> Table:
    """A start that names all cards, if the game can start so."""
    table = _in_order(game, table)
    cards = cards_of(table.piles)
    if len(set(cards)) != len(cards) or not set(cards) <= set(_deck(game)):
        raise Unfit("a card is there twice, or not in this game", 1)
    if table.counters.keys() != game.deal(DECK).counters.keys():
        raise Unfit("these are not the counters of the game", 1)
    if reason := game.check(table):
        raise Unfit(f"the game cannot start so: {reason}", 1)
    return table
