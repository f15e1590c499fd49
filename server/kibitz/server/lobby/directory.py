"""What is known of all rooms: those in memory, those of other servers, those that the log has.

Promises: the lobby, the deals of the days, the clock and TV know what happens in rooms on any
server that writes the same log. Never: make a room, or read one.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping

from msgspec.structs import replace

from kibitz.protocol.fairness import SECRET_BYTES
from kibitz.protocol.views import Role, RoomInfo

from ..log.log import EventLog
from ..neighbours.elsewhere import Elsewhere
from ..neighbours.news import RoomNews
from ..room.clock import Clock
from ..room.room import Room
from ..world import World
from .daily import SECRET, Days
from .listing import Listing
from .tv import QUIET_MS, Tv

OPEN_PAGE = 1000
"""Entries that are read from the log in one go, before anybody is let in."""
LOOK_PAGE = 100
"""The same while people play: what is done with them takes some milliseconds."""
LOOK_REST_SECONDS = 0.02
"""Behind each of those pages."""


class Directory:
    """All rooms, as far as they are known."""

    def __init__(
        self, log: EventLog, world: World, clock: Clock, rooms: Mapping[str, Room]
    ) -> None:
        """Nothing is known yet; ``rooms`` are those in memory at any time."""
        self._log = log
        self._world = world
        self._clock = clock
        self._rooms = rooms
        self.listing = Listing(log, world)
        self.days = Days(world)
        self.tv = Tv()
        self.changed: set[str] = set()
        """Public rooms that changed since the lobby was last told."""
        self.stirred: set[str] = set()
        """Rooms of which other servers are still to be told."""
        self.elsewhere = Elsewhere(log.channel.name if log.channel else "")
        """Who is where on those."""
        self.patient: set[str] = set()
        """Rooms that are due, and that other servers are to wake first."""
        self._gone: set[str] = set()
        """Rooms that have been put away, of which they are still to be told."""
        self._lately: dict[str, int] = {}
        """Public rooms of which others have told lately, and when, Unix ms; the last one last."""
        self.on_racer: Callable[[str], None] = lambda id_: None
        """Told of a room of which they are to be told at once."""
        self.on_player: Callable[[str, str], None] = lambda id_, who: None
        """Told who plays from now on here, and in which room."""

    async def open(self) -> None:
        """Learn from the log which rooms there are, and when they have to be woken."""
        self.days.secret = await self._log.secret(SECRET, self._world.random_bytes(SECRET_BYTES))
        async for infos in self._all(OPEN_PAGE):
            self.listing.begin(reversed(infos))
            for info in infos:
                self._learn(info)

    async def look(self) -> None:
        """Learn what has become of rooms since: of those in memory we know it ourselves."""
        async for infos in self._all(LOOK_PAGE):
            await asyncio.sleep(LOOK_REST_SECONDS)
            for info in infos:
                if info.id not in self._rooms and not self.elsewhere.here(info.id).total:
                    self._learn(info)
                    if info.visibility == "public" and self.listing.find(info):
                        self.changed.add(info.id)

    async def _all(self, page: int) -> AsyncIterator[list[RoomInfo]]:
        """What the log has of all rooms, in pages; in each of them the newest is the last."""
        for info in await self._log.days_away():
            self.days.note(info)
        cursor = None
        while infos := await self._log.rooms(cursor, page):
            cursor = infos[0].id
            yield infos

    def _learn(self, info: RoomInfo) -> None:
        now = self._world.now_ms()
        self.days.note(info)
        shown = (info.updated or 0) + (info.delay or 0) * 1000
        late = info.delay and shown > now  # its entry says more than may be said yet
        self._clock.learn(info.id, now if late else info.due or None, info.seq)

    def note(self, room: Room, *, fresh: bool = False) -> None:
        """Remember how a room in memory stands."""
        self._clock.set(room.id, room.due, room.seq)
        self.stirred.add(room.id)
        if room.state.course.daily:
            self.days.note(room.whole_entry())
        if room.state.visibility != "public":
            return
        if self.listing.note(room.id, room.entry(), fresh=fresh):
            self.changed.add(room.id)

    def player_came(self, id_: str, who: str, role: Role) -> None:
        """Somebody who has a seat has come: elsewhere a race may begin without who is away."""
        if role == "player":
            self.on_player(id_, who)
        room = self._rooms.get(id_)
        if room and (race := room.state.course.race) and race.started is None:
            self.on_racer(id_)

    def put_away(self, id_: str) -> None:
        """A room has been put away."""
        self._forget(id_)
        self._gone.add(id_)
        self.stirred.add(id_)

    def _forget(self, id_: str) -> None:
        self.listing.forget(id_, gone=True)
        self._clock.set(id_, None)

    def look_at_tv(self) -> RoomInfo | None:
        """The public room most worth watching now."""
        closed = {id_ for id_, room in self._rooms.items() if room.state.closed}
        now = self._world.now_ms()
        self._forget_quiet(now)
        played = {*self._rooms, *self.elsewhere.rooms(), *self._lately} - closed
        entries = map(self.listing.entry, played)
        return self.tv.look(filter(None, entries), now)

    def _forget_quiet(self, now: int) -> None:
        """Nobody looks for what is on among rooms of which others told so long ago."""
        while self._lately:
            id_, at = next(iter(self._lately.items()))
            if at + QUIET_MS > now:
                return
            del self._lately[id_]

    def forget_woken(self) -> None:
        """Wait no longer for others to wake what is no longer due."""
        self.patient = {id_ for id_ in self.patient if self._clock.due(id_) is not None}

    # Other servers (neighbours.neighbours)

    def in_memory(self) -> Iterable[str]:
        """Rooms of which other servers may want to know."""
        return self._rooms

    def news(self, id_: str) -> RoomNews:
        """How a room stands here."""
        room = self._rooms.get(id_)
        if room is None:
            away = id_ in self._gone
            self._gone.discard(id_)
            return RoomNews(id_, due=self._clock.due(id_), away=away)
        daily = room.whole_entry() if room.state.course.daily else None
        entry = room.entry() if room.state.visibility == "public" else None
        return RoomNews(id_, room.people.on_this_server(), room.due, entry, daily)

    def heard(self, news: RoomNews) -> None:
        """Another server says how a room stands; of those in memory we know it ourselves."""
        if room := self._rooms.get(news.id):
            if news.away:
                room.idle_since = float("-inf")  # it is let go of
            return
        if news.away:
            self._forget(news.id)
            return
        if news.due is None or news.due > self._world.now_ms():
            self.patient.discard(news.id)  # it was woken
        seq = max((each.seq for each in (news.entry, news.daily) if each is not None), default=0)
        self._clock.set(news.id, news.due, seq)
        if news.daily is not None:
            self.days.note(news.daily)
        if news.entry is not None:
            now = self._world.now_ms()
            self._forget_quiet(now)
            self._lately.pop(news.id, None)
            self._lately[news.id] = now
            if self.listing.hear(news.entry):
                self.changed.add(news.id)

    def plays_elsewhere(self, id_: str, who: str) -> None:
        """An identity plays on another server from now on."""
        if room := self._rooms.get(id_):
            room.people.replace(who)

    def met(self, id_: str) -> None:
        """Who is in a room on other servers has changed."""
        here = self.elsewhere.here(id_)
        if room := self._rooms.get(id_):
            room.met(here)
        elif entry := self.listing.entry(id_):
            if entry.delay and here.total:
                return  # it would show who sits by now
            spectators = max(0, here.total - len(here.seated))
            if self.listing.note(id_, replace(entry, spectators=spectators), fresh=False):
                self.changed.add(id_)
