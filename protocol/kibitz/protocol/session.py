"""The two ends of one connection, without a socket: feed a frame, take what it means.

``ServerSession`` checks order and kind of what comes in; ``ClientSession`` numbers requests,
matches answers and keeps a :class:`~.mirror.Mirror` of every room. Never: wait, send, know time.
"""

from dataclasses import dataclass
from typing import TypeVar

from msgspec.structs import replace

from .codes import CloseCode, ErrorCode
from .mirror import Gap, Mirror
from .replies import (
    Error,
    Joined,
    LobbyRoom,
    Notice,
    Position,
    Presence,
    Reply,
    Searching,
    Thought,
    TvRoom,
)
from .requests import Hello, Join, Request, RequestBase
from .views import Event
from .wire import Encoding, Frame, WireError, decode_reply, decode_request, encode

NONSENSE = (LookupError, ValueError)
"""What a mirror raises that is told of piles, boards or hashes which cannot be."""

R = TypeVar("R", bound=RequestBase)


class MustClose(Exception):
    """The peer broke the protocol: close with this code."""

    def __init__(self, code: CloseCode, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class ServerSession:
    """What a server makes of a client's frames."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self._greeted = False

    def receive(self, frame: Frame) -> Request:
        """The next request.

        Raises:
            WireError: To be answered with ``error``; the connection stays open.
            MustClose: The wrong kind of frame, or something else before ``hello``.

        """
        if isinstance(frame, str) is not (self.encoding is Encoding.JSON):
            kind = "text" if self.encoding is Encoding.JSON else "binary"
            raise MustClose(CloseCode.PROTOCOL, f"{self.encoding.value} uses {kind} frames")
        request = decode_request(frame)
        if isinstance(request, Hello):
            if self._greeted and request.token is None:
                raise MustClose(CloseCode.PROTOCOL, "hello comes again only with a token")
            self._greeted = True
        elif not self._greeted:
            raise MustClose(CloseCode.AUTH, "hello comes first")
        return request

    def error(self, error: WireError) -> Error:
        """The answer to a frame that was no request."""
        return Error(i=error.i, code=error.code, message=str(error))


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: the request it belongs to, the message, the missed events it brought."""

    i: int | str | None
    reply: Reply
    events: list[Event]


@dataclass(frozen=True, slots=True)
class Pushed:
    """A push: an event that was new, presence, a lobby room, a notice, a fresh position."""

    reply: Event | Presence | Thought | LobbyRoom | TvRoom | Searching | Notice | Position


@dataclass(frozen=True, slots=True)
class Missed:
    """A gap: this request gets the missing events."""

    resume: Join


class ClientSession:
    """What a client makes of a server's frames; outlives any one connection."""

    def __init__(self, encoding: Encoding = Encoding.MSGPACK) -> None:
        self.encoding = encoding
        self.mirrors: dict[str, Mirror] = {}
        self._last = 0

    def number(self, request: R) -> R:
        """The request with an ``i`` of its own, if it has none."""
        if request.i is not None:
            return request
        self._last += 1
        return replace(request, i=self._last)

    def send(self, request: RequestBase) -> Frame:
        """The frame of a request."""
        return encode(request, self.encoding)

    def resumes(self) -> list[Join]:
        """What to ask on a new connection, a request for every room followed."""
        return [self.resume(room) for room in self.mirrors]

    def resume(self, room: str) -> Join:
        """The request that gets what was missed in a room."""
        mirror = self.mirrors[room]
        return Join(room=room, role=mirror.role, from_=mirror.seq, hash=mirror.hash)

    def forget(self, room: str) -> None:
        """Follow a room no longer."""
        self.mirrors.pop(room, None)

    def receive(self, frame: Frame) -> Answered | Pushed | Missed | None:
        """What a frame means; ``None`` for nothing new.

        Raises:
            WireError: The server does not speak this protocol.

        """
        reply = decode_reply(frame)
        try:
            return self._take(reply)
        except NONSENSE as error:
            message = f"what the server says does not fit what it said before: {error}"
            raise WireError(ErrorCode.BAD_MESSAGE, message) from error

    def _take(self, reply: Reply | None) -> Answered | Pushed | Missed | None:
        match reply:
            case None:
                return None
            case Event():
                return self._event(reply)
            case Presence() | Thought() | LobbyRoom() | TvRoom() | Searching() | Notice():
                return Pushed(reply)
            case Position(i=None):
                if reply.room in self.mirrors:
                    self.mirrors[reply.room].reset(reply)
                return Pushed(reply)
            case Joined():
                return Answered(reply.i, reply, self._joined(reply))
            case _:
                return Answered(reply.i, reply, [])

    def _event(self, event: Event) -> Pushed | Missed | None:
        mirror = self.mirrors.get(event.room)
        if mirror is None:
            return None
        try:
            return Pushed(event) if mirror.apply(event) else None
        except Gap:
            return Missed(self.resume(event.room))

    def _joined(self, joined: Joined) -> list[Event]:
        mirror = self.mirrors.get(joined.room)
        if mirror is not None:
            return mirror.rejoin(joined)
        self.mirrors[joined.room] = Mirror(joined)
        return []
