"""What an operator orders of the running server: checked, written down, carried out.

Promises: whoever may not is told the same whatever he asks, before anything is looked up; an
order that was answered is durable; nobody is told who gave it. Never: show a card.
"""

import asyncio
import contextlib
from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import islice
from typing import Protocol, TypeVar

import structlog
from msgspec.structs import replace

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import CloseCode, ErrorCode, Refused
from kibitz.protocol.operating import AdminRoom, Ban, Person
from kibitz.protocol.replies import Administered, Notice
from kibitz.protocol.views import RoomInfo

from ..access.roles import ADMIN
from ..identity import clean_text, is_id
from ..lobby.rooms import Rooms
from ..log.log import EventLog, LogFailure
from ..room.room import Room
from ..sockets.frames import Frames
from ..visitor import Visitor
from ..world import World
from .bans import Bans, about, is_network, lies_in, network_of
from .key import Key
from .orders import close, unseat

LOOKED_THROUGH = 500
"""So many rooms of the log are looked through at a time."""
LOOPBACK = (network_of("127.0.0.0/8"), network_of("::1"))
"""From where whoever runs the server gets in again."""

T = TypeVar("T")
Page = tuple[list[T], str | None]
"""What is shown of a list, and what names the place from where it goes on."""

log = structlog.get_logger("kibitz.admin")


class Guest(Visitor, Protocol):
    """What is needed of every connection."""

    @property
    def number(self) -> int:
        """Its own, as they came."""
        ...

    @property
    def since_ms(self) -> int:
        """When it came, Unix ms."""
        ...


