"""The Klondike that most people know, three cards at a time: no game of ours, to check the solver.

Three go from the stock to the waste, the last of them can be played; without end. Nothing comes
back from the foundations.
"""

from dataclasses import dataclass, fields

from small_decks import CONTROL

from kibitz.engine.game import Chance, Draw, Game, Move, play
from kibitz.engine.games.columns import STOCK, WASTE, Columns
from kibitz.engine.games.klondike.rules import Klondike
from kibitz.engine.solving.answers import Answer, Budget, Enough, Verdict
from kibitz.engine.solving.klondikes.numbers import ALL, NUMBERS, bits
from kibitz.engine.solving.klondikes.packs import ABOVE
from kibitz.engine.solving.klondikes.tables import solve
from kibitz.engine.table import DOWN, UP, Fact, Moved, Table

THREE = 3


@dataclass(frozen=True, slots=True)
class DrawThree(Columns):
    """The rules."""

    def effect(self, table: Table, move: Move, rng: Chance) -> tuple[Fact, ...]:
        """As ever, but for the draw."""
        if not isinstance(move, Draw):
            return Columns.effect(self, table, move, rng)
        stock, waste = table.piles[STOCK], table.piles[WASTE]
        facts: list[Fact] = []
        if not stock:
            stock = tuple(DOWN[cell.known] for cell in reversed(waste))
            facts.append(Moved(WASTE, STOCK, stock))
        drawn = tuple(UP[cell.known] for cell in stock[: -THREE - 1 : -1])
        return (*facts, Moved(STOCK, WASTE, drawn))

    def dealt(self, table: Table) -> Table:
        """A deal of the control before its first card was turned."""
        first = DOWN[table.piles[WASTE][-1].known]
        piles = {**table.piles, STOCK: (*table.piles[STOCK], first), WASTE: ()}
        return Table(piles, table.counters)


RULES = DrawThree(
    **{field.name: getattr(CONTROL, field.name) for field in fields(CONTROL) if field.init}
    | {"name": "draw three"}
)


class Threes:
    """Its pack: above the cards, how many of them are in the waste, where that matters."""

    is_free = False

    def __init__(self, game: Columns | Klondike, table: Table) -> None:
        """Of a table."""
        waste, stock = (
            tuple(NUMBERS[cell.known.code] for cell in table.piles[pile]) for pile in (WASTE, STOCK)
        )
        self._order = waste + stock[::-1]
        self._known: dict[int, int] = {}
        self.start = self._pack(bits(self._order), len(waste), len(self._order))

    def _pack(self, cards: int, drawn: int, size: int) -> int:
        """Where draws come to the same cards again, it is the same pack."""
        return cards if drawn % THREE == 0 or drawn == size else cards | drawn << ABOVE

    def _left(self, pack: int) -> list[int]:
        return [card for card in self._order if pack >> card & 1]

    def reached(self, pack: int) -> int:
        """The top of the waste, every third behind it, and every third from the start."""
        known = self._known.get(pack)
        if known is None:
            left, drawn = self._left(pack), pack >> ABOVE
            tail = left[drawn - 1 :: THREE] if drawn else []
            known = self._known[pack] = bits((*{*tail, *left[THREE - 1 :: THREE], *left[-1:]},))
        return known

    def loose(self, pack: int) -> int:
        """None: what goes changes which ones come."""
        return 0

    def skipped(self, pack: int, card: int) -> int:
        """They come again."""
        return 0

    def without(self, pack: int, card: int) -> int:
        """The waste is what lay under the card."""
        left = self._left(pack)
        return self._pack(pack & ALL ^ 1 << card, left.index(card), len(left) - 1)


def decide(table: Table, budget: Budget) -> Answer:
    """Whether a table can be won."""
    try:
        line = solve(RULES, table, budget, pack_of=Threes)
    except Enough:
        return Answer(Verdict.UNKNOWN, nodes=budget.used)
    if line is None:
        return Answer(Verdict.LOST, nodes=budget.used)
    return Answer(Verdict.WIN, line, budget.used)


def played(game: Game, table: Table, answer: Answer, chance: Chance) -> Table:
    """The table at the end of what was found."""
    for move in answer.line:
        table = play(game, table, move, chance).table
    return table
