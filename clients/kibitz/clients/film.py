"""Games of the past, step by step: what was seen and said at each event's number.

Promises: every position in order; the frame of event n is number n, so that a number means the
same here, in links and in replay rooms. Never: output, a clock.
"""

import asyncio
import copy
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from kibitz.protocol.mirror import FOR_ALL
from kibitz.protocol.views import Event

from .scene import ON_A_BOARD, Scene
from .telling import told

SLICE = 100
"""Frames that are made in one turn: some milliseconds."""
MAX_GAP_MS = 2000
"""The longest pause between two events where it need not be as it was."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step.

    Attributes:
        ms: Milliseconds since the one before.
        said: What happened.
        scene: How the room looks afterwards; ``None``: as before.
        board: The board that it is about; ``None``: everybody's.

    """

    ms: int
    said: str | None
    scene: Scene | None
    board: int | None = None


def from_events(events: Iterable[Event], scene: Scene) -> Iterator[Frame]:
    """The steps of a room's history, which begin with an empty table."""
    at = 0
    for event in events:
        yield frame_of(event, scene, event.at - at)
        at = event.at


def frame_of(event: Event, scene: Scene, ms: int = 0) -> Frame:
    """Let an event happen on a scene: the step that it is."""
    seen = scene.boards
    scene.apply(event)
    changed = scene.boards != seen or event.kind == "ended"
    drawn = changed and any(board.table.piles for board in scene.boards)
    about = event.board if event.kind in ON_A_BOARD else None
    everybody = event.kind in FOR_ALL or event.kind == "ended"
    said = told(scene, event)
    return Frame(ms, said, copy.copy(scene) if drawn else None, None if everybody else about)


class Film:
    """Frames, as many as there are by now, and one board of them that is looked at."""

    def __init__(self, frames: Iterable[Frame] = (), board: int = 0, unit: str = "event") -> None:
        self.unit = unit
        """What a frame is called."""
        self.frames: list[Frame] = []
        self._boards = 1
        self._changed: dict[int, list[int]] = {}
        """The numbers of the frames that changed a board, by board, ..."""
        self._sought: dict[int, int] = {}
        """... and up to which number they have been looked for."""
        self.times: list[int] = []
        """When each happened, ms; pauses as long as they were."""
        self.short: list[int] = []
        """The same with long pauses cut short."""
        self.board = board
        self.opened = False
        """Whether every known card is drawn face up."""
        self.faults: list[str] = []
        """Why it ends before its end, if it does."""
        for frame in frames:
            self.add(frame)

    @property
    def last(self) -> int:
        """The number of the last frame."""
        return len(self.frames)

    @property
    def boards(self) -> int:
        """How many boards there are."""
        return self._boards

    def add(self, frame: Frame) -> None:
        """One more at the end."""
        self.frames.append(frame)
        if frame.scene:
            self._boards = max(self._boards, len(frame.scene.boards))
        self.times.append((self.times or [0])[-1] + frame.ms)
        self.short.append((self.short or [0])[-1] + min(frame.ms, MAX_GAP_MS))

    async def take(self, frames: Iterable[Frame]) -> None:
        """Add frames as they are made, while others have their turns."""
        for frame in frames:
            self.add(frame)
            if not self.last % SLICE:
                await asyncio.sleep(0)

    def scene_at(self, number: int) -> Scene | None:
        """How the room looked after that frame; ``None``: there was nothing to see yet."""
        scenes = (self.frames[at].scene for at in range(min(number, self.last) - 1, -1, -1))
        return self._looked_at(next(filter(None, scenes), None))

    def drawn(self, number: int) -> Scene | None:
        """How the room looked, if that frame changed the board."""
        return self._looked_at(self.frames[number - 1].scene) if self._changes(number) else None

    def _looked_at(self, found: Scene | None) -> Scene | None:
        if found is not None:
            found = copy.copy(found)
            found.board, found.opened = self.board, self.opened
        return found

    def move_at(self, number: int) -> int:
        """How many moves had led to the board after that frame; none was taken back."""
        scene = self.scene_at(number)
        return scene.seen.moves if scene else 0

    def at_move(self, move: int) -> int:
        """The last frame of a move's step; of moves that were taken back, the last; else an end."""
        found, before, most = self.first, 0, 0
        for number in self._starts:
            moves = self.move_at(number)
            if before < move == moves:
                found = self.after(number - 1)
            before, most = moves, max(most, moves)
        return self.last if move > most else found

    def said(self, number: int) -> str | None:
        """What that frame says."""
        frame = self.frames[number - 1]
        return frame.said if self._is_seen(frame) else None

    def said_at(self, number: int, most: int) -> list[str]:
        """The last things that were said up to that frame."""
        said = filter(None, map(self.said, range(number, 0, -1)))
        return list(islice(said, most))[::-1]

    def start_of(self, number: int) -> int:
        """The frame that begins the step of that one: it changed the board."""
        starts = self._starts
        return starts[max(bisect_right(starts, number) - 1, 0)] if starts else 1

    def after(self, number: int) -> int:
        """One step on: the next change of the board, and what was said about it."""
        starts = self._starts
        at = bisect_right(starts, number)
        return starts[at + 1] - 1 if at + 1 < len(starts) else self.last

    def before(self, number: int) -> int:
        """One step back: to before the last change of the board."""
        starts = self._starts
        at = bisect_right(starts, number) - 1
        return starts[at] - 1 if at > 0 else self.first

    @property
    def first(self) -> int:
        """The number of the first step: there is a board, and what was said about it."""
        starts = self._starts
        return starts[1] - 1 if len(starts) > 1 else self.last

    @property
    def _starts(self) -> list[int]:
        starts = self._changed.setdefault(self.board, [])
        begun = self._sought.get(self.board, 0)
        starts += (number for number in range(begun + 1, self.last + 1) if self._changes(number))
        self._sought[self.board] = self.last
        return starts

    def _changes(self, number: int) -> bool:
        frame = self.frames[number - 1]
        return frame.scene is not None and self._is_seen(frame)

    def _is_seen(self, frame: Frame) -> bool:
        return frame.board in (None, self.board)


Load = Callable[[bool], Awaitable[Film]]
"""Gets a film: as it was played, or with all cards open."""
Text = Callable[[int], Awaitable[str]]
"""Gets the replay text of a board. Raises ``Refused``, or ``OSError``, where there is none."""
