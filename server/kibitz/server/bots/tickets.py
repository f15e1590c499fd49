"""The identities of bots: for each seat one that nobody else can have, and a ticket that brings it.

A ticket names a series of rooms, which of its bots this is, and how that plays; a code shows that
this deployment made it, any server of it. Promises: nothing is stored; who has a ticket is that
bot and nobody else, and every room is told so. Never: give a seat, which somebody else decides.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterator

import msgspec

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Bot, RoomId

from ..access.authority import Authority
from ..access.roles import PLAYER
from ..identity import Identity, id_of
from ..log.log import EventLog
from ..room.state import RoomState
from ..world import World

SECRET = "bots"
"""The name of the secret in the log."""
SECRET_BYTES = 32
CODE_BYTES = 32
PREFIX = "kbb_"
MOST_IN_A_ROOM = 8
"""Bots of one series of rooms that can be told apart."""


class Ticket(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which bot it is.

    Attributes:
        first: The first room of its series.
        number: From 0 on.
        bot: How it plays.
        alike: How many that play so were there before it: its name says that.

    """

    first: RoomId
    number: int
    bot: Bot
    alike: int = 0


class Tickets:
    """Those of one deployment; and who says hello with one."""

    def __init__(self, others: Authority, world: World) -> None:
        """Nothing is known yet.

        Args:
            others: Who says who everybody else is.
            world: Where the secret comes from, where there is none.

        """
        self._others = others
        self._world = world
        self._secret = b""

    @property
    def files(self) -> bool:
        """Whether anything was read from files."""
        return self._others.files

    async def open(self, log: EventLog) -> None:
        """Learn the secret from which all identities of bots follow."""
        self._secret = await log.secret(SECRET, self._world.random_bytes(SECRET_BYTES))
        await self._others.open(log)

    def reload(self) -> None:
        """Read anew what was read from files."""
        self._others.reload()

    def bearer(self, token: str | None) -> Identity:
        """Who asks for a page: no bot does."""
        return self._others.bearer(token)

    def greet(self, token: str | None, name: str | None) -> tuple[Identity, str]:
        """Who says hello: a bot, or anybody else.

        Raises:
            Refused: That cannot be told.

        """
        if token is None or not token.startswith(PREFIX):
            return self._others.greet(token, name)
        return self.identity(self._read(token)), token

    def token(self, ticket: Ticket) -> str:
        """What brings the identity of a bot."""
        said = msgspec.msgpack.encode(ticket)
        return PREFIX + base64.urlsafe_b64encode(self._code(said) + said).decode()

    def identity(self, ticket: Ticket) -> Identity:
        """Who has a ticket: the same whatever it plays."""
        about = msgspec.msgpack.encode((ticket.first, ticket.number))
        digest = hmac.digest(self._secret, b"identity\0" + about, "sha256")
        return Identity(
            id_of(digest),
            _called(ticket.bot, ticket.alike),
            secret=hashlib.sha256(b"secret\0" + digest).digest(),
            roles=frozenset({PLAYER}),
            bot=ticket.bot,
        )

    def of_room(self, id_: str, state: RoomState, bot: Bot) -> Iterator[tuple[Ticket, Identity]]:
        """The bots that there can be in a room, in their order, if each plays like that."""
        first = state.course.series.first if state.course.series else id_
        for number in range(MOST_IN_A_ROOM):
            who = self.identity(Ticket(first, number, bot)).id
            taken = {seat.name for seat in state.seats if seat.bot and seat.id != who}
            alike = next(n for n in range(MOST_IN_A_ROOM) if _called(bot, n) not in taken)
            ticket = Ticket(first, number, bot, alike)
            yield ticket, self.identity(ticket)

    def _read(self, token: str) -> Ticket:
        try:
            raw = base64.b64decode(token.removeprefix(PREFIX), altchars=b"-_", validate=True)
            code, said = raw[:CODE_BYTES], raw[CODE_BYTES:]
            if hmac.compare_digest(code, self._code(said)):
                return msgspec.msgpack.decode(said, type=Ticket)
        except (ValueError, binascii.Error, msgspec.MsgspecError):
            pass
        raise Refused(ErrorCode.AUTH, "that is not a ticket of this server's")

    def _code(self, said: bytes) -> bytes:
        return hmac.digest(self._secret, b"ticket\0" + said, "sha256")


def _called(bot: Bot, alike: int) -> str:
    return f"{bot.strategy} bot{f' {alike + 1}' if alike else ''}"
