"""The shape every rule set has, and the few functions that are the same for all of them.

A game is a stateless value. It says what stands *against* a move (:meth:`Game.objection`) and
what a move makes happen (:meth:`Game.effect`); legality, play, undo and dead ends follow here,
once. Rules only ever look at cards that lie face up, so they give the same answers on a full
table and on a redacted one. Never: a clock, a global random generator, a mutable game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from random import Random
from typing import Any, NamedTuple, Protocol, Self

from .cards import Card
from .table import FLIPPED, Cell, Fact, Moved, Redacted, Table, Turned, fold, redact_table

STUCK_SEARCH = 100
"""Positions looked at before a dead end is called unproved."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Take the ``count`` last cards of one pile to another.

    Where the rules imply the number (klondike), ``count`` stays 1 and is not looked at; where
    they imply the pile (klondike's suits), ``target`` names the kind of pile.
    """

    source: str
    target: str
    count: int = 1


@cache
def transfer(source: str, target: str, count: int = 1) -> Transfer:
    """The transfer, made once: for lists of moves, of which very many are made."""
    return Transfer(source, target, count)


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the next cards from the stock."""


@dataclass(frozen=True, slots=True)
class Recycle:
    """Make the discards the stock again."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle what the rules let the player shuffle."""


Move = Transfer | Draw | Recycle | Shuffle

PILELESS: tuple[Move, ...] = (Draw(), Shuffle(), Recycle())
"""The moves that say it all by their kind."""


class Chance(Protocol):
    """Where the outcome of a shuffle comes from: a ``random.Random``, or ``deals.Drawn``."""

    def shuffle(self, x: list[Any], /) -> None:
        """Bring a list into another order, in place."""
        ...


NO_CHANCE: Chance = Random(0)
"""For moves that leave nothing to chance: all but shuffles."""


class Why(Enum):
    """What can stand against a move. Each game's ``text`` puts it into that game's own words."""

    OVER = "the game is over"
    UNKNOWN = "there is no such move in this game"
    EMPTY = "there is no card to take"
    NO_STOCK = "the stock is empty"
    TOO_FEW = "there are not that many face-up cards to move"
    MISMATCH = "the card does not fit there"
    OCCUPIED = "the place is not empty"
    KEPT = "the card may not be moved"
    NOT_YET = "the stock is not empty yet"
    NO_SHUFFLE = "no more shuffles remain"


@dataclass(frozen=True, slots=True)
class Objection:
    """One reason against a move: why, the pile it is about, the open card it is about."""

    why: Why
    pile: str = ""
    card: Card | None = None


class IllegalMove(ValueError):
    """The rules forbid this move in this position; nothing has changed."""

    def __init__(self, objection: Objection) -> None:
        super().__init__(objection.why.value)
        self.objection = objection


class BadOption(ValueError):
    """An option does not exist in this game or has a value it cannot take."""


@dataclass(frozen=True, slots=True)
class Place:
    """How to draw one pile: its kind and where it stands (column and row from 0)."""

    pile: str
    kind: str  # stock, waste, foundation, fan or row-cell
    column: int
    row: int


class Game(Protocol):
    """One rule set with its options settled."""

    @property
    def name(self) -> str:
        """The name used in rooms, logs and saves: ``aces-up``."""
        ...

    @property
    def title(self) -> str:
        """The name for people: ``Aces Up``."""
        ...

    @property
    def layout(self) -> tuple[Place, ...]:
        """Every pile, in the order of the save text."""
        ...

    @property
    def options(self) -> Mapping[str, str]:
        """The options as text, all of them; ``""`` where one is unlimited."""
        ...

    def with_options(self, options: Mapping[str, str]) -> Self:
        """The same game with these options.

        Raises:
            BadOption: Unknown name or unusable value.

        """
        ...

    def deal(self, deck: Sequence[Card]) -> Table:
        """Lay out a deck; its first card is dealt first.

        Raises:
            BadOption: This game cannot be dealt from so many cards.

        """
        ...

    def objection(self, table: Table, move: Move) -> Objection | None:
        """What the rules have against a move between piles of this game, if anything."""
        ...

    def effect(self, table: Table, move: Move, rng: Chance) -> tuple[Fact, ...]:
        """What a move without objection makes happen."""
        ...

    def moves(self, table: Table) -> list[Move]:
        """Every move without objection, best first, each once."""
        ...

    def is_won(self, table: Table) -> bool:
        """Whether the position is the goal."""
        ...

    def is_idle(self, table: Table, move: Move) -> bool:
        """Whether a legal move is a mere shuttle: it shows nothing new and settles nothing.

        Must be ``False`` for a move that turns up a card the table does not name.
        """
        ...

    def score(self, table: Table) -> int:
        """How many cards are where they belong; 52 or so when won."""
        ...

    def check(self, table: Table) -> str | None:
        """What no play could have brought about on this table, or ``None`` (for loading)."""
        ...


class Outcome(NamedTuple):
    """An accepted move: the facts, the table after them, whether that is the goal."""

    facts: tuple[Fact, ...]
    table: Table
    won: bool


def object_to(game: Game, table: Table, move: Move) -> Objection | None:
    """What stands against a move, what is true for all games included."""
    if game.is_won(table):
        return Objection(Why.OVER)
    return game.objection(table, move)


def play(game: Game, table: Table, move: Move, rng: Chance) -> Outcome:
    """Decide a move.

    Args:
        game: The rules.
        table: The full table (never a redacted one: facts name cards).
        move: What the player wants.
        rng: Where chance comes from, used by shuffles only.

    Raises:
        IllegalMove: The game is over, or its rules forbid the move.

    """
    objection = object_to(game, table, move)
    if objection is not None:
        raise IllegalMove(objection)
    facts = game.effect(table, move, rng)
    after = fold(facts, table)
    return Outcome(facts, after, game.is_won(after))


def moves(game: Game, table: Table) -> list[Move]:
    """Every legal move, best first, each once."""
    if game.is_won(table):
        return []
    return game.moves(table)


def is_stuck(game: Game, table: Table) -> bool:
    """Whether no command can ever change the outcome, as far as open cards show.

    Looks at every position that idle moves can reach. A longer search than
    ``STUCK_SEARCH`` positions proves nothing and answers ``False``.
    """
    look = Table(Redacted(table.piles), table.counters)
    for move in PILELESS:
        if game.objection(look, move) is None and not game.is_idle(look, move):
            return False
    start = redact_table(table)
    seen: set[str] = set()
    queue = [start]
    while queue:
        here = queue.pop()
        idle = game.moves(here)
        if len(seen) > STUCK_SEARCH or not all(game.is_idle(here, move) for move in idle):
            return False
        seen = seen or {_key(start)}
        for move in idle:
            after = fold(game.effect(here, move, NO_CHANCE), here)
            key = _key(after)
            if key not in seen:
                seen.add(key)
                queue.append(after)
    return not game.is_won(start)


def _key(table: Table) -> str:
    """A position in few words, to know it again."""
    piles = [" ".join([cell.text for cell in cells]) for cells in table.piles.values()]
    return f"{'/'.join(piles)} {[*table.counters.values()]}"


def face_up(cells: Sequence[Cell]) -> int:
    """How many cells at the end of a pile lie face up."""
    count = 0
    for cell in reversed(cells):
        if not cell.up:
            break
        count += 1
    return count


def take(table: Table, source: str, target: str, count: int = 1) -> tuple[Fact, ...]:
    """Move the last cells of a pile, face up, and turn up what they uncover."""
    cells = table.piles[source]
    at = len(cells) - count
    moved = Moved(source, target, cells[at:])
    if at and not cells[at - 1].up:
        return moved, Turned(source, FLIPPED[cells[at - 1].text])
    return (moved,)
