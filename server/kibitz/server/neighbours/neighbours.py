"""The other servers on the same log: what is said to them, and what they say.

Promises: they are told each second of the rooms that changed here, and at once who has come to a
race that has not begun. What was missed is told by the numbers, and asked for; and where somebody
is gone, or something was missed, it is looked up in the log what rooms there are, and how they
stand. Never: decide anything: what happened is in the log.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import structlog

from kibitz.protocol.replies import Thought

from ..log.log import Channel
from ..world import World
from .elsewhere import Elsewhere
from .news import (
    Ask,
    Bye,
    News,
    Notice,
    Ordered,
    Plays,
    Please,
    RoomNews,
    Said,
    Thinks,
    read,
    size_of,
    write,
)

TOGETHER_BYTES = 64 * 1024
"""What is told in one message, but for one room more: a NATS server takes a megabyte."""
CROSSING_SECONDS = 5.0
"""So long it is remembered who has come here to play: what is said elsewhere may cross it."""
AHEAD_SECONDS = 60.0
"""Who is said to play from a moment that is farther ahead than this is not believed: no clock that
is looked after differs so much, and nobody would be later than he for as long."""
NOWHERE = (0, "")
"""Before anybody has played anywhere."""
LOOK_SECONDS = 5.0
"""Between two looks at all that the log has."""
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

    def plays_elsewhere(self, id_: str, who: str) -> None:
        """An identity plays on another server from now on."""
        ...

    async def look(self) -> None:
        """See in the log how all of them stand."""
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
        self._whole = True
        """Whether everything is to be said next."""
        self._in_doubt = False
        """Whether something happened of which we may not have heard."""
        self._looking: asyncio.Task[None] | None = None
        self._looked = float("-inf")
        self._playing: dict[tuple[str, str], tuple[int, str]] = {}
        """Since when identities play in rooms, Unix ms, and on which server, of those who have just
        come."""
        self.on_notice: Callable[[str], object] = lambda text: None
        """Told what an operator tells everybody."""
        self.on_orders: Callable[[], object] = lambda: None
        """Told that the log keeps other orders than before."""
        self.on_thought: Callable[[Thought], object] = lambda thought: None
        """Told what a player on another server thinks."""
        self.on_please: Callable[[str], object] = lambda room: None
        """Told of a room to which we should not write for a moment."""

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
        just = self._world.now_ms() - CROSSING_SECONDS * 1000
        self._playing = {who: at for who, at in self._playing.items() if at[0] > just}
        if self._in_doubt and self._looking is None and now >= self._looked + LOOK_SECONDS:
            self._in_doubt, self._looked = False, now
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        try:
            await self._rooms.look()
        except Exception as error:
            self._in_doubt = True
            log.error("not looked up", exc_info=error)
        finally:
            self._looking = None

    def _tell(self) -> None:
        stirred, self._rooms.stirred = self._rooms.stirred, set()
        whole, self._whole = self._whole, False
        rooms = sorted({*self._rooms.in_memory(), *stirred} if whole else stirred)
        for first, some in enumerate(together(map(self._rooms.news, rooms))):
            self._number += 1
            self._say(News(self._elsewhere.name, self._number, some, whole and not first))

    def tell_of(self, id_: str) -> None:
        """Say at once how a room stands: others may decide by who is in it."""
        if self._channel is not None:
            self._number += 1
            self._say(News(self._elsewhere.name, self._number, [self._rooms.news(id_)]))

    def plays(self, room: str, who: str) -> None:
        """Say that an identity plays here from now on."""
        if self._channel is not None:
            name = self._elsewhere.name
            before, _ = self._playing.get((room, who), NOWHERE)
            since = max(self._world.now_ms(), before + 1)  # later than what was heard of already
            self._playing[room, who] = since, name
            self._say(Plays(name, room, who, since))

    def notice(self, text: str) -> None:
        """Let everybody on the other servers be told something."""
        self._say(Notice(self._elsewhere.name, text))

    def ordered(self) -> None:
        """Let the other servers look at once at what the log keeps of orders."""
        self._say(Ordered(self._elsewhere.name))

    def thinks(self, thought: Thought) -> None:
        """Let those on the other servers be shown what a player here thinks."""
        self._say(Thinks(self._elsewhere.name, thought))

    def please(self, room: str) -> None:
        """Let the other servers not write to a room for a moment."""
        self._say(Please(self._elsewhere.name, room))

    async def close(self) -> None:
        """Say how things stand, and that nobody is here any more."""
        if self._channel is None:
            return
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])
        self._tell()
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
            case Plays():
                self._take_player(said)
            case Bye():
                self._gone(said.node)
            case Notice():
                self.on_notice(said.text)
            case Ordered():
                self.on_orders()
            case Please():
                self.on_please(said.room)
            case Thinks():
                self.on_thought(said.thought)

    def _take(self, news: News) -> None:
        changed, missed = self._elsewhere.take(news, self._world.monotonic())
        self._in_doubt |= missed
        if missed and not news.whole:
            self._say(Ask(self._elsewhere.name, news.node))
        for room in news.rooms:
            self._rooms.heard(room)
        for id_ in changed:
            self._rooms.met(id_)

    def _take_player(self, said: Plays) -> None:
        if said.since > self._world.now_ms() + AHEAD_SECONDS * 1000:
            return
        where, at = (said.room, said.who), (said.since, said.node)
        if self._playing.get(where, NOWHERE) < at:  # else he has come here later than there
            self._playing[where] = at
            self._rooms.plays_elsewhere(said.room, said.who)

    def _gone(self, name: str) -> None:
        self._in_doubt = True
        for id_ in self._elsewhere.forget(name):
            self._rooms.met(id_)


def together(rooms: Iterable[RoomNews]) -> Iterator[list[RoomNews]]:
    """As many at a time as go into one message; once at least."""
    some: list[RoomNews] = []
    size = 0
    for room in rooms:
        if size > TOGETHER_BYTES:
            yield some
            some, size = [], 0
        some.append(room)
        size += size_of(room)
    yield some
