"""The connection to the NATS servers: questions and their answers, and what is heard.

Promises: whoever asks is told within a bounded time: an answer, or that nothing has left this
process, or that nobody knows. Servers too old to hold what we build upon are refused. Never: a
message kept back while there is no connection, which would leave later, out of order; a call of
the client library that is waited for without an end of our own.
"""

import asyncio
import contextlib
import itertools
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error, MaxPayloadError, OutboundBufferLimitError, SlowConsumerError

from ..log import LogFailure, UnusableLog

LEAST_VERSION = (2, 12)
"""Older ones let two writers win the same number in a cluster, and know no batched reads."""
CONNECT_SECONDS = 2.0
"""For one attempt at one server."""
OPEN_SECONDS = 10.0
"""For all attempts when the log is opened."""
ASK_SECONDS = 2.0
"""An answer that has not come by then is not waited for: what became of the question is unknown."""
CALL_SECONDS = 5.0
"""For any other call of the client library."""
RECONNECT_SECONDS = 0.25
"""Between two attempts to connect."""
PING_SECONDS = 5
"""Two of them without an answer, and the connection is given up."""

Heard = Callable[[Msg], Awaitable[None]]


class NotSent(Exception):
    """There is no connection: nothing has left this process."""


class Closed(NotSent):
    """The log is closed, and the connection with it."""


class Unknown(Exception):
    """It may have been sent, and nobody knows what became of it."""


def headers_of(message: Msg) -> Mapping[str, str]:
    """The headers of a message."""
    return message.headers or {}


def _too_old(client: Client) -> str | None:
    """Why a server cannot be used; ``None``: it can."""
    said = str(client.connected_server_version).removeprefix("<nats server v").rstrip(">")
    found = re.match(r"(\d+)\.(\d+)", said)
    if found and (int(found[1]), int(found[2])) >= LEAST_VERSION:
        return None
    least = ".".join(map(str, LEAST_VERSION))
    return (
        f"nats-server {said} is too old: in a cluster it lets two writers win the same number;"
        f" {least} or later is needed"
    )


