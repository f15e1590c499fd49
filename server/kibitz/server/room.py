"""One room: a command at a time is decided, written down, then told to everybody in it.

Promises: ``ok`` only after the log has it. ``apply`` is the one way in for records, our own and
those others wrote; on a conflict we catch up and decide once more. Never: rules, sockets.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from kibitz.engine.saves import write
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.hashing import HASH_SIZE, chain
from kibitz.protocol.replies import Joined, Ok, Position, Presence
from kibitz.protocol.views import Event, Role, RoomInfo, Seat

from .audience import opened, public
from .crowd import Crowd, Listener
from .decide import change, is_same, note, sit_down, stand_up
from .identity import Identity
from .log import Conflict, EventLog
from .record import Record
from .state import RoomState
from .world import World

RECENT = 256
"""Public events kept in memory for those who resume; older ones are read from the log."""
MAX_MISSED = 1000
"""Most events given to somebody who resumes; who missed more gets a view."""
MAX_CONFLICTS = 8
"""Times a command is decided anew because somebody else wrote first."""

KINDS_OF: dict[type[ask.RequestBase], str] = {
    ask.Move: "move",
    ask.Undo: "undo",
    ask.Redo: "redo",
    ask.Restart: "restart",
    ask.Resign: "resigned",
    ask.Say: "say",
    ask.Save: "saved",
    ask.Cheat: "cheated",
}
"""The kind of event that each command makes first."""


class Room:
    """A room in memory."""

    def __init__(self, id_: str, log: EventLog, world: World, records: Sequence[Record]) -> None:
        """Take over a room from its records; what comes later comes by :meth:`apply`."""
        self.id = id_
        self.state = RoomState(records[0])
        self.crowd = Crowd()
        self.idle_since = world.monotonic()
        self.on_change: Callable[[Room], None] = lambda room: None
        self._log = log
        self._world = world
        self._lock = asyncio.Lock()
        self._hashes = bytearray()
        self._recent: deque[Event] = deque(maxlen=RECENT)
        self._note(records[0])
        for record in records[1:]:
            self.apply(record)

    @property
    def seq(self) -> int:
        """Number of the last event."""
        return self.state.seq

    @property
    def idle(self) -> bool:
        """Whether nobody is here and nothing is under way."""
        return not self.crowd and not self._lock.locked()

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
        same = done.kind == KINDS_OF.get(type(request)) and is_same(self.state, request, done)
        if not same:
            raise Refused(ErrorCode.BAD_MESSAGE, f"{name} is the name of another request")
        return self._ok(done.last)

    async def submit(self, request: ask.Change, who: Identity) -> Ok:
        """Decide a command, write it down, tell everybody.

        Raises:
            Refused: It is not allowed; nothing has changed.
            LogFailure: It could not be written; nothing has changed.

        """
        at = self._now
        return await self._write(who, lambda: change(self.state, request, who, at()), request)

    async def note(self, kind: str, who: Identity, request: ask.Save | ask.Cheat | None) -> Ok:
        """Write down an event that moves no card: ``saved``, ``cheated``."""
        return await self._write(
            who, lambda: [note(self.state, kind, who.id, self._now())], request
        )

    async def sit(self, who: Identity) -> None:
        """See that an identity has a seat: its own, a free or an abandoned one.

        Raises:
            Refused: There is none.

        """
        await self._write(who, lambda: self._sit_down(who))

    def _sit_down(self, who: Identity) -> list[Event]:
        here = self.crowd.identities("player") | self.crowd.identities("spectator")
        return sit_down(self.state, who, here, self._now())

    async def stand_up(self, who: Identity) -> None:
        """Give the seat of an identity up, if it has one."""
        await self._write(who, lambda: stand_up(self.state, who, self._now()))

    async def _write(
        self,
        who: Identity,
        decide: Callable[[], list[Event]],
        request: ask.RequestBase | None = None,
    ) -> Ok:
        name = request.i if request and isinstance(request.i, str) else None
        async with self._lock:
            for _ in range(MAX_CONFLICTS):
                if request is not None and (done := self.answered(request, who)):
                    return done
                events = decide()
                if not events:
                    return self._ok(self.seq)
                record = Record(events=events, by=who.id, i=name)
                try:
                    await self._log.append(self.id, self.seq, record, self._entry_after(record))
                except Conflict:
                    await self.catch_up()
                    continue
                self.apply(record)
                return self._ok(record.last)
        raise Refused(ErrorCode.INTERNAL, "the room is too busy; try again", retry_ms=100)

    def _now(self) -> int:
        return max(self.state.at, self._world.now_ms() - self.state.started)

    def _ok(self, seq: int) -> Ok:
        return Ok(room=self.id, seq=seq, hash=self.hash_at(seq))

    async def catch_up(self) -> None:
        """Apply what the log has and we have not."""
        for record in await self._log.read(self.id, self.seq):
            self.apply(record)

    def apply(self, record: Record) -> None:
        """Let a durable record happen: change the state, tell the crowd."""
        self.state.apply(record)
        for event in self._note(record):
            self.crowd.tell(event)
        self.on_change(self)

    def _note(self, record: Record) -> list[Event]:
        """Make the public events and extend the hash chain."""
        events = [public(event, self.id) for event in record.events]
        for event in events:
            self._hashes += chain(bytes(self._hashes[-HASH_SIZE:]), event)
            self._recent.append(event)
        return events

    # Members

    async def admit(self, listener: Listener, role: Role, request: ask.Join | None) -> Joined:
        """Let a connection follow the room from this moment on.

        Nothing is awaited between taking the snapshot and joining the crowd, so the answer and
        the first event after it leave no gap.
        """
        after = request.from_ if request else None
        same = after is not None and request is not None and self._is_at(after, request.hash)
        missed: list[Event] | None = None
        if same and after is not None and self.seq - after <= MAX_MISSED:
            missed = []
            while after < self.seq:
                missed += await self.events(after, self.seq)
                after = missed[-1].seq
        already = listener in self.crowd
        seat = self.state.seat_of(listener.identity.id) if role == "player" else None
        role = "player" if seat else "spectator"
        self.crowd.add(listener, role)
        return Joined(
            room=self.id,
            role=role,
            seat=seat.seat if seat else None,
            board=0 if seat else None,
            seq=self.seq,
            hash=self.hash_at(self.seq),
            info=self.state.info,
            view=self.state.view() if missed is None else None,
            events=missed,
            fork=after is not None and not same,
            already=already,
        )

    def _is_at(self, seq: int, hash_: str | None) -> bool:
        return seq <= self.seq and (seq == 0 or self.hash_at(seq) == hash_)

    def dismiss(self, listener: Listener) -> None:
        """A connection follows the room no longer."""
        self.crowd.remove(listener)
        self.idle_since = self._world.monotonic()

    # Reading

    def hash_at(self, seq: int) -> str:
        """The hash after event ``seq``, hex; empty if there is none."""
        return self._hashes[(seq - 1) * HASH_SIZE : seq * HASH_SIZE].hex() if seq > 0 else ""

    def position(self) -> Position:
        """The room as everybody may see it now."""
        at = self.hash_at(self.seq)
        return Position(room=self.id, seq=self.seq, hash=at, view=self.state.view())

    async def events(self, after: int, to: int) -> list[Event]:
        """The public events ``after`` < seq <= ``to``: from memory, or else from the log."""
        if self._recent[0].seq <= after + 1:
            return [event for event in self._recent if after < event.seq <= to]
        return [public(event, self.id) for event in await self._read(after, to)]

    async def opened_events(self, after: int, to: int) -> list[Event]:
        """The same events with every card named; only of a game that has ended."""
        assert self.state.over, "cards are opened when the game has ended"
        return [opened(event, self.id) for event in await self._read(after, to)]

    async def _read(self, after: int, to: int) -> list[Event]:
        records = await self._log.read(self.id, after, limit=to - after)
        events = (event for record in records for event in record.events)
        return [event for event in events if after < event.seq <= to]

    def save_text(self) -> str:
        """The save text of the whole position: it names hidden cards."""
        state = self.state
        return write(state.game, state.positions[0].board.table, state.secret.deal)

    def presence(self) -> Presence:
        """Who is here: distinct watching identities, and the seats whose player is connected."""
        here = self.crowd.identities("player")
        seats = [seat.seat for seat in self.state.seats if seat.id in here]
        watching = len(self.crowd.identities("spectator"))
        return Presence(room=self.id, spectators=watching, players=seats)

    def entry(self) -> RoomInfo:
        """The room's entry in the lobby."""
        state = self.state
        return RoomInfo(
            id=self.id,
            game=state.game.name,
            mode=state.mode,
            players=_names(state.seats),
            seats=len(state.seats),
            spectators=len(self.crowd.identities("spectator")),
            seq=state.seq,
            score=state.game.score(state.positions[0].board.table),
            status=state.status,
            started=state.started,
            visibility=state.visibility,
        )

    def _entry_after(self, record: Record) -> RoomInfo:
        """The entry as it will be when the record has happened."""
        entry, seats = replace(self.entry(), seq=record.last), list(self.state.seats)
        for event in record.events:
            if event.seat and event.kind in ("joined", "left"):
                taken = event.kind == "joined"
                seats[event.seat - 1] = Seat(event.seat, event.by if taken else None, event.name)
            score = entry.score if event.score is UNSET else event.score
            entry = replace(entry, score=score, status=event.result or entry.status)
        return replace(entry, players=_names(seats))


def _names(seats: list[Seat]) -> list[str]:
    return [seat.name or "" for seat in seats if seat.id]
