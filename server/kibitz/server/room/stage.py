"""What some of the people in a room follow: the room up to an event, and who they are.

A room has one stage for those who see what happens at once, and, where its policy says so,
another for those without a seat, to whom the same is shown later (:mod:`.late`). Promises: nobody
is told, shown or given by number what lies beyond the stage's last event, nor what his audience
may not see. Never: decide, write, know the time.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import cast

import msgspec

from kibitz.protocol import requests as ask
from kibitz.protocol.hashing import HASH_SIZE, chain
from kibitz.protocol.replies import Joined, Position
from kibitz.protocol.views import Event, Kind, Role, View
from kibitz.protocol.wire import Encoding, encode_bytes

from ..log.log import EventLog
from ..pace import PIECE_EVENTS
from ..sockets.frames import framed
from ..sockets.turn import Turn
from .audience import Audience, opened, public, told
from .crowd import Crowd
from .listener import Listener
from .state import RoomState

RECENT = 256
"""Public events kept in memory for those who resume; older ones are read from the log."""
MAX_MISSED = 1000
"""Most events given to somebody who resumes; who missed more gets a view."""
SIGHT_CHANGES: frozenset[Kind] = frozenset(
    {"joined", "left", "won", "resigned", "timeout", "ended"}
)
"""Kinds after which somebody may see more of a race, or less, than before."""

Read = Callable[[int, int], Awaitable[list[Event]]]
"""The full events ``after`` < seq <= ``to`` of the room, from its log."""


class Stage:
    """A room, as far as it is shown to some."""

    def __init__(self, id_: str, state: RoomState, read: Read, turn: Turn) -> None:
        """Begin with a room that has just been created."""
        self.id = id_
        self.state = state
        self.crowd = Crowd(turn)
        self.pace = turn.pace
        self._read = read
        self._hashes = bytearray()
        self._views: dict[tuple[Audience, Encoding], msgspec.Raw] = {}
        self._views_at = 0
        self._recent: deque[Event] = deque(maxlen=RECENT)

    @property
    def seq(self) -> int:
        """Number of the last event that is shown."""
        return self.state.seq

    @property
    def last(self) -> Event:
        """The last event, as everybody may see it who sees its board."""
        return self._recent[-1]

    def note(self, events: Sequence[Event]) -> list[Event]:
        """Extend the hash chain by full events; their public form."""
        shown = [public(event, self.id) for event in events]
        for event in shown:
            self._hashes += chain(bytes(self._hashes[-HASH_SIZE:]), event)
            self._recent.append(event)
        return shown

    def tell(self, events: Sequence[Event]) -> None:
        """Tell public events, which have happened, to the crowd."""
        for event in events:
            self.crowd.tell(event)
            self.crowd.changed = self.crowd.changed or event.kind in ("joined", "left")
        if self.state.mode == "race" and any(event.kind in SIGHT_CHANGES for event in events):
            ended = self.state.ended  # then the last event has laid out every board
            self.crowd.look_again(self.state.audience, None if ended else self.position)

    # Members

    async def missed(self, identity: str, request: ask.Join) -> list[Event] | None:
        """The events between where somebody was and the moment when this returns, as he sees them.

        ``None``: he needs a view.
        """
        since = after = request.from_
        if since is None or after is None or self.is_fork(request):
            return None
        if not self._may_resume(identity, since):
            return None
        audience, found = self.state.audience(identity), list[Event]()
        while after < self.seq:
            found += await self.events(after, self.seq, audience)
            after = found[-1].seq
        same = audience == self.state.audience(identity) and self._may_resume(identity, since)
        return found if same else None

    def is_fork(self, request: ask.Join) -> bool:
        """Whether somebody was somewhere where this room has never been."""
        return request.from_ is not None and not self._is_at(request.from_, request.hash)

    def enter(self, listener: Listener, role: Role, missed: list[Event] | None = None) -> Joined:
        """Let a connection follow from this moment on, with a snapshot if nothing is ``missed``.

        Nothing is awaited between taking the snapshot and joining the crowd, so the answer and
        the first event after it leave no gap.
        """
        identity, state = listener.identity.id, self.state
        already = listener in self.crowd
        seat = state.seat_of(identity) if role == "player" else None
        role, audience = "player" if seat else "spectator", state.audience(identity)
        self.crowd.add(listener, role, audience)
        return Joined(
            room=self.id,
            role=role,
            seat=seat.seat if seat else None,
            board=state.board_of(identity) if seat else None,
            seq=self.seq,
            hash=self.hash_at(self.seq),
            info=state.info,
            view=self._shown(audience, listener.encoding) if missed is None else None,
            events=missed,
            already=already,
        )

    def _shown(self, audience: Audience, encoding: Encoding) -> View:
        """The view for an audience, in its encoded form: the same for all who come now."""
        if self._views_at != self.seq:
            self._views.clear()
            self._views_at = self.seq
        raw = self._views.get((audience, encoding))
        if raw is None:
            raw = msgspec.Raw(encode_bytes(self.state.view(audience), encoding))
            self._views[audience, encoding] = raw
        return cast(View, raw)

    def welcome(self, listener: Listener) -> None:
        """Let a connection that followed another stage look on here, with a fresh view."""
        audience = self.state.audience(listener.identity.id)
        self.crowd.add(listener, "spectator", audience)
        listener.offer(framed(self.position(audience), listener.encoding))

    def _is_at(self, seq: int, hash_: str | None) -> bool:
        return seq <= self.seq and (seq == 0 or self.hash_at(seq) == hash_)

    def _may_resume(self, identity: str, after: int) -> bool:
        """Whether the missed events lead on from what somebody saw then.

        Not if he has come to see more boards since: then he needs a view of them.
        """
        return self.seq - after <= MAX_MISSED and self.state.opened.get(identity, 0) <= after

    # Reading

    def hash_at(self, seq: int) -> str:
        """The hash after event ``seq``, hex; empty if there is none, or none yet."""
        return self._hashes[(seq - 1) * HASH_SIZE : seq * HASH_SIZE].hex() if seq > 0 else ""

    def position(self, audience: Audience) -> Position:
        """The room as an audience may see it now."""
        view = self.state.view(audience)
        return Position(room=self.id, seq=self.seq, hash=self.hash_at(self.seq), view=view)

    async def events(self, after: int, to: int, audience: Audience) -> list[Event]:
        """The events ``after`` < seq <= ``to``, as an audience may see them."""
        to = min(to, self.seq)
        if self._recent[0].seq <= after + 1:
            return [told(event, audience) for event in self._recent if after < event.seq <= to]
        found: list[Event] = []
        for at in range(after, to, PIECE_EVENTS):
            read = await self._read(at, min(to, at + PIECE_EVENTS))
            found += await self.pace.do(partial(self._shown_as, audience, read))
        return found

    def _shown_as(self, audience: Audience, events: Sequence[Event]) -> list[Event]:
        return [told(public(event, self.id), audience) for event in events]

    async def opened_events(self, after: int, to: int) -> list[Event]:
        """The same events with every card named; only of a game that has ended."""
        assert self.state.ended, "cards are opened when the game has ended"
        return [opened(event, self.id) for event in await self._read(after, min(to, self.seq))]


async def read_events(log: EventLog, room: str, after: int, to: int) -> list[Event]:
    """The full events ``after`` < seq <= ``to`` of a room from its log."""
    records = await log.read(room, after, limit=to - after)
    events = (event for record in records for event in record.events)
    return [event for event in events if after < event.seq <= to]
