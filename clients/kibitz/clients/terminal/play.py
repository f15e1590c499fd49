"""``kibitz play``: one person at the table, line by line, in a terminal or through a pipe.

Promises: what is printed after a line belongs to that line; what others do is drawn at once, also
while a line is being typed. A refused line changes nothing and prints why.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kibitz.engine.game import Move
from kibitz.engine.notation import read_table
from kibitz.engine.text import InputError, Request
from kibitz.protocol.codes import Refused
from kibitz.protocol.limits import MAX_SAVE
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Error, Position, Presence
from kibitz.protocol.views import Event

from ..pushes import Push
from ..scene import Scene, sentence
from ..session import Client
from .keyboard import Keyboard
from .screen import Screen
from .words import interpret, menu

THANKS = "Thank you for playing."
WON = "You won!"


@dataclass(frozen=True, slots=True)
class Start:
    """What to play: a room that is there, or the settings of a new one."""

    game: str
    room: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)


async def play(
    client: Client, start: Start, screen: Screen, keyboard: Keyboard, where: str
) -> None:
    """Play until ``quit`` or the end of the input.

    Args:
        client: The connection.
        start: What to play.
        screen: Where boards go.
        keyboard: Where lines come from.
        where: What our commands need to find the server, to be printed.

    Raises:
        Refused: The server has no such room or does not want to make it.

    """
    pushes = client.events()
    table = Table(client, screen, keyboard, where)
    await table.sit(start)
    ready = asyncio.ensure_future(pushes.ready())
    line = keyboard.ask(table.prompt)
    try:
        while True:
            either: set[asyncio.Future[Any]] = {ready, line}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if ready.done():
                ready.result()
                table.show(pushes.waiting(), typing=not line.done())
                ready = asyncio.ensure_future(pushes.ready())
            if line.done():
                typed = line.result()
                if typed is None or not await table.act(typed):
                    return
                table.show(pushes.waiting(), typing=False)
                line = keyboard.ask(table.prompt)
    finally:
        ready.cancel()
        line.cancel()


class Table:
    """Where the person sits."""

    def __init__(self, client: Client, screen: Screen, keyboard: Keyboard, where: str) -> None:
        self._client = client
        self._screen = screen
        self._keyboard = keyboard
        self._where = where
        self._mirror: Mirror
        self._scene: Scene
        self._simple: dict[str, Callable[[str], Awaitable[object]]] = {
            "undo": client.undo,
            "redo": client.redo,
            "restart": client.restart,
            "resign": client.resign,
        }

    @property
    def prompt(self) -> str:
        """The game's own."""
        return self._scene.text.prompt

    async def sit(self, start: Start) -> None:
        """Take a seat, in a new room or in one that is there.

        Raises:
            Refused: The server does not let us.

        """
        if start.room is None:
            mirror = await self._client.create(start.game, **start.settings)
        else:
            mirror = await self._client.join(start.room, "player")
        self._mirror, self._scene = mirror, Scene.of(mirror)
        title = self._scene.text.title
        self._screen.note(f"watch it with: kibitz watch {mirror.room}{self._where}")
        if not self._screen.in_place and title:
            self._screen.write(f"{title}\n")
        self._screen.draw(self._scene)

    def show(self, pushes: Sequence[Push], typing: bool) -> None:
        """Let happen what the server told; draw it, and the prompt again if somebody is typing."""
        shown = [self._show(push) for push in pushes]
        if not any(shown):
            return
        if self._screen.in_place:
            self._screen.draw(self._scene)
        if typing:
            self._keyboard.show_again()

    def _show(self, push: Push) -> bool:
        """Take one push in; through a pipe, print it. Whether there is something new to see."""
        scene = self._scene
        match push:
            case Event(room=scene.room):
                if scene.apply(push) and not self._screen.in_place:
                    self._screen.draw(scene)
                told = self._told(push)
                if told is not None:
                    self._screen.note(told)
                return True
            case Position(room=scene.room):
                scene.reset(push.view, push.seq)
                if not self._screen.in_place:
                    self._screen.draw(scene)
                return True
            case Presence(room=scene.room):
                scene.spectators = push.spectators
                return self._screen.in_place
            case Error(room=scene.room):
                self._screen.note(push.message)
                return True
            case _:
                return False

    def _told(self, event: Event) -> str | None:
        """What to say of an event: not what this person did a moment ago."""
        mine = event.by == self._client.welcome.you.id
        match event.kind:
            case "won":
                return WON
            case "joined" | "undo" | "redo" | "restart" | "saved" | "cheated" if mine:
                return None
            case "ended":
                return "The game is over: `new` for another one, `quit` to leave."
            case _:
                return sentence(event)

    async def act(self, line: str) -> bool:
        """Do what a line says; ``False`` if it was the last."""
        self._screen.forget()
        try:
            said = interpret(self._scene.text, line)
            if said == Request("quit"):
                self._screen.write(f"{THANKS}\n")
                if not self._scene.over:
                    on = f"go on with: kibitz play --room {self._mirror.room}{self._where}"
                    self._screen.write(f"{on}\n")
                return False
            if not self._client.connected:
                self._screen.note("no connection; waiting for the server")
            await self._do(said)
        except InputError as error:
            if str(error):
                self._screen.note(str(error))
        except Refused as refused:
            self._screen.note(refused.message)
        except OSError:
            self._screen.note(f"{line.split()[0]}: could not open file")
        return True

    async def _do(self, said: Move | Request) -> None:
        client, room, screen = self._client, self._mirror.room, self._screen
        match said:
            case Request(word) if word in self._simple:
                await self._simple[word](room)
            case Request("board"):
                screen.draw(self._scene)
            case Request("help"):
                screen.note(f"{self._scene.text.help}\n{menu()}".rstrip())
            case Request("say", text):
                await client.say(room, text)
            case Request("moves"):
                screen.note(", ".join(await client.moves(room)) or "there is no legal move")
            case Request("save", name):
                text = await client.save(room)
                _write_text(Path(name), text)
                screen.note(f"saved to {name}")
            case Request("load", name):
                await self._change_room({"save": read_text(Path(name), MAX_SAVE)})
            case Request("new"):
                await self._change_room({"options": self._mirror.view.options})
            case Request("cheat"):
                board = (await client.cheat(room)).boards[0]
                opened = Scene.of(self._mirror)
                opened.table = read_table(board.piles, board.counters)
                screen.note("\n".join(_opened(opened)))
            case Request():
                raise InputError(f"{said.word}: not in a room")
            case move:
                await client.move(room, self._scene.text.write(move))

    async def _change_room(self, settings: dict[str, Any]) -> None:
        """Sit down in a new room; the old one is left only when that has worked."""
        old = self._mirror.room
        await self.sit(Start(self._scene.game, settings=settings))
        await self._client.leave(old)


def _opened(scene: Scene) -> list[str]:
    """Every pile with its name, bottom to top, face-down cards named and marked ``-``."""
    return [
        f"{name} [ " + "".join(f"{cell} " for cell in cells) + "]"
        for name, cells in scene.table.piles.items()
        if cells
    ]


def read_text(path: Path, most: int) -> str:
    """The text of a file; what is no UTF-8 is replaced, so that whoever reads it objects.

    Args:
        path: The file.
        most: The most that is read, in bytes; one more, so that the reader sees it is too long.

    Raises:
        OSError: It cannot be read.

    """
    with path.open("rb") as file:
        return file.read(most + 1).decode(errors="replace")


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
