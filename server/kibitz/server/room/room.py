"""One room: commands are decided, written down, then told to everybody in it.

Promises: ``ok`` only after the log has it (:mod:`.writing`). ``happen`` is the one way in for
records, our own and those others wrote. Never: rules, sockets.
"""

import asyncio
import contextlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.replies import Ok
from kibitz.protocol.views import Event, Kind, RoomInfo

from ..identity import Identity
from ..limits.buckets import Buckets
from ..limits.rates import Rate
from ..limits.settings import MAX_EVENTS, SAYS
from ..limits.table import Over
from ..log.log import EventLog, GoneBack
from ..log.record import Record
from ..sockets.turn import Turn
from ..world import World
from . import race
from .continuing import check_next, tied
from .decide import KINDS_OF, another, change, check_open, is_same, note, sit_down, stand_up
from .entries import entry_of
from .here import Here
from .length import check_length
from .listener import Listener
from .people import People
from .stage import Stage, read_events
from .state import RoomState
from .writing import Command, Writing, ignore, settle

MARK_EVENTS = 64
"""A copy of the state is kept every so many events: from there the past is gone through."""
Decide = Callable[[RoomState], list[Event]]
Order = Callable[[RoomState, set[str], int], list[Event]]
COMMENTS = "comments per identity and room"
ON_DRAFT = (ask.Move, ask.Undo, ask.Redo, ask.Restart, ask.Say)
"""Commands that may be decided behind others which are not written yet, on a copy of the state."""


