"""A client as rooms and answers know it: who it is, what it follows and is told, how it ends.

Promises: what waits for it is bounded; closing it waits for nobody. Never: read what it says.
"""

import asyncio
import contextlib
from dataclasses import dataclass

import structlog

from kibitz.protocol import requests as ask
from kibitz.protocol.views import Role
from kibitz.protocol.wire import Encoding

from .access.authority import Authority
from .admin.bans import Bans
from .answers import Answers
from .identity import Identity
from .limits.account import Account, Bank
from .lobby.pledges import Pledge
from .operation.metrics import Metrics
from .room.room import Room
from .sockets.socket import Socket
from .sockets.turn import Turn
from .world import World

CLOSE_SECONDS = 5.0
"""How long a client has to read what is waiting for it, once it is being closed."""
OUTBOX = "bytes per address"

log = structlog.get_logger("kibitz.connection")


@dataclass(frozen=True, slots=True)
class Service:
    """What every connection of a server shares."""

    name: str
    authority: Authority
    answers: Answers
    world: World
    metrics: Metrics
    turn: Turn
    bank: Bank
    bans: Bans
    talks: bool = False
    """Whether every request is in the log."""


class Client:
    """Somebody at the other end of a socket."""

    __slots__ = (
        "_closing",
        "_lost",
        "_service",
        "_since",
        "account",
        "encoding",
        "identity",
        "lobby",
        "number",
        "on_air",
        "passes",
        "pledge",
        "rooms",
        "socket",
        "tv",
    )

    def __init__(self, socket: Socket, service: Service, number: int) -> None:
        self.encoding = Encoding(socket.subprotocol or Encoding.JSON.value)
        self.identity = Identity("", "")
        self.rooms: dict[str, Room] = {}
        self.passes: dict[str, Role] = {}
        self.number = number
        self.lobby = False
        self.tv = False
        self.on_air: str | None = ""
        self.pledge = Pledge()
        self.socket = socket
        self.account = Account(service.bank, number, socket.address)
        self._service = service
        self._since = service.world.monotonic()
        self._closing: asyncio.Task[None] | None = None
        self._lost = False

    @property
    def address(self) -> str:
        """Where the client comes from."""
        return self.socket.address

    @property
    def place(self) -> str | None:
        """What its address counts as."""
        return self.account.place

    @property
    def role(self) -> Role | None:
        """How the client takes part in rooms: as a player in one of them, or else looking on."""
        roles = [room.people.role(self) for room in self.rooms.values()]
        return "player" if "player" in roles else "spectator" if roles else None

    @property
    def since_ms(self) -> int:
        """When the client came, Unix ms."""
        world = self._service.world
        return world.now_ms() - round((world.monotonic() - self._since) * 1000)

    @property
    def is_gone(self) -> bool:
        """Whether nobody is there any more, or will not be soon."""
        return self._lost or self._closing is not None

    @property
    def is_overdue(self) -> bool:
        """Whether the client has not said hello in time."""
        timeout = self._service.bank.limits.hello_timeout
        return not self.identity.id and self._service.world.monotonic() > self._since + timeout

    def about(self, request: ask.Request | None) -> dict[str, str]:
        """What the log says of a request, and of whose it is: nothing that he wrote."""
        about = {"identity": self.identity.id, "address": self.address}
        if request is not None:
            about["request"] = str(type(request).__struct_config__.tag)
        if isinstance(request, ask.InRoom | ask.Join):
            about["room"] = request.room
        return about

    # What the answers need (visitor.Visitor)

    def check_follow(self, room: str | None) -> None:
        """Check that one more room may be followed; ``None``: a new one.

        Raises:
            Refused: There are as many as there may be.

        """
        self.account.check_follow(room)

    def follow(self, room: Room) -> None:
        """Follow a room from now on."""
        if room.id not in self.rooms:
            self.account.follow(room)
        self.rooms[room.id] = room

    def count_events(self, count: int) -> None:
        """It is given so many events of the past."""
        self.account.count_events(count)

    def count_work(self, seconds: float) -> None:
        """Count the time that it took to decide a command of it."""
        self.account.count_work(seconds)

    def unfollow(self, room: str) -> None:
        """Follow it no longer."""
        self.passes.pop(room, None)
        if (left := self.rooms.pop(room, None)) is not None:
            self.account.unfollow(left)

    # What rooms need (listener.Listener)

    def offer(self, frames: bytes) -> bool:
        """Send whole frames at the end of this turn, unless too much is waiting already.

        While the connection is being closed they are taken, and go nowhere.
        """
        if self._closing is not None:
            return True
        if self.socket.waiting > self._service.bank.limits.outbox:
            return False
        self.socket.send_soon(frames)
        return True

    @property
    def waiting(self) -> int:
        """Bytes that wait for the client to read, if they are many."""
        return self.socket.waiting if self.socket.paused else 0

    def cut(self) -> None:
        """End the connection and let go of what waits."""
        self._service.metrics.limited(OUTBOX)
        self.socket.transport.abort()

    def fell_behind(self, role: Role) -> None:
        """Count that too much is waiting already."""
        self._service.metrics.fell_behind(role)

    def is_drained(self) -> bool:
        """Whether nothing is waiting to be sent."""
        return self.socket.waiting == 0

    def close_soon(self, code: int, reason: str) -> None:
        """Close without waiting; what is still unsent may be lost."""
        if self._closing is None:
            self.socket.transport.resume_reading()  # to hear the client's close
            self._closing = asyncio.create_task(self._close(code, reason))

    async def _close(self, code: int, reason: str) -> None:
        self._service.metrics.closes.labels(str(int(code))).inc()
        log.info("closed", code=int(code), reason=reason, **self.about(None))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.socket.close(code, reason)
                return
        self.socket.transport.abort()  # it does not even read the close
