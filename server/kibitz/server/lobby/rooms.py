"""All rooms: made, found, brought back from the log, let go of, listed.

Promises: a room is in memory once, however many ask for it at the same time; a room without
anybody in it leaves memory, stays in the log and comes back when asked for.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial

import structlog

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.fairness import SECRET_BYTES
from kibitz.protocol.requests import Create, Present, Rematch, RequestBase

from ..access.entrance import Entrance
from ..dealing.winnable import NOBODY, Asker, WinnableDeals
from ..identity import Identity
from ..limits.rates import Rate
from ..limits.settings import SAYS, Limits
from ..log.log import Conflict, EventLog, GoneBack
from ..log.record import Record
from ..neighbours.following import Following
from ..pace import Gently
from ..room.clock import Clock
from ..room.decide import another
from ..room.ids import ROOM_ID_BYTES, id_from
from ..room.room import Room
from ..sockets.turn import Turn
from ..storage.kept import PutAway
from ..world import World
from .creation import Start, check_same, create
from .directory import Directory
from .held import Held
from .pledges import Pledge, secret_for
from .succession import present, rematch

AGAIN_MS = 200
"""When those come again whose room the log has lost the latest of."""
PATIENCE_MS = 2000
"""How long each of the servers has, one after the other, to wake a room that nobody is in."""

log = structlog.get_logger("kibitz.rooms")


class Rooms:
    """The rooms of one server."""

    def __init__(
        self,
        log: EventLog,
        world: World,
        says: Rate = SAYS,
        turn: Turn | None = None,
        limits: Limits | None = None,
        winnable: WinnableDeals | None = None,
    ) -> None:
        self._log = log
        self._turn = turn or Turn()
        self._world = world
        self._says = says
        limits = limits or Limits()
        self._idle, self._most = limits.idle_room, limits.events_per_room
        self._gently = Gently(world.monotonic)
        self.held = Held(limits)
        self.winnable = winnable
        self._following = Following(log)
        self._following.on_gone_back = self._gone_back
        self._rooms: dict[str, Room] = {}
        self._loading: dict[str, asyncio.Future[Room | None]] = {}
        self.entrance = Entrance(world)
        self._going_on = asyncio.Lock()
        self._leaving: dict[str, asyncio.Future[None]] = {}
        """Rooms that are being put away."""
        self.clock = Clock(world, self._wake)
        self.directory = Directory(log, world, self.clock, self._rooms)
        self.listing, self.days = self.directory.listing, self.directory.days
        self.on_crowded: Callable[[str], object] = lambda id_: None
        """Told of a room to which other servers should not write for a moment."""

    async def open(self) -> None:
        """Learn from the log which rooms there are, and when they have to be woken."""
        await self.directory.open()
        await self.entrance.open(self._log)

    async def _wake(self, id_: str) -> None:
        patient = self.directory.patient
        if id_ not in self._rooms and id_ not in patient:
            first = self.directory.elsewhere.rank(id_) + bool(
                self.directory.elsewhere.here(id_).total
            )
            if first:
                patient.add(id_)
                self.clock.set(id_, self._world.now_ms() + first * PATIENCE_MS)
                return
        patient.discard(id_)
        room = await self.get(id_)
        await room.wake()
        self.clock.set(id_, room.due, room.seq)

    def __len__(self) -> int:
        return len(self._rooms)

    def __iter__(self) -> Iterator[Room]:
        return iter(list(self._rooms.values()))

    async def create(
        self,
        request: Create,
        who: Identity,
        start: Start | None = None,
        name: str | None = None,
        pledge: Pledge | None = None,
        asker: Asker = NOBODY,
    ) -> Room:
        """A new room; of a request named for good, the room it made the first time.

        Args:
            request: What is wished for.
            who: Who wishes it.
            start: Where it begins, if that is not what the request says.
            name: What names it, if that is not what the request says.
            pledge: The secret that is kept for who asks.
            asker: Who waits for it.

        Raises:
            Refused: The wish cannot be fulfilled.

        """
        name = request.i if name is None and isinstance(request.i, str) else name
        id_ = self._new_id(who.secret, name)
        if name and (there := await self._find(id_)):
            check_same(there.state, request, start)
            return there
        password = None
        if request.password:
            password = await self.entrance.hash(request.password, asker.is_gone)
        secret = secret_for(request.pledge, pledge, self._world.random_bytes)
        record = create(request, who, self._world.now_ms(), secret, password, start)
        if request.winnable:
            draw = await self._draw(record, secret, request.nonce, asker)
            record = create(request, who, self._world.now_ms(), secret, password, start, draw)
        if pledge is not None and request.pledge is not None:
            pledge.secret = None  # used up, even if nobody knows whether that was written
        room = await self._add(id_, record)
        if room is None:
            room = await self.get(id_)
            check_same(room.state, request, start)
        return room

    async def daily(self, request: Create, who: Identity) -> Room:
        """The room of somebody for the deal of the day.

        Raises:
            Refused: The wish is for something else as well.

        """
        await self._check_name(request, who)
        start = self.days.start(request)
        wish = Create(game=request.game, daily=True, visibility="unlisted")
        return await self.create(wish, who, start, self.days.name(request.game))

    async def _check_name(self, request: RequestBase, who: Identity) -> None:
        """See that a name does not stand for a room that was made otherwise.

        Raises:
            Refused: It does.

        """
        named = isinstance(request.i, str) and await self._find(self._new_id(who.secret, request.i))
        if named:
            raise another(request)

    async def rematch(
        self, room: Room, who: Identity, request: Rematch | None = None, asker: Asker = NOBODY
    ) -> Room:
        """The room in which the series goes on; everybody in this one is told.

        Raises:
            Refused: The game has not ended, or has none after it.

        """
        request = request or Rematch(room=room.id)
        await self._check_name(request, who)
        room.answered(request, who)
        known = room.state.course.next  # older ones follow from what the game opens at its end
        id_ = known or self._new_id(self.entrance.secret, f"the room after {room.id}")
        secret, draw = self._world.random_bytes(SECRET_BYTES), None
        if room.state.course.winnable and await self._find(id_) is None:
            record = rematch(room.id, room.state, who, self._world.now_ms(), secret)
            draw = await self._draw(record, secret, None, asker)
        async with self._going_on:  # many ask at the same moment: one of them makes it
            there = await self._find(id_)
            if there is None:
                now = self._world.now_ms()
                record = rematch(room.id, room.state, who, now, secret, draw)
                there = await self._add(id_, record) or await self.get(id_)
            await room.go_on(id_, who, request)
        return there

    async def present(self, request: Present, room: Room, who: Identity) -> Room:
        """A replay room that shows a finished game; of a request named for good, the first one.

        Raises:
            Refused: It is the name of another request.

        """
        id_ = self._new_id(who.secret, request.i if isinstance(request.i, str) else None)
        shown = room.people.stage(None).state
        record = present(room.id, shown, who, self._world.now_ms(), request.unlisted)
        there = await self._find(id_) or await self._add(id_, record) or await self.get(id_)
        if record.secret is None or there.state.secret.wish != record.secret.wish:
            raise another(request)
        return there

    async def _add(self, id_: str, record: Record) -> Room | None:
        """A new room from its first record; ``None`` if it was made at the same time elsewhere.

        Raises:
            Refused: Who makes it has too many games that are not over.

        """
        self.held.check(record.by, self._world.now_ms())
        room = self._made(id_, [record])
        try:
            await self._log.append(id_, 0, [record], room.whole_entry())
        except Conflict:
            return None
        first = record.events[0]
        log.info("created", room=id_, identity=record.by, game=first.game, mode=first.mode)
        # somebody may have read it meanwhile
        return self._rooms.get(id_) or self._adopt(room, fresh=True)

    async def _draw(self, record: Record, secret: bytes, nonce: str | None, asker: Asker) -> int:
        """The number of a deal that is known to be winnable, for a room of which all else is said.

        Raises:
            Refused: There is none.

        """
        self.held.check(record.by, self._world.now_ms())
        if self.winnable is None:
            raise Refused(ErrorCode.BAD_OPTION, "this server looks for no winnable deals")
        return await self.winnable.draw(record.events[0], secret, nonce, asker)

    def _new_id(self, secret: bytes, name: str | None) -> str:
        """An id that nobody guesses: by chance, or from a name and a secret."""
        raw = self._world.random_bytes(ROOM_ID_BYTES)
        if name is not None:
            raw = hmac.digest(secret, name.encode(), "sha256")[:ROOM_ID_BYTES]
        return id_from(raw)

    async def get(self, id_: str) -> Room:
        """A room by its id, from memory or from the log.

        Raises:
            Refused: There is none.

        """
        room = await self._find(id_)
        if room is None:
            if await self._log.find_away(id_) is not None:
                raise PutAway(id_)
            raise Refused(ErrorCode.NO_ROOM, f"there is no room {id_}", room=id_)
        room.idle_since = self._world.monotonic()
        return room

    def at_hand(self, id_: str) -> Room | None:
        """A room that is in memory."""
        if room := self._rooms.get(id_):
            room.idle_since = self._world.monotonic()
        return room

    def peek(self, id_: str) -> Room | None:
        """The same, looked at by nobody who is or comes in."""
        return self._rooms.get(id_)

    async def put_away(self, id_: str, pack: Callable[[Room], Awaitable[bytes | None]]) -> bool:
        """Put a room away that nobody has; whether so.

        Args:
            id_: The room.
            pack: What is to be kept of it; ``None``: it has to stay.

        Raises:
            LogFailure: It could not be written; the room stays.

        """
        if id_ in self._rooms or id_ in self._loading or id_ in self._leaving:
            return False
        if self.directory.elsewhere.here(id_).total or self.directory.elsewhere.rank(id_):
            return False
        gone = self._leaving[id_] = asyncio.get_running_loop().create_future()
        try:
            room = await self._played(id_)
            kept = await pack(room) if room else None
            if room is None or kept is None:
                return False
            await self._log.put_away(id_, room.seq, kept)
        except Conflict:
            return False
        finally:
            del self._leaving[id_]
            gone.set_result(None)
        self.directory.put_away(id_)
        return True

    async def _find(self, id_: str) -> Room | None:
        while leaving := self._leaving.get(id_):
            await asyncio.shield(leaving)
        return self._rooms.get(id_) or await self._load(id_)

    async def _load(self, id_: str) -> Room | None:
        if loading := self._loading.get(id_):
            return await asyncio.shield(loading)
        loading = self._loading[id_] = asyncio.ensure_future(self._read(id_))
        try:
            return await asyncio.shield(loading)
        finally:
            self._loading.pop(id_, None)

    async def _read(self, id_: str) -> Room | None:
        room = await self._played(id_)
        return self._rooms.get(id_) or (self._adopt(room) if room else None)

    async def _played(self, id_: str) -> Room | None:
        """A room as its records make it, gone through beside everything else."""
        if not (records := await self._log.read(id_)):
            return None
        return await asyncio.to_thread(self._made, id_, self._gently(records))

    def _made(self, id_: str, records: Iterable[Record]) -> Room:
        return Room(id_, self._log, self._world, records, self._says, self._turn, self._most)

    def _adopt(self, room: Room, *, fresh: bool = False) -> Room:
        room.on_change = self._note
        room.writing.on_crowded = partial(self.on_crowded, room.id)
        room.writing.on_gone_back = partial(self._gone_back, room.id)
        room.people.on_player = partial(self.directory.player_came, room.id)
        self._rooms[room.id] = room
        self.clock.set(room.id, room.due, room.seq)
        room.people.elsewhere = self.directory.elsewhere.here(room.id)
        self._following.begin(room)
        self.held.count(room, self._world.now_ms())
        if fresh or self.listing.entry(room.id) is None:
            self._note(room, fresh=fresh)
        return room

    def _note(self, room: Room, *, fresh: bool = False) -> None:
        """Remember how a room stands."""
        if room.state.over:
            self.held.count(room, self._world.now_ms())
        self.directory.note(room, fresh=fresh)

    def sweep(self) -> None:
        """Let go of rooms that nobody has been in for a while."""
        now = self._world.monotonic()
        self.held.forget(self._world.now_ms())
        self.directory.forget_woken()
        for room in self:
            if room.idle and room.idle_since <= now - self._idle:
                self._let_go(room)
        self.listing.trim(self._rooms)

    def _let_go(self, room: Room) -> None:
        del self._rooms[room.id]
        self._following.end(room.id)
        self.listing.forget(room.id)

    def _gone_back(self, id_: str, error: GoneBack) -> None:
        """Its latest is in the log no longer: whoever is there comes again and sees what is."""
        if room := self._rooms.get(id_):
            log.error("gone back", room=room.id, seq=room.seq, head=error.head)
            room.gone_back = error
            self._let_go(room)
            self.clock.set(room.id, None)
            room.people.send_away(f"the log has gone back; retry_ms={AGAIN_MS}")

    def give_way(self, id_: str) -> None:
        """Another server cannot write to a room because we do all the time."""
        if room := self._rooms.get(id_):
            room.writing.give_way()

    def tell_presence(self) -> None:
        """Push who is here to every room where somebody came or went."""
        for room in self:
            if room.people.tell_presence():
                self._note(room)

    def refresh_laggards(self) -> None:
        """Give fresh views to spectators who fell behind and can read again."""
        for room in self:
            room.people.refresh_laggards()

    async def close(self) -> None:
        """Hear of nothing any more."""
        await self._following.close()