class Administration:
    """The one who takes orders."""

    def __init__(
        self,
        key: Key,
        bans: Bans,
        rooms: Rooms,
        log_: EventLog,
        world: World,
        guests: Collection[Guest],
        drain: Callable[[], None],
        tell_others: Callable[[str], None],
    ) -> None:
        """Take orders from now on.

        Args:
            key: Who says it may give them.
            bans: Who may not come in, comment, or sit down somewhere.
            rooms: The rooms of this server.
            log_: Where all of them are.
            world: Tells the time.
            guests: Every connection there is at any time.
            drain: Lets the server come to its end, as a signal does.
            tell_others: Lets other servers tell everybody something.

        """
        self._key = key
        self._bans = bans
        self._rooms = rooms
        self._log = log_
        self._world = world
        self._guests = guests
        self._drain = drain
        self._tell_others = tell_others

    async def answer(self, request: ask.Admin, visitor: Visitor) -> Administered:
        """Carry an order out.

        Raises:
            Refused: He may not give orders, or this one cannot be carried out.
            LogFailure: It could not be written; nothing has changed.

        """
        if not self._key.opens(request.key) and ADMIN not in visitor.identity.roles:
            log.warning("not an operator", address=visitor.address, identity=visitor.identity.id)
            raise Refused(ErrorCode.AUTH, "that is for the operator of this server")
        done = await self._do(request, visitor)
        log.info(
            "ordered",
            identity=visitor.identity.id,
            address=visitor.address,
            act=request.act,
            room=request.room,
            whom=request.id or request.address,
            duration=request.seconds,
        )
        return done

    async def _do(self, request: ask.Admin, visitor: Visitor) -> Administered:
        act = request.act
        match act:
            case "rooms":
                rooms, next_ = await self._list_rooms(request)
                return Administered(act=act, rooms=rooms, next=next_)
            case "people":
                people, next_ = self._list_people(request)
                return Administered(act=act, people=people, next=next_)
            case "bans":
                with contextlib.suppress(LogFailure):  # then those that are known
                    await self._bans.refresh()
                held = ((name, ban) for name, ban in self._bans.all() if _is_behind(name, request))
                bans, next_ = _page(held, request.limit)
                return Administered(act=act, bans=bans, next=next_)
            case "close":
                room = await self._room(request)
                await room.order(partial(close, _reason(request)))
                return Administered(act=act, count=len(room.people.here()))
            case "notice":
                count = self._notify(request.text or "")
                return Administered(act=act, count=count, elsewhere=self._elsewhere)
            case "drain":
                self._drain()
                return Administered(act=act)
            case "ban" | "mute" | "kick":
                return await self._add(request, visitor)
            case "unban" | "unmute" | "unkick":
                kind = act.removeprefix("un")
                if not await self._bans.lift(self._ban(request, kind)):
                    raise Refused(ErrorCode.BAD_OPTION, f"there is no such {kind}")
                return Administered(act=act)

    @property
    def _elsewhere(self) -> bool:
        """Whether there may be other servers, who are on them nobody knows here."""
        return self._log.channel is not None

    async def _room(self, request: ask.Admin) -> Room:
        assert request.room is not None, "checked when it was read"
        return await self._rooms.get(request.room)

    # Lists

    async def _list_rooms(self, request: ask.Admin) -> Page[AdminRoom]:
        """One room, or all of them, newest first."""
        if request.room is not None:
            room = await self._room(request)
            return [_shown(room)], None
        found: list[tuple[str, RoomInfo]] = []
        before = request.after
        while len(found) <= request.limit:
            infos = await self._log.rooms(before, LOOKED_THROUGH)
            if not infos:
                break
            before = infos[0].id
            for info in reversed(infos):
                here = self._rooms.peek(info.id)
                now = info if here is None else here.whole_entry()
                if request.status in (None, now.status):
                    found.append((info.id, now))
        page, next_ = _page(found, request.limit)
        return [await self._look_at(info) for info in page], next_

    async def _look_at(self, info: RoomInfo) -> AdminRoom:
        """A room of the list; one that is not in memory is read, and not kept there."""
        if (room := self._rooms.peek(info.id)) is not None:
            return _shown(room)
        try:
            records = await self._log.read(info.id)
            make = partial(Room, info.id, self._log, self._world, records)
            return replace(_shown(await asyncio.to_thread(make)), loaded=False)
        except Exception:  # whatever it is that it holds: the others are sound
            return AdminRoom(info=replace(info, spectators=0))

    def _list_people(self, request: ask.Admin) -> Page[Person]:
        """The connections, in the order in which they came."""
        after = request.after or "0"
        if not (after.isascii() and after.isdigit() and len(after) < 20):
            raise Refused(ErrorCode.BAD_OPTION, "there is no such place in the list")
        network = None if request.address is None else network_of(request.address)
        found = [
            guest
            for guest in self._guests
            if guest.number > int(after)
            and request.id in (None, guest.identity.id)
            and (request.room is None or request.room in guest.rooms)
            and (network is None or lies_in(guest.address, network))
        ]
        found.sort(key=lambda guest: guest.number)
        return _page(((str(guest.number), _person(guest)) for guest in found), request.limit)

    # Who may not

    def _ban(self, request: ask.Admin, kind: str) -> Ban:
        now = self._world.now_ms()
        return about(
            Ban(
                kind=kind,  # type: ignore[arg-type]
                id=request.id,
                address=request.address if kind == "ban" else None,
                room=request.room if kind == "kick" else None,
                since=now,
                until=None if request.seconds is None else now + request.seconds * 1000,
                reason=_reason(request),
            )
        )

    async def _add(self, request: ask.Admin, visitor: Visitor) -> Administered:
        ban = self._ban(request, request.act)
        _check_whom(ban)
        if ban.kind == "ban" and not request.force:
            self._check_not_himself(ban, visitor)
        if ban.kind == "kick":
            return await self._kick(await self._room(request), ban)
        await self._bans.add(ban)
        if ban.kind == "mute":
            here = sum(guest.identity.id == ban.id for guest in self._guests)
            return Administered(act="mute", count=here, elsewhere=self._elsewhere)
        held = [ban] if ban.address is not None else None  # it may be more than was said
        count = self.enforce()
        return Administered(act=request.act, bans=held, count=count, elsewhere=self._elsewhere)

    async def _kick(self, room: Room, ban: Ban) -> Administered:
        id_ = ban.id or ""
        if not room.people.is_seated(id_):
            raise Refused(ErrorCode.NOT_SEATED, f"{id_} has no seat there", room=room.id)
        await self._bans.add(ban)  # first: whoever is unseated may ask for a seat at once
        try:
            await room.order(partial(unseat, id_))
        except Refused:
            await self._bans.lift(ban)
            raise
        return Administered(act="kick")

    def _check_not_himself(self, ban: Ban, visitor: Visitor) -> None:
        """Let nobody lock himself out by accident.

        Raises:
            Refused: He would.

        """
        if ban.address is not None:
            network = network_of(ban.address)
            if any(net.version == network.version and net.overlaps(network) for net in LOOPBACK):
                message = f"{ban.address} is this machine itself: whoever runs the server uses it"
                raise Refused(ErrorCode.BAD_OPTION, f"{message} (force does it all the same)")
            if lies_in(visitor.address, network):
                message = f"{ban.address} is where you are"
                raise Refused(ErrorCode.BAD_OPTION, f"{message} (force does it all the same)")
        elif ban.id == visitor.identity.id:
            raise Refused(ErrorCode.BAD_OPTION, "that is you (force does it all the same)")

    def enforce(self) -> int:
        """Send away whoever is banned by now; how many that were."""
        count = 0
        for guest in list(self._guests):
            if ban := self._bans.banned(guest.identity.id, guest.address):
                guest.close_soon(CloseCode.FORBIDDEN, self._bans.close_reason(ban))
                count += 1
        return count

    def _notify(self, text: str) -> int:
        """Tell everybody something, on all servers; how many could be told on this one."""
        said = clean_text(text)
        if not said:
            raise Refused(ErrorCode.BAD_OPTION, "an empty notice")
        self._tell_others(said)
        return self.notify(said)

    def notify(self, text: str) -> int:
        """Tell everybody on this server something; how many could be told."""
        frames = Frames(Notice(text=text))
        greeted = [guest for guest in self._guests if guest.identity.id]
        return sum(guest.offer(frames[guest.encoding]) for guest in greeted)


def _check_whom(ban: Ban) -> None:
    """Let nothing be ordered about nobody: a slip is no identity that will ever come.

    Raises:
        Refused: It is no identity.

    """
    if ban.id is None or is_id(ban.id):
        return
    if is_network(ban.id):
        message = f"{ban.id} is an address: "
        message += "say it as `address`" if ban.kind == "ban" else "orders like this are for an id"
    else:
        message = f"{ban.id} is no identity: they look like gq3tcobyga4t"
    raise Refused(ErrorCode.BAD_OPTION, message)


def _reason(request: ask.Admin) -> str | None:
    return clean_text(request.reason or "") or None


def _is_behind(name: str, request: ask.Admin) -> bool:
    return request.after is None or name > request.after


def _page(items: Iterable[tuple[str, T]], limit: int) -> Page[T]:
    """The first of some named items, and the name of the last one if there are more."""
    page = list(islice(items, limit + 1))
    more = len(page) > limit
    page = page[:limit]
    return [item for _, item in page], page[-1][0] if more else None


def _shown(room: Room) -> AdminRoom:
    return AdminRoom(info=room.whole_entry(), loaded=True, seats=list(room.state.seats))


def _person(guest: Guest) -> Person:
    return Person(
        number=guest.number,
        id=guest.identity.id,
        name=guest.identity.name,
        address=guest.address,
        encoding=guest.encoding.name.lower(),
        rooms=list(guest.rooms),
        since=guest.since_ms,
        waiting=guest.socket.waiting,
    )
