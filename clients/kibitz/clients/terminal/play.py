"""``kibitz play``: one person at the table, line by line, in a terminal or through a pipe.

Promises: what is printed after a line belongs to that line; however it ends, the last words say
how to go on.
"""

import asyncio

from kibitz.protocol.codes import ErrorCode, Refused

from ..session import Client, Closed, Unreachable
from .keyboard import Keyboard
from .screen import Screen
from .seating import Seating, Ways, why_unseated
from .table import Gone, Table
from .typed import act


async def play(
    client: Client, seating: Seating, screen: Screen, keyboard: Keyboard, ways: Ways
) -> None:
    """Play until ``quit``, the end of the input or an operator's order.

    Args:
        client: The connection.
        seating: The way to a seat.
        screen: Where boards go.
        keyboard: Where lines come from.
        ways: What the lines that are printed need to find the server.

    Raises:
        Refused: The server has no such room, does not want to make it, or has closed it, or our
            seat was taken from us.

    """
    pushes = client.events()
    table = Table(client, screen, keyboard, ways)
    await table.sit(seating)
    try:
        while (line := await table.until(keyboard.ask(table.prompt), pushes)) is not None:
            if not await table.until(asyncio.ensure_future(act(table, line)), pushes):
                screen.write(table.goodbye())
                return
            table.redraw()
    except Gone as gone:
        why = str(gone) or await why_unseated(client, table.mirror.room)
        screen.write("\n" if keyboard.is_tty else "")
        raise Refused(ErrorCode.FORBIDDEN, why, room=table.mirror.room) from None
    except (asyncio.CancelledError, Unreachable, Closed):
        screen.write("\n" + table.goodbye())
        raise
    if keyboard.is_tty:
        screen.write("\n" + table.goodbye())
