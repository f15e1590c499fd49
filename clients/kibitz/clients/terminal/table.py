"""A player's seat in a room: what the server tells is taken in and shown.

Promises: what others do is drawn at once, also while a line is being typed or waits for its
answer; what rivals do in a race is told every few seconds and after one's own moves, in one line.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Any, TypeVar, get_args

from kibitz.engine.table import Table as Cards
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.course import CALLED_OFF
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Error, Notice, Position, Presence
from kibitz.protocol.views import Event, Role

from .. import racing
from ..pushes import Link, Push, Pushes
from ..scene import Scene
from ..session import Client
from ..telling import noticed, told
from .keyboard import Keyboard
from .news import CLOSED, HELP, about_an_analysis, about_the_deal, invitation, news
from .paint import wrapped
from .screen import Screen
from .seating import Seating, Ways

THANKS = "Thank you for playing."
LOBBY = "ready, unready, say TEXT, help, quit"
"""What can be typed before a race begins."""
MAKERS = "ready, unready, bot, away SEAT, resign, say TEXT, help, quit"
"""The same for who has made it, where the server has bots."""
DONE = "look SEAT, standings, say TEXT, help, quit"
"""And when one's own board is done, and others are not."""
OVER = "rematch, look SEAT, standings, say TEXT, help, quit"
"""And when all are."""
COUNTDOWN_EVERY = 1.0
"""Seconds between two looks at the clock before a start."""
RIVALS_EVERY = 3.0
"""Seconds between two looks at the rivals."""

T = TypeVar("T")


class Gone(Exception):
    """There is nothing to do here any more; no words: our seat was taken from us."""


class CalledOff(Gone):
    """We have called our race off."""


