"""A race of several players on one deal, as a parallel environment of PettingZoo's."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding

from . import MAX_STEPS
from .actions import names
from .episode import Episode, checked, draw_deal, rules_of, whole
from .extra import missing
from .sight import Observation, space_of

try:
    from pettingzoo import ParallelEnv
except ModuleNotFoundError as error:
    raise missing(error) from None

MOST_PLAYERS = 64
FIRST = 1.0
"""What winning before everybody else is worth, beside the cards."""


class Race(ParallelEnv[str, Observation, int]):
    """Everybody has a board of his own, with the same cards and the same shuffles.

    Parallel, since racers do not take turns: all move at once. (PettingZoo's ``parallel_to_aec``
    puts them in a row for those who need one.)

    Agents: ``player_1`` to ``player_n``. Observation, by PettingZoo's custom: ``action_mask``
    (``int8``, shape (actions,)) and ``observation``, which holds what a player may see of the
    own board (:mod:`.sight` says the shapes) and ``rivals``, ``int32``, shape (n - 1, 2): score and
    moves of each other one in the order of their numbers. No card of theirs.

    Actions: as of :class:`.solitaire.Solitaire`; ``actions`` says what each means.

    Reward: the change of the own score as a part of that of a won game, and ``FIRST`` for who wins
    in the step in which the first one does.

    Terminated: the own board is won, or what is left to do can change nothing. The others play
    on. Truncated: after ``max_cycles`` steps.

    ``copy.deepcopy(race)`` goes on by itself, with the same shuffles to come; so does one that was
    pickled.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "name": "kibitz_race_v0",
        "is_parallelizable": True,
        "render_fps": 4,
    }

    def __init__(
        self,
        game: str = "klondike",
        players: int = 2,
        options: Mapping[str, Any] | None = None,
        max_cycles: int = MAX_STEPS,
        render_mode: str | None = None,
    ) -> None:
        """Choose the game.

        Args:
            game: The name of a game.
            players: How many race, 2 to ``MOST_PLAYERS``.
            options: The rules' options.
            max_cycles: Steps after which all is over.
            render_mode: ``ansi``: :meth:`render` returns the boards as text.

        Raises:
            BadOption: There is no such option.
            ValueError: There is no such game or mode; the options are no dict; too few players, or
                too many, or no number of them; or fewer than one step.

        """
        self.game = rules_of(game, options)
        if not 2 <= (whole(players) or 0) <= MOST_PLAYERS:
            raise ValueError(f"a race has 2 to {MOST_PLAYERS} players, not {players!r:.40}")
        if (whole(max_cycles) or 0) < 1:
            raise ValueError(f"a race has 1 step or more, not {max_cycles!r:.40}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"no render mode {render_mode!r} (there is: ansi)")
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.actions: tuple[str, ...] = tuple(names(self.game.name))
        self.possible_agents = [f"player_{number}" for number in range(1, players + 1)]
        self.agents: list[str] = []
        self.observation_spaces = {agent: self._space(players) for agent in self.possible_agents}
        self.action_spaces = {
            agent: spaces.Discrete(len(self.actions)) for agent in self.possible_agents
        }
        self._rng, _ = seeding.np_random()
        self._boards: dict[str, Episode] = {}
        self._steps = 0

    def _space(self, players: int) -> spaces.Dict:
        most = np.iinfo(np.int32).max
        rivals = spaces.Box(0, most, (players - 1, 2), np.int32)
        sight = spaces.Dict({**space_of(self.game).spaces, "rivals": rivals})
        mask = spaces.MultiBinary(len(self.actions))
        return spaces.Dict({"action_mask": mask, "observation": sight})

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of what one player sees.

        Raises:
            ValueError: There is no such player.

        """
        return self.observation_spaces[self._player(agent)]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """The space of what one player does.

        Raises:
            ValueError: There is no such player.

        """
        return self.action_spaces[self._player(agent)]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal anew, the same to everybody; ``seed`` and ``options["deal"]`` as in solitaire.

        Raises:
            BadOption: ``options["deal"]`` is no deal.
            ValueError: The options are no dict, or one is of the rules; any other is a wrapper's.

        """
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        deal = draw_deal(self.game, self._rng, options)
        self.agents = [*self.possible_agents]
        self._boards = {agent: Episode(self.game, deal) for agent in self.agents}
        self._steps = 0
        return self._seen(self.agents), self._infos(self.agents)

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Let everybody move at once; who has no action stands still.

        Actions of players whose boards are done are passed over; when all are, nothing happens any
        more and all that is returned is empty.

        Raises:
            ValueError: The game has no such action, or the race no such player; nobody has moved.
            ResetNeeded: No race has begun.

        """
        self._check_begun()
        if not isinstance(actions, Mapping):
            raise ValueError(f"actions are a dict by player, not {actions!r:.40}")
        for who in actions:
            self._player(who)
        moving = self.agents
        chosen = {agent: checked(self.game, actions[agent]) for agent in moving if agent in actions}
        first = not any(board.won for board in self._boards.values())
        rewards = {
            agent: self._boards[agent].act(chosen[agent]) if agent in chosen else 0.0
            for agent in moving
        }
        self._steps += 1
        late = self._steps >= self.max_cycles
        for agent in moving:
            if first and self._boards[agent].won:
                rewards[agent] += FIRST
        over = {agent: self._boards[agent].over for agent in moving}
        cut = {agent: late and not over[agent] for agent in moving}
        self.agents = [agent for agent in moving if not (over[agent] or cut[agent])]
        return self._seen(moving), rewards, over, cut, self._infos(moving)

    def render(self) -> str | None:
        """All boards as text, hidden cards hidden; nothing without a render mode.

        Raises:
            ResetNeeded: No race has begun.

        """
        if self.render_mode != "ansi":
            return None
        self._check_begun()
        return "\n".join(f"{agent}\n{board.board()}" for agent, board in self._boards.items())

    def _player(self, agent: str) -> str:
        """A player who there is."""
        if agent not in self.possible_agents:
            last = self.possible_agents[-1]
            raise ValueError(f"no player {agent!r:.40} (there are player_1 to {last})")
        return agent

    def _check_begun(self) -> None:
        if not self._boards:
            raise ResetNeeded("call reset() before anything else")

    def _seen(self, agents: list[str]) -> dict[str, Observation]:
        return {agent: self._look(agent) for agent in agents}

    def _look(self, agent: str) -> Observation:
        others = [board for name, board in self._boards.items() if name != agent]
        rivals = np.array([(board.score, board.moves) for board in others], np.int32)
        board = self._boards[agent]
        return {"action_mask": board.mask(), "observation": {**board.observe(), "rivals": rivals}}

    def _infos(self, agents: list[str]) -> dict[str, dict[str, Any]]:
        boards = {agent: self._boards[agent] for agent in agents}
        return {
            agent: {"deal": board.deal, "score": board.score, "won": board.won}
            for agent, board in boards.items()
        }
