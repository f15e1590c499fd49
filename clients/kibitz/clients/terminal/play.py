"""``kibitz play``: one person at the table, line by line, in a terminal or through a pipe.

Promises: what is printed after a line belongs to that line; however it ends, the last words say
how to go on.
"""

import asyncio

from ..session import Client, Closed, Unreachable
from .keyboard import Keyboard
from .screen import Screen
from .seating import Seating
from .table import Table
from .typed import act


async def play(
    client: Client, seating: Seating, screen: Screen, keyboard: Keyboard, where: str
) -> None:
    """Play until ``quit`` or the end of the input.

    Args:
        client: The connection.
        seating: The way to a seat.
        screen: Where boards go.
        keyboard: Where lines come from.
        where: What our commands need to find the server, to be printed.

    Raises:
        Refused: The server has no such room or does not want to make it.

    """
    pushes = client.events()
    table = Table(client, screen, keyboard, where)
    await table.sit(seating)
    try:
        while (line := await table.until(keyboard.ask(table.prompt), pushes)) is not None:
            if not await table.until(asyncio.ensure_future(act(table, line)), pushes):
                screen.write(table.goodbye())
                return
            table.redraw()
    except (asyncio.CancelledError, Unreachable, Closed):
        screen.write("\n" + table.goodbye())
        raise
    if keyboard.is_tty:
        screen.write("\n" + table.goodbye())
