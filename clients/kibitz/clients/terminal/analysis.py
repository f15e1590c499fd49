"""What became of a game, beside its film: told in sentences, and shown as a film of its own.

Promises: it is worked out in a process of its own, once for each board, and no longer than somebody
looks; what would have won is played by the rules.
"""

import asyncio
import time
from dataclasses import replace

from kibitz.engine import replays
from kibitz.engine.replays import Step
from kibitz.protocol.analysed import Analysed
from kibitz.protocol.codes import Refused

from ..film import Film, Text
from ..solving.apart import Unknown, analysis_of, most_seconds
from ..solving.telling import analysis_told
from . import reels
from .controls import ANALYSE, WINNING

Found = tuple[str, Analysed]
"""A replay text, and what was found of it."""


class _Work:
    """What is found out of one board, or has been."""

    def __init__(self, text: Text, board: int) -> None:
        self._began = time.monotonic()
        self._most = ""
        self.task = asyncio.ensure_future(self._find(text, board))

    @property
    def found(self) -> Found | str | None:
        """What was found, or why nothing can be; ``None``: not yet."""
        return self.task.result() if self.task.done() else None

    @property
    def told(self) -> str:
        """For how long it has gone on, and how long it may."""
        return f"analysing… {time.monotonic() - self._began:.0f} s{self._most}"

    async def _find(self, text: Text, board: int) -> Found | str:
        try:
            replay = await text(board)
            self._most = f" (at most {most_seconds(replay):.0f} s of the processor)"
            return replay, await analysis_of(replay)
        except (Refused, OSError, Unknown) as error:
            return str(error)


class Analysis:
    """What is known of each board: asked for by a key, and put away by the same one."""

    def __init__(self, text: Text | None) -> None:
        """Nothing has been asked; without a text nothing can be."""
        self._text = text
        self._of: dict[int, _Work] = {}
        self._shown = False

    def press(self, board: int) -> None:
        """Show it, or no longer, where it was shown."""
        self._shown = self._text is not None and not (self._shown and board in self._of)
        if self._text and self._shown and board not in self._of:
            self._of[board] = _Work(self._text, board)

    def lines(self, board: int) -> list[str]:
        """What is said of it now."""
        if not self._shown or board not in self._of:
            return []
        if (found := self._of[board].found) is None:
            return [self._of[board].told]
        told = [found] if isinstance(found, str) else analysis_told(found[1])
        return "\n".join(told).splitlines()

    def winning(self, film: Film) -> tuple[Film, int] | None:
        """A film of what would have won, and the number from which on it is not the game's."""
        found = self._found(film.board)
        return None if found is None else film_of_win(*found)

    def hint(self, board: int) -> str:
        """The keys for which there is something to be had."""
        asked = ANALYSE if self._text and not self.goes_on(board) else ""
        return asked + (WINNING if self._found(board) else "")

    def goes_on(self, board: int) -> bool:
        """Whether it is shown how something is being found out."""
        return self._shown and board in self._of and self._of[board].found is None

    async def done(self) -> None:
        """Wait until something that is worked out is there."""
        working = [work.task for work in self._of.values() if not work.task.done()]
        await asyncio.wait(working or [asyncio.get_running_loop().create_future()])

    async def close(self) -> None:
        """Work out nothing more."""
        tasks = [work.task for work in self._of.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _found(self, board: int) -> Found | None:
        """What is shown of a board, if it has a line that wins."""
        work = self._of.get(board) if self._shown else None
        found = work.found if work else None
        return found if isinstance(found, tuple) and found[1].line else None


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
