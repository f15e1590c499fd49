"""What somebody knows who has watched a game: cards that were turned up, and where they went.

Promises: a card counts as known only if it lay open in a table that was looked at; what is
imagined agrees with all that was ever seen since then. Where the tables do not follow from one
another by the rules (a shuffle, something taken back), what lies open now is all that is known.
"""

from collections.abc import Iterator
from itertools import permutations
from random import Random

from ..cards import DECK, Card
from ..game import NO_CHANCE, Game, Shuffle, moves, play
from ..table import DOWN, UP, Cell, Pile, Table


class Knowledge:
    """Of one game, from the first look on."""

    def __init__(self, game: Game) -> None:
        """Nothing has been seen yet."""
        self._game = game
        self._world: Table | None = None
        """The table with a card in every place: unknown ones are guessed."""
        self._known: set[str] = set()
        """The codes of the cards whose place in it is no guess."""

    def look(self, seen: Table) -> None:
        """See the table as it is now, hidden cards unknown."""
        world = next((world for world in self._next() if self._can_be(world, seen)), None)
        if world is None:
            self._known.clear()
            world = self._guessed(seen)
        self._world = self._corrected(world, seen)

    def imagine(self, rng: Random) -> Table:
        """A table that may be the real one, each as likely."""
        assert self._world is not None, "the table was looked at"
        cards = [cell.known for cell in self._unknown(self._world)]
        rng.shuffle(cards)
        return self._with(self._world, iter(cards))

    def worlds(self) -> Iterator[Table]:
        """Every table that may be the real one: as many as the hidden cards have orders."""
        assert self._world is not None, "the table was looked at"
        cards = [cell.known for cell in self._unknown(self._world)]
        for order in permutations(cards):
            yield self._with(self._world, iter(order))

    @property
    def hidden(self) -> int:
        """How many cards are a guess."""
        return 0 if self._world is None else sum(1 for _ in self._unknown(self._world))

    def has_seen(self, table: Table) -> bool:
        """Whether every card that lies open on a table was seen already."""
        cells = (cell for pile in table.piles.values() for cell in pile)
        return all(cell.known.code in self._known for cell in cells if cell.up)

    @property
    def certain(self) -> bool:
        """Whether there is nothing left to guess."""
        return self._world is not None and not self.hidden

    def _next(self) -> Iterator[Table]:
        """The table as it was, and what one move makes of it."""
        if self._world is not None:
            yield self._world
            for move in moves(self._game, self._world):
                if not isinstance(move, Shuffle):
                    yield play(self._game, self._world, move, NO_CHANCE).table

    def _can_be(self, world: Table, seen: Table) -> bool:
        """Whether a table looks like another one, but for what was guessed."""
        if world.counters != seen.counters:
            return False
        for pile, cells in seen.piles.items():
            there = world.piles[pile]
            if len(there) != len(cells):
                return False
            for guess, cell in zip(there, cells, strict=True):
                if guess.up is not cell.up:
                    return False
                if cell.card not in (None, guess.card) and self._is_known(guess, cell):
                    return False
        return True

    def _is_known(self, *cells: Cell) -> bool:
        return any(cell.known.code in self._known for cell in cells)

    def _guessed(self, seen: Table) -> Table:
        """Any cards where none is to be seen."""
        shown = {cell.card for pile in seen.piles.values() for cell in pile}
        rest = iter([card for card in DECK if card not in shown])
        piles = {
            name: tuple([DOWN[next(rest)] if cell.card is None else cell for cell in pile])
            for name, pile in seen.piles.items()
        }
        return Table(piles, seen.counters)

    def _corrected(self, world: Table, seen: Table) -> Table:
        """With every card that lies open where it is; it changes places with the guess there."""
        swapped: dict[Card, Card] = {}
        for pile, cells in seen.piles.items():
            for guess, cell in zip(world.piles[pile], cells, strict=True):
                if cell.card is not None:
                    self._known.add(cell.card.code)
                    at = swapped.get(guess.known, guess.known)
                    if at is not cell.card:
                        source = next((k for k, v in swapped.items() if v is cell.card), cell.card)
                        swapped[guess.known], swapped[source] = cell.card, at
        if not swapped:
            return world

        def corrected(cell: Cell) -> Cell:
            return (UP if cell.up else DOWN)[swapped.get(cell.known, cell.known)]

        piles = {name: tuple(map(corrected, pile)) for name, pile in world.piles.items()}
        return Table(piles, world.counters)

    def _unknown(self, world: Table) -> Iterator[Cell]:
        for pile in world.piles.values():
            for cell in pile:
                if cell.known.code not in self._known:
                    yield cell

    def _with(self, world: Table, cards: Iterator[Card]) -> Table:
        """The table with other guesses."""
        known = self._known

        def guessed(pile: Pile) -> Pile:
            return tuple([cell if cell.known.code in known else DOWN[next(cards)] for cell in pile])

        return Table({name: guessed(pile) for name, pile in world.piles.items()}, world.counters)