class Room:
    """A room in memory."""

    def __init__(
        self,
        id_: str,
        log: EventLog,
        world: World,
        records: Iterable[Record],
        says: Rate = SAYS,
        turn: Turn | None = None,
        most: int = MAX_EVENTS,
    ) -> None:
        """Take over a room from its records; what comes later comes by :meth:`happen`."""
        coming = iter(records)
        first = next(coming)
        self.id = id_
        self.state = RoomState(first)
        turn = turn or Turn()
        self.people = People(id_, first, self.state, partial(read_events, log, id_), world, turn)
        self.idle_since = world.monotonic()
        """When somebody was here or asked for it last, monotonic seconds."""
        self.on_change: Callable[[Room], None] = lambda room: None
        """Told after everything that happens here."""
        self.gone_back: GoneBack | None = None
        """What has become of it in the log, if that has no longer what is here: all is over."""
        self._log = log
        self._world = world
        self.writing = Writing(self, turn)
        self._marks: list[RoomState] = []
        self._written_entry: RoomInfo | None = None
        """The entry that was handed to the log last."""
        self._coming = 0
        self._unsettled = False
        """Whether a racer has gone, so that the others may no longer have to wait for him."""
        self._says = Buckets(says)
        self._most = most
        self.people.note(first)
        self._mark()
        for record in coming:
            self._take_up(record)
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
        return not waits and not self._coming and not self.writing.busy and self.people.is_empty()

    @contextlib.contextmanager
    def coming(self) -> Iterator[None]:
        """While somebody is about to come in, the room is not idle."""
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    @property
    def due(self) -> int | None:
        """When it has to be woken, Unix ms."""
        if self.state.mode != "race" and self.people.sees_at_once(None):
            return None
        if self._unsettled:
            return self._world.now_ms()
        at = race.due_at(self.state.course)
        times = (None if at is None else self.state.started + at, self.people.due)
        return min((time for time in times if time is not None), default=None)

    # One command

    def answered(self, request: ask.RequestBase, who: Identity) -> Ok | None:
        """The answer that a command named for good got the first time, if it was done.

        Asked before somebody's right to a command is looked at, for he may have lost it since, and
        once more when it is decided, for the same name may have come twice.

        Raises:
            Refused: That name stands for another command.

        """
        name = request.i
        done = self.state.answered.get(who.id, {}).get(name) if isinstance(name, str) else None
        if done is None:
            return None
        kind = KINDS_OF.get(type(request), done.kind)
        if done.kind != kind or not is_same(self.state, request, done):
            raise another(request)
        return self.ok(done.last, who)

    def take(
        self,
        request: ask.Change,
        who: Identity,
        answer: Callable[[Ok | Exception], None],
        pay: Callable[[float], None] | None = None,
    ) -> None:
        """Have a command decided and written down, then tell everybody; ``answer`` is told last.

        Where it takes long to decide, ``pay`` is told how many seconds.

        Raises:
            Refused: There are too many comments, or its name is another's; nothing has changed.

        """
        if isinstance(request, ask.Say) and not self.answered(request, who):
            self._check_says(who)
        self._keep_time()
        decide = partial(self._bounded, partial(self._change, request, who))
        on_draft = isinstance(request, ON_DRAFT)
        self.writing.add(Command(decide, answer, who, request, on_draft, pay))

    def _change(self, request: ask.Change, who: Identity, state: RoomState) -> list[Event]:
        ready, resign = isinstance(request, ask.Ready), isinstance(request, ask.Resign)
        here = self.people.players() if ready else self.people.here() if resign else set[str]()
        return change(state, request, who, self._now(), here)

    def _bounded(self, decide: Decide, state: RoomState) -> list[Event]:
        """What somebody asked for, if the room is not too long for it."""
        events = decide(state)
        check_length(self.id, state, events, self._most)
        return events

    async def submit(self, request: ask.Change, who: Identity) -> Ok:
        """Wait until a command is decided and written down.

        Raises:
            Refused: It is not allowed; nothing has changed.
            LogFailure: It could not be written; nothing has changed.

        """
        done: asyncio.Future[Ok] = asyncio.get_running_loop().create_future()
        self.take(request, who, partial(settle, done))
        return await done

    async def wake(self) -> None:
        """Let happen what is due by itself, and show what is due."""
        for decide in self._overdue():
            await self._write(None, decide)

    def _keep_time(self) -> None:
        """What is due happens before what is asked for now, however late we are woken."""
        if self.due is not None and self.due <= self._world.now_ms():
            for decide in self._overdue():
                self.writing.add(Command(decide, ignore))

    def _overdue(self) -> Iterator[Decide]:
        """What happens by itself, one after the other, once what is due is shown."""
        if self.people.release():
            self.on_change(self)
        yield self._due
        if self._unsettled:
            yield self._settled

    def _due(self, state: RoomState) -> list[Event]:
        return race.due(state, self._now())

    def _settled(self, state: RoomState) -> list[Event]:
        events = race.settled(state, self.people.players(), self._now())
        self._unsettled = bool(events)  # until they have happened
        return events

    async def go_on(self, next_: str, who: Identity, request: ask.Rematch) -> None:
        """Tell everybody where the series goes on."""
        await self._write(who, lambda state: self._rematch(state, next_, who), request)

    def _rematch(self, state: RoomState, next_: str, who: Identity) -> list[Event]:
        if state.course.next:
            return []
        return [replace(note(state, "rematch", who.id, self._now()), next=next_)]

    def _check_says(self, who: Identity) -> None:
        if wait := self._says.take(who.id, self._world.monotonic()):
            raise Over(COMMENTS, wait).refused(self.id)

    async def note(self, kind: Kind, who: Identity, request: ask.Save | ask.Cheat | None) -> Ok:
        """Write down an event that moves no card: ``saved``, ``cheated``."""
        return await self._write(who, partial(self._note, kind, who), request)

    def _note(self, kind: Kind, who: Identity, state: RoomState) -> list[Event]:
        check_open(state)
        return [note(state, kind, who.id, self._now())]

    async def sit(self, who: Identity) -> None:
        """See that an identity has a seat: its own, a free or an abandoned one.

        Raises:
            Refused: There is none.

        """
        self._keep_time()
        await self._write(who, partial(self._sit_down, who))

    def _sit_down(self, who: Identity, state: RoomState) -> list[Event]:
        here = self.people.here()
        try:
            return sit_down(state, who, here, self._now())
        except Refused:
            if self.people.sees_at_once(None):
                raise
        # why not, as far as it is shown
        sit_down(self.people.stage(None).state, who, here, self._now())
        raise Refused(ErrorCode.FULL, "every seat is taken")

    async def stand_up(self, who: Identity, leaver: Listener | None = None) -> None:
        """Give the seat of an identity up, if it has one; ``leaver`` is about to leave anyway."""
        self._keep_time()
        with self.people.leaving(leaver):
            await self._write(who, partial(self._stand_up, who))

    def _stand_up(self, who: Identity, state: RoomState) -> list[Event]:
        return stand_up(state, who, self.people.players(), self._now())

    async def order(
        self, decide: Order, who: Identity | None = None, request: ask.SeatBot | None = None
    ) -> Ok:
        """Do what nobody in the room does.

        Args:
            decide: The events, of the room as it is, the players that are here, and the time.
            who: Who asks; ``None``: nobody does.
            request: How.

        """
        self._keep_time()
        return await self._write(who, partial(self._order, decide), request)

    def _order(self, decide: Order, state: RoomState) -> list[Event]:
        return decide(state, self.people.players(), self._now())

    async def _write(
        self, who: Identity | None, decide: Decide, request: ask.RequestBase | None = None
    ) -> Ok:
        done: asyncio.Future[Ok] = asyncio.get_running_loop().create_future()
        bounded = decide if who is None else partial(self._bounded, decide)
        self.writing.add(Command(bounded, partial(settle, done), who, request))
        return await done

    def _now(self) -> int:
        return max(self.state.at, self._world.now_ms() - self.state.started)

    # What the writing needs (writing.Written)

    def append(self, records: Sequence[Record]) -> asyncio.Future[None]:
        """Hand records to the log, with the entry that the room will have then."""
        if self.gone_back is not None:
            raise self.gone_back
        if self._log.channel is not None:
            records = tied(records, self.live.hash_at(self.seq))
        ahead = [event for record in records for event in record.events]
        self._written_entry = self._entry(self.state, ahead)
        return self._log.append(self.id, self.seq, records, self._written_entry)

    def ok(self, seq: int, who: Identity | None) -> Ok:
        """The answer to a command; how far the room is, only to those who may know."""
        if not self.people.sees_at_once(who.id if who else None):
            return Ok(room=self.id)
        return Ok(room=self.id, seq=seq, hash=self.live.hash_at(seq))

    async def catch_up(self, head: int) -> None:
        """Let happen what the log has and we have not; its last event is ``head``, or later."""
        self._written_entry = None  # what it says has not happened
        if self._log.channel is None or self.seq < head:  # else we have heard of it
            self.happen(await self._log.read(self.id, self.seq))

    def happen(self, records: Sequence[Record]) -> None:
        """Let durable records happen, unless they have: change the state, tell the crowd.

        Raises:
            GoneBack: They belong to another history than the room's.

        """
        for record in records:
            if record.last > self.seq:  # else it was heard before it was answered, or read
                check_next(record, self.seq, self.live.hash_at(self.seq))
                self.people.tell(self._take_up(record))
        self.on_change(self)

    def hear(self, records: Sequence[Record]) -> None:
        """Let happen what the log says that anybody has written."""
        if records[-1].last > self.seq:
            self._written_entry = None  # what it says may never happen
            self.writing.heard()
            self.happen(records)

    def _take_up(self, record: Record) -> list[Event]:
        """Change the state; the public events."""
        self.state.apply(record)
        if self._unsettled and record.events[-1].kind == "countdown":
            self._unsettled = False
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
        if seated:
            self._racer_gone()

    def met(self, elsewhere: Here) -> None:
        """Others are here on other servers than before."""
        gone = set(self.people.elsewhere.seated).difference(elsewhere.seated)
        self.people.elsewhere = elsewhere
        if gone:
            self._racer_gone()

    def _racer_gone(self) -> None:
        if self.state.course.race and not self.state.course.is_released():
            self._unsettled = True
            self.on_change(self)

    # Reading

    def mark(self, seq: int) -> RoomState | None:
        """The last state kept that is not later than event ``seq``, not to be changed."""
        at = bisect_right(self._marks, seq, key=lambda state: state.seq)
        return self._marks[at - 1] if at else None

    def entry(self) -> RoomInfo | None:
        """The room's entry in the lobby: what is shown to everybody, if anything is."""
        stage = self.people.public_stage()
        if stage is None:
            return None
        written = self._written_entry  # most often nothing has happened since
        if written is None or stage is not self.live or written.seq != self.seq:
            return self._entry(stage.state)
        now = self.people.spectators(self.state)
        return written if written.spectators == now else self._entry(stage.state)

    def whole_entry(self) -> RoomInfo:
        """The entry that the log keeps."""
        return self._entry(self.state)

    def _entry(self, state: RoomState, ahead: Sequence[Event] = ()) -> RoomInfo:
        return entry_of(self.id, state, self.people.spectators(state), ahead)
