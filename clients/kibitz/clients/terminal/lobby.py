"""``kibitz rooms``: what is being played. ``kibitz daily``: how everybody did.

Promises: a room's id is never cut or broken, however narrow the terminal; what matters least gives
way first. Through a pipe: everything, in lines of tabs.
"""

import time
from datetime import UTC, datetime

from rich.table import Table

from kibitz.protocol.views import RoomInfo

from ..session import Client
from ..telling import clock_of, number_of, printable, status_told, time_of
from .paint import widest
from .screen import Screen

HEADS = ("room", "game", "players", "watching", "score", "status", "started", "mode", "password")
LEAST_FIRST = ("score", "started", "watching", "status", "players", "game")
"""The columns that a narrow terminal does without, in this order."""
TOLD_MODES = ("race", "replay")
"""What is said on a terminal of a room beside its game."""
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
        screen.console.print(_table(rows, screen.console.width))
    else:
        screen.say("No game is being played; open a room with: kibitz play GAME")
        if not finished:
            screen.say("(those that have ended: kibitz rooms --all)")


def _table(rows: list[tuple[str, ...]], width: int) -> Table:
    """As many columns as fit, in words for people; where all rooms are open, that is not said."""
    cells = {head: [row[at] for row in rows] for at, head in enumerate(HEADS)}
    cells["players"] = [_shortened(players) for players in cells["players"]]
    cells["status"] = [status_told(status) for status in cells["status"]]
    told = zip(cells["game"], cells.pop("mode"), cells.pop("password"), strict=True)
    cells["game"] = [
        ", ".join([game, *([mode] if mode in TOLD_MODES else []), *(["password"] if key else [])])
        for game, mode, key in told
    ]
    if set(cells["status"]) == {"open"}:
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
    status = _waits(info, now) if info.waiting else info.status
    numbers = str(info.spectators), str(info.score)
    key = "yes" if info.password else ""
    mode = f"{info.mode}, winnable deal" if info.winnable else info.mode
    return info.id, info.game, players, *numbers, status, age, mode, key


def _waits(info: RoomInfo, now: float) -> str:
    """Of a race that has not begun: when it does, or how many seats are free."""
    if info.due:
        return f"begins in {clock_of(round(info.due - now * 1000))}"
    return number_of(info.seats - len(info.players), "free seat")


async def list_day(client: Client, screen: Screen, game: str, date: str | None, where: str) -> None:
    """Print the table of a day.

    Raises:
        Refused: There is no such day.

    """
    day = await client.daily(game, date)
    heads = ("place", "name", "status", "score", "moves", "time", "room")
    rows = [
        (
            f"{row.place}.",
            printable(row.name),
            row.status,
            *(str(row.score), str(row.moves)),
            "" if row.ms is None else time_of(row.ms),
            row.room or "",
        )
        for row in day.rows
    ]
    if not screen.in_place:
        screen.write("".join("\t".join(row) + "\n" for row in (heads, *rows)))
        return
    until = datetime.fromtimestamp(day.until / 1000, UTC).astimezone()
    open_ = day.until > client.now
    screen.say(f"{day.game}, the deal of {day.date}" + (f", until {until:%H:%M}" if open_ else ""))
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for head in heads[: 6 if open_ else 7]:
        table.add_column(head, no_wrap=head == "room")
    for place, name, status, *others in rows:
        table.add_row(place, name, status_told(status), *others[: 3 if open_ else 4])
    if rows:
        screen.console.print(table)
        if (more := day.total - len(rows)) > 0:
            screen.say(f"and {number_of(more, 'other')}")
    else:
        screen.say("Nobody has played it yet.")
    if open_:
        screen.say(f"play it with: kibitz daily {day.game} --play{where}")
