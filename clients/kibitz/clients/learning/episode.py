"""One board from a deal to its end, in steps of actions.

Promises: the same deal and the same actions give the same episode, shuffles included; an action
that is not legal changes nothing. Never: a reward, a limit of steps, a hidden card.
"""

import copy
from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np

from kibitz.engine.deals import deck_of
from kibitz.engine.game import Game, is_stuck, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.table import redact_table

from ..offline import shuffles_of
from .actions import Mask, legal, mask_of, names
from .sight import Observation, observe

FULL = {"montana": 48, "aces-up": 48}
"""The score of a won game, where it is not all 52 cards."""


def rules_of(game: str, options: Mapping[str, Any] | None) -> Game:
    """A game with its options, which may be numbers and truth values too.

    Raises:
        BadOption: There is no such option or value.
        ValueError: There is no such game, or the options are no dict.

    """
    if game not in tuple(GAMES):
        raise ValueError(f"no game {game!r} (there are: {', '.join(GAMES)})")
    return GAMES[game].with_options({str(k): str(value) for k, value in _dict(options).items()})


def _dict(options: object) -> dict[Any, Any]:
    """Options, or none.

    Raises:
        ValueError: They are something else.

    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options are a dict, not {options!r:.80}")
    return dict(options)


def draw_deal(game: Game, rng: np.random.Generator, options: Mapping[str, Any] | None) -> str:
    """The deal that ``options["deal"]`` names, else one by chance.

    Raises:
        BadOption: It is no deal.
        ValueError: The options are no dict, or one is of the rules, which are chosen when an
            environment is made. Any other is passed over: it is for a wrapper.

    """
    wishes = _dict(options)
    if late := [name for name in game.options if name in wishes]:
        raise ValueError(f"{late[0]} is an option of the rules: say it when the game is chosen")
    named = wishes.get("deal")
    deal = f"gym-{rng.integers(1 << 62)}" if named is None else str(named)
    deck_of(deal)
    return deal


def whole(number: object) -> int | None:
    """A whole number, of whatever type; ``None``: it is none."""
    try:
        return index(number)  # type: ignore[arg-type]  # it says so of what is none
    except TypeError:
        return None


def checked(game: Game, action: object) -> int:
    """An action of a game.

    Raises:
        ValueError: The game has no such action.

    """
    last = len(names(game.name)) - 1
    number = whole(action)
    if number is None or not 0 <= number <= last:
        raise ValueError(f"{game.name} has the actions 0 to {last}, not {action!r:.40}")
    return number


class Episode:
    """A board, and what was made of it so far.

    A copy plays on by itself, and the same actions bring the same shuffles there.
    """

    def __init__(self, game: Game, deal: str) -> None:
        """Deal the cards."""
        self.game = game
        self.deal = deal
        self.table = game.deal(deck_of(deal))
        self.moves = 0
        """Moves made."""
        self._chance = shuffles_of(deal)
        self._look()

    def __copy__(self) -> "Episode":
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Episode":
        other = object.__new__(Episode)
        other.__dict__.update(self.__dict__)  # tables, moves and rules never change
        other._chance = copy.deepcopy(self._chance, memo)
        other._legal = {**self._legal}
        return other

    def _look(self) -> None:
        self._legal = legal(self.game, self.table)
        self.won = self.game.is_won(self.table)
        self.over = self.won or is_stuck(self.game, self.table)
        """Won, or nothing that can be done changes anything any more."""

    def act(self, action: int) -> float:
        """Make a move, by a checked action.

        Returns:
            What came home by it, as a part of all that there is: from -1 to 1.

        """
        move = self._legal.get(action)
        if move is None or self.over:
            return 0.0
        before = self.score
        self.table = play(self.game, self.table, move, self._chance).table
        self.moves += 1
        self._look()
        return (self.score - before) / FULL.get(self.game.name, 52)

    @property
    def score(self) -> int:
        """The cards where they belong."""
        return self.game.score(self.table)

    def observe(self) -> Observation:
        """What the player may see now."""
        return observe(self.game, self.table)

    def mask(self) -> Mask:
        """Which actions are legal."""
        return mask_of(self.game, self._legal)

    def line(self, action: int) -> str | None:
        """A legal action in the game's notation; ``None``: it is not legal now."""
        move = self._legal.get(action)
        return None if move is None else TEXTS[self.game.name].write(move)

    def board(self) -> str:
        """The board as the game shows it."""
        return TEXTS[self.game.name].board(redact_table(self.table))
