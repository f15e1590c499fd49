"""The connection to the NATS servers: made, lost, made again; and what is heard over it.

Promises: it comes back by itself, even if a server has closed it for good; what was listened to
is listened to again. Servers too old to hold what we build upon are refused, at the start and
whenever it is made again. Never: a call of the client library that is waited for without an end
of our own, or that swallows the end of the task that waits; a password in the clear where TLS was
asked for.
"""

import asyncio
import contextlib
import itertools
import os
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error, SlowConsumerError

from ..log import UnusableLog
from .health import Health
from .servers import Servers, places

LEAST_VERSION = (2, 12)
"""Older ones let two writers win the same number in a cluster, and know no batched reads."""
CONNECT_SECONDS = 2.0
"""For one attempt at one server."""
OPEN_SECONDS = 10.0
"""For all attempts when the log is opened."""
CALL_SECONDS = 5.0
"""For any other call of the client library."""
RECONNECT_SECONDS = 0.25
"""Between two attempts to connect."""
PING_SECONDS = 5
"""Two of them without an answer, and the connection is given up."""
UNWELCOME = "authorization violation"
"""What a server says to who is nobody there."""

Heard = Callable[[Msg], Awaitable[None]]


class NotSent(Exception):
    """There is no connection: nothing has left this process."""


class NoResponder(NotSent):
    """There was nobody to take it, so nobody has it."""


class Closed(NotSent):
    """The log is closed, and the connection with it."""


class Unknown(Exception):
    """It may have been sent, and nobody knows what became of it."""


