"""The other servers on the same log: what is said to them, and what they say.

Promises: they are told each second of the rooms that changed here, and at once who has come to a
race that has not begun. What was missed is told by the numbers, and asked for. Never: decide
anything: what happened is in the log, and who missed what was said of it comes to know it there.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Protocol

import structlog

from ..log.log import Channel
from ..world import World
from .elsewhere import Elsewhere
from .news import Ask, Bye, News, Notice, Ordered, RoomNews, Said, read, write

ROOMS_TOGETHER = 200
"""Most rooms of which is told in one message: a NATS server takes a megabyte, and 100 may race."""
SETTLE_SECONDS = 0.3
"""How long a new server listens to the others before it lets anybody in."""

log = structlog.get_logger("kibitz.neighbours")


class Rooms(Protocol):
    """What is needed of our own rooms."""

    stirred: set[str]
    """Those of which the others are to be told."""

    def in_memory(self) -> Iterable[str]:
        """Those that others may want to know of."""
        ...

    def news(self, id_: str) -> RoomNews:
        """How one stands."""
        ...

    def heard(self, news: RoomNews) -> None:
        """Another server says how one stands."""
        ...

    def met(self, id_: str) -> None:
        """Who is in one elsewhere has changed."""
        ...


class Neighbours:
    """Said and heard."""

    def __init__(
        self, channel: Channel | None, elsewhere: Elsewhere, rooms: Rooms, world: World
    ) -> None:
        """Say nothing yet; without a channel, never."""
        self._channel = channel
        self._elsewhere = elsewhere
        self._rooms = rooms
        self._world = world
        self._number = 0
        self._whole = False
        """Whether everything is to be said next."""
        self.on_notice: Callable[[str], object] = lambda text: None
        """Told what an operator tells everybody."""
        self.on_orders: Callable[[], object] = lambda: None
        """Told that the log keeps other orders than before."""

    async def open(self) -> None:
        """Listen, and learn how things stand."""
        if self._channel is None:
            return
        await self._channel.listen(self._hear)
        self._say(Ask(self._elsewhere.name))
        await asyncio.sleep(SETTLE_SECONDS)

    def tick(self) -> None:
        """Once a second: say what is new, and forget who says nothing."""
        if self._channel is None:
            self._rooms.stirred.clear()
            return
        now = self._world.monotonic()
        for name in self._elsewhere.silent(now):
            self._gone(name)
        self._tell()

    def _tell(self) -> None:
        stirred, self._rooms.stirred = self._rooms.stirred, set()
        whole, self._whole = self._whole, False
        rooms = sorted({*self._rooms.in_memory(), *stirred} if whole else stirred)
        for at in range(0, max(1, len(rooms)), ROOMS_TOGETHER):
            some = [self._rooms.news(id_) for id_ in rooms[at : at + ROOMS_TOGETHER]]
            self._number += 1
            self._say(News(self._elsewhere.name, self._number, some, whole and at == 0))

    def tell_of(self, id_: str) -> None:
        """Say at once how a room stands: others may decide by who is in it."""
        if self._channel is not None:
            self._number += 1
            self._say(News(self._elsewhere.name, self._number, [self._rooms.news(id_)]))

    def notice(self, text: str) -> None:
        """Let everybody on the other servers be told something."""
        self._say(Notice(self._elsewhere.name, text))

    def ordered(self) -> None:
        """Let the other servers look at once at what the log keeps of orders."""
        self._say(Ordered(self._elsewhere.name))

    def close(self) -> None:
        """Nobody is here any more."""
        self._say(Bye(self._elsewhere.name))

    def _say(self, said: Said) -> None:
        if self._channel is not None:
            self._channel.tell(write(said))

    def _hear(self, data: bytes) -> None:
        try:
            self._answer(read(data))
        except Exception as error:
            log.error("not taken up", exc_info=error)

    def _answer(self, said: Said | None) -> None:
        if said is None or said.node == self._elsewhere.name:
            return
        match said:
            case News():
                self._take(said)
            case Ask() if said.whom in (None, self._elsewhere.name):
                self._whole = True
                self._tell()
            case Bye():
                self._gone(said.node)
            case Notice():
                self.on_notice(said.text)
            case Ordered():
                self.on_orders()

    def _take(self, news: News) -> None:
        changed, missed = self._elsewhere.take(news, self._world.monotonic())
        if missed:
            self._say(Ask(self._elsewhere.name, news.node))
        for room in news.rooms:
            self._rooms.heard(room)
        for id_ in changed:
            self._rooms.met(id_)

    def _gone(self, name: str) -> None:
        for id_ in self._elsewhere.forget(name):
            self._rooms.met(id_)
