"""``kibitz play``: one person at the table, line by line, in a terminal or through a pipe.

Promises: what is printed after a line belongs to that line; however it ends, the last words say
how to go on, or why that cannot be.
"""

import asyncio
from typing import Any

from kibitz.protocol.codes import CloseCode, ErrorCode, Refused

from ..session import Client, Closed, Unreachable
from .keyboard import Keyboard
from .screen import Screen
from .seating import Seating, Ways, why_unseated
from .table import CalledOff, Gone, Table
from .typed import act, doing_of, is_last

SOON = 1.0
"""Seconds after which a line that somebody typed is shown to wait, and what he types next is read:
it may be ``quit``."""


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
        while True:
            ahead = keyboard.is_ahead
            line = await table.until(keyboard.ask(table.prompt), pushes)
            if line is None:
                break
            if not ahead:  # else nobody has read yet what was answered before
                screen.forget()
            doing = asyncio.ensure_future(_do(table, keyboard, line))
            if not await table.until(doing, pushes):
                screen.write(table.goodbye())
                return
            table.redraw()
    except CalledOff:
        screen.write("\n" if keyboard.is_tty else "")
        return
    except Gone as gone:
        why = str(gone) or await why_unseated(client, table.mirror.room)
        screen.write("\n" if keyboard.is_tty else "")
        raise Refused(ErrorCode.FORBIDDEN, why, room=table.mirror.room) from None
    except (asyncio.CancelledError, Unreachable, Closed) as end:
        barred = isinstance(end, Closed) and end.code in (CloseCode.AUTH, CloseCode.FORBIDDEN)
        screen.write("\n" + ("" if barred else table.goodbye()))
        raise
    if keyboard.is_tty:
        screen.write("\n" + table.goodbye())


async def _do(table: Table, keyboard: Keyboard, line: str) -> bool:
    """Do what a line says; ``False`` if it, or ``quit`` behind it, was the last.

    A pipe is read line by line: there ``quit`` waits for what stands before it.
    """
    doing, waiting = asyncio.ensure_future(act(table, line)), [line]
    said = doing_of(table, line)
    behind: list[str | None] = []
    try:
        await asyncio.wait([doing], timeout=SOON if keyboard.is_tty else None)
        while not doing.done():
            table.show_waiting(waiting, said)
            asked = keyboard.ask(table.prompt)
            either: set[asyncio.Future[Any]] = {doing, asked}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                asked.cancel()  # whoever asks next gets it
                break
            behind.append(next_ := asked.result())
            if not doing.done() and (next_ is None or is_last(table, next_)):
                return False
            waiting.append(next_ or "")
        return await doing
    finally:
        doing.cancel()
        table.waiting = ""
        keyboard.keep(behind)
