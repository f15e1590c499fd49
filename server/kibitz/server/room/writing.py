"""How commands are decided and written: in the order in which they came, together if they can.

While some are being written others come. Those are decided next, each on what the one before it
has made of the room, and written together: all or none. Promises: a command is answered once the
log has it, and nothing of it happens before; on a conflict we catch up and decide once more, after
a pause that grows, if it happens again and again or nothing is there to catch up with. Who
is farther from the log than others loses to them each time they write without a rest: he asks
them to hold back, and whoever is asked writes nothing until somebody else has, or for a moment.
Never: rules, sockets, who may do what.
"""

import asyncio
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol, cast

import structlog

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.replies import Ok
from kibitz.protocol.requests import RequestBase
from kibitz.protocol.views import Event

from ..identity import Identity
from ..log.log import AWAY, Conflict, GoneBack, Undecided
from ..log.record import Record
from ..sockets.turn import Turn
from .state import RoomState

CONFLICT_SECONDS = 5.0
"""A command that others have been quicker than for so long is given up."""
CROWDED_CONFLICTS = 3
"""Others who were quicker so often in a row are asked to hold back, and then each time again."""
GIVE_WAY_SECONDS = 0.25
"""So long at the most nothing is written because somebody else has asked for that."""
PAUSE_SECONDS = 0.002
"""How long we wait after so many conflicts, or where the log is behind the room; each time twice
as long."""
MAX_PAUSE_SECONDS = 0.25
BEHIND_SECONDS = 3.0
"""If a log is behind the room for so long, it has gone back: who leads it since just now may be."""
MAX_TOGETHER = 64
"""Most commands that are decided together."""
PIECE_SECONDS = 0.004
"""Commands that took so long to decide are written before more are decided."""
DEAR_SECONDS = 0.001
"""A decision that takes longer is counted to who wants it: the search for a dead end, mostly."""
DEAREST_SECONDS = 0.05
"""So much at the most: it may be that the machine had something else to do."""
work_clock = time.perf_counter
late_clock = time.monotonic


log = structlog.get_logger("kibitz.writing")


@dataclass(slots=True)
class Command:
    """What somebody wants.

    Attributes:
        decide: The events that it makes in a room as it is; none: nothing changes.
        answer: Told how it went.
        who: Who wants it; ``None``: nobody, it is due.
        request: How he said it.
        on_draft: Whether it may be decided behind others that are not written yet: it looks at
            nothing but how the room stands and how the boards lie.
        pay: Told the seconds, where it took long to decide.
        late: When somebody else was quicker for the first time, if anybody was.

    """

    decide: Callable[[RoomState], list[Event]]
    answer: Callable[[Ok | Exception], None]
    who: Identity | None = None
    request: RequestBase | None = None
    on_draft: bool = False
    pay: Callable[[float], None] | None = None
    late: float = inf

    @property
    def name(self) -> tuple[str, str] | None:
        """What names it for good: who asked, and how he called it."""
        if self.who is None or self.request is None or not isinstance(self.request.i, str):
            return None
        return self.who.id, self.request.i


Outcome = Record | Ok | int | Exception
"""A record; or the answer it got before; or the number at which nothing changes; or a refusal."""


class Written(Protocol):
    """What is needed of the room."""

    id: str

    @property
    def state(self) -> RoomState:
        """How it is, as far as it is written."""
        ...

    def answered(self, request: RequestBase, who: Identity) -> Ok | None:
        """The answer that a request got the first time, if it was granted before."""
        ...

    def append(self, records: Sequence[Record]) -> asyncio.Future[None]:
        """Hand records to the log."""
        ...

    def happen(self, records: Sequence[Record]) -> None:
        """Let durable records happen."""
        ...

    def ok(self, seq: int, who: Identity | None) -> Ok:
        """The answer to a command that is done, at an event number."""
        ...

    async def catch_up(self, head: int) -> None:
        """Let happen what the log has, up to this event at least, and the room has not."""
        ...


