"""Everybody in a room: who they are, and how they are told.

Promises: one message is encoded once an encoding, and the same bytes go to everybody; nobody
slow keeps anybody waiting. A player or bot that cannot keep up is closed with 4408 and resumes by
number; a spectator misses events and then gets a fresh view. Never: decide, read cards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from kibitz.protocol.codes import CloseCode
from kibitz.protocol.replies import Position, Presence
from kibitz.protocol.views import Event, Role
from kibitz.protocol.wire import Encoding, Frame, encode

from .audience import EVERYTHING, Audience, stub
from .identity import Identity


class Listener(Protocol):
    """What a room needs of a connection."""

    identity: Identity
    encoding: Encoding

    def offer(self, frame: Frame) -> bool:
        """Send now if there is room in the outbox; ``False`` if there is not."""
        ...

    def is_drained(self) -> bool:
        """Whether the outbox is empty again."""
        ...

    def close_soon(self, code: CloseCode, reason: str) -> None:
        """Close without waiting for it."""
        ...


@dataclass(slots=True)
class Member:
    """How a connection takes part and what it sees; ``lagging`` while it misses events."""

    role: Role
    audience: Audience = EVERYTHING
    lagging: bool = False


class Frames:
    """The frames of one message, each made when first asked for."""

    def __init__(self, message: msgspec.Struct) -> None:
        self._message = message
        self._frames: dict[Encoding, Frame] = {}

    def __getitem__(self, encoding: Encoding) -> Frame:
        frame = self._frames.get(encoding)
        if frame is None:
            frame = self._frames[encoding] = encode(self._message, encoding)
        return frame


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

    def __init__(self) -> None:
        self._members: dict[Listener, Member] = {}
        self.changed = False
        """Whether somebody came, went, sat down or stood up since :meth:`tell_presence`."""
        self._came = False
        self._presence: Presence | None = None

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, listener: object) -> bool:
        return listener in self._members

    def role(self, listener: Listener) -> Role | None:
        """How a connection takes part, if it does."""
        member = self._members.get(listener)
        return member.role if member else None

    def identities(self, role: Role) -> set[str]:
        """The distinct identities that are here in a role."""
        return {c.identity.id for c, member in self._members.items() if member.role == role}

    def among(self, identities: set[str | None], *, is_: bool) -> list[Listener]:
        """The connections of all who are among these, or of all who are not."""
        return [each for each in self._members if (each.identity.id in identities) is is_]

    def add(self, listener: Listener, role: Role, audience: Audience = EVERYTHING) -> None:
        """Somebody is here, or is here anew; one connection an identity may play."""
        self._members[listener] = Member(role, audience)
        self.changed = self._came = True
        if role == "player":
            self._replace_others(listener)

    def _replace_others(self, listener: Listener) -> None:
        for other, member in list(self._members.items()):
            same = other.identity.id == listener.identity.id and member.role == "player"
            if same and other is not listener:
                del self._members[other]
                other.close_soon(CloseCode.REPLACED, "this seat was taken over elsewhere")

    def remove(self, listener: Listener) -> bool:
        """Somebody is gone; whether he was here."""
        gone = self._members.pop(listener, None) is not None
        self.changed = self.changed or gone
        return gone

    def tell(self, event: Event) -> None:
        """Send an event, as each may see it, to everybody who keeps up."""
        whole = Frames(event)
        masked = Frames(stub(event)) if event.salt is not None else whole
        for listener, member in self._members.items():
            frames = whole if member.audience.sees_event(event) else masked
            if member.lagging or listener.offer(frames[listener.encoding]):
                continue
            member.lagging = True
            if member.role == "player":
                listener.close_soon(CloseCode.TOO_SLOW, "too slow: resume by number")

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
            member.audience = audience
            if views is not None and not member.lagging:
                member.lagging = not listener.offer(views[audience][listener.encoding])

    def tell_presence(self, presence: Presence) -> None:
        """Push who is here, if that is not what was said last or somebody has not heard it."""
        if self._came or presence != self._presence:
            self.push(presence)
        self.changed = self._came = False
        self._presence = presence

    def push(self, message: msgspec.Struct) -> None:
        """Send something that may be missed."""
        frames = Frames(message)
        for listener, member in self._members.items():
            if not member.lagging:
                listener.offer(frames[listener.encoding])

    def refresh(self, position: Callable[[Audience], Position]) -> None:
        """Give a fresh view to the spectators who fell behind and have room again."""
        views = Views(position)
        for listener, member in self._members.items():
            if member.lagging and member.role == "spectator" and listener.is_drained():
                member.lagging = not listener.offer(views[member.audience][listener.encoding])
