"""Games for the server's tests: positions near the end, commands by chance."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from talk import Talk

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
NEAR_LOSS = "\n".join(
    (
        *("# game: aces-up", "Stock [ 9h- Kc- 5d- Jd- 3c- Qc- 6d- As- ]"),
        (
            "Foundation [ Th+ 6h+ 6s+ 5h+ Ts+ 9d+ Js+ 5c+ Td+ 8d+ Qs+ 7h+ 9s+ Jc+ Kh+ Qh+ Tc+ 2h+ "
            "3h+ 7c+ 8s+ 3s+ 2s+ Jh+ 4d+ Qd+ 4h+ 3d+ 6c+ 4c+ 2d+ 2c+ 8h+ 7d+ 9c+ 7s+ 5s+ 8c+ ]"
        ),
        *("COLUMN-1 [ Ks+ 4s+ Ad+ ]", "COLUMN-2 [ Ah+ ]", "COLUMN-3 [ Kd+ ]", "COLUMN-4 [ Ac+ ]"),
        "",
    )
)
"""Aces Up four moves before it is lost."""
LOSING = ("d", "f 3", "f 4", "d")
"""The last of them loses."""


async def lose(talk: Talk, **more: Any) -> str:
    """A room whose game was lost and given up; something was taken back on the way."""
    room: str = (await talk.ok("create", game="aces-up", save=NEAR_LOSS, **more))["room"]
    await talk.ok("move", room=room, move=LOSING[0])
    await talk.ok("undo", room=room)
    for move in LOSING:
        await talk.ok("move", room=room, move=move)
        await talk.ok("say", room=room, text="hm")
    await talk.ok("resign", room=room)
    return room


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
