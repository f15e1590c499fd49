"""Games for the server's tests: positions near the end, commands by chance."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from kibitz.engine.game import moves
from kibitz.engine.table import redact_table
from kibitz.server.room.state import RoomState

DATA = Path(__file__).parent / "cases" / "data"
KLONDIKE = (DATA / "klondike-game1-start.txt").read_text()
"""The start of a klondike game as a save."""

_B37 = (DATA / "B37.txt").read_text().split("START\n")[1].split("COMMANDS")[0]
NEAR_WIN = "".join(line.removeprefix("| ") + "\n" for line in _B37.splitlines())
"""Klondike two moves before its end."""
WINNING = ("move stock suit", "move 1 suit")


def legal(state: RoomState) -> list[str]:
    """The legal moves of a room as commands."""
    seen = redact_table(state.positions[0].board.table)
    return [state.text.write(move) for move in moves(state.game, seen)]


def endless(rng: Random) -> Iterator[tuple[str, str | None]]:
    """Klondike commands that are legal for ever, as request and move."""
    while True:
        for _ in range(8):
            yield "move", "discard"
            if rng.random() < 0.2:
                yield "undo", None
                yield "redo", None
        yield "move", "reset"
