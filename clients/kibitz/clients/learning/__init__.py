"""kibitz for programs that learn: an environment of Gymnasium's, and one of PettingZoo's.

They need the extra ``learning``. Importing this package registers ``kibitz/Montana-v0``,
``kibitz/AcesUp-v0``, ``kibitz/Klondike-v0``, ``kibitz/KlondikeSingle-v0`` and
``kibitz/ThumbAndPouch-v0`` with Gymnasium (:class:`.solitaire.Solitaire`); the race is
:class:`.race.Race`. Never: rules of its own, a hidden card in an observation.
"""

from kibitz.engine.games import GAMES

from .extra import missing

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise missing(error) from None

MAX_STEPS = 1000
"""Steps after which an episode is cut off: some games can be played in circles for ever."""

IDS = {
    name: f"kibitz/{''.join(word.capitalize() for word in name.split('-'))}-v0" for name in GAMES
}
"""The id of each game's environment."""

for _name, _id in IDS.items():
    gymnasium.register(
        _id,
        entry_point="kibitz.clients.learning.solitaire:Solitaire",
        kwargs={"game": _name},
        max_episode_steps=MAX_STEPS,
    )