class Writing:
    """The commands of one room."""

    def __init__(self, room: Written, turn: Turn) -> None:
        self._room = weakref.ref(room)
        self._kept: Written | None = None
        """The room, while it is busy: it is not let go of, and afterwards is freed at once."""
        self._turn = turn
        self._commands: deque[Command] = deque()
        self._decided: list[tuple[Command, Outcome]] = []
        self._records: list[Record] = []
        self._spent = 0.0
        """How long it took to decide these."""
        self._catching_up: asyncio.Task[None] | None = None  # held, or it might be collected
        self._conflicts = 0
        """How often in a row somebody else wrote first, of what we are busy with."""
        self._behind = inf
        """Since when the log is behind the room, if it is."""
        self._giving_way: asyncio.TimerHandle | None = None
        """The end of the time in which nothing is written."""
        self.on_crowded: Callable[[], object] = lambda: None
        """Told when others should hold back."""
        self.on_gone_back: Callable[[GoneBack], object] = lambda error: None
        """Told that the log has no longer what the room has."""

    @property
    def busy(self) -> bool:
        """Whether something is still to be decided or written."""
        return self._kept is not None

    def add(self, command: Command) -> None:
        """Decide and write a command, after all that have come before."""
        self._commands.append(command)
        if not self.busy:
            self._kept = self._room()
            self._turn.first(self._decide)

    def give_way(self) -> None:
        """Let somebody else write first, unless we wait for that ourselves."""
        if self._giving_way is None and self._conflicts < CROWDED_CONFLICTS:
            loop = asyncio.get_running_loop()
            self._giving_way = loop.call_later(GIVE_WAY_SECONDS, self._go_ahead)

    def heard(self) -> None:
        """Something was written, and not by us if nothing of ours is on its way."""
        if self._giving_way and not self._records:
            self._go_ahead()

    def _go_ahead(self) -> None:
        """Hold back no longer."""
        if self._giving_way:
            self._giving_way.cancel()
            self._giving_way = None
            if self.busy and not self._records:
                self._turn.first(self._decide)

    @property
    def _target(self) -> Written:
        assert self._kept is not None, "busy"
        return self._kept

    def _decide(self) -> None:
        if self._giving_way or self._records:
            return
        while self._commands:
            try:
                self._decide_some()
            except Exception as error:
                log.exception("not decided", room=self._target.id, seq=self._target.state.seq)
                self._answer(error)
                continue
            if not self._records:
                self._answer()
                continue
            try:
                self._target.append(self._records).add_done_callback(self._written)
            except Exception as error:
                self._answer(error)
            else:
                return
        self._rest()

    def _rest(self) -> None:
        """Nothing is to be written any more, and so nobody needs to hold back for us."""
        self._kept, self._conflicts, self._behind = None, 0, inf

    def _decide_some(self) -> None:
        """Decide those next in line that can be written together."""
        draft = state = self._target.state
        drafted = 0
        names: set[tuple[str, str]] = set()
        self._decided, self._records = [], []
        self._spent = 0.0
        while self._commands and len(self._decided) < MAX_TOGETHER:
            command = self._commands[0]
            if self._records and self._spent > PIECE_SECONDS:
                return
            if self._records and (not command.on_draft or command.name in names):
                return
            if drafted < len(self._records):
                draft = state.copy() if draft is state else draft
                draft.apply(self._records[drafted])
                drafted += 1
            outcome = self._outcome(self._commands.popleft(), draft)
            self._decided.append((command, outcome))
            if isinstance(outcome, Record):
                self._records.append(outcome)
                if command.name is not None:
                    names.add(command.name)

    def _outcome(self, command: Command, state: RoomState) -> Outcome:
        who, request = command.who, command.request
        try:
            if who and request and (done := self._target.answered(request, who)):
                return done
            begun = work_clock()
            events = command.decide(state)
            self._spent += (spent := work_clock() - begun)
            if spent > DEAR_SECONDS and command.pay:
                command.pay(min(spent, DEAREST_SECONDS))
        except Exception as error:
            return error
        if not events:
            return state.seq
        _, i = command.name or (None, None)
        return Record(events=events, by=who.id if who else None, i=i)

    def _written(self, done: asyncio.Future[None]) -> None:
        if done.cancelled():
            error: Exception | None = Undecided("nobody knows whether it was written")
        else:
            error = cast(Exception | None, done.exception())
        if isinstance(error, Conflict):
            self._catching_up = asyncio.create_task(self._decide_again(error))
            return
        self._behind = inf
        if error is None:
            self._conflicts = 0
            try:
                self._target.happen(self._records)
            except Exception as mistake:
                error = mistake
        if isinstance(error, GoneBack):
            self.on_gone_back(error)
        self._answer(error)
        self._go_on()

    async def _catch_up(self, conflict: Conflict) -> None:
        """Let happen what others have written, and rest if that is no way to come first.

        Raises:
            GoneBack: The log has no longer what the room has.

        """
        seq, head = self._target.state.seq, conflict.head
        now, behind = late_clock(), AWAY < head < conflict.expected
        self._behind = min(self._behind, now) if behind else inf
        if now - self._behind >= BEHIND_SECONDS:
            raise GoneBack(seq, head)
        await self._target.catch_up(head)
        if behind or self._conflicts >= CROWDED_CONFLICTS:
            doubled = self._conflicts if behind else self._conflicts - CROWDED_CONFLICTS
            await asyncio.sleep(min(PAUSE_SECONDS * 2 ** min(doubled, 20), MAX_PAUSE_SECONDS))

    async def _decide_again(self, conflict: Conflict) -> None:
        commands = [command for command, _ in self._decided]
        self._conflicts += 1
        if self._giving_way:  # that was somebody else
            self._giving_way.cancel()
            self._giving_way = None
        if self._conflicts >= CROWDED_CONFLICTS:
            self.on_crowded()
        try:
            await self._catch_up(conflict)
        except Exception as error:
            if isinstance(error, GoneBack):
                self.on_gone_back(error)
            self._answer(error)
        else:
            busy = Refused(ErrorCode.INTERNAL, "the room is too busy; try again", retry_ms=100)
            now = late_clock()
            for command in commands:
                command.late = min(command.late, now)
            again = [each for each in commands if now - each.late < CONFLICT_SECONDS]
            self._commands.extendleft(reversed(again))
            late = [each for each in commands if now - each.late >= CONFLICT_SECONDS]
            self._decided = [(each, busy) for each in late]
            self._answer()
        self._go_on()

    def _go_on(self) -> None:
        """Decide what has come meanwhile when it is its turn."""
        if self._commands:
            self._turn.first(self._decide)
        else:
            self._rest()

    def _answer(self, error: Exception | None = None) -> None:
        """Answer what was decided, unless it could not be written."""
        decided, self._decided, self._records = self._decided, [], []
        for command, outcome in decided:
            try:
                command.answer(error or self._said(outcome, command.who))
            except Exception:
                log.exception("not answered", room=self._target.id, seq=self._target.state.seq)

    def _said(self, outcome: Outcome, who: Identity | None) -> Ok | Exception:
        match outcome:
            case Record():
                return self._target.ok(outcome.last, who)
            case int():
                return self._target.ok(outcome, who)
            case _:
                return outcome


def settle(done: asyncio.Future[Ok], outcome: Ok | Exception) -> None:
    """Let who waits know how it went, if he still waits."""
    if done.done():
        return
    if isinstance(outcome, Exception):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)


def ignore(outcome: Ok | Exception) -> None:
    """Nobody waits for it."""
