"""``kibitz replay`` and ``kibitz verify``: games of the past, from a file or from a server.

Promises: every position in order; of a file, as far as it fits the rules, and then why no farther.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kibitz.engine import replays
from kibitz.engine.board import KINDS, Board
from kibitz.engine.replays import MAX_REPLAY, Replay, ReplayError
from kibitz.protocol.views import Event

from ..scene import Scene, number_of
from ..session import Client
from .files import read_text
from .pace import Pace, Way
from .screen import Screen

MAX_QUOTE = 100
"""Characters shown of a line that does not fit."""
STEP = 1000
"""Milliseconds between the steps of a replay that does not tell when they happened."""


class StillRunning(ValueError):
    """A replay of a game that had not ended yet: nobody may know all its cards."""

    def __init__(self, replay: Replay) -> None:
        room = replay.headers.get("room", "ROOM")
        super().__init__(
            "this game was still running when it was written down: cards are hidden; see the room "
            f"with `kibitz replay {room}`, or download it again when the game has ended"
        )


@dataclass(frozen=True, slots=True)
class Frame:
    """One step.

    Attributes:
        ms: Milliseconds since the one before.
        said: What happened.
        scene: How the room looks afterwards; ``None``: as before.

    """

    ms: int
    said: str | None
    scene: Scene | None


def from_text(replay: Replay, room: str) -> Iterator[Frame]:
    """The steps of a replay text.

    Raises:
        ReplayError: A line does not fit.

    """
    scene = Scene(room, replay.game.name)
    scene.table, scene.score = replay.start, replay.game.score(replay.start)
    board = Board(replay.start)  # it only counts the moves here
    yield Frame(0, None, copy.copy(scene))
    for step, table in replays.run(replay):
        word = step.command.lower()
        if not word:
            yield Frame(0, step.comment, None)
            continue
        if word == "resign":
            scene.status = "resigned"
        else:
            board.apply(next((kind for kind in KINDS if kind == word), "move"), ())
            scene.status = "won" if replay.game.is_won(table) else "open"
        scene.table, scene.moves, scene.score = table, board.moves, replay.game.score(table)
        yield Frame(STEP, f"> {step.command}", copy.copy(scene))


def from_events(events: list[Event], scene: Scene) -> Iterator[Frame]:
    """The steps of a room's history, which begin with an empty table."""
    at = 0
    for event in events:
        drawn = scene.apply(event)
        yield Frame(event.at - at, scene.told(event), copy.copy(scene) if drawn else None)
        at = event.at


async def history(client: Client, room: str) -> tuple[list[Event], Scene]:
    """All that has happened in a room, and the empty table it happens on.

    Raises:
        Refused: There is no such room, or it is not for us.

    """
    mirror = await client.join(room)
    events = [event async for event in client.history(room, to=mirror.seq)]
    return events, Scene(room, mirror.view.game)


def read(path: Path) -> Replay:
    """The replay in a file.

    Raises:
        OSError: It cannot be read.
        ReplayError: It is none.
        StillRunning: It does not show all cards.

    """
    replay = replays.read(read_text(path, MAX_REPLAY))
    if any(cell.card is None for pile in replay.start.piles.values() for cell in pile):
        raise StillRunning(replay)
    return replay


def present(frames: Iterator[Frame], screen: Screen, pace: Pace) -> None:
    """Show one page after the other, at some pace, forwards and backwards.

    Raises:
        ReplayError: The frames end because a line does not fit; those before have been shown.

    """
    pages = _pages(frames)
    seen, at = [next(pages)], 0
    while True:
        _show(seen[at], screen, pace.hint)
        if at + 1 == len(seen) and (page := next(pages, None)) is not None:
            seen.append(page)
        last = at + 1 == len(seen)
        if last and not pace.hint:
            return
        way = pace.wait(0 if last else seen[at + 1][0].ms)
        if way is Way.STOP or (last and way is Way.ON):
            return
        at = max(at + way.value, 0)
        if way is Way.BACK:
            screen.forget_remarks()


def _pages(frames: Iterator[Frame]) -> Iterator[list[Frame]]:
    """Each frame with a board, and those without one that follow it."""
    page: list[Frame] = []
    try:
        for frame in frames:
            if frame.scene and page:
                yield page
                page = []
            page.append(frame)
    except ReplayError:
        yield page
        raise
    yield page


def _show(page: list[Frame], screen: Screen, hint: str) -> None:
    first, *rest = page
    assert first.scene is not None, "a page begins with a board"
    if first.said:
        screen.remark(first.said)
    if not screen.in_place:
        screen.draw(first.scene)
    for frame in rest:
        if frame.said:
            screen.remark(frame.said)
    if screen.in_place:
        screen.draw(first.scene)
        screen.write(hint)


def verify(path: Path) -> tuple[int, str]:
    """Replay a file by the rules and compare with the result that it claims.

    Returns:
        The exit code, 0 or 1, and what to say: the first line that does not fit, and why.

    Raises:
        OSError: The file cannot be read.

    """
    try:
        replay = read(path)
        end = replays.verify(replay)
    except StillRunning as error:
        return 1, f"{path}: {error}"
    except ReplayError as error:
        line = _line(path, error.line)
        return 1, f"{path}: {error}" + (f"\n{error.line:>5} | {line[:MAX_QUOTE]}" if line else "")
    commands = number_of(sum(1 for step in replay.steps if step.command), "command")
    won = ", won" if replay.game.is_won(end) else ""
    return 0, f"{path}: fits the rules ({replay.game.name}, {commands}{won})"


def _line(path: Path, number: int) -> str:
    lines = read_text(path, MAX_REPLAY).split("\n")
    return lines[number - 1].rstrip("\r") if number <= len(lines) else ""
