"""The people in a room: those to whom it is shown at once, and those who see it later.

Who has a seat sees everything at once; all others do, too, unless the room's policy has a
``delay``. Promises: one identity is never on both stages; nobody learns from the stage he follows,
nor from who is said to be here, what is not shown on it yet. Never: decide, write.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import CloseCode
from kibitz.protocol.replies import Joined, Presence, Thought
from kibitz.protocol.views import Event, Role

from ..log.record import Record
from ..sockets.turn import Turn
from ..world import World
from .crowd import Crowd
from .here import NOBODY, Here
from .late import Late
from .listener import Listener
from .stage import Read, Stage
from .state import RoomState


class People:
    """Everybody in one room, on one stage or two."""

    def __init__(
        self,
        id_: str,
        created: Record,
        state: RoomState,
        read: Read,
        world: World,
        turn: Turn,
    ) -> None:
        """Nobody is here yet.

        Args:
            id_: The room.
            created: Its first record.
            state: The room, which goes on; so does what is shown of it.
            read: Reads its log.
            world: Tells the time.
            turn: When those who are here are told.

        """
        self.live = Stage(id_, state, read, turn)
        self._id = id_
        self._state = state
        self._world = world
        self._live_crowd = (self.live.crowd,)
        self._leavers: list[Listener | None] = []
        self._elsewhere = NOBODY
        self.on_player: Callable[[str, Role], None] = lambda who, role: None
        """Told when somebody who has a seat comes, and whether he plays or looks on."""
        delay = state.policy.delay
        self._late = Late(id_, created, state.started, delay, read, turn) if delay else None

    def stage(self, who: str | None) -> Stage:
        """What somebody follows: the room as it is, or as it is shown later.

        Raises:
            Refused: There is nothing to be seen yet.

        """
        if self._late is None or self.is_seated(who):
            return self.live
        return self._late.stage(self._world.now_ms())

    def public_stage(self) -> Stage | None:
        """What everybody may see; ``None``: nothing yet."""
        return self._late.begun if self._late else self.live

    def is_seated(self, who: str | None) -> bool:
        """Whether somebody has a seat."""
        return who is not None and self._state.seat_of(who) is not None

    def sees_at_once(self, who: str | None) -> bool:
        """Whether somebody sees everything as it happens."""
        return self._late is None or self.is_seated(who)

    @property
    def disclosed(self) -> bool:
        """Whether everybody may know that the game has ended."""
        stage = self.public_stage()
        return self._state.ended and stage is not None and stage.state.ended

    @property
    def due(self) -> int | None:
        """When something is to be shown later, Unix ms."""
        return self._late.due if self._late else None

    def is_empty(self) -> bool:
        """Whether nobody is here."""
        return not any(map(len, self._crowds()))

    def _stages(self) -> tuple[Stage, ...]:
        late = self._late.begun if self._late else None
        return (self.live, late) if late else (self.live,)

    def _crowds(self) -> tuple[Crowd, ...]:
        late = self._late.begun if self._late else None
        return (self.live.crowd, late.crowd) if late else self._live_crowd

    # What happens

    def note(self, record: Record) -> list[Event]:
        """Take up what has happened; the public events, to be told."""
        if self._late is not None:
            self._late.add(record)
        return self.live.note(record.events)

    def tell(self, events: Sequence[Event]) -> None:
        """Tell what has happened to those who see it at once."""
        self.live.tell(events)
        if self._late is not None and any(e.kind in ("joined", "left") for e in events):
            self._part(self._late)

    def share(self, thought: Thought) -> None:
        """Show what a player thinks to those who see his board: at once, or when that is due."""
        self.live.crowd.share(thought)
        if self._late is not None:
            now = self._world.now_ms() - self._state.started
            self._late.share(thought, max(self._state.at, now))

    def release(self) -> bool:
        """Show what is due to those who see it later; whether there was anything."""
        return self._late is not None and self._late.release(self._world.now_ms())

    def _part(self, late: Late) -> None:
        """Let those who have a seat see everything at once, and all others see it late."""
        seated = {seat.id for seat in self._state.seats}
        if (begun := late.begun) is not None:
            for listener in begun.crowd.among(seated, is_=True):
                begun.crowd.remove(listener)
                self.live.welcome(listener)
        for listener in self.live.crowd.among(seated, is_=False):
            if listener in self._leavers:
                continue
            self.live.crowd.remove(listener)
            if late.begun is None:
                listener.close_soon(CloseCode.GOING_AWAY, "this room is shown later")
            else:
                late.begun.welcome(listener)

    # Who comes and goes

    async def admit(self, listener: Listener, role: Role, request: ask.Join | None) -> Joined:
        """Let a connection follow the room from this moment on.

        Raises:
            Refused: There is nothing to be seen yet.

        """
        who, missed, fork = listener.identity.id, None, False
        stage = self.stage(who)
        if request is not None:
            missed, fork = await stage.missed(who, request), stage.is_fork(request)
        if stage is not self.stage(who):  # he has got or given up a seat meanwhile
            missed = None
        return replace(self.enter(listener, role, missed), fork=fork)

    def enter(self, listener: Listener, role: Role, missed: list[Event] | None = None) -> Joined:
        """The same for somebody who needs nothing more from the log.

        Raises:
            Refused: There is nothing to be seen yet.

        """
        stage = self.stage(listener.identity.id)
        joined = stage.enter(listener, role, missed)
        for other in self._stages():
            if other is not stage:
                other.crowd.remove(listener)
        if self.is_seated(listener.identity.id):
            self.on_player(listener.identity.id, role)
        return joined

    def replace(self, who: str) -> None:
        """An identity plays on another server from now on."""
        for crowd in self._crowds():
            crowd.replace(who)

    def send_away(self, reason: str) -> None:
        """Everybody is to come again."""
        for crowd in self._crowds():
            for listener in crowd.among(set(), is_=False):
                listener.close_soon(CloseCode.GOING_AWAY, reason)

    def dismiss(self, listener: Listener) -> None:
        """A connection follows the room no longer."""
        for crowd in self._crowds():
            crowd.remove(listener)

    @contextlib.contextmanager
    def leaving(self, leaver: Listener | None) -> Iterator[None]:
        """While somebody stands up who is about to leave anyway, he is sent to no other stage."""
        self._leavers.append(leaver)
        try:
            yield
        finally:
            self._leavers.remove(leaver)

    def role(self, listener: Listener) -> Role | None:
        """How a connection takes part, if it does."""
        for crowd in self._crowds():
            if role := crowd.role(listener):
                return role
        return None

    def hurry(self, listener: Listener) -> None:
        """Tell somebody at once what he would be told soon: something else is said to him next."""
        for crowd in self._crowds():
            crowd.hurry(listener)

    def players(self) -> set[str]:
        """The identities that are here to play, on any server."""
        here = [crowd.players() for crowd in self._crowds()]
        return set[str]().union(self._elsewhere.players, *here)

    def here(self) -> set[str]:
        """The identities that are here; of those on other servers, all that have a seat."""
        here = [crowd.identities for crowd in self._crowds()]
        return set[str]().union(self._elsewhere.seated, *here)

    def spectators(self, state: RoomState) -> int:
        """How many people look on: identities, and none that has a seat as far as this shows."""
        count = self._elsewhere.total
        for crowd in self._crowds():  # nobody is in both
            here = crowd.identities
            count += len(here)
            for seat in state.seats:
                if seat.id in here:
                    count -= 1
        if there := self._elsewhere.seated:
            count -= sum(there.count(seat.id) for seat in state.seats if seat.id)
        return count

    @property
    def elsewhere(self) -> Here:
        """Who is in the room on other servers."""
        return self._elsewhere

    @elsewhere.setter
    def elsewhere(self, here: Here) -> None:
        self._elsewhere = here
        self.live.crowd.changed = True

    def on_this_server(self) -> Here:
        """Who is here, for other servers."""
        crowds = self._crowds()
        shown = {seat.id for stage in self._stages() for seat in stage.state.seats if seat.id}
        return Here(
            sum(len(crowd.identities) for crowd in crowds),
            sorted(who for who in shown if any(who in crowd.identities for crowd in crowds)),
            sorted(set[str]().union(*[crowd.players() for crowd in crowds])),
        )

    def presence(self, state: RoomState) -> Presence:
        """Who is here: how many are looking on, and the seats whose player is connected.

        ``state`` shows who has a seat.
        """
        here = self.players()
        seats = [seat.seat for seat in state.seats if seat.id in here]
        return Presence(room=self._id, spectators=self.spectators(state), players=seats)

    def tell_presence(self) -> bool:
        """Tell who is here if somebody came or went; whether so."""
        changed = any(crowd.changed for crowd in self._crowds())
        for stage in self._stages() if changed else ():
            stage.crowd.tell_presence(self.presence(stage.state))
        return changed

    def refresh_laggards(self) -> None:
        """Give fresh views to spectators who fell behind and can read again."""
        for stage in self._stages():
            stage.crowd.refresh(stage.position)
