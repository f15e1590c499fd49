"""One player's games as an environment of Gymnasium's."""

from collections.abc import Mapping
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces

from .actions import Mask, names
from .episode import Episode, checked, draw_deal, rules_of
from .sight import Observation, space_of

Reward = Literal["score", "win"]


class Solitaire(gymnasium.Env[Observation, np.int64]):
    """A game of solitaire.

    Observation: what a player may see of the table, and no more; :mod:`.sight` says the shapes.
    Nothing is remembered: what was turned up and lies face down again is hidden.

    Actions: ``Discrete(n)``, each with one meaning for ever, ``actions[number]``: montana 61,
    aces-up 17, klondike 59, klondike-single 82, thumb-and-pouch 586. ``info["action_mask"]``
    (``int8``, shape (n,)) and :meth:`action_masks` say which are legal. One that is not changes
    nothing and is worth nothing.

    Reward, with ``reward="score"``: the change of the score (cards where they belong) as a part of
    the score of a won game. An episode adds up to 1 less what lay right at the start if it is
    won, and a montana player can lose some again. With ``reward="win"``: 1 for the move that wins.

    Terminated: the game is won, or what is left to do can change nothing, as far as open cards
    show. Truncated: by :func:`gymnasium.make`, after ``MAX_STEPS`` steps.

    ``reset(seed=...)`` decides all deals and shuffles that follow; ``options={"deal": "42"}``
    names one of kibitz's deals. ``info["deal"]`` says which it is (``kibitz play --deal`` plays
    the same cards) and thereby all cards: a learner must not see it. ``info["score"]`` counts
    cards, ``info["won"]`` says whether all are there.

    ``copy.deepcopy(env)`` plays on by itself, with the same cards and shuffles to come: what a
    search tries out there. It can be pickled, too.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        game: str,
        options: Mapping[str, Any] | None = None,
        reward: Reward = "score",
        render_mode: str | None = None,
    ) -> None:
        """Choose the game.

        Args:
            game: The name of a game.
            options: The rules' options, ``{"shuffles": 3}``.
            reward: What is rewarded.
            render_mode: ``ansi``: :meth:`render` returns the board as text.

        Raises:
            BadOption: There is no such option.
            ValueError: There is no such game, reward or mode; the options are no dict.

        """
        self.game = rules_of(game, options)
        if reward not in ("score", "win"):
            raise ValueError(f"no reward {reward!r} (there are: score, win)")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"no render mode {render_mode!r} (there is: ansi)")
        self.render_mode = render_mode
        self.actions: tuple[str, ...] = tuple(names(self.game.name))
        """What each action means (:mod:`.actions`)."""
        self.action_space = spaces.Discrete(len(self.actions))
        self.observation_space = space_of(self.game)
        self._reward = reward
        self._played: Episode | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal anew.

        Raises:
            BadOption: ``options["deal"]`` is no deal.
            ValueError: The options are no dict, or one is of the rules; any other is a wrapper's.

        """
        super().reset(seed=seed)
        self._played = Episode(self.game, draw_deal(self.game, self.np_random, options))
        return self._played.observe(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make a move.

        Raises:
            ValueError: The game has no such action.
            ResetNeeded: No game has begun.

        """
        was_won = self.episode.won
        gained = self.episode.act(checked(self.game, action))
        if self._reward == "win":
            gained = float(self.episode.won and not was_won)
        return self.episode.observe(), gained, self.episode.over, False, self._info()

    def render(self) -> str | None:
        """The board as text, hidden cards hidden; nothing without a render mode."""
        return self.episode.board() if self.render_mode == "ansi" else None

    def action_masks(self) -> Mask:
        """Which actions are legal: what maskable learners ask for."""
        return self.episode.mask()

    @property
    def episode(self) -> Episode:
        """The game that is played.

        Raises:
            ResetNeeded: None has begun.

        """
        if self._played is None:
            raise gymnasium.error.ResetNeeded("call reset() before anything else")
        return self._played

    def _info(self) -> dict[str, Any]:
        episode = self.episode
        return {
            "action_mask": episode.mask(),
            "deal": episode.deal,
            "score": episode.score,
            "won": episode.won,
        }
