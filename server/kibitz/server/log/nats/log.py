"""The log on NATS JetStream: servers that know nothing of each other write the same rooms.

Promises: a room's next message is stored only behind the one that its writer has seen, so that of
two writers one gets :exc:`..log.Conflict`; no writer leads, and none is waited for when it dies.
What is acknowledged is in as many replicas as the streams have. An append whose fate is unknown
is pending until it is known. Whether it outlives a loss of power is the servers' to say: they sync
every two minutes unless ``sync_interval: always`` is set.

Records name the cards that lie face down: whoever may read the stream of rooms, or hears what is
republished of it, sees them. Seeds and other secrets are in a stream of their own.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import structlog

from kibitz.protocol.views import RoomInfo

from ...operation.measures import Meter
from ..log import AWAY, Conflict, LogFailure, UnusableLog, failure
from ..record import UNREADABLE, Record, write_info
from .appending import Append, Appending
from .channel import NatsChannel
from .connection import OPEN_SECONDS, Closed, NotSent, Unknown
from .form import AWAY_NUMBER, COMMAND, LAST, ROLLUP, read_entry
from .health import Health
from .link import Link
from .live import Live
from .lobby import Lobby
from .probing import Probing
from .putting import Overtaken, Putting
from .reading import Found, Source
from .records import PAUSE_SECONDS, READ_SECONDS, Head, Records, head_of
from .servers import Servers, places, servers_of
from .streams import Space, make_streams, no_streams, time_in
from .values import Values

CLOSE_SECONDS = 5.0
"""What is under way has so long when the log is closed."""
SAY_SECONDS = 0.5
"""When it takes longer until it can be used, that is said."""
NODE_BYTES = 8
"""Random bytes that tell the messages of one process from those of all others."""

T = TypeVar("T")

log = structlog.get_logger("kibitz.log")


class NatsLog:
    """Records on NATS servers; made by :meth:`open`."""

    def __init__(self, name: str) -> None:
        self.meter = Meter()
        self._space = Space(name)
        self._health = Health(self.meter)
        self._link = Link(self._in_doubt, self._health)
        node = secrets.token_hex(NODE_BYTES)
        self.channel = NatsChannel(self._link, self._space.news, node)
        self._source = Source(self._link)
        self._putting = Putting(self._link, self._source, self.meter, self._health)
        self._records = Records(self._source, self._space)
        self._lobby = Lobby(self._source, self._putting, self._records, self._space)
        self._appending = Appending(
            *(self._records, self._putting, self._space, self.meter, self._health),
            node,
            self._register,
        )
        self._values = Values(self._source, self._putting, self._space, self._appending.command)
        self._probe = Probing(self._link, self._source, self._space, self._health)
        self._live: Live | None = None
        self._probing: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(
        cls,
        servers: Sequence[str],
        replicas: int = 1,
        name: str = "",
        *,
        credentials: Path | None = None,
        authority: Path | None = None,
    ) -> "NatsLog":
        """Connect, and make the streams if they are not there.

        Args:
            servers: URLs of one or more servers of one cluster; see :func:`.servers.servers_of`.
            replicas: In how many of them everything is, where the streams are made now.
            name: Tells deployments apart that share the servers.
            credentials: A file that says who we are there, if no URL does.
            authority: A file that says who vouches for them.

        Raises:
            UnusableLog: They cannot be used.

        """
        log = cls(name)
        try:
            found = servers_of(servers, credentials, authority)
            with _waiting(found, lambda: log._link.complaint or "nothing there answers yet"):
                await log._link.open(found)
            with _waiting(found, lambda: no_streams(log._link)):
                kept = await make_streams(log._link, log._space, replicas)
        except (NotSent, Unknown) as error:
            await log._link.close()
            raise UnusableLog(f"the connection to NATS is lost ({error})") from error
        except BaseException:
            await log._link.close()
            raise
        if kept == 1 and len(servers) > 1:
            _say_kept_once(len(servers))
        log._probing = asyncio.create_task(log._probe.run())
        log._live = Live(log._link, log._source, log._records, log._space, log.meter)
        return log

    def _in_doubt(self) -> None:
        if self._live is not None:
            self._live.in_doubt()

    async def _register(self, room: str, in_trouble: Callable[[], None]) -> None:
        await self._lobby.register(room, self._appending.command(), in_trouble)

    def append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> asyncio.Future[None]:
        """Hand records over; see :class:`..log.EventLog`."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self._closed:
            self.meter.failures += 1
            self.meter.failing = True
            done.set_exception(LogFailure("the log is closed"))
        else:
            self._appending.add(Append(done, room, expected, records, info))
        return done

    async def read(self, room: str, after: int = 0, limit: int | None = None) -> list[Record]:
        """The records with later events; see :class:`..log.EventLog`."""
        return await self._records.read(room, after, limit)

    def follow(self, room: str, after: int = 0) -> AsyncIterator[Record]:
        """What is there, then what comes; see :class:`..log.EventLog`."""
        if self._live is None or self._closed:
            raise LogFailure("the log is closed")
        return self._live.follow(room, after)

    async def rooms(self, before: str | None = None, limit: int | None = None) -> list[RoomInfo]:
        """Every room; see :class:`..log.EventLog`."""
        return await self._soon(lambda: self._lobby.rooms(before, limit))

    async def put_away(self, room: str, expected: int, kept: bytes) -> None:
        """Put a room away; see :class:`..log.EventLog`."""
        await self._appending.quiet(room)
        last = await self._soon(lambda: self._last(room))
        head = head_of(last)
        if last is None or head.last != expected or head.last == AWAY:
            raise Conflict(expected, head.last if last else AWAY)
        try:
            info = read_entry(last.body, last.headers)
        except UNREADABLE as error:
            raise failure(error) from error
        number = await self._soon(lambda: self._lobby.number(room)) or 0
        command = self._appending.command()
        away = self._space.away(room, command)
        await self._putting.put(self._space.archive, away, kept, {}, expected=0, command=command)
        if info.daily:
            await self._note_day(room)
        headers = {**ROLLUP, LAST: str(expected), AWAY_NUMBER: str(number)}
        try:
            at = await self._putting.put(
                *(self._space.rooms, self._space.room(room), write_info(info), headers),
                expected=head.number,
                command=command,
            )
        except Overtaken:
            await self._purge(self._space.archive, away)
            now = head_of(await self._soon(lambda: self._last(room)))
            raise Conflict(expected, now.last) from None
        self._records.saw(room, Head(AWAY, at))
        self._lobby.drop(room)
        await self._purge(self._space.lobby, self._space.entry(room))
        await self._purge(self._space.secrets, self._space.seed(room, "*"))

    async def _last(self, room: str) -> Found | None:
        return await self._source.last(self._space.rooms, self._space.room(room))

    async def _note_day(self, room: str) -> None:
        day, command = self._space.day(room), self._appending.command()
        with contextlib.suppress(Overtaken):  # somebody who did not come to the end has noted it
            await self._putting.put(self._space.lobby, day, b"", {}, expected=0, command=command)

    async def _purge(self, stream: str, subject: str) -> None:
        """Drop what nothing points to any more; if that fails, it stays and harms nobody."""
        with contextlib.suppress(NotSent, Unknown):
            body = msgspec.json.encode({"filter": subject})
            await self._link.ask(f"$JS.API.STREAM.PURGE.{stream}", body)

    async def find_away(self, room: str) -> tuple[RoomInfo, bytes] | None:
        """What is kept; see :class:`..log.EventLog`."""
        return await self._soon(lambda: self._find_away(room))

    async def _find_away(self, room: str) -> tuple[RoomInfo, bytes] | None:
        last = await self._last(room)
        if last is None or AWAY_NUMBER not in last.headers:
            return None
        away = self._space.away(room, last.headers.get(COMMAND, ""))
        kept = await self._source.last(self._space.archive, away)
        if kept is None:
            raise LogFailure(f"what was kept of room {room} is missing")
        return read_entry(last.body, last.headers), kept.body

    async def days_away(self) -> list[RoomInfo]:
        """Those for deals of the day; see :class:`..log.EventLog`."""
        return await self._soon(self._lobby.days_away)

    async def secret(self, name: str, fresh: bytes) -> bytes:
        """A secret, kept; see :class:`..log.EventLog`."""
        return await self._soon(lambda: self._values.secret(name, fresh))

    async def keep(self, name: str, value: bytes | None) -> None:
        """Keep a value, or forget it; see :class:`..log.EventLog`."""
        await self._soon(lambda: self._values.keep(name, value))

    async def kept(self, prefix: str = "") -> dict[str, bytes]:
        """What is kept; see :class:`..log.EventLog`."""
        return await self._soon(lambda: self._values.kept(prefix))

    async def time_ms(self) -> int | None:
        """What time it is for who leads; see :class:`..log.EventLog`."""
        try:
            return time_in(await self._link.ask(f"$JS.API.STREAM.INFO.{self._space.kept}"))
        except (NotSent, Unknown) as error:
            raise LogFailure(str(error)) from error
        except UNREADABLE as error:
            raise failure(error) from error

    async def _soon(self, work: Callable[[], Awaitable[T]]) -> T:
        """What comes of it, tried again for a while if the servers cannot say.

        Raises:
            LogFailure: They could not.

        """
        end = time.monotonic() + READ_SECONDS
        while True:
            if self._closed:
                raise LogFailure("the log is closed")
            try:
                return await work()
            except (NotSent, Unknown) as error:
                if isinstance(error, Closed) or time.monotonic() > end:
                    self.meter.failures += 1
                    raise LogFailure(str(error)) from error
            except UNREADABLE as error:
                self.meter.failures += 1
                raise failure(error) from error
            await asyncio.sleep(PAUSE_SECONDS)

    async def close(self) -> None:
        """Wait for what is under way, for some seconds, and let go of the connection."""
        if self._closed:
            return
        self._closed = True
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.wait([self._probing])
        await self._appending.end(CLOSE_SECONDS)
        await self._link.close()
        if self._live is not None:
            await self._live.end()


@contextlib.contextmanager
def _waiting(servers: Servers, why: Callable[[], str]) -> Iterator[None]:
    """Say why it takes long, if it does, and how long it may take."""

    def say() -> None:
        where = places(servers.urls)
        log.warning("log waits", server=where, seconds=OPEN_SECONDS, why=why())

    timer = asyncio.get_running_loop().call_later(SAY_SECONDS, say)
    try:
        yield
    finally:
        timer.cancel()


def _say_kept_once(servers: int) -> None:
    log.warning("kept once", servers=servers)
