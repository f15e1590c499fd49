"""What can be done in a position of a Klondike, and what to try first.

Promises: nothing is left out without which a win could be missed. Left out are

* a whole column to an empty one, which is the same position;
* where the pack is free, a card of it laid on a column unless a card of another column is laid on
  it at once, or on more cards of the pack laid on it in between. Of the shortest lines that win
  take one that lays cards of the pack as late as possible. What comes next in it lays a card on
  the one just laid: any other move could be made before, as the card only covers another, or
  would take it away again, which is shorter without.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .numbers import DOWN, members
from .positions import HOME, PACK, Layout, Position, Step
from .shelves import EMPTY

Way = tuple[float, tuple[Step, ...]]
"""Steps that belong together, and how unpromising they are."""


class Costs(NamedTuple):
    """How unpromising things to do are: found by trials on deals that are not those we quote."""

    home: float = 0.0
    home_from_pack: float = 1.0
    turning: float = 1.0
    """Moving all that lies on a face-down card."""
    for_each_turning: float = 0.1
    """Added for each card of the column that stays."""
    emptying: float = 2.0
    freeing: float = 5.0
    """Moving what lies on a card that may go home."""
    shifting: float = 8.0
    """Moving a part of a run for nothing that could be told."""
    from_pack: float = 4.0
    for_each_laid: float = 0.5
    for_each_skipped: float = 1.0


COSTS = Costs()


@dataclass(frozen=True, slots=True)
class Ways:
    """All there is to be done."""

    layout: Layout

    def __call__(self, here: Position) -> Iterator[Way]:
        """Everything that can be done."""
        columns, _, home = here
        wanted = self.layout.homes.next(home)[0]
        targets = [column for column in dict.fromkeys(columns) if self.layout.shelf.welcome[column]]
        yield from self._from_columns(columns, targets, wanted)
        yield from self._from_pack(here, targets, wanted)

    def _from_columns(
        self, columns: tuple[int, ...], targets: list[int], wanted: int
    ) -> Iterator[Way]:
        shelf = self.layout.shelf
        welcome = shelf.welcome
        places = [(target, welcome[target]) for target in targets]
        for source in columns:
            movable = shelf.movable[source]
            if shelf.top[source] & wanted:
                yield COSTS.home, ((source, shelf.cards[source][-1], HOME),)
            for target, mask in places:
                if movable & mask and source != target:
                    for card in members(movable & mask):
                        if target != EMPTY or shelf.count(source, card) < len(shelf.cards[source]):
                            yield self._cost(source, card, wanted), ((source, card, target),)

    def _from_pack(self, here: Position, targets: list[int], wanted: int) -> Iterator[Way]:
        columns, pack, _ = here
        all_of_it, shelf = self.layout.pack, self.layout.shelf
        reached = all_of_it.reached(pack)
        for card in members(reached & wanted):
            late = COSTS.for_each_skipped * all_of_it.skipped(pack, card)
            yield COSTS.home_from_pack + late, ((PACK, card, HOME),)
        for target in targets:
            for card in members(reached & shelf.welcome[target]):
                if all_of_it.is_free:
                    others = [column for column in columns if column != target]
                    yield from self._laid(others, pack, wanted, (), (PACK, card, target))
                else:
                    late = COSTS.for_each_skipped * all_of_it.skipped(pack, card)
                    yield COSTS.from_pack + late, ((PACK, card, target),)

    def _laid(
        self, columns: list[int], pack: int, wanted: int, before: tuple[Step, ...], step: Step
    ) -> Iterator[Way]:
        """A card of the pack is laid on a column: go on with one of another column."""
        shelf = self.layout.shelf
        _, card, target = step
        steps = (*before, step)
        fits, pack = shelf.on[card], pack & ~(1 << card)
        end = shelf.number(shelf.cards[target] + (card,))
        for source in columns:
            if not shelf.movable[source] & fits:
                continue
            for moved in members(shelf.movable[source] & fits):
                cost = self._cost(source, moved, wanted) + COSTS.from_pack
                yield cost + COSTS.for_each_laid * len(steps), (*steps, (source, moved, end))
        for more in members(pack & fits):
            yield from self._laid(columns, pack, wanted, steps, (PACK, more, end))

    def _cost(self, source: int, card: int, wanted: int) -> float:
        """Of taking a card, and what lies on it, away from a column."""
        cards = self.layout.shelf.cards[source]
        rest = len(cards) - self.layout.shelf.count(source, card)
        if not rest:
            return COSTS.emptying
        if cards[rest - 1] >= DOWN:
            return COSTS.turning + COSTS.for_each_turning * rest
        return COSTS.freeing if wanted >> cards[rest - 1] & 1 else COSTS.shifting
