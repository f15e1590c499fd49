"""What became of a game, beside its film: told in sentences, and shown as a film of its own.

Promises: it is worked out in a process of its own, once for each board, and no longer than somebody
looks; what would have won is played by the rules.
"""

import asyncio
from dataclasses import replace

from kibitz.engine import replays
from kibitz.engine.replays import Step
from kibitz.protocol.analysed import Analysed
from kibitz.protocol.codes import Refused

from ..film import Film, Text
from ..solving.apart import Unknown, analysis_of
from ..solving.telling import analysis_told
from . import reels
from .controls import ANALYSE, WINNING

Found = tuple[str, Analysed]
"""A replay text, and what was found of it."""


class Analysis:
    """What is known of each board: asked for by a key, and put away by the same one."""

    def __init__(self, text: Text | None) -> None:
        """Nothing has been asked; without a text nothing can be."""
        self._text = text
        self._of: dict[int, asyncio.Task[Found | str]] = {}
        self._shown = False

    def press(self, board: int) -> None:
        """Show it, or no longer."""
        self._shown = self._text is not None and not self._shown
        if self._shown and board not in self._of:
            self._of[board] = asyncio.ensure_future(self._find(board))

    def lines(self, board: int) -> list[str]:
        """What is said of it now."""
        if not self._shown or board not in self._of:
            return []
        if not self._of[board].done():
            return ["analysing…"]
        found = self._of[board].result()
        told = [found] if isinstance(found, str) else analysis_told(found[1])
        return "\n".join(told).splitlines()

    def winning(self, film: Film) -> tuple[Film, int] | None:
        """A film of what would have won, and the number from which on it is not the game's."""
        found = self._found(film.board)
        return None if found is None else film_of_win(*found)

    def hint(self, board: int) -> str:
        """The keys for which there is something to be had."""
        asked = ANALYSE if self._text else ""
        return asked + (WINNING if self._found(board) else "")

    async def done(self) -> None:
        """Wait until something that is worked out is there."""
        working = [task for task in self._of.values() if not task.done()]
        await asyncio.wait(working or [asyncio.get_running_loop().create_future()])

    async def close(self) -> None:
        """Work out nothing more."""
        for task in self._of.values():
            task.cancel()
        await asyncio.gather(*self._of.values(), return_exceptions=True)

    def _found(self, board: int) -> Found | None:
        """What is shown of a board, if it has a line that wins."""
        task = self._of.get(board) if self._shown else None
        found = task.result() if task and task.done() else ""
        return found if not isinstance(found, str) and found[1].line else None

    async def _find(self, board: int) -> Found | str:
        assert self._text is not None, "else nobody can ask"
        try:
            text = await self._text(board)
            return text, await analysis_of(text)
        except (Refused, OSError, Unknown) as error:
            return str(error)


def film_of_win(text: str, found: Analysed) -> tuple[Film, int]:
    """A game up to where it could be won last, then what would have won; the number of its parting.

    Args:
        text: The replay text of the game.
        found: What was found of it, with a line that wins.

    """
    replay = replays.read(text)
    kept = found.commands[found.winnable - 1] if found.winnable else 0
    played = [step for step in replay.steps if step.command][:kept]
    won = replace(replay, steps=(*played, *map(Step, found.line)))
    film = Film(reels.from_text(won, replay.headers.get("room", "")), unit=reels.STEPS)
    film.opened = True
    return film, kept + 1