@contextlib.contextmanager
def heeding() -> Iterator[None]:
    """Heed a cancel that comes meanwhile, whatever else has happened.

    The library waits with `asyncio.wait_for`, which before Python 3.12 takes an answer of the same
    moment for more than a cancel, or catches it itself; the task would go on for ever.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    try:
        yield
    finally:
        if task and task.cancelling() > before:
            raise asyncio.CancelledError


async def within(seconds: float, what: Awaitable[Any]) -> Any:
    """What comes of it, within so many seconds.

    Raises:
        Unknown: It takes longer.

    """
    try:
        with heeding():
            async with asyncio.timeout(seconds):
                return await what
    except TimeoutError:
        raise Unknown("it took too long") from None


class Unwelcome(Exception):
    """So many servers have not let us in that no other will."""


class _Client(Client):
    """The library's client, which reads on whoever has ceased to wait for an answer.

    What was to be said over TLS is said over nothing else.
    """

    unwelcome = False
    """Whether it is to give up."""

    async def _process_pong(self) -> None:
        """The library ceases to read for ever if nobody waits for it any more."""
        if self._pongs and self._pongs[0].done():
            self._pongs[0] = asyncio.get_running_loop().create_future()
        await super()._process_pong()

    async def _select_next_server(self) -> None:
        if self.unwelcome:
            raise Unwelcome
        await super()._select_next_server()

    def _connect_command(self) -> bytes:
        if "tls" in self.options and not self._server_info.get("tls_required"):
            raise Error("it does not speak TLS")
        return super()._connect_command()


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


class Connection:
    """One connection, to any of the servers."""

    def __init__(
        self, lost: Callable[[], None], in_doubt: Callable[[], None], health: Health
    ) -> None:
        """Nothing yet.

        Args:
            lost: Is called when what was sent will get no answer any more.
            in_doubt: Is called when something that should have been heard may have been missed.
            health: What is told when it is lost, and when it is there again.

        """
        self.client = _Client()
        self._health = health
        self._lost = lost
        self._in_doubt = in_doubt
        self._servers = Servers([])
        self._why_not: str | None = "not connected"
        """Why nothing can be sent; ``None``: it can."""
        self._server = ""
        """Where the one is that we are, or were, connected to."""
        self._closed = False
        self._numbers = itertools.count()
        self._ears: dict[int, tuple[str, Heard]] = {}
        self._subscriptions: dict[int, Subscription] = {}
        self._problems: list[Exception] = []
        """The last thing that went wrong, if any did."""
        self._tries: int | None = None
        """While it is made: how many servers may yet say that they do not let us in."""
        self._reopening: asyncio.Task[None] | None = None

    async def open(self, servers: Servers) -> None:
        """Connect.

        Raises:
            UnusableLog: None of them can be used.

        """
        self._servers = servers
        try:
            await self._connect()
        except UnusableLog:
            await self.close()
            raise

    async def _connect(self) -> None:
        client, servers = _Client(), self._servers
        self.client, self._tries = client, len(servers.urls)
        self._problems.clear()
        try:
            with heeding():
                async with asyncio.timeout(OPEN_SECONDS):
                    await client.connect(
                        list(servers.urls),
                        user=servers.user,
                        password=servers.password,
                        token=servers.token,
                        tls=servers.trust,
                        connect_timeout=CONNECT_SECONDS,  # type: ignore[arg-type]
                        reconnect_time_wait=RECONNECT_SECONDS,  # type: ignore[arg-type]
                        max_reconnect_attempts=-1,
                        ping_interval=PING_SECONDS,
                        max_outstanding_pings=2,
                        pending_size=-1,
                        error_cb=self._failed,
                        disconnected_cb=self._disconnected,
                        reconnected_cb=self._reconnected,
                        closed_cb=self._closed_for_good,
                    )
            for ear in list(self._ears):
                if ear in self._ears:  # else it was stopped meanwhile
                    await self._subscribe(ear)
        except (TimeoutError, OSError, ValueError, Error, Unknown, Unwelcome) as error:
            await _close(client)
            says = self.complaint or _words(error) or "nothing there answers as one does"
            if isinstance(error, Unwelcome):
                raise UnusableLog(
                    "the NATS servers do not let us in: is it the right user and password?"
                ) from None
            where = places(servers.urls)
            raise UnusableLog(f"no NATS server can be reached at {where} ({says})") from None
        finally:
            self._tries = None
        if old := _too_old(client):
            await _close(client)
            raise UnusableLog(old)
        self._found(None)

    def _found(self, why_not: str | None) -> None:
        """There is a connection; whether it can be used."""
        self._problems.clear()
        self._why_not = why_not
        if url := self.client.connected_url:
            self._server = url.netloc.rpartition("@")[2]
        self._health.found(self._server, why_not)

    async def close(self) -> None:
        """Let go of the connection."""
        self._closed = True
        if self._reopening is not None:
            self._reopening.cancel()
            await asyncio.wait([self._reopening])
        await _close(self.client)

    def check(self) -> None:
        """See that something can be sent.

        Raises:
            NotSent: It cannot.

        """
        if self._closed:
            raise Closed("the log is closed")
        if self._why_not is not None:
            raise NotSent(self._why_not)

    @property
    def complaint(self) -> str | None:
        """What went wrong last since we are connected, or try to be."""
        return _words(self._problems[0]) if self._problems else None

    async def _failed(self, error: Exception) -> None:
        self._problems[:] = [error]
        if self._tries is not None and UNWELCOME in str(error).lower():
            self._tries -= 1
            self.client.unwelcome = self._tries <= 0
        if isinstance(error, SlowConsumerError):  # what came was dropped
            self._in_doubt()

    async def _disconnected(self) -> None:
        if self._closed:
            self._why_not = self._why_not or "the log is closed"
        else:
            self._why_not = self._why_not or "there is no connection to NATS"
            self._health.lost(self._server)
        self._lost()

    async def _reconnected(self) -> None:
        self._found(_too_old(self.client))
        self._in_doubt()

    async def _closed_for_good(self) -> None:
        """The library does not try again: a server has said what it takes for the last word."""
        if not self._closed and (self._reopening is None or self._reopening.done()):
            self._reopening = asyncio.create_task(self._reopen())

    async def _reopen(self) -> None:
        while self._why_not is not None:
            await asyncio.sleep(RECONNECT_SECONDS)
            with contextlib.suppress(UnusableLog):
                await self._connect()
        self._in_doubt()

    async def listen(self, subject: str, heard: Heard) -> Callable[[], Awaitable[None]]:
        """Hear all that is said under a subject, from when this returns; call what it returns.

        Raises:
            NotSent, Unknown: It could not be made sure.

        """
        self.check()
        ear = next(self._numbers)
        self._ears[ear] = subject, heard

        async def stop() -> None:
            del self._ears[ear]
            if subscription := self._subscriptions.pop(ear, None):
                with contextlib.suppress(Unknown, Error, OSError):
                    await within(CALL_SECONDS, subscription.unsubscribe())

        try:
            await self._subscribe(ear)
            await within(CALL_SECONDS, self.client.flush(int(CALL_SECONDS)))
        except asyncio.CancelledError:
            await stop()
            raise
        except (Error, OSError, Unknown) as error:
            await stop()
            raise Unknown(type(error).__name__) from error
        return stop

    async def _subscribe(self, ear: int) -> None:
        subject, heard = self._ears[ear]
        made = await within(CALL_SECONDS, self.client.subscribe(subject, cb=heard))
        self._subscriptions[ear] = made


def _words(error: Exception) -> str:
    """What has happened, as the system says it where it can."""
    if isinstance(error, ConnectionError) and error.errno is not None:
        return os.strerror(error.errno)
    return str(error)


async def _close(client: Client) -> None:
    if client.is_closed or not client.is_connected | client.is_connecting | client.is_reconnecting:
        return  # it has never got as far as that
    with contextlib.suppress(Unknown, OSError, Error):
        await within(CALL_SECONDS, client.close())
