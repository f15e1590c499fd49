"""How those who look on are told: the same bytes to many, in slices, several events at once.

Promises: everybody gets what was told while he was here, once and in order; who is not ready for
it gets it by his own outbox, and whose outbox is full is handed back. What is told within one
turn of the loop leaves in one write; a large crowd is told at most once in ``GATHER_SECONDS``.
Never: decide who may see what.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import structlog

from kibitz.protocol.views import Event
from kibitz.protocol.wire import Encoding

from ..sockets.descriptors import write_all
from ..sockets.frames import Frames
from ..sockets.turn import Turn
from .audience import Audience, stub
from .listener import Listener

log = structlog.get_logger("kibitz.fanout")

GATHER_FROM = 100
"""So many lookers-on are a large crowd."""
GATHER_SECONDS = 0.02
"""How long an event may wait for the next one; one that comes alone is told at once."""


class Told:
    """A message to everybody: of a masked event, its stub to those who may not see it.

    One about a ``board`` that is no event is for those who see that, and others get nothing.
    """

    __slots__ = ("_board", "_event", "_stub", "_whole")

    def __init__(self, message: msgspec.Struct, board: int | None = None) -> None:
        self._board = board
        self._event = message if isinstance(message, Event) and message.salt is not None else None
        self._whole = Frames(message)
        self._stub: Frames | None = None

    def to(self, audience: Audience, encoding: Encoding) -> bytes:
        """Its frame for some of them."""
        if self._board is not None and not audience.sees(self._board):
            return b""
        if self._event is None or audience.sees_event(self._event):
            return self._whole[encoding]
        if self._stub is None:
            self._stub = Frames(stub(self._event))
        return self._stub[encoding]


Lane = tuple[Audience, Encoding]
"""Those who get the same bytes."""


@dataclass(slots=True)
class _Delivery:
    """Bytes and who is still to get them."""

    frames: bytes
    to: list[Listener]


class Fanout:
    """Those who look on in a room and keep up."""

    def __init__(self, turn: Turn, give_up: Callable[[Listener], None]) -> None:
        """Nobody is here yet.

        Args:
            turn: When the bytes leave.
            give_up: Told of everybody whose outbox is full, so that he is removed.

        """
        self._turn = turn
        self._give_up = give_up
        self._lane_of: dict[Listener, Lane] = {}
        self._lanes: dict[Lane, dict[Listener, None]] = {}
        self._pending: list[Told] = []
        self._ahead: dict[Listener, int] = {}
        """Who needs only what is pending from this place on."""
        self._under_way: list[_Delivery] = []
        self._told_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, listener: Listener, audience: Audience) -> None:
        """Somebody is here who has been told everything so far."""
        self.remove(listener)
        lane = self._lane_of[listener] = (audience, listener.encoding)
        self._lanes.setdefault(lane, {})[listener] = None
        if self._pending:
            self._ahead[listener] = len(self._pending)

    def remove(self, listener: Listener) -> None:
        """Somebody is here no longer and is told nothing more."""
        lane = self._lane_of.pop(listener, None)
        if lane is None:
            return
        del self._lanes[lane][listener]
        if not self._lanes[lane]:
            del self._lanes[lane]
        self._ahead.pop(listener, None)
        self._take_out(listener)

    def tell(self, told: Told) -> None:
        """Tell everybody, soon."""
        if self._lane_of:
            self._pending.append(told)
            self._end_soon()

    def hurry(self, listener: Listener) -> None:
        """Tell one of them at once what he would be told soon."""
        lane = self._lane_of.get(listener)
        if lane is None or not (self._pending or self._under_way):
            return
        frames = self._take_out(listener) + self._frames(lane, self._ahead.get(listener, 0))
        self._ahead[listener] = len(self._pending)
        self._offer(listener, frames)

    def _take_out(self, listener: Listener) -> bytes:
        """Take somebody out of a delivery under way; what he has not got of it.

        It is looked for in a list: only while slices of a large crowd are left, and fast.
        """
        for delivery in self._under_way:
            if listener in delivery.to:
                delivery.to.remove(listener)
                return delivery.frames
        return b""

    def _frames(self, lane: Lane, start: int = 0) -> bytes:
        return b"".join([told.to(*lane) for told in self._pending[start:]])

    def _offer(self, listener: Listener, frames: bytes) -> None:
        if frames and not listener.offer(frames):
            self._give_up(listener)

    # The end of a turn (sockets.turn.Slices)

    def begin(self) -> bool:
        """Begin to tell what is pending; whether there is anything to be told now."""
        if self._under_way or not self._pending or self._timer is not None:
            return False
        loop = asyncio.get_running_loop()
        if len(self._lane_of) >= GATHER_FROM:
            due = self._told_at + GATHER_SECONDS
            if loop.time() < due:
                self._timer = loop.call_at(due, self._gathered)
                return False
            self._told_at = loop.time()
        ahead, self._ahead = self._ahead, {}
        for lane, listeners in self._lanes.items():
            to = [each for each in listeners if each not in ahead] if ahead else list(listeners)
            if frames := self._frames(lane):
                self._under_way.append(_Delivery(frames, to))
        late = [(each, self._frames(self._lane_of[each], n)) for each, n in ahead.items()]
        self._pending.clear()
        for listener, frames in late:
            self._offer(listener, frames)
        return True

    def _gathered(self) -> None:
        self._timer = None
        self._end_soon()

    def _end_soon(self) -> None:
        self._turn.crowds.append(self)
        self._turn.end_soon()

    def tell_some(self, most: int) -> int:
        """Tell at most so many of them; how many were told. Fewer than that: it is done."""
        count = 0
        while self._under_way and count < most:
            delivery = self._under_way[-1]
            slice_ = delivery.to[count - most :]
            del delivery.to[count - most :]
            try:
                for listener in write_all(slice_, delivery.frames):
                    self._offer(listener, delivery.frames)
            except Exception:
                log.exception("not told")
                for listener in slice_:  # whoever has got it gets a fresh view all the same
                    self._give_up(listener)
            count += len(slice_)
            if not delivery.to:
                self._under_way.pop()
        if not self._under_way and self._pending:
            self._end_soon()
        return count
