"""``kibitz rooms``: what is being played.

Promises: a room's id is never cut or broken, however narrow the terminal; what matters least gives
way first. Through a pipe: everything, in lines of tabs.
"""

import time

from rich.table import Table

from kibitz.protocol.views import RoomInfo

from ..scene import printable
from ..session import Client
from .paint import widest
from .screen import Screen

HEADS = ("room", "game", "players", "watching", "score", "status", "started")
LEAST_FIRST = ("score", "status", "started", "watching", "players", "game")
"""The columns that a narrow terminal does without, in this order."""
MOST_PLAYERS = 24
"""Characters that the names of players take at most on a terminal."""


async def list_rooms(client: Client, screen: Screen, game: str | None, finished: bool) -> None:
    """Print the public rooms, newest first: a table, or lines of tabs through a pipe.

    Args:
        client: The connection.
        screen: Where to.
        game: Only rooms of this game.
        finished: Whether to list rooms, too, whose game has ended.

    """
    found = client.all_rooms(game=game, status=None if finished else "open")
    infos = sorted([info async for info in found], key=lambda info: -info.started)
    rows = [_row(info, time.time()) for info in infos]
    if not screen.in_place:
        screen.write("".join("\t".join(row) + "\n" for row in (HEADS, *rows)))
    elif rows:
        screen.console.print(_table(rows, finished, screen.console.width))
    else:
        screen.say("No game is being played; open a room with: kibitz play GAME")
        if not finished:
            screen.say("(those that have ended: kibitz rooms --all)")


def _table(rows: list[tuple[str, ...]], finished: bool, width: int) -> Table:
    """As many columns as fit; open rooms need not be called open."""
    cells = {head: [row[at] for row in rows] for at, head in enumerate(HEADS)}
    cells["players"] = [_shortened(players) for players in cells["players"]]
    if not finished:
        del cells["status"]
    for head in LEAST_FIRST:
        if sum(widest([name, *column]) + 2 for name, column in cells.items()) - 2 > width:
            cells.pop(head, None)
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for head, column in cells.items():
        table.add_column(head, no_wrap=True, min_width=widest([head, *column]))
    for row in zip(*cells.values(), strict=True):
        table.add_row(*row)
    return table


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_PLAYERS else f"{text[: MOST_PLAYERS - 2]}.."


def _row(info: RoomInfo, now: float) -> tuple[str, ...]:
    players = printable(", ".join(info.players)) or "nobody"
    minutes = max(0, int(now - info.started / 1000)) // 60
    age = f"{minutes} min ago" if minutes < 120 else f"{minutes // 60} h ago"
    return info.id, info.game, players, str(info.spectators), str(info.score), info.status, age
