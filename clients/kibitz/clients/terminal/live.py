"""A room that is looked at while it goes on.

Promises: a board for every event that moves cards, in order; who looks at the past meanwhile loses
nothing of what goes on.
"""

import math
import time

from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Error, Notice, Position, Presence, TvRoom
from kibitz.protocol.views import Control, Event

from .. import racing
from ..film import Film, frame_of
from ..pushes import Link, Push, Pushes
from ..scene import Scene
from ..session import Client, Refused
from ..telling import noticed
from .controls import END, QUIT, STOPS, Controls
from .keys import Keys
from .reels import Rooms
from .remark import Remark
from .replay import Show
from .screen import Screen
from .waiting import first_of

LIVE = "left: back · home: to the start · "
BOARDS = "tab: the next board · "
BACK = "left, right: step · g 57: move 57 · l: live again · q: quit"
CLOCK_EVERY = 1.0
"""Seconds between two looks at a clock that runs, on a terminal."""
TABLE_EVERY = 5.0
"""Seconds between two looks at a race whose boards are not shown, through a pipe."""


class Live:
    """One room that is looked at."""

    def __init__(
        self,
        client: Client,
        mirror: Mirror,
        screen: Screen,
        keys: Keys,
        *,
        board: int | None = None,
        scene: Scene | None = None,
    ) -> None:
        """Look at a room.

        Args:
            client: The connection.
            mirror: The room.
            screen: Where boards go.
            keys: What is pressed.
            board: Which board of a race; ``None``: the leader's.
            scene: How far it has been seen and drawn; ``None``: not at all.

        """
        self.scene = scene or Scene.of(mirror)
        self._seen = scene is not None
        self.next: str | None = None
        """The room to look at after this one, if we have been told of one."""
        self._client = client
        self._mirror = mirror
        self._screen = screen
        self._keys = keys
        self._board = board
        self._controls = Controls()
        self._remark = Remark(client, mirror, screen)
        self._control: Control | None = None
        """Where we are in the past; ``None``: nowhere, we look at what goes on."""
        self._film: Film | None = None
        """What has happened, once somebody wanted to see it; grows with every event."""
        self._table: list[str] = []
        self._drawn = 0.0
        """When there was a look last, on this machine's clock, in seconds."""
        if board is not None:
            self.scene.board = board

    async def run(self, pushes: Pushes) -> bool:
        """Look on until the game has ended or there is a better room; ``False``: a key said so.

        Raises:
            Refused: The room cannot be followed any longer.

        """
        if self._screen.in_place or not self._seen:
            self._draw()
        while not (self.scene.over and self._control is None) and self.next is None:
            await first_of(pushes.ready(), self._keys.ready(), seconds=self._tick)
            news = [self._take(push) for push in pushes.waiting()]
            for key in self._keys.waiting():
                if await self._press(key):
                    return False
                news.append(True)
            waited = time.monotonic() - self._drawn >= (self._tick or math.inf)
            if any(news) or waited:
                self._draw_again(waited)
        return True

    @property
    def _tick(self) -> float | None:
        if not self.scene.course.race or self.scene.over:
            return None
        return CLOCK_EVERY if self._screen.in_place else TABLE_EVERY

    def _draw_again(self, waited: bool) -> None:
        """Draw what there is to see now; a pipe has got every change of its board already."""
        scene = self.scene
        another = waited and self._best != scene.board
        if self._screen.in_place or (another and not scene.dark):
            self._draw()
        elif waited or scene.over:
            self._look_at_the_clock()
            if scene.dark:
                self._print_table()

    @property
    def _best(self) -> int:
        """The board to be drawn: the one that was asked for, or the leader's."""
        if self._board is not None or not self.scene.course.race:
            return self.scene.board
        return racing.leader(self.scene)

    def _draw(self) -> None:
        scene, screen, keys = self.scene, self._screen, self._keys
        self._look_at_the_clock()
        scene.board = self._best
        if self._control is not None and self._film is not None:
            self._film.board = scene.board
            show = Show(self._film, screen)
            show.draw(self._control.at, self._control, self._asks or BACK)
            return
        screen.footer = [self._asks or self._hint] if keys.on and not scene.over else []
        if screen.in_place or not scene.dark:
            screen.draw(scene)
        else:
            self._print_table()

    def _look_at_the_clock(self) -> None:
        self._drawn = time.monotonic()
        late = self._mirror.info.policy.delay or 0
        self.scene.now = self._client.now - self._mirror.info.started - late * 1000

    @property
    def _asks(self) -> str:
        return self._remark.asks or self._controls.asks

    @property
    def _hint(self) -> str:
        if self.scene.dark:
            return self._remark.hint + QUIT
        boards = BOARDS if len(self.scene.boards) > 1 else ""
        return boards + LIVE + self._remark.hint + QUIT

    def _print_table(self) -> None:
        """Print how a race stands that we see no board of, if that has changed."""
        lines = [line for line in racing.instead(self.scene) if " begins in " not in line]
        if lines != self._table:
            self._table = lines
            self._screen.draw(self.scene)

    async def _press(self, key: str) -> bool:
        """Do what a key says; whether we have seen enough."""
        typing = self._controls.typed is not None
        if not typing and await self._remark.press(key):
            return False
        if key in STOPS:
            return True
        if key in END and not typing:
            self._go_live()
        elif key == "\t":
            self._board = self.scene.board = (self.scene.board + 1) % len(self.scene.boards or "1")
        else:
            film = await self._past()
            now = self._control or Control(at=film.last)
            wish = self._controls.press(key, now, now.at, film)
            if isinstance(wish, Control) and not wish.playing:
                self._control = wish
                if wish.at >= film.last:
                    self._go_live()
        return False

    def _go_live(self) -> None:
        if self._control is not None and self._film is not None:
            self._control = None
            self._screen.remarks_are(self._film.said_at(self._film.last, 1))

    async def _past(self) -> Film:
        if self._film is None:
            reels = Rooms(self._client, self.scene.room, self.scene.seq)
            self._film = await reels.load(False)
            self._film.board = self.scene.board
        return self._film

    def _take(self, push: Push) -> bool:
        """Take one thing in; through a pipe, print it. Whether there is something new to see.

        Raises:
            Refused: The room cannot be followed any longer.

        """
        scene, screen = self.scene, self._screen
        match push:
            case Event(room=scene.room):
                return self._event(push)
            case Position(room=scene.room):
                scene.reset(push.view, push.seq)
                self._film = self._control = None
                if not screen.in_place:
                    screen.draw(scene)
            case Notice(text=text):
                screen.remark(noticed(text))
            case Presence(room=scene.room):
                scene.spectators = push.spectators
                return screen.in_place
            case Link():
                screen.link(push)
            case TvRoom(room=info) if info is not None and info.id != scene.room:
                self.next = info.id
            case Error(room=scene.room):
                raise Refused(push.code, push.message, room=push.room)
            case _:
                return False
        return True

    def _event(self, event: Event) -> bool:
        scene, film = self.scene, self._film
        if event.seq <= scene.seq:
            return False
        frame = frame_of(event, scene, event.at - film.times[-1] if film else 0)
        if film is not None:
            film.add(frame)
        if frame.board not in (None, scene.board):
            return False
        if frame.said and self._control is None:
            self._screen.remark(frame.said)
        if frame.scene and not self._screen.in_place and not scene.dark:
            self._screen.draw(scene)
        if event.kind == "ended" and scene.course.race:
            self._screen.note("\n".join(racing.table(scene)))
        return True
