"""What is taken up again on a new connection: the rooms that are followed, the lobby, tv.

Promises: a room goes on where it was, or begins anew with a whole position, or is told to be lost.
"""

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.replies import Error, Joined, Position, Reply
from kibitz.protocol.requests import Join, Lobby, RequestBase, Tv
from kibitz.protocol.session import ClientSession

NOT_NOW = frozenset({ErrorCode.RATE_LIMITED, ErrorCode.DRAINING})
"""Refusals that only mean later."""
TRIES = 4
"""How often a room is asked for in a row that a server cannot read, each time on a new connection:
its log may be out of its reach, and not out of another's."""


class NotReady(ConnectionResetError):
    """The server is there but cannot serve us yet."""

    def __init__(self) -> None:
        super().__init__("the server is not ready")


class Resuming:
    """The requests that take things up again, and what becomes of them."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._open: dict[int | str | None, str] = {}
        self._tries = Counter[str]()
        self._lasting: dict[type, Lobby | Tv] = {}
        """What has things pushed until it is asked otherwise."""
        self._shown: dict[str, Join] = {}
        """How rooms were joined: closed ones want to be shown the same again."""

    def remember(self, request: RequestBase) -> None:
        """Note what a request says about later connections."""
        match request:
            case Lobby() | Tv():
                self._lasting[type(request)] = request
            case Join(room=room):
                before = self._shown.get(room, request)
                self._shown[room] = replace(
                    request,
                    password=request.password or before.password,
                    invite=request.invite or before.invite,
                )

    def anew(self) -> Iterator[RequestBase]:
        """Everything to be asked on a new connection."""
        self._open.clear()
        for resume in self._session.resumes():
            yield from self.room(resume)
        for lasting in self._lasting.values():
            if lasting.on:
                yield self._session.number(lasting)

    def room(self, resume: Join) -> Iterator[RequestBase]:
        """What gets a room's missing events, unless that has been asked."""
        if resume.room not in self._open.values():
            shown = self._shown.get(resume.room, resume)
            resume = replace(resume, password=shown.password, invite=shown.invite)
            request = self._session.number(resume)
            self._open[request.i] = resume.room
            yield request

    def is_ours(self, i: int | str | None) -> bool:
        """Whether an answer is one to these requests."""
        return i in self._open

    def is_too_soon(self, reply: Reply) -> bool:
        """Whether this one request only has to be asked again a little later."""
        return isinstance(reply, Error) and reply.code is ErrorCode.RATE_LIMITED

    def again(self, i: int | str | None) -> Iterator[RequestBase]:
        """What was asked too soon, once more."""
        room = self._open.pop(i)
        if room in self._session.mirrors:
            yield from self.room(self._session.resume(room))

    def answered(self, i: int | str | None, reply: Reply) -> Position | Error | None:
        """What an answer to one of these tells those who follow the room.

        Raises:
            NotReady: Everything has to be asked again, on another connection.

        """
        room = self._open.pop(i)
        match reply:
            case Error(code=ErrorCode.INTERNAL) if self._tries[room] + 1 < TRIES:
                self._tries[room] += 1
                raise NotReady
            case _:
                self._tries.pop(room, None)
        match reply:
            case Joined(view=view) if view is not None:
                return Position(room=room, seq=reply.seq, hash=reply.hash, view=view)
            case Error(code=code) if code in NOT_NOW:
                raise NotReady
            case Error():
                self._session.forget(room)
                return replace(reply, room=room)
            case _:
                return None
