"""A room as those see it to whom it is shown later, by the policy's ``delay``.

Promises: an event is shown so many seconds after it happened, by its own time; before that not
its number, not its hash, nothing that follows from it leaves the server. Never: wait.
"""

from collections import deque
from dataclasses import dataclass

from msgspec.structs import replace

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.replies import Thought
from kibitz.protocol.views import Event

from ..log.record import Record
from ..sockets.turn import Turn
from .stage import Read, Stage
from .state import RoomState


@dataclass(frozen=True, slots=True)
class _Later:
    """What is thought, to be shown behind all that happened before it."""

    at: int
    thought: Thought


class Late:
    """The stage that lags behind."""

    def __init__(
        self, id_: str, created: Record, started: int, delay: int, read: Read, turn: Turn
    ) -> None:
        """Show nothing yet.

        Args:
            id_: The room.
            created: Its first record.
            started: When it was created, Unix ms.
            delay: Seconds.
            read: Reads its log.
            turn: When those who are here are told.

        """
        self._id = id_
        self._created = created
        self._shift = started + delay * 1000
        self._delay = delay
        self._read = read
        self._turn = turn
        self._pending: deque[Event | _Later] = deque()
        self.begun: Stage | None = None
        """The stage; ``None`` before its first event."""

    @property
    def due(self) -> int | None:
        """When the next event is to be shown, Unix ms."""
        return self._shift + self._pending[0].at if self._pending else None

    def add(self, record: Record) -> None:
        """Something has happened."""
        self._pending += record.events

    def share(self, thought: Thought, at: int) -> None:
        """Somebody thought something ``at`` that time, ms; what he thought last counts."""
        if self._pending and isinstance(self._pending[-1], _Later):
            self._pending.pop()
        self._pending.append(_Later(at, thought))

    def stage(self, now: int) -> Stage:
        """What may be seen of the room.

        Raises:
            Refused: Nothing yet.

        """
        if self.begun is None:
            message = f"this room is shown {self._delay} seconds late; come back then"
            retry = max(1, (self.due or now) - now)
            raise Refused(ErrorCode.FORBIDDEN, message, room=self._id, retry_ms=retry)
        return self.begun

    def release(self, now: int) -> bool:
        """Show what is due; whether there was anything."""
        shown = False
        while (due := self.due) is not None and due <= now:
            self._show(self._pending.popleft())
            shown = True
        return shown

    def _show(self, event: Event | _Later) -> None:
        if isinstance(event, _Later):
            if self.begun is not None:
                self.begun.crowd.share(event.thought)
            return
        if self.begun is None:
            state = RoomState(replace(self._created, events=[event], i=None))
            self.begun = Stage(self._id, state, self._read, self._turn)
            self.begun.note([event])
            return
        self.begun.state.apply_event(event)
        self.begun.tell(self.begun.note([event]))
