"""The list of public rooms: the newest ones from memory, all others from the log.

Promises: as many entries in memory as there are new rooms to be shown and rooms to be played,
however many there have been; a page costs a bounded part of the log. Never: more of a room than
everybody may know, nor who is in it.
"""

from collections.abc import Container, Iterable

from msgspec import UNSET
from msgspec.structs import replace

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.replies import RoomList
from kibitz.protocol.requests import Rooms as ListRooms
from kibitz.protocol.views import RoomInfo

from ..log.log import EventLog
from ..world import World

MAX_NEWEST = 10_000
"""Public rooms that are listed from memory."""
LEFT_MS = 3 * 3_600_000
"""How long a race that has not begun, or a replay room, is listed in which nothing happens."""
MAX_LOOKED = 1_000
"""Rooms in memory that are looked at for one page: so, too, it may have fewer."""
MAX_SCAN = 2_000
"""Older rooms that are gone through for one page: it may have fewer than were asked for."""


class Listing:
    """The public rooms of one server."""

    def __init__(self, log: EventLog, world: World) -> None:
        self._log = log
        self._world = world
        self._newest: dict[str, RoomInfo | None] = {}
        """In order of creation; ``None``: nothing of it may be shown yet."""
        self._older: dict[str, RoomInfo] = {}
        """Those of older rooms that are in memory."""
        self._pushed_out: list[str] = []
        self._cut = False
        """Whether there are older ones than the newest."""

    def __len__(self) -> int:
        return len(self._newest) + len(self._older)

    def begin(self, infos: Iterable[RoomInfo]) -> None:
        """Take up a part of what the log has, newest first; nobody is in any of these rooms."""
        now = self._world.now_ms()
        older: dict[str, RoomInfo | None] = {}
        for info in infos:
            if info.visibility != "public":
                continue
            if len(self._newest) + len(older) >= MAX_NEWEST:
                self._cut = True
                break
            older[info.id] = _shown(info, now)
        self._newest = {**dict(reversed(older.items())), **self._newest}

    def entry(self, id_: str) -> RoomInfo | None:
        """A public room's entry, as far as it is at hand."""
        return self._newest.get(id_) or self._older.get(id_)

    def note(self, id_: str, entry: RoomInfo | None, *, fresh: bool) -> bool:
        """Remember how a public room stands that is in memory; whether that is news.

        Args:
            id_: The room.
            entry: What everybody may know; ``None``: nothing yet.
            fresh: Whether it has just been made.

        """
        if self.entry(id_) == entry and entry is not None:
            return False  # else it would be told that something happened
        if id_ in self._newest:
            self._newest[id_] = entry
        elif fresh or (entry and self._is_new(entry)):
            self._older.pop(id_, None)
            self._insert(id_, entry)
            while len(self._newest) > MAX_NEWEST:
                self._cut = True
                first, left = next(iter(self._newest.items()))
                del self._newest[first]
                if left is not None:
                    self._older[first] = left
                    self._pushed_out.append(first)
        elif entry is not None:
            self._older[id_] = entry
        return entry is not None

    def _is_new(self, entry: RoomInfo) -> bool:
        """Whether a room that is not listed yet belongs to the newest."""
        oldest = next(iter(self._newest.values()), None)
        return not self._cut or (oldest is not None and entry.started > oldest.started)

    def _insert(self, id_: str, entry: RoomInfo | None) -> None:
        """Put a room in its place, which is the last one or near it."""
        later: list[tuple[str, RoomInfo | None]] = []
        while entry and self._newest:
            last = next(reversed(self._newest.values()))
            if last is None or last.started <= entry.started:
                break
            later.append(self._newest.popitem())
        self._newest[id_] = entry
        self._newest.update(reversed(later))

    def hear(self, entry: RoomInfo) -> bool:
        """Another server says how a public room stands; whether that is news.

        Of one that is not among the newest the log tells whoever asks for older ones.
        """
        known = entry.id in self._newest or self._is_new(entry)
        return known and self.note(entry.id, entry, fresh=False)

    def find(self, info: RoomInfo) -> bool:
        """The log says how a public room stands that nobody is in; whether that is news."""
        entry, known = _shown(info, self._world.now_ms()), self.entry(info.id)
        return entry is not None and not (known and known.seq > entry.seq) and self.hear(entry)

    def forget(self, id_: str, *, gone: bool = False) -> None:
        """A room has left memory, or is gone altogether."""
        self._older.pop(id_, None)
        if gone:
            self._newest.pop(id_, None)

    def trim(self, in_memory: Container[str]) -> None:
        """Let go of those who are no longer among the newest, but for rooms in memory."""
        for id_ in self._pushed_out:
            if id_ not in in_memory:
                self._older.pop(id_, None)
        self._pushed_out.clear()

    def at_once(self, request: ListRooms) -> RoomList | None:
        """A page, newest first, if it can be made from memory alone."""
        if request.after is not None and request.after not in self._newest:
            return None
        found, last = self._from_memory(request)
        if last is not None:
            return RoomList(i=request.i, rooms=found, next=last)
        return _page(request, found) if len(found) > request.limit or not self._cut else None

    async def page(self, request: ListRooms) -> RoomList:
        """A page, newest first.

        Raises:
            Refused: The room to go on from is in no list.

        """
        if (page := self.at_once(request)) is not None:
            return page
        found: list[RoomInfo] = []
        cursor = request.after
        if cursor is None or cursor in self._newest:
            found, _ = self._from_memory(request)
            cursor = next(iter(self._newest), None)
        elif not self._cut or not await self._is_known(cursor):
            raise Refused(ErrorCode.BAD_OPTION, f"there is no room {cursor} in the list")
        return await self._from_log(request, found, cursor)

    def _from_memory(self, request: ListRooms) -> tuple[list[RoomInfo], str | None]:
        """What the newest have for a page, and one more; where to go on, if that was all for now.

        Only a room that is shown may be named to go on from.
        """
        newest = reversed(self._newest.items())
        if request.after is not None:
            for id_, _ in newest:
                if id_ == request.after:
                    break
        now = self._world.now_ms()
        found: list[RoomInfo] = []
        for looked, (id_, info) in enumerate(newest, 1):
            if info is None:
                continue
            if not _is_left(info, now) and _is_wanted(info, request):
                found.append(info)
            if len(found) > request.limit:
                break
            if looked >= MAX_LOOKED:
                return found, id_
        return found, None

    async def _from_log(
        self, request: ListRooms, found: list[RoomInfo], cursor: str | None
    ) -> RoomList:
        """A page that goes on in the log, behind what was found in memory."""
        now, last = self._world.now_ms(), None
        while last is None:  # only a public room may be named to go on from
            infos = (await self._log.rooms(cursor, MAX_SCAN))[::-1]
            for info in infos:
                cursor = info.id
                if info.visibility != "public":
                    continue
                last = info.id
                shown = self._older.get(info.id) or _shown(info, now)
                if shown and not _is_left(shown, now) and _is_wanted(shown, request):
                    found.append(shown)
                if len(found) > request.limit:
                    return _page(request, found)
            if len(infos) < MAX_SCAN:
                return _page(request, found)
        return RoomList(i=request.i, rooms=found, next=last)

    async def _is_known(self, id_: str) -> bool:
        return bool(await self._log.read(id_, limit=1) or await self._log.find_away(id_))


def _shown(info: RoomInfo, now: int) -> RoomInfo | None:
    """What the log's entry of a room that nobody is in tells everybody, if it may be told yet."""
    due = (info.updated or 0) + (info.delay or 0) * 1000
    return None if info.delay and due > now else replace(info, spectators=0)


def _is_left(info: RoomInfo, now: int) -> bool:
    """Whether nobody will go on in a room where nothing has been played: it can still be entered.

    Not if somebody looks on, or if it begins by itself.
    """
    idle = info.waiting is True or info.mode == "replay"
    if not idle or info.status != "open" or info.spectators or info.due is not UNSET:
        return False
    return (info.updated or info.started) + LEFT_MS <= now


def _is_wanted(info: RoomInfo, request: ListRooms) -> bool:
    game = request.game is None or info.game == request.game
    return game and (request.status is None or info.status == request.status)


def _page(request: ListRooms, found: list[RoomInfo]) -> RoomList:
    """A page of what was found: one more than it has, if there is more."""
    page = found[: request.limit]
    more = len(found) > request.limit
    return RoomList(i=request.i, rooms=page, next=page[-1].id if more else None)
