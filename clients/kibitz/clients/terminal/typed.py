"""What the lines do that a player types. A refused line changes nothing and says why."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, get_args

from msgspec import UNSET
from msgspec.structs import asdict

from kibitz.engine.game import Move
from kibitz.engine.games import GAMES
from kibitz.engine.lines import pile_lines
from kibitz.engine.notation import read_table
from kibitz.engine.text import InputError, Request
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.limits import MAX_SAVE
from kibitz.protocol.requests import PolicyWish
from kibitz.protocol.views import Strategy

from .. import racing
from ..telling import refused_because
from .advice import advise, chances, finish, offer
from .files import read_text, write_text
from .seating import new_room, rematch
from .table import Table
from .words import help_of, interpret

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
NO_CHEATING = "this room allows no cheating; `kibitz play --allow-cheat` opens one that does"


async def act(table: Table, line: str) -> bool:
    """Do what a line says; ``False`` if it was the last."""
    try:
        said = _read(table, line)
        if said == Request("quit"):
            return False
        await _do(table, said)
        await offer(table)
    except InputError as error:
        if str(error):
            table.screen.note(str(error))
    except Refused as refused:
        table.screen.note(refused_because(refused))
    return True


def is_last(table: Table, line: str) -> bool:
    """Whether a line ends the game for who typed it."""
    return _meant(table, line) == Request("quit")


def doing_of(table: Table, line: str) -> str:
    """What goes on while a line that takes long is being done."""
    asks = _meant(table, line) in (Request("hint"), Request("winnable"))
    return "thinking…" if asks else "saving…"


def _read(table: Table, line: str) -> Move | Request:
    """What a line means where somebody sits; see ``interpret``."""
    instead = f"nothing to play just now; there is: {table.menu}" if table.menu else ""
    return interpret(table.scene.text, line, table.race, instead)


def _meant(table: Table, line: str) -> Move | Request | None:
    """What a line means, if it means anything."""
    try:
        return _read(table, line)
    except InputError:
        return None


async def _do(table: Table, said: Move | Request) -> None:
    client, room, screen = table.client, table.mirror.room, table.screen
    simple: dict[str, Callable[[str], Awaitable[object]]] = {
        "undo": client.undo,
        "redo": client.redo,
        "restart": client.restart,
        "resign": client.resign,
        "ready": client.ready,
        "unready": lambda room: client.ready(room, False),
    }
    match said:
        case Request(word) if word in simple:
            await simple[word](room)
        case Request("board"):
            if not screen.in_place:
                screen.draw(table.scene)
            table.invite()
        case Request("help"):
            screen.note(help_of(table.scene.text, screen.console.width, table.race))
            table.invite()
        case Request("say", text):
            await client.say(room, text)
        case Request("comments", answer):
            await client.comments(room, _on(answer))
        case Request("moves"):
            screen.note(", ".join(await client.moves(room)) or "there is no legal move")
        case Request("hint"):
            await advise(table)
        case Request("winnable"):
            await chances(table)
        case Request("finish"):
            await finish(table)
        case Request("save", name):
            await _save(table, Path(name))
        case Request("load", name):
            await _change_room(table, save=_load(Path(name)))
        case Request("new"):
            await _change_room(table, options=table.mirror.view.options)
        case Request("rematch"):
            await table.sit(rematch(room))
        case Request("bot", how):
            await client.seat_bot(room, _strategy(how))
        case Request("away", seat):
            await client.send_bot_away(room, _board(table, seat) + 1)
        case Request("look", seat):
            _look(table, _board(table, seat))
        case Request("standings"):
            screen.note("\n".join(racing.instead(table.scene)))
        case Request("cheat"):
            await _cheat(table)
        case Request():
            raise InputError(f"{said.word}: not in a room")
        case move:
            await client.move(room, table.scene.text.write(move))


def _on(answer: str) -> bool:
    if answer not in ("on", "off"):
        raise InputError("usage: comments on|off")
    return answer == "on"


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


async def _change_room(table: Table, **settings: Any) -> None:
    """Sit down in a new room of the same kind; the old one is left when that has worked."""
    old = table.mirror
    if table.race:
        raise InputError("not in a race; `rematch` after its end goes on with another deal")
    allowed = {key: value for key, value in asdict(old.view.policy).items() if value is not UNSET}
    same = {"visibility": old.info.visibility, "password": table.client.password}
    wish = PolicyWish(**allowed)
    await table.sit(new_room(old.view.game, **settings, **same, policy=wish))
    await table.client.leave(old.room)


def _strategy(how: str) -> Strategy:
    """How a bot shall play; as the server's do if nothing is said."""
    for strategy in STRATEGIES:
        if strategy == (how.lower() or STRATEGIES[0]):
            return strategy
    raise InputError(f"usage: bot {'|'.join(STRATEGIES)}")


def _board(table: Table, seat: str) -> int:
    """The index of the board of a seat."""
    board = int(seat) - 1 if seat.isdecimal() and len(seat) < 4 else -1
    if not 0 <= board < len(table.scene.boards):
        raise InputError(f"there is no seat {seat}")
    return board


def _look(table: Table, board: int) -> None:
    """Look at a board; one's own, too."""
    scene = table.scene
    if not scene.boards[board].table.piles:
        raise InputError("you see the boards of the others when yours is done")
    scene.board = board
    if not table.screen.in_place:
        table.screen.draw(scene)


async def _cheat(table: Table) -> None:
    try:
        view = await table.client.cheat(table.mirror.room)
    except Refused as refused:
        if refused.code is ErrorCode.FORBIDDEN:
            raise InputError(NO_CHEATING) from None
        raise
    board = view.boards[table.mirror.own]
    lines = pile_lines(GAMES[table.scene.game], read_table(board.piles, board.counters))
    table.screen.note("\n".join(lines))
