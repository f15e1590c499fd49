"""One connection: frames in, requests answered one after the other, frames out.

Promises: answers in the order of requests; the outbox is the transport's own buffer and bounded;
whatever a client sends, the others do not notice. Never: rules, roles, cards.
"""

import asyncio
import contextlib
from dataclasses import dataclass

import structlog
from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection, broadcast
from websockets.exceptions import ConnectionClosed

from kibitz.protocol import replies
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import CloseCode, ErrorCode, Refused
from kibitz.protocol.limits import HELLO_TIMEOUT
from kibitz.protocol.session import MustClose, ServerSession
from kibitz.protocol.wire import Encoding, Frame, WireError, encode, frame_id

from .answers import Answers
from .identity import Identity, identify, new_token
from .log import LogFailure
from .metrics import Metrics
from .room import Room
from .throttle import Rate, Throttle
from .world import World

OUTBOX_BYTES = 256 * 1024
"""Bytes that may wait for one client before it counts as slow."""
CLOSE_SECONDS = 5.0
"""How long a client has to read what is waiting for it, once it is being closed."""
REQUESTS = Rate(per_second=200.0, burst=400.0)
"""What one connection may ask."""
PRICES: dict[type[ask.RequestBase], float] = {
    ask.Create: 20.0,
    ask.Fork: 20.0,
    ask.Rematch: 20.0,
    ask.Present: 20.0,
    ask.Daily: 5.0,
    ask.Say: 10.0,
    ask.History: 3.0,
    ask.ViewAt: 5.0,
    ask.Replay: 20.0,
}
"""Requests that count as so many more than one: they cost work, or are read by everybody."""
PASSWORD_PRICE = 50.0
REPLAY_BYTES_A_TOKEN = 256
"""A long text takes long to play: the longest costs as much as a whole second may."""
MAX_REFUSED = 1000
"""Requests over the rate that are answered, each one within it making up for one; one more closes
with 4429."""

log = structlog.get_logger("kibitz.connection")


@dataclass(frozen=True, slots=True)
class Service:
    """What every connection of a server shares."""

    name: str
    answers: Answers
    world: World
    metrics: Metrics
    requests: Rate = REQUESTS


class Connection:
    """One client, from its ``hello`` to its close."""

    def __init__(self, socket: ServerConnection, service: Service) -> None:
        self.encoding = Encoding(socket.subprotocol or Encoding.JSON.value)
        self.identity = Identity("", "")
        self.rooms: dict[str, Room] = {}
        self.lobby = False
        self.tv = False
        self.on_air: str | None = ""
        self._socket = socket
        self._service = service
        self._session = ServerSession(self.encoding)
        self._refused = 0
        self._closing: asyncio.Task[None] | None = None
        self._throttle = Throttle(service.requests, service.world.monotonic)

    async def run(self) -> None:
        """Serve the client until it is gone."""
        gauge = self._service.metrics.connections.labels(self.encoding.name.lower())
        gauge.inc()
        try:
            await self._serve()
        except MustClose as must:
            await self._close(must.code, must.reason)
        except ConnectionClosed:
            pass
        finally:
            gauge.dec()
            for room in self.rooms.values():
                room.dismiss(self)
            if self._closing is not None:
                await asyncio.wait([self._closing])

    async def _serve(self) -> None:
        try:
            async with asyncio.timeout(HELLO_TIMEOUT):
                while not self.identity.id:
                    await self._handle(await self._socket.recv())
        except TimeoutError:
            raise MustClose(CloseCode.AUTH, "no hello in time") from None
        async for frame in self._socket:
            await self._handle(frame)

    async def _handle(self, frame: Frame) -> None:
        """Answer one frame."""
        i: int | str | None = None
        try:
            if wait := self._throttle.wait_ms():
                i = frame_id(frame)
                raise self._too_many(wait)
            self._refused = max(0, self._refused - 1)
            request = self._session.receive(frame)
            i = request.i
            self._throttle.charge(_price(request))
            kind = str(request.__struct_config__.tag)
            self._service.metrics.requests.labels(kind).inc()
            if isinstance(request, ask.Hello):
                answer: replies.Answer = self._greet(request)
            else:
                answer = await self._service.answers.answer(request, self)
        except WireError as error:
            answer = self._session.error(error)
        except Refused as refused:
            answer = replies.Error(
                code=refused.code,
                message=refused.message,
                room=refused.room,
                seq=refused.seq,
                retry_ms=refused.retry_ms,
            )
        except LogFailure as failure:
            log.error("log failure", error=str(failure))
            message = "the server could not write that down; nothing has changed"
            answer = replies.Error(code=ErrorCode.INTERNAL, message=message, retry_ms=1000)
        except (ConnectionClosed, MustClose):
            raise
        except Exception:
            log.exception("request failed", identity=self.identity.id)
            answer = replies.Error(code=ErrorCode.INTERNAL, message="the server made a mistake")
        if isinstance(answer, replies.Error):
            self._service.metrics.refusals.labels(answer.code.value).inc()
        if i is not None:
            answer = replace(answer, i=i)
        await self._socket.send(encode(answer, self.encoding))

    def _too_many(self, wait: int) -> Refused:
        self._refused += 1
        if self._refused > MAX_REFUSED:
            raise MustClose(CloseCode.ABUSE, "far too many requests")
        return Refused(ErrorCode.RATE_LIMITED, "too many requests", retry_ms=wait)

    def _greet(self, hello: ask.Hello) -> replies.Welcome:
        token = hello.token or new_token(self._service.world)
        try:
            self.identity = identify(token, hello.name)
        except Refused as refused:
            raise MustClose(CloseCode.AUTH, refused.message) from None
        answers = self._service.answers
        return answers.welcome(hello, self.identity, token, self._service.name)

    # What rooms need (crowd.Listener)

    def offer(self, frame: Frame) -> bool:
        """Send now, unless too much is waiting already."""
        if self._closing is not None:
            return True
        if self._waiting() > OUTBOX_BYTES:
            return False
        broadcast((self._socket,), frame)
        return True

    def is_drained(self) -> bool:
        """Whether nothing is waiting to be sent."""
        return self._waiting() == 0

    def _waiting(self) -> int:
        return self._socket.transport.get_write_buffer_size()

    def close_soon(self, code: CloseCode, reason: str) -> None:
        """Close without waiting; what is still unsent may be lost."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(code, reason))

    async def _close(self, code: CloseCode, reason: str) -> None:
        self._service.metrics.closes.labels(str(int(code))).inc()
        log.info("closed", identity=self.identity.id, code=int(code), reason=reason)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._socket.close(code, reason)
                return
        self._socket.transport.abort()  # it does not even read the close


def _price(request: ask.Request) -> float:
    """What a request costs above one."""
    if isinstance(request, ask.Create | ask.Join) and request.password is not None:
        return PASSWORD_PRICE
    if isinstance(request, ask.Replay):
        return PRICES[ask.Replay] + len(request.text) / REPLAY_BYTES_A_TOKEN
    return PRICES.get(type(request), 0.0)
