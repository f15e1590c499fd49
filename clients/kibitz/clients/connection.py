"""One lasting talk with a server, over as many connections as it takes.

Promises: every request gets its answer or an exception; what was asked when a connection broke is
asked again on the next, and changes carry names so that none is done twice; every room followed
goes on where it was, without gap or duplicate; nothing is left behind after the end.
Never: rules of games, output.
"""

import asyncio
import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self
from weakref import WeakSet

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.limits import HELLO_TIMEOUT, MAX_MESSAGE
from kibitz.protocol.replies import Answer, Error, Joined, Welcome
from kibitz.protocol.requests import Create, Hello, Join, RequestBase
from kibitz.protocol.session import Answered, ClientSession, Missed, Pushed
from kibitz.protocol.wire import Encoding, Frame, WireError

from .archived import text_of
from .asked import Asked
from .dialing import NO_CONNECTION, away_for, dial, is_going, why_not
from .ends import Closed, Unreachable
from .pushes import Link, Push, Pushes
from .resuming import NOT_NOW, NotReady, Resuming
from .rounds import Rounds
from .trust import Trust

FIRST_DELAY = 0.5
"""Upper bound of the first wait before connecting again, in seconds; it doubles each time."""
MAX_DELAY = 5.0
"""The most that upper bound grows to, in seconds."""
PATIENCE = 60.0
"""Seconds without a server before it counts as gone."""
MAX_IN_FLIGHT = 64
"""Requests that wait for their answers at the same time; more wait to be sent."""
LEAST_WAIT = 0.05
"""Seconds waited at least before a request that came too soon is repeated."""


