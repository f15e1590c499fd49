"""The server, wired together: every part is made here and handed to those who need it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from http import HTTPStatus
from itertools import count

import structlog
from websockets.asyncio.server import Server, ServerConnection
from websockets.http11 import Request, Response

from kibitz.protocol.codes import CloseCode

from .access.addresses import Proxies
from .access.authority import Unusable
from .access.certificates import certificates_of
from .access.opening import authority_of
from .access.origins import Origins
from .admin.administration import Administration
from .admin.bans import REFRESH_SECONDS, Bans
from .admin.key import Key
from .analysing.advisers import Advisers
from .analysing.analyses import Analyses
from .answers import Answers
from .bots.house import House, Reach
from .bots.tickets import Tickets
from .client import Service
from .connection import Connection
from .dealing.winnable import WinnableDeals
from .limits.account import Bank
from .limits.door import Door
from .limits.holdings import Followed
from .limits.outboxes import cut_slow
from .limits.table import Table
from .lobby.rooms import Rooms
from .lobby.telling import tell_lobby, tell_tv
from .log.log import EventLog
from .neighbours.neighbours import Neighbours
from .operation.drain import RETRY_MS, Drain, going_away
from .operation.lag import LagSampler
from .operation.logs import LogLevel
from .operation.metrics import Metrics
from .operation.scraping import Scraping
from .pace import Gently
from .room.past import Past
from .settings import Auth, Settings
from .sockets.keepalive import Keepalive
from .sockets.listening import listen
from .sockets.socket import Socket
from .sockets.turn import Turn
from .storage.attic import Attic
from .web.apart import serve_apart
from .web.pages import SOCKET_PATH, TEXT, Pages, page, refusing
from .web.site import installed
from .world import World

NAME = "kibitz/0.1.0"
TICK_SECONDS = 0.25
"""How often slow spectators are looked after."""
TICKS_PER_PRESENCE = 4
"""Presence and lobby are told once in so many ticks: at most once a second."""
TICKS_PER_PING = 80
"""Everybody is asked once in so many ticks whether he is still there: every 20 seconds."""
FOREIGN = (
    b"this server takes connections from its own pages, not from those of another site "
    b"(whoever runs it lets a site in with --allow-origin)\n"
)

log = structlog.get_logger("kibitz.app")


class App:
    """One server: started, it listens until it is stopped."""

    def __init__(self, settings: Settings, log_: EventLog, world: World) -> None:
        self._settings = settings
        self._log = log_
        self._metrics = Metrics(log_.meter)
        self._lag = LagSampler(self._metrics.lag)
        self._proxies = Proxies(settings.access.trusted_proxy)
        self._origins = Origins(settings.access.allow_origin)
        listening = settings.listening
        self._certificates = certificates_of(listening.tls_cert, listening.tls_key)
        turn = Turn()
        limits = settings.limits
        self._table = Table(limits, world.monotonic)
        self._door = Door(limits, self._table, self._metrics.limited, self._proxies.has)
        seconds = settings.operating.winnable_seconds
        self._winnable = WinnableDeals(seconds, self._metrics) if seconds else None
        self.rooms = Rooms(log_, world, limits.says, turn, limits, self._winnable)
        self._past = past = Past(log_, limits.past_waiting, gently=Gently(world.monotonic))
        days = settings.keeping.keep
        self.attic = Attic(log_, self.rooms, past, world, days) if days else None
        directory = self.rooms.directory
        self._neighbours = Neighbours(log_.channel, directory.elsewhere, directory, world)
        directory.on_racer = self._neighbours.tell_of
        directory.on_player = self._neighbours.plays
        self._connections: set[Connection] = set()
        self._drain = Drain(settings.operating.drain, self._connections)
        self._bans = bans = Bans(log_, world)
        key = Key(settings.admin_key)
        self._administration = Administration(
            key,
            *(bans, self.rooms, log_, world, self._connections, self.drain),
            self._neighbours.notice,
        )
        self._ordered = asyncio.Event()
        bans.on_change = self._neighbours.ordered
        bans.on_news = self._administration.enforce
        self._neighbours.on_orders = self._ordered.set
        self._neighbours.on_notice = self._administration.notify
        self._neighbours.on_please = self.rooms.give_way
        self.rooms.on_crowded = self._neighbours.please
        self._analyses = Analyses(settings.operating.analysis_seconds, self._metrics)
        self._advisers = Advisers(settings.operating.advice_seconds, self._metrics)
        self._authority = Tickets(authority_of(settings.access, world), world)
        self.house = House(limits, self.rooms, self._authority, self._metrics, bans)
        self.house.on_thought = self._neighbours.thinks
        self._neighbours.on_thought = self.house.heard
        self._answers = Answers(
            *(self.rooms, past, world, self._metrics, bans, self._administration),
            *(self._analyses, self._advisers, self.house),
        )
        self._world = world
        self._pages = Pages(
            *(self.rooms, past, self._answers, self._metrics, installed(), self._authority),
            *(bans, self._table, limits, self._analyses),
        )
        self._service = Service(
            NAME,
            self._authority,
            self._answers,
            world,
            self._metrics,
            turn,
            Bank(limits, self._table, Followed(limits), self._metrics.limited, key.opens),
            bans,
            settings.operating.log_level is LogLevel.DEBUG,
        )
        self._scraping = Scraping(
            self._metrics, self.rooms, self._connections, settings.metrics_token
        )
        self._came = count(1)
        self._strangers: dict[Connection, None] = {}
        """Those who have not said hello yet, the first to come first."""
        self._keepalive = Keepalive(TICKS_PER_PING)
        self.drained = asyncio.Event()
        """Set when whoever runs the server is to stop it."""
        self.flushed = False
        """Whether all that was accepted is written and the log closed."""
        self._server: Server | None = None
        self._apart: Server | None = None
        """Where the numbers are told, if not on the same port."""
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def port(self) -> int:
        """The port that is listened on."""
        assert self._server is not None, "started"
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    @property
    def metrics_port(self) -> int | None:
        """The port of this machine on which the numbers are told, if not on the same one."""
        if self._apart is None:
            return None
        port: int = next(iter(self._apart.sockets)).getsockname()[1]
        return port

    async def start(self) -> None:
        """Read what rooms there are and listen.

        Raises:
            OSError: The address cannot be listened on.

        """
        await self._bans.refresh()
        await self.rooms.open()
        await self._neighbours.open()
        await self._authority.open(self._log)
        listening = self._settings.listening
        if (port := listening.metrics_port) is not None:
            self._apart = await serve_apart(port, NAME, self._scraping, self._pages)
        self._server = await listen(
            *(listening, self._connect, self._page, NAME, self._door),
            *(self._settings.limits.hello_timeout, self._certificates),
        )
        self.house.reach = Reach(listening.url(self.port, "ws"), listening.tls_cert)
        self._lag.start()
        self._tasks = [
            asyncio.create_task(self._tick()),
            asyncio.create_task(self.rooms.clock.run()),
            asyncio.create_task(self._keep_bans()),
        ]
        if self.attic is not None:
            self._tasks.append(asyncio.create_task(self.attic.run()))

    def drain(self) -> None:
        """Take no more rooms and connections from now on, and come to an end."""
        if not self._drain.begun:
            self._answers.draining = self._metrics.draining = self.house.draining = True
            self._drain.begin()
            log.info("draining", connections=len(self._connections))
        self.drained.set()

    def terminate(self) -> None:
        """Come to an end; told once more, at once."""
        if self._drain.begun:
            self._drain.hurry()
        self.drain()

    def reload(self) -> None:
        """Read keys and certificates anew; of what cannot be used the old ones stay."""
        parts = {"keys": self._authority, "certificate": self._certificates}
        for what, part in parts.items():
            if part is None or not part.files:
                continue
            try:
                part.reload()
            except Unusable as error:
                log.error("not reloaded", what=what, why=str(error))
            else:
                log.info("reloaded", what=what)

    async def stop(self) -> None:
        """Send everybody away with 4503, flush the log."""
        self.drain()
        assert self._server is not None, "started"
        self._lag.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)  # if we are cancelled meanwhile, that is not their end
        for task in self._tasks:
            if not task.cancelled():
                task.result()
        await self.house.close()
        await self._analyses.close()
        await self._advisers.close()
        if self._winnable is not None:
            await self._winnable.close()
        cut = await self._drain.send_away(self._server)
        self._past.close()
        await self._neighbours.close()
        await self.rooms.close()
        if self._apart is not None:
            self._apart.close()
        closing = asyncio.ensure_future(self._log.close())
        if not (await asyncio.wait([closing], timeout=self._drain.left))[0]:
            log.error("not flushed")
        await closing
        self.flushed = True
        seconds = round(self._settings.operating.drain - self._drain.left, 2)
        log.info("stopped", seconds=seconds, cut=cut)

    async def _connect(self, socket: ServerConnection) -> None:
        assert isinstance(socket, Socket), "as it was asked for"
        connection = Connection(socket, self._service, self._disconnected, next(self._came))
        self._connections.add(connection)
        self._strangers[connection] = None
        if self._drain.begun:  # its handshake was under way
            connection.close_soon(CloseCode.GOING_AWAY, f"going away; retry_ms={RETRY_MS}")

    def _disconnected(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._strangers.pop(connection, None)

    def _page(
        self, socket: ServerConnection, request: Request
    ) -> Awaitable[Response | None] | Response | None:
        assert isinstance(socket, Socket), "as it was asked for"
        socket.address = self._proxies.address_of(socket, request)
        if ban := self._bans.banned(None, socket.address):
            return refusing(self._bans.refused(ban))
        stays = request.method == "GET" and request.path.partition("?")[0] == SOCKET_PATH
        if refusal := self._door.asked(socket, socket.address, stays=stays):
            return refusal
        wait = self._door.waits(socket, stays=stays)
        if wait is None:
            return self._door.refused(socket)
        return (
            self._after(wait, socket, request, stays)
            if wait
            else self._served(socket, request, stays)
        )

    async def _after(
        self, seconds: float, socket: Socket, request: Request, stays: bool
    ) -> Response | None:
        """What is answered to somebody when it is his turn."""
        await asyncio.sleep(seconds)
        answer = self._served(socket, request, stays)
        return await answer if isinstance(answer, Awaitable) else answer

    def _served(
        self, socket: Socket, request: Request, stays: bool
    ) -> Awaitable[Response] | Response | None:
        if not stays:
            return self._answer(socket, request)
        if self._drain.begun:
            return going_away()
        if self._origins.admit(request.headers, self._proxies.are_trusted(socket)):
            return None
        return page(FOREIGN, TEXT, HTTPStatus.FORBIDDEN)

    async def _answer(self, socket: Socket, request: Request) -> Response:
        """A page, unless too much is on its way to there."""
        if self._apart is None and self._scraping.is_wanted(request):
            response = await self._scraping.answer(socket, request)
        else:
            response = await self._pages.answer(request, socket.address)
        return self._door.sends(socket, len(response.body)) or response

    async def _tick(self) -> None:
        tick = 0
        while True:
            await asyncio.sleep(TICK_SECONDS)
            tick += 1
            try:
                self._dismiss_strangers()
                self._keepalive.tick(self._connections)
                self._table.tick()
                cut_slow(self._connections, self._settings.limits.outbox_per_address)
                self.rooms.refresh_laggards()
                if tick % TICKS_PER_PRESENCE == 0:
                    self._dismiss_expired()
                    self.rooms.tell_presence()
                    self._neighbours.tick()
                    self.house.tick()
                    tell_lobby(self.rooms.directory, self._connections)
                    tell_tv(self.rooms.directory, self._connections)
                    self.rooms.sweep()
            except Exception:
                log.exception("tick failed")

    async def _keep_bans(self) -> None:
        """Do what other servers on the same log were ordered, too."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REFRESH_SECONDS):
                    await self._ordered.wait()
            self._ordered.clear()
            try:
                await self._bans.refresh()
            except Exception:
                log.exception("bans not read")

    def _dismiss_strangers(self) -> None:
        """Send those away who do not say hello; they may come again, for it may have been lost."""
        for connection in list(self._strangers):
            if connection.identity.id:
                del self._strangers[connection]
            elif connection.is_overdue:
                connection.close_soon(CloseCode.TOO_SLOW, "no hello in time")

    def _dismiss_expired(self) -> None:
        """Send those away whose token has ended, and who have shown no other."""
        if self._settings.access.auth is Auth.GUEST:
            return
        now = self._world.now_ms()
        for connection in list(self._connections):
            expires = connection.identity.expires
            if expires is not None and now >= expires:
                connection.close_soon(CloseCode.AUTH, "your token has expired")


@contextlib.asynccontextmanager
async def running(settings: Settings, log_: EventLog, world: World) -> AsyncIterator[App]:
    """A server that listens as long as the block runs."""
    try:
        app = App(settings, log_, world)
        await app.start()
    except BaseException:
        await log_.close()
        raise
    try:
        yield app
    finally:
        await app.stop()
