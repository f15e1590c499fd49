"""A player's seat in a room: what the server tells is taken in and shown.

Promises: what others do is drawn at once, also while a line is being typed or waits for its
answer.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Error, Position, Presence
from kibitz.protocol.views import Event

from ..pushes import Link, Push, Pushes
from ..scene import Scene
from ..session import Client
from .keyboard import Keyboard
from .paint import wrapped
from .screen import Screen

THANKS = "Thank you for playing."
WON = "You won!"
OVER = "The game is over: `new` for another one, `quit` to leave."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Start:
    """What to play: a room that is there, or the settings of a new one.

    ``game`` may be empty with ``room``; else it must be the game that is played there.
    """

    game: str
    room: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)


class Table:
    """Where the person sits."""

    mirror: Mirror
    scene: Scene

    def __init__(self, client: Client, screen: Screen, keyboard: Keyboard, where: str) -> None:
        self.client = client
        self.screen = screen
        self._keyboard = keyboard
        self._where = where

    @property
    def prompt(self) -> str:
        """The game's own, in lines that fit."""
        prompt = self.scene.text.prompt.rstrip()
        return "\n".join(wrapped(prompt, self.screen.console.width - 1, " ")) + " "

    async def sit(self, start: Start) -> None:
        """Take a seat, in a new room or in one that is there.

        Raises:
            Refused: The server does not let us, or another game is played there.

        """
        if start.room is None:
            mirror = await self.client.create(start.game, **start.settings)
        else:
            if start.game:
                _check((await self.client.join(start.room)).view.game, start)
            mirror = await self.client.join(start.room, "player")
        self.mirror, self.scene = mirror, Scene.of(mirror)
        self.invite()
        if self.screen.in_place:
            self.redraw()
            return
        if title := self.scene.text.title:
            self.screen.write(f"{title}\n")
        self.screen.draw(self.scene)

    def invite(self) -> None:
        """Say how others come here."""
        room = f"{self.mirror.room}{self._where}"
        self.screen.note(f"watch it with: kibitz watch {room}")
        if any(seat.id is None for seat in self.mirror.seats):
            self.screen.note(f"sit down at it with: kibitz play --room {room}")

    def goodbye(self) -> str:
        """The last words."""
        on = f"go on with: kibitz play --room {self.mirror.room}{self._where}\n"
        return f"{THANKS}\n" + ("" if self.scene.over else on)

    def redraw(self) -> None:
        """Draw the page with all that has been said; a pipe has got it already."""
        if self.screen.in_place:
            self.screen.reserved = self.prompt.count("\n") + 1
            self.screen.draw(self.scene)

    async def until(self, done: asyncio.Future[T], pushes: Pushes) -> T:
        """Show what the server tells until something else is done; the result of that."""
        try:
            while not done.done():
                ready = asyncio.ensure_future(pushes.ready())
                try:
                    either: set[asyncio.Future[Any]] = {ready, done}
                    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    ready.cancel()
                if ready.done() and not ready.cancelled():
                    ready.result()
                self._show(pushes.waiting())
            return done.result()
        finally:
            done.cancel()

    def _show(self, pushes: Sequence[Push]) -> None:
        shown = [self._take(push) for push in pushes]
        if any(shown):
            self.redraw()
            self._keyboard.show_again()

    def _take(self, push: Push) -> bool:
        """Take one push in; through a pipe, print it. Whether there is something new to see."""
        scene, screen = self.scene, self.screen
        match push:
            case Event(room=scene.room):
                drawn = scene.apply(push)
                self._tell(push)
                if drawn and not screen.in_place:
                    screen.draw(scene)
            case Position(room=scene.room):
                scene.reset(push.view, push.seq)
                if not screen.in_place:
                    screen.draw(scene)
            case Presence(room=scene.room):
                scene.spectators = push.spectators
            case Error(room=scene.room):
                screen.remark(push.message)
            case Link(up):
                screen.link(up)
            case _:
                return False
        return True

    def _tell(self, event: Event) -> None:
        """Say what happened, unless it is what this person did a moment ago."""
        mine = event.by == self.client.welcome.you.id
        match event.kind:
            case "won":
                self.screen.note(WON)
            case "ended":
                self.screen.note(OVER)
            case "move" | "joined" | "undo" | "redo" | "restart" | "saved" | "cheated" if mine:
                pass
            case _ if told := self.scene.told(event):
                self.screen.remark(told)


def _check(game: str, start: Start) -> None:
    if game != start.game:
        message = f"that room plays {game}; sit down with: kibitz play --room {start.room}"
        raise Refused(ErrorCode.BAD_OPTION, message, room=start.room)