class Connection:
    """The talk. Use it as an asynchronous context manager."""

    welcome: Welcome
    """What the server said first on the connection there is now."""
    waits = math.inf
    """Seconds for which what came too soon is repeated; what would take longer is refused."""

    def __init__(
        self,
        url: str | Sequence[str],
        *,
        name: str | None = None,
        token: str | None = None,
        encoding: Encoding = Encoding.MSGPACK,
        patience: float = PATIENCE,
        wait: bool = False,
        trust: Trust | None = None,
    ) -> None:
        """Prepare; nothing is sent before the context is entered.

        Args:
            url: The address, ``ws://host:port/ws``; or those of several servers of one deployment,
                the one that is liked best first: whoever loses one goes on with another.
            name: The display name.
            token: What brings back an identity and its seats; without it there is a new one.
            encoding: How messages are written.
            patience: Seconds without a server before giving up.
            wait: Whether to be as patient before the first connection as between two.
            trust: Whose certificates are good; else those that the system trusts.

        """
        self._rounds = Rounds(url)
        self.session = ClientSession(encoding)
        self._hello = Hello(name=name, token=token)
        self._patience = patience
        self._wait = wait
        self._trust = trust
        self._socket: ClientConnection | None = None
        self._asked = Asked(self.session)
        self._resuming = Resuming(self.session)
        self._listeners: WeakSet[Pushes] = WeakSet()
        self._end: Exception | None = None
        self._up = True
        self._slots = asyncio.Semaphore(MAX_IN_FLIGHT)
        self._coming_back = asyncio.Lock()
        self._greeted = 0.0
        """When the welcome came, on the clock of this machine, in seconds."""

    async def __aenter__(self) -> Self:
        """Connect.

        Raises:
            Unreachable: There is no server.
            Refused: It does not want us.

        """
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._keep(), name=f"kibitz client of {self.url}")
        try:
            await self._ready
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stop()

    @property
    def url(self) -> str:
        """The address of the server that we talk to, or try to reach."""
        return self._rounds.url

    @property
    def connected(self) -> bool:
        """Whether there is a connection right now."""
        return self._socket is not None

    @property
    def now(self) -> int:
        """The server's clock, Unix ms, as well as we know it."""
        return self.welcome.now + round((time.monotonic() - self._greeted) * 1000)

    def events(self) -> Pushes:
        """What comes unasked from now on: an asynchronous iterator."""
        pushes = Pushes()
        self._listeners.add(pushes)
        if self._end is not None:
            pushes.finish(self._end)
        return pushes

    async def until(self, done: Callable[[], object]) -> None:
        """Wait until something is so that follows from what the server tells.

        Raises:
            Unreachable: The server is gone.
            Closed: The talk is over.

        """
        pushes = self.events()
        while not done():
            try:
                await pushes.ready()
            except StopAsyncIteration:
                raise Closed(1000, "the connection is closed") from None
            pushes.waiting()

    async def request(self, request: RequestBase) -> Answer:
        """Ask, and wait for the answer, over as many connections as it takes.

        The answer to a change comes when its events have been applied to the mirror. What comes
        too soon for the server is repeated when it allows, if that is soon enough for ``waits``.

        Raises:
            Refused: The server says no.
            Unreachable: The server is gone.
            Closed: The talk is over.

        """
        async with self._slots:
            answer = await self._ask(self._asked.named(request))
            if _is_too_soon(answer):
                async with self._coming_back:
                    waited = wait_of(answer)
                    while _is_too_soon(answer) and waited <= self.waits:
                        await asyncio.sleep(wait_of(answer))
                        answer = await self._ask(self._asked.named(request))
                        waited += wait_of(answer)
        if isinstance(answer, Error):
            raise _refused(answer)
        if isinstance(request, Create) and isinstance(answer, Joined):
            self._resuming.remember(Join(room=answer.room, password=request.password))
        return answer

    async def archived_text(self, room: str, board: int = 0) -> str:
        """The replay text of a board of a room that the server has archived.

        Raises:
            Refused: It is not for us, or there is none.
            OSError: The server does not answer.

        """
        return await text_of(self.url, room, board, self._hello.token, self._trust)

    async def renew(self, token: str) -> None:
        """Stay longer: hand over a fresh token of the same person.

        Raises:
            Refused: It is somebody else's, or no good.
            Unreachable: The server is gone.
            Closed: The talk is over.

        """
        welcome = await self.request(Hello(name=self._hello.name, token=token))
        assert isinstance(welcome, Welcome), "the answer to hello"
        self.welcome, self._greeted = welcome, time.monotonic()
        self._hello = replace(self._hello, token=token)

    async def _ask(self, request: RequestBase) -> Answer:
        if self._end is not None:
            raise self._end
        frame = self._frame(request)
        self._resuming.remember(request)
        answer = self._asked.add(request)
        try:
            if self._socket is not None:
                with suppress(ConnectionClosed):  # it is asked again on the next connection
                    await self._socket.send(frame)
            return await answer
        finally:
            self._asked.drop(request)

    def _frame(self, request: RequestBase) -> Frame:
        """What is sent for a request.

        Raises:
            Refused: No server could read it, so that none is asked.

        """
        try:
            frame = self.session.send(request)
        except UnicodeEncodeError:
            why = "that is no text: a character is half of one, or a byte that is no UTF-8"
            raise Refused(ErrorCode.BAD_MESSAGE, why) from None
        if len(frame if isinstance(frame, bytes) else frame.encode()) > MAX_MESSAGE:
            raise Refused(ErrorCode.TOO_LARGE, f"a message has at most {MAX_MESSAGE} bytes")
        return frame

    async def _stop(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])  # if we are cancelled meanwhile, that is not its end
        if not self._task.cancelled():
            self._task.result()

    # The task that holds the connections

    async def _keep(self) -> None:
        """Connect again and again until the talk is over, then tell everybody who waits."""
        end: Exception | None = None
        try:
            await self._reconnect()
        except (Unreachable, Closed, Refused, WireError) as error:
            end = error
        finally:
            self._finish(end)

    async def _reconnect(self) -> None:
        now = asyncio.get_running_loop().time
        rounds, tries, last_seen = self._rounds, 0, now()
        while True:
            greeted, alone = False, not rounds.has_others
            try:
                async with dial(self.url, self.session.encoding, self._trust, alone) as socket:
                    await self._greet(socket)
                    tries, greeted = 0, True
                    rounds.met()
                    try:
                        while True:
                            await self._take(await socket.recv())
                    finally:
                        self._socket, last_seen = None, now()
            except NO_CONNECTION as error:
                end, away, going = why_not(self.url, error), away_for(error), is_going(error)
            if greeted:
                rounds.lost()
            elif (over := rounds.failed(end, away)) is not None:
                end, away = over
            else:
                continue
            patient = self._wait or self._ready.done()
            if not patient or now() - last_seen > self._patience:
                raise end
            self._say(up=False, going=going)
            jitter = random.uniform(0, min(FIRST_DELAY * 2**tries, MAX_DELAY))
            await asyncio.sleep(away + jitter)
            tries = min(tries + 1, 16)

    async def _greet(self, socket: ClientConnection) -> None:
        """Say who we are, take up every room, ask what was not answered."""
        await self._send(socket, self.session.number(self._hello))
        async with asyncio.timeout(HELLO_TIMEOUT):
            met = self.session.receive(await socket.recv())
        match met:
            case Answered(reply=Welcome() as welcome):
                self.welcome, self._greeted = welcome, time.monotonic()
                self._hello = replace(self._hello, token=welcome.token)
            case Answered(reply=Error() as error) if error.code not in NOT_NOW:
                raise _refused(error)
            case _:
                raise NotReady
        self._say(up=True)
        for request in self._resuming.anew():
            await self._send(socket, request)
        self._socket = socket
        for request in self._asked.requests:
            await self._send(socket, request)
        if not self._ready.done():
            self._ready.set_result(None)

    async def _send(self, socket: ClientConnection, request: RequestBase) -> None:
        await socket.send(self._frame(request))

    async def _take(self, frame: Frame) -> None:
        """Let one frame of the server happen."""
        match self.session.receive(frame):
            case Answered(i, reply, events):
                for event in events:
                    self._push(event)
                if not self._resuming.is_ours(i):
                    self._asked.answered(i, reply)
                elif self._resuming.is_too_soon(reply) and self._socket is not None:
                    await asyncio.sleep(wait_of(reply))
                    for request in self._resuming.again(i):
                        await self._send(self._socket, request)
                elif (push := self._resuming.answered(i, reply)) is not None:
                    self._push(push)
            case Pushed(reply):
                self._push(reply)
            case Missed(resume) if self._socket is not None:
                for request in self._resuming.room(resume):
                    await self._send(self._socket, request)
        self._asked.deliver()

    def _say(self, *, up: bool, going: bool = False) -> None:
        """Tell of a connection that broke, once, and of the next one."""
        if self._ready.done() and up is not self._up:
            self._push(Link(up, going))
        self._up = up

    def _push(self, push: Push) -> None:
        for listener in self._listeners:
            listener.put(push)

    def _finish(self, end: Exception | None) -> None:
        self._end = end or Closed(1000, "the connection is closed")
        for listener in self._listeners:
            listener.finish(end)
        self._asked.fail(self._end)
        if not self._ready.done():
            self._ready.set_exception(self._end)


def _is_too_soon(answer: Answer) -> bool:
    return isinstance(answer, Error) and answer.code in NOT_NOW


def wait_of(answer: object) -> float:
    """Seconds to wait before asking again."""
    retry_ms = answer.retry_ms if isinstance(answer, Error) else None
    return max((retry_ms or 0) / 1000, LEAST_WAIT)


def _refused(error: Error) -> Refused:
    told = {key: getattr(error, key) for key in ("room", "seq", "retry_ms", "limit")}
    return Refused(error.code, error.message, **told)
