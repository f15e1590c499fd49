"""Small Klondikes at their end, as they may be met: a few cards left, dealt anew at random.

And what can be reached from them, by nothing but the moves of the rules.
"""

from random import Random

from kibitz.engine.cards import DECK, Card, down_other_colour, is_run
from kibitz.engine.game import NO_CHANCE, Game, Shuffle, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.games.columns import COLUMNS, FOUNDATIONS, REDEALS, STOCK, WASTE, Columns
from kibitz.engine.games.klondike.rules import DISCARD, PILES, SUITS, Klondike
from kibitz.engine.table import DOWN, UP, Pile, Table

CONTROL = Columns(
    name="control",
    title="Klondike, drawn one by one",
    fits=down_other_colour,
    kings_only=True,
    groups=True,
    redeals=None,
    redeals_settable=True,
)
"""What is usually played, but nothing comes back from the foundations. No game of ours."""


def klondike(name: str) -> Columns | Klondike:
    """A game of the family, with options after its name: ``klondike-single redeals=1``."""
    name, *options = name.split()
    game: Game = CONTROL if name == CONTROL.name else GAMES[name]
    game = game.with_options(dict(option.split("=") for option in options))
    assert isinstance(game, Columns | Klondike)
    return game


def small_table(game: Columns | Klondike, rng: Random, ranks: int) -> Table:
    """The last ranks of each suit, give or take one, in some columns and in the pack."""
    home: dict[str, Pile] = {}
    left: list[Card] = []
    columns, suits = (
        (COLUMNS, FOUNDATIONS) if isinstance(game, Columns) else (PILES, SUITS.values())
    )
    for suit, pile in zip(SUITS, suits, strict=True):
        cards = [card for card in DECK if card.suit is suit]
        kept = len(cards) - ranks + rng.choice((-1, 0, 0, 1))
        home[pile] = tuple(UP[card] for card in cards[:kept])
        left += cards[kept:]
    rng.shuffle(left)
    in_pack = rng.randint(0, len(left) // 2)
    pack, left = left[:in_pack], left[in_pack:]
    # A place for anything makes nearly all of them easy.
    fewest = 2 if isinstance(game, Klondike) or game.kings_only else len(columns)
    deep = rng.sample(columns, rng.randint(fewest, len(columns)))
    heaps: dict[str, list[Card]] = {pile: [] for pile in columns}
    for card in left:
        heaps[rng.choice(deep)].append(card)
    piles = {pile: _laid(game, heaps[pile], rng) for pile in columns}
    drawn = rng.randint(0, len(pack))
    if isinstance(game, Klondike):
        stock = [DOWN[card] for card in pack[drawn:]]
        if stock:
            stock[-1] = UP[pack[-1]]
        off = {STOCK: tuple(stock), DISCARD: tuple(DOWN[card] for card in pack[:drawn])}
        return Table({**off, **home, **piles})
    waste = tuple(UP[card] for card in pack[:drawn])
    stock = [DOWN[card] for card in pack[drawn:]]
    counters = {REDEALS: game.redeals} if game.redeals_settable and game.redeals is not None else {}
    return Table({STOCK: tuple(stock), WASTE: waste, **home, **piles}, counters)


def _laid(game: Columns | Klondike, cards: list[Card], rng: Random) -> Pile:
    """Cards as a column: at most the run at their end is face up."""
    most = next((n for n in range(len(cards), 1, -1) if is_run(cards[-n:], game.fits)), 1)
    up = rng.randint(1, most)
    return (*(DOWN[card] for card in cards[:-up]), *(UP[card] for card in cards[-up:]))


def can_be_won(game: Game, table: Table, most: int) -> bool | None:
    """Whether any moves lead to a win without a shuffle; ``None``: that is too many positions."""
    seen, todo = {_key(table)}, [table]
    while todo:
        here = todo.pop()
        if game.is_won(here):
            return True
        for move in moves(game, here):
            if isinstance(move, Shuffle):
                continue
            after = play(game, here, move, NO_CHANCE).table
            if (key := _key(after)) not in seen:
                seen.add(key)
                todo.append(after)
        if len(seen) > most:
            return None
    return False


def _key(table: Table) -> tuple[object, ...]:
    return (*table.piles.values(), *table.counters.values())
