"""What the lines do that a player types. A refused line changes nothing and says why."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec.structs import asdict

from kibitz.engine.game import Move
from kibitz.engine.games import GAMES
from kibitz.engine.lines import pile_lines
from kibitz.engine.notation import read_table
from kibitz.engine.text import InputError, Request
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.limits import MAX_SAVE
from kibitz.protocol.requests import PolicyWish

from .files import read_text, write_text
from .table import Start, Table
from .words import help_of, interpret

NO_CHEATING = "this room allows no cheating; `kibitz play --allow-cheat` opens one that does"


async def act(table: Table, line: str) -> bool:
    """Do what a line says; ``False`` if it was the last."""
    table.screen.forget()
    try:
        said = interpret(table.scene.text, line)
        if said == Request("quit"):
            return False
        await _do(table, said)
    except InputError as error:
        if str(error):
            table.screen.note(str(error))
    except Refused as refused:
        table.screen.note(refused.message)
    return True


async def _do(table: Table, said: Move | Request) -> None:
    client, room, screen = table.client, table.mirror.room, table.screen
    simple: dict[str, Callable[[str], Awaitable[object]]] = {
        "undo": client.undo,
        "redo": client.redo,
        "restart": client.restart,
        "resign": client.resign,
    }
    match said:
        case Request(word) if word in simple:
            await simple[word](room)
        case Request("board"):
            if not screen.in_place:
                screen.draw(table.scene)
            table.invite()
        case Request("help"):
            screen.note(help_of(table.scene.text, screen.console.width))
            table.invite()
        case Request("say", text):
            await client.say(room, text)
        case Request("moves"):
            screen.note(", ".join(await client.moves(room)) or "there is no legal move")
        case Request("save", name):
            await _save(table, Path(name))
        case Request("load", name):
            await _change_room(table, save=_load(Path(name)))
        case Request("new"):
            await _change_room(table, options=table.mirror.view.options)
        case Request("cheat"):
            await _cheat(table)
        case Request():
            raise InputError(f"{said.word}: not in a room")
        case move:
            await client.move(room, table.scene.text.write(move))


async def _save(table: Table, path: Path) -> None:
    text = await table.client.save(table.mirror.room)
    try:
        write_text(path, text)
    except (OSError, ValueError):
        raise InputError("save: could not open file") from None
    table.screen.note(f"saved to {path}")


def _load(path: Path) -> str:
    try:
        return read_text(path, MAX_SAVE)
    except (OSError, ValueError):
        raise InputError("load: could not open file") from None


async def _change_room(table: Table, **settings: object) -> None:
    """Sit down in a new room of the same kind; the old one is left when that has worked."""
    old = table.mirror
    policy = PolicyWish(**asdict(old.view.policy))
    await table.sit(Start(old.view.game, settings={**settings, "policy": policy}))
    await table.client.leave(old.room)


async def _cheat(table: Table) -> None:
    try:
        board = (await table.client.cheat(table.mirror.room)).boards[0]
    except Refused as refused:
        if refused.code is ErrorCode.FORBIDDEN:
            raise InputError(NO_CHEATING) from None
        raise
    lines = pile_lines(GAMES[table.scene.game], read_table(board.piles, board.counters))
    table.screen.note("\n".join(lines))
