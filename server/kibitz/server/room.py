"""One room: a command at a time is decided, written down, then told to everybody in it.

Promises: ``ok`` only after the log has it. ``apply`` is the one way in for records, our own and
those others wrote; on a conflict we catch up and decide once more. Never: rules, sockets.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from kibitz.engine import formats
from kibitz.engine.saves import write
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.replies import Ok
from kibitz.protocol.views import Event, Kind, RoomInfo

from . import race
from .crowd import Listener
from .decide import KINDS_OF, change, is_same, note, sit_down, stand_up
from .entries import entry_of
from .identity import Identity
from .log import Conflict, EventLog
from .people import People
from .record import Record
from .stage import Stage
from .state import RoomState
from .throttle import Rate, Throttle
from .world import World

MAX_CONFLICTS = 8
"""Times a command is decided anew because somebody else wrote first."""
MARK_EVENTS = 64
"""A copy of the state is kept every so many events: from there the past is gone through."""
SAYS = Rate(per_second=1.0, burst=10.0)
"""Comments that somebody may make in one room."""


class Room:
    """A room in memory."""

    def __init__(
        self,
        id_: str,
        log: EventLog,
        world: World,
        records: Sequence[Record],
        says: Rate = SAYS,
    ) -> None:
        """Take over a room from its records; what comes later comes by :meth:`apply`."""
        first, *rest = records
        self.id = id_
        self.state = RoomState(first)
        self.people = People(id_, first, self.state, self.read, world)
        self.idle_since = world.monotonic()
        self.on_change: Callable[[Room], None] = lambda room: None
        self._log = log
        self._world = world
        self._lock = asyncio.Lock()
        self._marks: list[RoomState] = []
        self._unsettled = False
        """Whether a racer has gone, so that the others may no longer have to wait for him."""
        self._says_rate = says
        self._says: dict[str, Throttle] = {}
        self.people.note(first)
        self._mark()
        for record in rest:
            self._happen(record)
        self.people.release()

    @property
    def seq(self) -> int:
        """Number of the last event."""
        return self.state.seq

    @property
    def live(self) -> Stage:
        """The room as it is."""
        return self.people.live

    @property
    def idle(self) -> bool:
        """Whether nobody is here, nothing is under way and nothing is still to be shown."""
        waits = self.people.due is not None
        return not waits and not self._lock.locked() and self.people.is_empty()

    @property
    def due(self) -> int | None:
        """When it has to be woken, Unix ms."""
        if self._unsettled:
            return self._world.now_ms()
        at = race.due_at(self.state.course)
        times = (None if at is None else self.state.started + at, self.people.due)
        return min((time for time in times if time is not None), default=None)

    # One command

    def answered(self, request: ask.RequestBase, who: Identity) -> Ok | None:
        """The answer that a command named for good got the first time, if it was done.

        Raises:
            Refused: That name stands for another command.

        """
        name = request.i
        done = self.state.answered.get((who.id, name)) if isinstance(name, str) else None
        if done is None:
            return None
        kind = KINDS_OF.get(type(request), done.kind)
        same = done.kind == kind and is_same(self.state, request, done)
        if not same:
            raise Refused(ErrorCode.BAD_MESSAGE, f"{name} is the name of another request")
        return self._ok(done.last, who)

    async def submit(self, request: ask.Change, who: Identity) -> Ok:
        """Decide a command, write it down, tell everybody.

        Raises:
            Refused: It is not allowed; nothing has changed.
            LogFailure: It could not be written; nothing has changed.

        """
        if isinstance(request, ask.Say) and not self.answered(request, who):
            self._check_says(who)
        await self._keep_time()
        at = self._now
        here = partial(self.people.here, "player")
        return await self._write(
            who, lambda: change(self.state, request, who, at(), here()), request
        )

    async def wake(self) -> None:
        """Let happen what is due by itself, and show what is due."""
        if self.people.release():
            self.on_change(self)
        await self._write(None, lambda: race.due(self.state, self._now()))
        if self._unsettled:
            self._unsettled = False
            here = partial(self.people.here, "player")
            await self._write(None, lambda: race.settled(self.state, here(), self._now()))

    async def _keep_time(self) -> None:
        """What is due happens before what is asked for now, however late we are woken."""
        if self.due is not None and self.due <= self._world.now_ms():
            await self.wake()

    async def go_on(self, next_: str, who: Identity) -> None:
        """Tell everybody where the series goes on."""
        await self._write(who, lambda: self._rematch(next_, who))

    def _rematch(self, next_: str, who: Identity) -> list[Event]:
        if self.state.course.next:
            return []
        return [replace(note(self.state, "rematch", who.id, self._now()), next=next_)]

    def _check_says(self, who: Identity) -> None:
        throttle = self._says.get(who.id)
        if throttle is None:
            throttle = Throttle(self._says_rate, self._world.monotonic)
            self._says[who.id] = throttle
        if wait := throttle.wait_ms():
            message = "too many comments; take a breath"
            raise Refused(ErrorCode.RATE_LIMITED, message, room=self.id, retry_ms=wait)

    async def note(self, kind: Kind, who: Identity, request: ask.Save | ask.Cheat | None) -> Ok:
        """Write down an event that moves no card: ``saved``, ``cheated``."""
        return await self._write(
            who, lambda: [note(self.state, kind, who.id, self._now())], request
        )

    async def sit(self, who: Identity) -> None:
        """See that an identity has a seat: its own, a free or an abandoned one.

        Raises:
            Refused: There is none.

        """
        await self._keep_time()
        await self._write(who, lambda: self._sit_down(who))

    def _sit_down(self, who: Identity) -> list[Event]:
        here = self.people.here("player", "spectator")
        try:
            return sit_down(self.state, who, here, self._now())
        except Refused:
            if self.people.sees_at_once(None):
                raise
        # why not, as far as it is shown
        sit_down(self.people.stage(None).state, who, here, self._now())
        raise Refused(ErrorCode.FULL, "every seat is taken")

    async def stand_up(self, who: Identity, leaver: Listener | None = None) -> None:
        """Give the seat of an identity up, if it has one; ``leaver`` is about to leave anyway."""
        await self._keep_time()
        here = partial(self.people.here, "player")
        with self.people.leaving(leaver):
            await self._write(who, lambda: stand_up(self.state, who, here(), self._now()))

    async def _write(
        self,
        who: Identity | None,
        decide: Callable[[], list[Event]],
        request: ask.RequestBase | None = None,
    ) -> Ok:
        name = request.i if request and isinstance(request.i, str) else None
        async with self._lock:
            for _ in range(MAX_CONFLICTS):
                if (
                    request is not None
                    and who is not None
                    and (done := self.answered(request, who))
                ):
                    return done
                events = decide()
                if not events:
                    return self._ok(self.seq, who)
                record = Record(events=events, by=who.id if who else None, i=name)
                entry = self._entry(self.state, events)
                try:
                    await self._log.append(self.id, self.seq, [record], entry)
                except Conflict:
                    await self.catch_up()
                    continue
                self.apply(record)
                return self._ok(record.last, who)
        raise Refused(ErrorCode.INTERNAL, "the room is too busy; try again", retry_ms=100)

    def _now(self) -> int:
        return max(self.state.at, self._world.now_ms() - self.state.started)

    def _ok(self, seq: int, who: Identity | None) -> Ok:
        """The answer to a command; how far the room is, only to those who may know."""
        if not self.people.sees_at_once(who.id if who else None):
            return Ok(room=self.id)
        return Ok(room=self.id, seq=seq, hash=self.live.hash_at(seq))

    async def catch_up(self) -> None:
        """Apply what the log has and we have not."""
        for record in await self._log.read(self.id, self.seq):
            self.apply(record)

    def apply(self, record: Record) -> None:
        """Let a durable record happen: change the state, tell the crowd."""
        self.people.tell(self._happen(record))
        self.on_change(self)

    def _happen(self, record: Record) -> list[Event]:
        """Change the state; the public events."""
        self.state.apply(record)
        self._mark()
        return self.people.note(record)

    def _mark(self) -> None:
        if not self._marks or self.seq >= self._marks[-1].seq + MARK_EVENTS:
            self._marks.append(self.state.copy())

    def dismiss(self, listener: Listener) -> None:
        """A connection follows the room no longer."""
        seated = self.people.is_seated(listener.identity.id)
        self.people.dismiss(listener)
        self.idle_since = self._world.monotonic()
        if seated and self.state.course.race and not self.state.course.is_released():
            self._unsettled = True
            self.on_change(self)

    # Reading

    def mark(self, seq: int) -> RoomState | None:
        """The last state kept that is not later than event ``seq``, not to be changed."""
        at = bisect_right(self._marks, seq, key=lambda state: state.seq)
        return self._marks[at - 1] if at else None

    async def read(self, after: int, to: int) -> list[Event]:
        """The full events ``after`` < seq <= ``to`` from the log."""
        records = await self._log.read(self.id, after, limit=to - after)
        events = (event for record in records for event in record.events)
        return [event for event in events if after < event.seq <= to]

    def save_text(self, board: int, format_: str | None = None) -> str:
        """The save text of a whole position, or its text for another program.

        It names hidden cards.

        Raises:
            Refused: That format cannot say it.

        """
        state = self.state
        table = state.positions[board].board.table
        if format_ is None:
            return write(state.game, table, state.secret.deal)
        try:
            return formats.write(format_, state.game, table)
        except formats.Unfit as error:
            raise Refused(ErrorCode.BAD_OPTION, str(error)) from None

    def entry(self) -> RoomInfo | None:
        """The room's entry in the lobby: what is shown to everybody, if anything is."""
        stage = self.people.public_stage()
        return self._entry(stage.state) if stage else None

    def whole_entry(self) -> RoomInfo:
        """The entry that the log keeps."""
        return self._entry(self.state)

    def _entry(self, state: RoomState, ahead: Sequence[Event] = ()) -> RoomInfo:
        return entry_of(self.id, state, self.people.spectators(state), ahead)