class Link:
    """One connection that comes back by itself."""

    def __init__(self, in_doubt: Callable[[], None]) -> None:
        """``in_doubt`` is called whenever something that should have been heard may be missed."""
        self._in_doubt = in_doubt
        self._client = Client()
        self._why_not: str | None = "not connected"
        """Why nothing can be sent; ``None``: it can."""
        self._closed = False
        self._numbers = itertools.count()
        self._waiting: dict[str, Callable[[Msg | None], None]] = {}
        """Who is told of an answer, by its last token; of ``None`` if the connection is lost."""
        self._inbox = ""

    async def open(self, servers: Sequence[str]) -> None:
        """Connect.

        Raises:
            UnusableLog: None of them can be used.

        """
        problem: list[Exception] = []

        async def note(error: Exception) -> None:
            problem[:] = [error]
            if isinstance(error, SlowConsumerError):  # what came was dropped
                self._in_doubt()

        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await self._client.connect(
                    list(servers),
                    connect_timeout=CONNECT_SECONDS,  # type: ignore[arg-type]
                    reconnect_time_wait=RECONNECT_SECONDS,  # type: ignore[arg-type]
                    max_reconnect_attempts=-1,
                    ping_interval=PING_SECONDS,
                    max_outstanding_pings=2,
                    pending_size=-1,
                    error_cb=note,
                    disconnected_cb=self._disconnected,
                    reconnected_cb=self._reconnected,
                )
                self._inbox = self._client.new_inbox()
                await self._client.subscribe(f"{self._inbox}.*", cb=self._answered)
        except (TimeoutError, OSError, ValueError, Error) as error:
            await self.close()
            why = problem[0] if problem else error
            raise UnusableLog(
                f"no NATS server can be reached ({str(why) or type(why).__name__})"
            ) from None
        if old := _too_old(self._client):
            await self.close()
            raise UnusableLog(old)
        self._why_not = None

    async def close(self) -> None:
        """Let go of the connection."""
        self._closed = True
        with contextlib.suppress(TimeoutError, OSError, Error):
            async with asyncio.timeout(CALL_SECONDS):
                await self._client.close()

    async def _disconnected(self) -> None:
        self._why_not = self._why_not or "there is no connection to NATS"
        for tell in list(self._waiting.values()):
            tell(None)

    async def _reconnected(self) -> None:
        self._why_not = _too_old(self._client)
        self._in_doubt()

    async def _answered(self, message: Msg) -> None:
        if tell := self._waiting.get(message.subject.rpartition(".")[2]):
            tell(message)

    async def ask(
        self, subject: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> bytes:
        """The one answer to a question.

        Raises:
            NotSent: The question was not sent.
            Unknown: There was no answer.

        """
        done: asyncio.Future[Msg | None] = asyncio.get_running_loop().create_future()

        def tell(message: Msg | None) -> None:
            if not done.done():
                done.set_result(message)

        with self._expecting(tell) as reply:
            await self._send(subject, body, reply, headers)
            answer: Msg | None = await _within(ASK_SECONDS, done)
        if answer is None or "Status" in headers_of(answer):
            raise Unknown("nobody answers for the log" if answer else "the connection was lost")
        return answer.data

    async def ask_many(self, subject: str, body: bytes) -> tuple[list[Msg], Mapping[str, str]]:
        """All answers to a question, and the headers of the last one, which has a status.

        Raises:
            NotSent: The question was not sent.
            Unknown: Not all of the answers have come.

        """
        answers: asyncio.Queue[Msg | None] = asyncio.Queue()
        got: list[Msg] = []
        with self._expecting(answers.put_nowait) as reply:
            await self._send(subject, body, reply, None)
            while (message := await _within(ASK_SECONDS, answers.get())) is not None:
                if "Status" in headers_of(message):
                    return got, headers_of(message)
                got.append(message)
        raise Unknown("the connection was lost")

    @contextlib.contextmanager
    def _expecting(self, tell: Callable[[Msg | None], None]) -> Iterator[str]:
        token = str(next(self._numbers))
        self._waiting[token] = tell
        try:
            yield f"{self._inbox}.{token}"
        finally:
            del self._waiting[token]

    def _check(self) -> None:
        if self._closed:
            raise Closed("the log is closed")
        if self._why_not is not None:
            raise NotSent(self._why_not)

    async def _send(
        self, subject: str, body: bytes, reply: str, headers: Mapping[str, str] | None
    ) -> None:
        self._check()
        try:
            sending = self._client.publish(subject, body, reply, dict(headers) if headers else None)
            await _within(CALL_SECONDS, sending)
        except OutboundBufferLimitError:
            raise NotSent("there is no connection to NATS") from None
        except MaxPayloadError:
            raise LogFailure("it is larger than the NATS server takes") from None
        except (Error, OSError) as error:
            raise Unknown(type(error).__name__) from error

    async def listen(self, subject: str, heard: Heard) -> Callable[[], Awaitable[None]]:
        """Hear all that is said under a subject, from when this returns; call what it returns.

        Raises:
            NotSent, Unknown: It could not be made sure.

        """
        self._check()
        try:
            subscription = await _within(CALL_SECONDS, self._client.subscribe(subject, cb=heard))
        except (Error, OSError) as error:
            raise Unknown(type(error).__name__) from error

        async def stop() -> None:
            with contextlib.suppress(Unknown, Error, OSError):
                await _within(CALL_SECONDS, subscription.unsubscribe())

        try:
            await _within(CALL_SECONDS, self._client.flush(int(CALL_SECONDS)))
        except (Error, OSError, Unknown) as error:
            await stop()
            raise Unknown(type(error).__name__) from error
        return stop


async def _within(seconds: float, what: Awaitable[Any]) -> Any:
    """What comes of it, within so many seconds.

    Raises:
        Unknown: It takes longer.

    """
    try:
        async with asyncio.timeout(seconds):
            return await what
    except TimeoutError:
        raise Unknown("it took too long") from None
