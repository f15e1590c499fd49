"""``kibitz replay`` and ``kibitz verify``: games of the past, from a file or from a server.

Promises: every position in order; of a file, as far as it fits the rules, and then why no farther.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kibitz.engine import replays
from kibitz.engine.replays import MAX_REPLAY, Replay, ReplayError
from kibitz.protocol.views import Event

from ..scene import Scene, sentence
from ..session import Client
from .play import read_text
from .screen import Screen
from .watch import pause

STEP = 1000
"""Milliseconds between the steps of a replay that does not tell when they happened."""

Wait = Callable[[int], bool]
"""Waits before a frame that came so many milliseconds after the one before; ``False``: stop."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step: the milliseconds since the one before, what to say, whether the board changed."""

    ms: int
    said: str | None
    drawn: bool


def from_text(replay: Replay, scene: Scene) -> Iterator[Frame]:
    """The steps of a replay text, each after the scene has been brought there.

    Raises:
        ReplayError: A line does not fit.

    """
    scene.table = replay.start
    yield Frame(0, None, True)
    for step, table in replays.run(replay):
        scene.table = table
        scene.moves += bool(step.command)
        scene.score = replay.game.score(table)
        said = f"> {step.command}" if step.command else step.comment
        yield Frame(STEP if step.command else 0, said, bool(step.command))


def from_events(events: list[Event], scene: Scene) -> Iterator[Frame]:
    """The steps of a room's history, each after the scene has been brought there."""
    at = 0
    for event in events:
        drawn = scene.apply(event)
        said = f"> {event.move}" if event.kind == "move" and event.move else sentence(event)
        yield Frame(event.at - at, said, drawn)
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

    """
    return replays.read(read_text(path, MAX_REPLAY))


def present(frames: Iterator[Frame], scene: Scene, screen: Screen, wait: Wait) -> None:
    """Show one frame after the other, waiting in between."""
    for n, frame in enumerate(frames):
        if n and frame.drawn and not wait(frame.ms):
            return
        if frame.said:
            screen.note(frame.said)
        if frame.drawn:
            screen.draw(scene)


def wait_for(speed: float | None, step: bool) -> Wait:
    """How to wait: for time, for a key, or not at all."""
    if step or (speed is None and sys.stdin.isatty() and sys.stdout.isatty()):
        return lambda _: read_key() not in ("q", "\x03", "\x04", "")
    if speed is None:
        return lambda _: True

    def wait(ms: int) -> bool:
        time.sleep(pause(ms, speed))
        return True

    return wait


def read_key() -> str:
    """One key from the terminal, or one character from a pipe; empty at the end of the input."""
    if not sys.stdin.isatty():
        return sys.stdin.read(1)
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        return sys.stdin.read(1)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def verify(path: Path, screen: Screen) -> int:
    """Replay a file by the rules and compare with the result that it claims.

    Returns:
        The exit code: 0, or 1 after the first line that does not fit has been printed.

    Raises:
        OSError: The file cannot be read.

    """
    try:
        replay = read(path)
        end = replays.verify(replay)
    except ReplayError as error:
        screen.note(f"{path}: {error}")
        if line := _line(path, error.line):
            screen.note(f"{error.line:>5} | {line}")
        return 1
    commands = sum(1 for step in replay.steps if step.command)
    won = ", won" if replay.game.is_won(end) else ""
    screen.note(f"{path}: fits the rules ({replay.game.name}, {commands} commands{won})")
    return 0


def _line(path: Path, number: int) -> str:
    lines = read_text(path, MAX_REPLAY).split("\n")
    return lines[number - 1].rstrip("\r") if number <= len(lines) else ""
