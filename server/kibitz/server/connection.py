"""One client: messages in, requests answered in their order, frames out.

Promises: answers in the order of requests, and behind everything that was told before; commands
may be under way while others come, everything else is done one after the other; what waits for a
client is bounded; whatever a client sends, the others do not notice. Never: rules, roles, cards.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial

import structlog
from msgspec.structs import replace
from websockets.frames import CloseCode as LibraryCode

from kibitz.protocol import replies
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import CloseCode, ErrorCode, Refused
from kibitz.protocol.limits import MAX_FRAME
from kibitz.protocol.session import MustClose, ServerSession
from kibitz.protocol.wire import Frame, WireError, frame_id

from .answers import RoomCommand
from .client import Client, Service
from .limits.door import UNREAD
from .limits.settings import INBOX_BYTES
from .log.log import LogFailure
from .sockets.frames import framed
from .sockets.share import AT_ONCE, LONG_REQUEST
from .sockets.socket import Socket

ANSWER_BYTES = 32 * 1024
"""Bytes that may wait for one client before it is answered anything more."""
log = structlog.get_logger("kibitz.connection")


@dataclass(slots=True)
class _Reply:
    """The place of an answer among the others; ``answer`` once it is there."""

    i: int | str | None = None
    request: ask.Request | None = None
    answer: replies.Answer | None = None


class Connection(Client):
    """One client, from its ``hello`` to its close."""

    __slots__ = (
        "_answering",
        "_asked",
        "_beginning",
        "_ended",
        "_finishing",
        "_held",
        "_inbox",
        "_most",
        "_place",
        "_replies",
        "_session",
        "_working",
        "kept",
        "resting",
    )

    def __init__(
        self,
        socket: Socket,
        service: Service,
        ended: Callable[["Connection"], None],
        number: int = 0,
    ) -> None:
        """Serve a client from now on.

        Args:
            socket: Our end of the connection.
            service: What every connection shares.
            ended: Told when the client is gone.
            number: Its own, as they come.

        """
        super().__init__(socket, service, number)
        self._ended = ended
        self._session = ServerSession(self.encoding)
        self._asked, self._most = 0, AT_ONCE
        self._place: Hashable = self.account.place or number
        """Whose turn it shares: that of all who come from there."""
        self._inbox: deque[tuple[bytes, bool]] | None = None
        self.kept = 0
        """Bytes in the inbox."""
        self._replies: list[_Reply] = []
        self._held: tuple[_Reply, ask.Request] | None = None
        """A request that waits until all before it are answered."""
        self._answering: asyncio.Task[None] | None = None
        self.resting = self._working = self._beginning = self._finishing = False
        if service.talks:
            log.debug("connected", address=self.address, encoding=self.encoding.name.lower())
        socket.attach(self, service.turn)

    # The end of the server (operation.drain.Guest)

    @property
    def is_busy(self) -> bool:
        """Whether something that was read is not answered."""
        return bool(self._replies or self._inbox)

    def finish(self) -> None:
        """Read nothing more; what has been read is answered."""
        self._finishing = True

    # What the socket tells (sockets.socket.Reader)

    def receive(self, message: bytes, is_text: bool) -> None:
        """Handle a message, or keep it until those before it are done with."""
        if self._closing is not None or self._finishing:
            return
        waiting = self._service.turn.share.are_waiting(self._place)
        if not self._inbox and not waiting and not self._is_held_up():
            self._handle(message, is_text)
            return
        if self._inbox is None:
            self._inbox = deque()
        self._inbox.append((message, is_text))
        self.kept += len(message)
        if len(self._inbox) >= self._service.bank.limits.inbox or self.kept > INBOX_BYTES:
            self.socket.transport.pause_reading()
        self._work_soon()

    def counts_control(self) -> bool:
        """A ping or a fragment has come, which counts as a request; whether it is to be heeded."""
        if self._closing is not None:
            return False
        try:
            self._count_frame(MAX_FRAME)  # who sends far too many of them has no good reason
        except MustClose as must:
            self.close_soon(must.code, must.reason)
            return False
        except Refused:
            return False
        return True

    def overfull(self) -> None:
        """Too much is kept of those who come from there."""
        self.close_soon(CloseCode.ABUSE, f"too many {UNREAD}")

    def pause(self) -> None:
        """Read no more: who does not read answers gets none."""
        if self._closing is None:
            self.socket.transport.pause_reading()

    def resume(self) -> None:
        """Go on: there is room in the outbox."""
        self._work_soon()

    def lost(self) -> None:
        """The client is gone; what is under way is still done."""
        self._lost, self._inbox, self._held = True, None, None
        self.kept = 0
        if self._answering is None:
            self._end()

    def _end(self) -> None:
        if self._service.talks:
            log.debug("gone", **self.about(None))
        for room in self.rooms.values():
            room.dismiss(self)
            self.account.unfollow(room)
        if self._closing is None or self._closing.done():
            self._ended(self)
        else:
            self._closing.add_done_callback(lambda _: self._ended(self))

    # One request after the other

    def _is_held_up(self) -> bool:
        return (
            self._answering is not None
            or self._beginning
            or self._held is not None
            or self._asked >= self._most
            or self.resting
            or len(self._replies) >= self._service.bank.limits.inbox
            or self.socket.paused
            or self.socket.waiting > ANSWER_BYTES
        )

    def _work_soon(self) -> None:
        if not self._working:
            self._working = True
            self._service.turn.share.later(self._place, self._work)

    def _work(self, most: int) -> int:
        """Handle what has been kept, at most so many; how many it were."""
        self._working, self._asked, self._most = False, 0, most
        while self._inbox and not self._is_held_up() and self._closing is None:
            message, is_text = self._inbox.popleft()
            self.kept -= len(message)
            self._handle(message, is_text)
        if self.socket.kept:
            self.socket.weigh()
        if not self._inbox:
            self._inbox = None
            if not self.socket.paused and not self.resting and not self.socket.behind:
                self.socket.transport.resume_reading()
        elif not self.resting and (self._asked >= most or self.socket.out):
            self._work_soon()
        return self._asked

    def _handle(self, message: bytes, is_text: bool) -> None:
        """Begin to answer a message."""
        self._asked += 1
        reply = _Reply()
        self._replies.append(reply)
        try:
            frame = message.decode() if is_text else message
            request = self._read(frame, len(message), reply)
            self._service.metrics.requested(type(request))
            if isinstance(request, RoomCommand):
                self._service.answers.take(request, self, partial(self._reply, reply))
            else:
                self._held = reply, request
                self._go_on()
        except UnicodeDecodeError:
            self.close_soon(LibraryCode.INVALID_DATA, "text is not UTF-8")
        except MustClose as must:
            self.close_soon(must.code, must.reason)
        except Exception as error:
            self._reply(reply, error)

    def _read(self, frame: Frame, size: int, reply: _Reply) -> ask.Request:
        """The request in a frame, counted.

        Raises:
            WireError: There is none.
            Refused: It is too much.
            MustClose: It is far too much, or breaks the protocol.

        """
        i = None
        try:
            self.account.check_size(size)
            request = self._session.receive(frame)
            i, reply.request = request.i, request
            if self._service.talks:
                log.debug("asked", **self.about(request))
            self.account.count(request, size, self.rooms.__contains__)
        except WireError as error:
            i = error.i
            self._count_frame(size)
            raise
        except Refused:
            i = frame_id(frame) if reply.request is None else i
            self._rest()
            raise
        finally:
            reply.i = i
        return request

    def _count_frame(self, size: int = 0) -> None:
        """Count a frame that is no request.

        Raises:
            Refused: It is too much.
            MustClose: Far too much.

        """
        try:
            self.account.count_frame(size)
        except Refused:
            self._rest()
            raise

    def _rest(self) -> None:
        """Hear no more for a moment of somebody who goes on asking too much."""
        if not self.resting and self._closing is None and (seconds := self.account.rest()):
            self.resting = True
            self.socket.transport.pause_reading()
            asyncio.get_running_loop().call_later(seconds, self._rested)

    def _rested(self) -> None:
        self.resting = False
        self.account.rested()
        if not self._lost and self._closing is None:
            self._work_soon()
            self.socket.go_on()

    def _go_on(self) -> None:
        """Answer the request that waited for those before it."""
        if self._held is None or self._replies[0] is not self._held[0]:
            return
        (reply, request), self._held = self._held, None
        if isinstance(request, ask.Hello):
            self._reply(reply, self._greet(request))
        elif answer := self._at_once(request):
            self._reply(reply, answer)
        else:
            self._beginning = True
            share = self._service.turn.share
            share.later(self._place, partial(self._begin, reply, request))

    def _begin(self, reply: _Reply, request: ask.Request, most: int) -> int:
        """Answer what takes several turns."""
        self._beginning = False
        if self._lost:
            return 0
        self._answering = asyncio.create_task(self._answer(reply, request))
        return LONG_REQUEST

    def _at_once(self, request: ask.Request) -> replies.Answer | Exception | None:
        try:
            return self._service.answers.at_once(request, self)
        except Exception as error:
            return error

    def _greet(self, hello: ask.Hello) -> replies.Welcome | Refused:
        """Learn who is there, or that he may stay longer."""
        known = self.identity
        try:
            identity, token = self._service.authority.greet(hello.token, hello.name)
        except Refused as refused:
            self.account.count_token()
            if not known.id:
                raise MustClose(CloseCode.AUTH, refused.message) from None
            return refused
        bans = self._service.bans
        if ban := bans.banned(identity.id, self.address):
            raise MustClose(CloseCode.FORBIDDEN, bans.close_reason(ban))
        if known.id and (identity.id != known.id or not known.roles <= identity.roles):
            message = "that token is somebody else's, or for less: it takes another connection"
            return Refused(ErrorCode.AUTH, message)
        self.identity = identity
        self.account.greeted(identity.id)
        if self._service.talks:
            log.debug("greeted", **self.about(None))
        answers = self._service.answers
        return answers.welcome(hello, self, token, self._service.name)

    async def _answer(self, reply: _Reply, request: ask.Request) -> None:
        outcome: replies.Answer | Exception
        try:
            outcome = await self._service.answers.answer(request, self)
        except Exception as error:
            outcome = error
        self._answering = None
        if self._lost:
            self._end()
        else:
            self._reply(reply, outcome)
            self._work_soon()

    def _reply(self, reply: _Reply, outcome: replies.Answer | Exception) -> None:
        """An answer is there: send it, once those before it have gone."""
        if isinstance(outcome, Exception):
            outcome = self._error(outcome, reply.request)
        reply.answer = outcome if reply.i is None else replace(outcome, i=reply.i)
        while self._replies and (ready := self._replies[0].answer) is not None:
            del self._replies[0]
            for room in self.rooms.values():
                room.people.hurry(self)
            self.socket.send_soon(framed(ready, self.encoding))
        if self._held is not None:
            self._go_on()
        if self._inbox:
            self._work_soon()

    def _error(self, error: Exception, request: ask.Request | None) -> replies.Error:
        match error:
            case WireError():
                answer = self._session.error(error)
            case Refused():
                self.account.count_refusal(error)
                answer = replies.Error(
                    code=error.code,
                    message=error.message,
                    room=error.room,
                    seq=error.seq,
                    retry_ms=error.retry_ms,
                    limit=error.limit,
                )
            case LogFailure():
                log.error("log failure", exc_info=error, **self.about(request))
                code = ErrorCode.INTERNAL
                answer = replies.Error(code=code, message=error.told, retry_ms=1000)
            case _:
                log.error("request failed", exc_info=error, **self.about(request))
                message = "the server made a mistake"
                answer = replies.Error(code=ErrorCode.INTERNAL, message=message)
        self._service.metrics.refusals.labels(answer.code.value).inc()
        if self._service.talks:
            log.debug("refused", code=answer.code.value, seq=answer.seq, **self.about(request))
        error.__traceback__ = error.__context__ = None  # its frames hold it, and the room
        return answer

    def close_soon(self, code: int, reason: str) -> None:
        """Close without waiting; what has come and is not begun is dropped."""
        if self._closing is None:
            self._inbox, self.kept, self.resting = None, 0, False
        super().close_soon(code, reason)
