"""Everybody in a room: who they are, and how they are told.

Promises: one message is encoded once an encoding, and the same bytes go to everybody; nobody
slow keeps anybody waiting. Players are told first, and one who cannot keep up is closed with 4408
and resumes by number; who looks on misses events and then gets a fresh view. Never: decide, read
cards.
"""

import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import msgspec

from kibitz.protocol.codes import CloseCode
from kibitz.protocol.replies import Position, Presence, Thought
from kibitz.protocol.views import Event, Role

from ..sockets.frames import Frames
from ..sockets.turn import Turn
from .audience import EVERYTHING, Audience
from .fanout import Fanout, Told
from .listener import Listener


@dataclass(slots=True)
class Member:
    """How a connection takes part and what it sees; ``lagging`` while it misses events."""

    role: Role
    audience: Audience = EVERYTHING
    lagging: bool = False


class Views(dict[Audience, Frames]):
    """The frames of a fresh view, made for each audience when first asked for."""

    def __init__(self, position: Callable[[Audience], Position]) -> None:
        super().__init__()
        self._position = position

    def __missing__(self, audience: Audience) -> Frames:
        frames = self[audience] = Frames(self._position(audience))
        return frames


class Crowd:
    """The connections in one room."""

    def __init__(self, turn: Turn) -> None:
        self._members: dict[Listener, Member] = {}
        self._players: dict[Listener, Member] = {}
        self._lagging: dict[Listener, Member] = {}
        self._lookers_on = Fanout(turn, partial(Crowd._fall_behind, weakref.proxy(self)))
        self.identities: Counter[str] = Counter()
        """The connections that each identity has here."""
        self.changed = False
        """Whether somebody came, went, sat down or stood up since :meth:`tell_presence`."""
        self._came = False
        self._presence: Presence | None = None

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, listener: object) -> bool:
        return listener in self._members

    # Who is here

    def role(self, listener: Listener) -> Role | None:
        """How a connection takes part, if it does."""
        member = self._members.get(listener)
        return member.role if member else None

    def players(self) -> set[str]:
        """The identities that play here."""
        return {listener.identity.id for listener in self._players}

    def among(self, identities: set[str | None], *, is_: bool) -> list[Listener]:
        """The connections of all who are among these, or of all who are not."""
        return [each for each in self._members if (each.identity.id in identities) is is_]

    def add(self, listener: Listener, role: Role, audience: Audience = EVERYTHING) -> None:
        """Somebody is here, or is here anew; one connection an identity may play."""
        self._forget(listener)
        member = self._members[listener] = Member(role, audience)
        self.identities[listener.identity.id] += 1
        self.changed = self._came = True
        if role == "player":
            self.replace(listener.identity.id)
            self._players[listener] = member
        else:
            self._lookers_on.add(listener, audience)

    def replace(self, who: str) -> None:
        """An identity plays elsewhere from now on."""
        for other in list(self._players):
            if other.identity.id == who:
                self.remove(other)
                other.close_soon(CloseCode.REPLACED, "this seat was taken over elsewhere")

    def remove(self, listener: Listener) -> None:
        """Somebody is here no longer, if he was."""
        self.changed = self._forget(listener) or self.changed

    def _forget(self, listener: Listener) -> bool:
        if self._members.pop(listener, None) is None:
            return False
        self._players.pop(listener, None)
        self._lagging.pop(listener, None)
        self._lookers_on.remove(listener)
        id_ = listener.identity.id
        self.identities[id_] -= 1
        if not self.identities[id_]:
            del self.identities[id_]
        return True

    # How they are told

    def tell(self, event: Event) -> None:
        """Send an event, as each may see it, to everybody who keeps up."""
        told = Told(event)
        for listener, member in self._players.items():
            if member.lagging:
                continue
            if not listener.offer(told.to(member.audience, listener.encoding)):
                self._fall_behind(listener)
        self._lookers_on.tell(told)

    def _fall_behind(self, listener: Listener) -> None:
        member = self._members.get(listener)
        if member is None:
            return
        member.lagging = True
        listener.fell_behind(member.role)
        if member.role == "player":
            listener.close_soon(CloseCode.TOO_SLOW, "too slow: resume by number")
        else:
            self._lookers_on.remove(listener)
            self._lagging[listener] = member

    def hurry(self, listener: Listener) -> None:
        """Tell somebody at once what he would be told soon: something else is said to him next."""
        self._lookers_on.hurry(listener)

    def look_again(
        self, sees: Callable[[str], Audience], position: Callable[[Audience], Position] | None
    ) -> None:
        """Give a fresh view to everybody who sees more, or less, than he did.

        Args:
            sees: What an identity may see now.
            position: Makes the view; ``None``: nobody needs one.

        """
        views = Views(position) if position is not None else None
        for listener, member in self._members.items():
            audience = sees(listener.identity.id)
            if audience == member.audience:
                continue
            self.hurry(listener)
            member.audience = audience
            if member.lagging:
                continue
            if member.role == "spectator":
                self._lookers_on.add(listener, audience)
            if views is not None and not listener.offer(views[audience][listener.encoding]):
                self._fall_behind(listener)

    def tell_presence(self, presence: Presence) -> None:
        """Push who is here, if that is not what was said last or somebody has not heard it."""
        if self._came or presence != self._presence:
            self._push(presence)
        self.changed = self._came = False
        self._presence = presence

    def share(self, thought: Thought) -> None:
        """Push what a player thinks to those who see his board."""
        self._push(thought, thought.board)

    def _push(self, message: msgspec.Struct, board: int | None = None) -> None:
        """Send something that may be missed; about a ``board``, to those who see it."""
        told = Told(message, board)
        for listener, member in self._players.items():
            frames = told.to(member.audience, listener.encoding)
            if frames and not member.lagging:
                listener.offer(frames)
        self._lookers_on.tell(told)

    def refresh(self, position: Callable[[Audience], Position]) -> None:
        """Give a fresh view to the lookers-on who fell behind and have room again."""
        views = Views(position)
        for listener, member in list(self._lagging.items()):
            if listener.is_drained() and listener.offer(views[member.audience][listener.encoding]):
                member.lagging = False
                del self._lagging[listener]
                self._lookers_on.add(listener, member.audience)