class Table:
    """Where the person sits."""

    mirror: Mirror
    scene: Scene

    def __init__(self, client: Client, screen: Screen, keyboard: Keyboard, ways: Ways) -> None:
        self.client = client
        self.screen = screen
        self._keyboard = keyboard
        self._ways = ways
        self._keys: dict[Role, str] = {}
        self._rivals = ""
        """What was last said about them."""
        self._kept: bool | None = None
        """Whether the deal is the one that was pledged, if one was."""
        self._gone: Gone | None = None
        """Why there is nothing to do here any more."""
        self.looked_at: Cards | None = None
        """The position of which was asked last whether it plays itself."""
        self.offered = False
        """Whether it did, so that this has been said."""
        self.waiting = ""
        """What somebody has typed and has got no answer to, while it takes long."""
        self.made = False
        """Whether this is a race that we have made, and that had not begun when we sat down."""
        self._drawn = 0.0
        """When the page was drawn last, on this machine's clock, in seconds."""

    @property
    def race(self) -> bool:
        """Whether this is a race."""
        return bool(self.scene.course.race)

    @property
    def menu(self) -> str:
        """What there is to be typed in a race in which we have nothing to play, yet or any more."""
        if self.race and self.scene.over:
            return OVER
        if racing.is_waiting(self.scene):
            return MAKERS if self.made and self.client.welcome.limits.get("bots") else LOBBY
        return DONE if racing.is_done(self.scene, self.mirror.own) else ""

    @property
    def prompt(self) -> str:
        """The game's own, or what there is instead, in lines that fit."""
        prompt = f"({self.menu}):" if self.menu else self.scene.text.prompt.rstrip()
        return "\n".join(wrapped(prompt, self.screen.console.width - 1, " ")) + " "

    async def sit(self, seating: Seating) -> None:
        """Take a seat.

        Raises:
            Refused: The server does not let us, another game is played there, or it was closed.

        """
        mirror, kept = await seating(self.client)
        if mirror.status == "closed":
            raise Refused(ErrorCode.GAME_OVER, CLOSED, room=mirror.room)
        self.mirror, self._kept = mirror, kept
        self._keys = await self._invites()
        self.scene, self._rivals = Scene.of(self.mirror), ""
        self.made = racing.is_waiting(self.scene) and await self._is_ours()
        self.screen.remarks_are([])
        self.invite()
        self._tell_of_the_deal()
        self.screen.note(HELP)
        if self.screen.in_place:
            self.redraw()
            return
        if title := self.scene.text.title:
            self.screen.write(f"{title}\n")
        self.screen.draw(self._timed())

    async def _invites(self) -> dict[Role, str]:
        """The keys with which others come into a private room."""
        room = self.mirror.room
        if self.mirror.info.visibility != "private":
            return {}
        return {role: await self.client.invite(room, role) for role in get_args(Role)}

    async def _is_ours(self) -> bool:
        """Whether we have made the room."""
        past = self.client.history(self.mirror.room, to=1)
        return any([event.by == self.client.welcome.you.id async for event in past])

    def invite(self) -> None:
        """Say how others come here."""
        for line in invitation(self.mirror, self.scene, self._ways.others, self._keys):
            self.screen.note(line)

    def _tell_of_the_deal(self) -> None:
        """Say whether it is the one that was pledged: at the start, and when it can be seen."""
        said = about_the_deal(self.mirror.room, self._ways.others, self._kept)
        if said:
            self.screen.aside(said)

    def goodbye(self) -> str:
        """The last words."""
        command = "race" if self.race else "play"
        on = f"go on with: kibitz {command} --room {self.mirror.room}{self._ways.again}\n"
        if self.made and self._is_left_alone:
            on += "`resign` there calls the race off\n"
        return f"{THANKS}\n" + ("" if self.scene.over else on)

    @property
    def _is_left_alone(self) -> bool:
        """Whether nobody but us and bots is in a race that has not begun."""
        others = [seat for seat in self.scene.course.seats if seat.id and not seat.bot]
        return self.race and racing.is_waiting(self.scene) and len(others) == 1

    def redraw(self) -> None:
        """Draw the page with all that has been said; a pipe has got it already."""
        self._drawn = time.monotonic()
        if self.screen.in_place:
            self.screen.reserved = self.prompt.count("\n") + 1
            self.screen.footer = [*self._standing, *filter(None, [self.waiting])]
            self.screen.draw(self._timed())
        elif (rivals := " ".join(self._standing)) and rivals != self._rivals:
            self._rivals = rivals
            self.screen.say(rivals)

    def show_waiting(self, lines: Sequence[str], doing: str) -> None:
        """Show lines that somebody has typed and that have not been done, and what goes on."""
        told = ", ".join(line.strip() for line in lines)
        waits = "waiting for the server" if self.screen.offline else doing
        self.waiting = f"{waits}: {told} (`quit` leaves)"
        if self.screen.in_place:
            self.redraw()
        else:
            self.screen.say(self.waiting)

    @property
    def _standing(self) -> list[str]:
        """How the rivals fare, while that changes."""
        if not self.race or self.scene.over or racing.is_waiting(self.scene):
            return []
        return [racing.rivals(self.scene, self.mirror.own)]

    def _timed(self) -> Scene:
        self.scene.now = self.client.now - self.mirror.info.started
        return self.scene

    async def until(self, done: asyncio.Future[T], pushes: Pushes) -> T:
        """Show what the server tells until something else is done; the result of that.

        Raises:
            Gone: There is nothing to be done here any more.

        """
        try:
            while not done.done():
                if self._gone is not None:
                    raise self._gone
                ready = asyncio.ensure_future(pushes.ready())
                try:
                    either: set[asyncio.Future[Any]] = {ready, done}
                    first = asyncio.FIRST_COMPLETED
                    await asyncio.wait(either, timeout=self._patience, return_when=first)
                finally:
                    ready.cancel()
                if ready.done() and not ready.cancelled():
                    ready.result()
                self._show(pushes.waiting())
            return done.result()
        finally:
            done.cancel()

    @property
    def _tick(self) -> float | None:
        """Seconds after which there is something new to see though nobody told of it."""
        race = self.scene.course.race
        if not race or self.scene.over or (race.begins is None and race.started is None):
            return None
        return RIVALS_EVERY if race.started is not None else COUNTDOWN_EVERY

    @property
    def _patience(self) -> float | None:
        """Seconds until then."""
        return None if self._tick is None else max(self._drawn + self._tick - time.monotonic(), 0)

    def _show(self, pushes: Sequence[Push]) -> None:
        shown = [self._take(push) for push in pushes]
        if self._patience == 0 or (any(shown) and self.screen.in_place):
            self.redraw()
            self._keyboard.show_again(self.prompt)

    def _take(self, push: Push) -> bool:
        """Take one push in; through a pipe, print it. Whether there is something new to see."""
        scene, screen = self.scene, self.screen
        match push:
            case Event(room=scene.room):
                drawn = scene.apply(push)
                self._tell(push)
                if drawn and not screen.in_place:
                    screen.draw(self._timed())
                return scene.is_about(push)
            case Position(room=scene.room):
                before = scene.table
                scene.reset(push.view, push.seq)
                self._check_open()
                if not screen.in_place and scene.table != before:
                    screen.draw(self._timed())
            case Notice(text=text):
                screen.remark(noticed(text))
            case Presence(room=scene.room):
                scene.spectators = push.spectators
            case Error(room=scene.room):
                self._gone = Gone(push.message)
            case Link():
                screen.link(push)
            case _:
                return False
        return True

    def _check_open(self) -> None:
        if self.scene.status == "closed":
            self._gone = Gone(CLOSED)

    def _tell(self, event: Event) -> None:
        """Say what happened, unless it is what this person did a moment ago."""
        mine = event.by == self.client.welcome.you.id
        if event.kind == "closed":
            ours = event.text == CALLED_OFF  # nobody but who made it had a seat
            self._gone = CalledOff() if ours else Gone(told(self.scene, event))
        elif event.kind == "left" and not mine and event.seat == self.mirror.seat:
            self._gone = Gone()
            return
        if event.kind == "started" or (event.kind == "ended" and self.race):
            self.screen.remarks_are([])
            self.screen.forget()
        note, remark = news(self.scene, event, self.mirror.own, mine)
        if note:
            self.screen.note(note)
        if remark:
            self.screen.remark(remark)
        if event.kind == "ended":
            self._tell_of_the_deal()
            if self.mirror.board.status != "won":
                self.screen.aside(about_an_analysis(self.mirror, self._ways.others))
