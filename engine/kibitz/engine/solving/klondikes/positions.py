"""Positions of a Klondike, and what a step makes of one."""

from dataclasses import dataclass

from .homes import Homes, with_one_more
from .packs import Pack
from .shelves import Shelf

Position = tuple[tuple[int, ...], int, int]
"""The columns, in the order of their numbers; the pack; the cards home. It is its own key: the
places of columns make no difference."""
Step = tuple[int, int, int]
"""A column or the pack; the card of it that moves, with all that lies on it; a column or home."""
PACK, HOME = -1, -1


@dataclass(frozen=True, slots=True)
class Layout:
    """What the numbers of positions mean in one search."""

    shelf: Shelf
    pack: Pack
    homes: Homes

    def after(self, here: Position, step: Step) -> Position:
        """The position after a step."""
        columns, pack, home = here
        source, card, target = step
        shelf, left = self.shelf, list(columns)
        if source == PACK:
            moved: tuple[int, ...] = (card,)
            pack = self.pack.without(pack, card)
        else:
            count = shelf.count(source, card)
            moved = shelf.cards[source][-count:]
            left.remove(source)
            left.append(shelf.cut(source, count))
        if target == HOME:
            home = with_one_more(home, card)
        else:
            left.remove(target)
            left.append(shelf.number(shelf.cards[target] + moved))
        left.sort()
        return tuple(left), pack, home

    def settled(self, here: Position, steps: list[Step]) -> Position:
        """The position after all has gone home that nothing needs elsewhere.

        Args:
            here: The position before.
            steps: Gets the steps added.

        """
        top = self.shelf.top
        while True:
            columns, pack, home = here
            needless = self.homes.next(home)[1]
            if not needless:
                return here
            for column in columns:
                if top[column] & needless:
                    step = column, self.shelf.cards[column][-1], HOME
                    break
            else:
                loose = self.pack.loose(pack) & needless
                if not loose:
                    return here
                step = PACK, loose.bit_length() - 1, HOME
            steps.append(step)
            here = self.after(here, step)
