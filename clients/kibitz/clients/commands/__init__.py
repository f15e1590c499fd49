"""The commands: arguments to calls. What a command needs is imported when it runs.

``playing`` (play, race, fork, daily), ``watching`` (watch, rooms, present), ``past`` (replay,
verify, convert), ``programs`` (bot, console, demo), ``contests`` (arena), ``solving`` (solve),
``bench``, ``operating`` (admin). They share ``reaching`` and ``office`` (how they reach a server,
and as whom), ``options`` (about games) and ``groups``.
"""

from collections.abc import Callable

from .bench import bench
from .contests import arena
from .past import convert, replay, verify
from .playing import daily, fork, play, race
from .programs import bot, console, demo
from .solving import solve
from .watching import present, rooms, watch

COMMANDS: tuple[Callable[..., None], ...] = (
    *(play, race, daily, fork),
    *(watch, rooms, replay, present),
    *(verify, solve, convert, bot, arena, console, bench),
)
"""All that the help shows, in its order."""
HIDDEN: tuple[Callable[..., None], ...] = (demo,)

__all__ = ["COMMANDS", "HIDDEN"]
