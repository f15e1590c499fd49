"""The bots of one server: who may have one, which play now, and what becomes of their seats.

Promises: a bot thinks in a process of its own, never on the server's loop or in a thread of it;
there are never more than the operator allows, in all, for each who made a race and for each address
from which somebody asked for one or brought it back; whom he has banned or kicked none of them is;
one whose process fails gives up its board, or frees its seat, so that nobody waits for it; one
without work, and at last each of them when the server has ended, is gone soon. Never: rules, cards.
"""

import asyncio
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from kibitz.protocol import requests as ask
from kibitz.protocol.bots import Errand, Exit
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.replies import Ok, Thought
from kibitz.protocol.views import Bot

from ..admin.bans import Bans
from ..identity import Identity
from ..limits.settings import Limits
from ..limits.table import Over
from ..lobby.rooms import Rooms
from ..log.log import LogFailure, Undecided
from ..operation.metrics import BROKE, REFUSED, STARTED, Metrics
from ..processes import Failed
from ..room.room import Room
from ..visitor import Visitor
from .child import played_apart
from .seats import Sits, at_seat, check_owner, check_takes_bots, gone, has_work, seated
from .thoughts import show, thought_of
from .tickets import Ticket, Tickets

BUSY_MS = 60_000
"""When to ask again where every bot plays."""
AGAIN_SECONDS = 1.0
"""When it is looked again at what the log did not tell, or did not take."""
AGAIN_TIMES = 30
"""So often; then somebody has to come."""

log = structlog.get_logger("kibitz.bots")


@dataclass(frozen=True, slots=True)
class Reach:
    """How a client on this machine reaches the server: its address, the certificate it has."""

    url: str
    certificate: Path | None


@dataclass(slots=True)
class _Playing:
    """A bot that plays, or is about to.

    Attributes:
        holders: Who is counted for it.
        in_doubt: Whether nobody knows that it has its seat: what was written of it may be there.

    """

    holders: tuple[Hashable, ...]
    in_doubt: bool = False
    task: asyncio.Task[None] | None = field(default=None)


class House:
    """Where the bots are at home."""

    def __init__(
        self, limits: Limits, rooms: Rooms, tickets: Tickets, metrics: Metrics, bans: Bans
    ) -> None:
        self.most = limits.bots
        """How many may play at a time; 0: there are none."""
        self.on_thought: Callable[[Thought], object] = lambda thought: None
        """Told what a player thinks, for those on other servers."""
        self.reach = Reach("", None)
        """Set when the server listens."""
        self.limits = {"bots": self.most, "bots_per_identity": limits.bots_per_identity}
        """What a client is told of it."""
        self._each = (limits.bots_per_identity, limits.bots_per_address)
        self._rooms = rooms
        self._tickets = tickets
        self._metrics = metrics
        self._bans = bans
        self._playing: dict[tuple[str, str], _Playing] = {}
        """By room and identity."""
        self._missed: dict[str, Visitor] = {}
        """Rooms in which a bot should play and could not be started yet, and who came to them."""
        self.draining = False
        """Whether no more are started, because the server comes to its end."""

    async def answer(self, request: ask.SeatBot | ask.Think, room: Room, visitor: Visitor) -> Ok:
        """Have a bot sit down, or send one away; that is durable then. Or show what one thinks.

        Raises:
            Refused: Not in this room, not now, or there are too many.
            LogFailure: It could not be written; nothing has changed.

        """
        if isinstance(request, ask.Think):
            thought = thought_of(request, room, visitor)
            show(thought, room)
            self.on_thought(thought)
            return Ok(room=room.id)
        who = visitor.identity
        if done := room.answered(request, who):
            return done
        check_owner(room.state, who.id)
        if request.on:
            if request.seat is not None:
                message = "a bot takes the first free seat: no `seat`"
                raise Refused(ErrorCode.BAD_OPTION, message)
            return await self._seat(request, room, visitor)
        number = request.seat or 0
        return await room.order(
            lambda state, here, at: gone(state, at_seat(state, number), here, at), who, request
        )

    def heard(self, thought: Thought) -> None:
        """A player on another server thinks something."""
        if (room := self._rooms.peek(thought.room)) is not None:
            show(thought, room)

    def wake(self, room: Room, visitor: Visitor) -> None:
        """Somebody has come to play: so do the bots of the room that nobody has started here.

        They belong to a game that goes on after a restart, or to the next one of a series. A bot
        that comes brings no others along. One that seems to be here, as it may have been on a
        server that has died, or for which there is no place yet, is looked at again by ``tick``.
        """
        if visitor.identity.bot or not room.people.is_seated(visitor.identity.id):
            return
        self._missed.pop(room.id, None)
        for seat in room.state.seats:
            if seat.bot is None or seat.id is None or not has_work(room.state, seat):
                continue
            if (room.id, seat.id) in self._playing:
                continue
            for ticket, bot in self._tickets.of_room(room.id, room.state, seat.bot):
                if bot.id != seat.id or self._is_barred(room, bot):
                    continue
                if bot.id in room.people.here() or self._over(room, visitor) is not None:
                    self._missed[room.id] = visitor
                else:
                    self._hold(room, bot, visitor)
                    self._start(room, ticket, bot)

    def tick(self) -> None:
        """Once a second: start those that could not be started, if they still should be."""
        for id_, visitor in list(self._missed.items()):
            room = self._rooms.peek(id_)
            if room is None or visitor.is_gone or id_ not in visitor.rooms:
                del self._missed[id_]
            else:
                self.wake(room, visitor)

    async def close(self) -> None:
        """End all of them, and start no more; their seats stay theirs."""
        self.draining = True
        tasks = [each.task for each in self._playing.values() if each.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _seat(self, request: ask.SeatBot, room: Room, visitor: Visitor) -> Ok:
        check_takes_bots(room.state)
        if refusal := self._over(room, visitor):
            self._metrics.bots[REFUSED] += 1
            raise refusal
        how, who = Bot(request.strategy, request.pace), visitor.identity
        while True:  # each time one more has a seat that nobody here had brought
            ticket, bot = self._newcomer(room, how)
            doubted = self._hold(room, bot, visitor)
            try:
                done = await room.order(
                    lambda state, here, at, bot=bot: seated(state, bot, here, at),  # type: ignore[misc]
                    *(who, request),
                )
            except Sits:
                if not doubted:
                    del self._playing[room.id, bot.id]
                    continue
                done = room.ok(room.seq, who)
            except BaseException as error:
                if isinstance(error, Undecided) and not self.draining:
                    self._doubt(room, ticket, bot)
                else:
                    del self._playing[room.id, bot.id]
                raise
            break
        if room.people.is_seated(bot.id):
            self._start(room, ticket, bot)
        else:  # the same was asked on another connection, and that one's bot sits there
            del self._playing[room.id, bot.id]
        return done

    def _doubt(self, room: Room, ticket: Ticket, bot: Identity) -> None:
        """See whether a bot has got the seat of which that is not known, and let it play then."""
        playing = self._playing[room.id, bot.id]
        playing.in_doubt = True
        playing.task = asyncio.create_task(self._find_out(room, ticket, bot))

    async def _find_out(self, room: Room, ticket: Ticket, bot: Identity) -> None:
        with room.coming():
            for _ in range(AGAIN_TIMES):
                await asyncio.sleep(AGAIN_SECONDS)
                with suppress(LogFailure):
                    await room.catch_up(room.seq + 1)
                if room.people.is_seated(bot.id):
                    self._start(room, ticket, bot)
                    return
        del self._playing[room.id, bot.id]

    def _newcomer(self, room: Room, bot: Bot) -> tuple[Ticket, Identity]:
        """The first bot that is not in a room, and may be.

        Raises:
            Refused: There is none.

        """
        barred = False
        for ticket, identity in self._tickets.of_room(room.id, room.state, bot):
            held = self._playing.get((room.id, identity.id))
            if room.people.is_seated(identity.id) or (held and not held.in_doubt):
                continue
            if not self._is_barred(room, identity):
                return ticket, identity
            barred = True
        if barred:
            message = "who runs this server has sent the other bots away from this room"
            raise Refused(ErrorCode.FORBIDDEN, message, room=room.id)
        raise Over("bots per room", 0).full(room.id)

    def _is_barred(self, room: Room, bot: Identity) -> bool:
        """Whether an operator lets a bot not in."""
        return bool(self._bans.banned(bot.id, "") or self._bans.kicked(room.id, bot.id))

    def _over(self, room: Room, visitor: Visitor) -> Refused | None:
        """Why no bot may play in a room because of somebody, if none may."""
        if not self.most:
            return Refused(ErrorCode.UNSUPPORTED, "this server has no bots of its own")
        if self.draining:
            return Refused(ErrorCode.DRAINING, "the server comes to its end", retry_ms=1000)
        holders = self._holders(room, visitor)
        counted = [  # who may come to the same seat again is no second bot
            (where, each)
            for (where, _), each in self._playing.items()
            if not (each.in_doubt and where == room.id)
        ]
        for holder, most, by in zip(holders, self._each, ("identity", "address"), strict=True):
            held = [where for where, each in counted if holder in each.holders]
            if holder is not None and len(held) >= most:
                rooms = ", ".join(dict.fromkeys(held)) if by == "identity" else ""
                return Over(f"bots per {by}", 0, most, rooms).full()
        if len(counted) < self.most:
            return None
        message = "every bot of this server plays just now; try again later"
        return Refused(ErrorCode.FULL, message, retry_ms=BUSY_MS, limit="bots")

    @staticmethod
    def _holders(room: Room, visitor: Visitor) -> tuple[Hashable, ...]:
        """Who is counted for a bot: who made the room, and where he is because of whom it comes."""
        place = visitor.place
        return (room.state.owner, None if place is None else ("address", place))

    def _hold(self, room: Room, bot: Identity, visitor: Visitor) -> bool:
        """Count a bot from now on; whether it was in doubt before that it has a seat."""
        before = self._playing.get((room.id, bot.id))
        self._playing[room.id, bot.id] = _Playing(self._holders(room, visitor))
        if before and before.task:
            before.task.cancel()
        return before is not None

    def _start(self, room: Room, ticket: Ticket, bot: Identity) -> None:
        """Let a bot play that is held already."""
        playing = self._playing[room.id, bot.id]
        playing.in_doubt = False
        playing.task = asyncio.create_task(self._play(room, ticket, bot))
        self._metrics.bots[STARTED] += 1
        self._metrics.bots_playing += 1

    async def _play(self, room: Room, ticket: Ticket, bot: Identity) -> None:
        certificate = self.reach.certificate
        errand = Errand(
            url=self.reach.url,
            pin=None if certificate is None else str(certificate.absolute()),
            token=self._tickets.token(ticket),
            room=room.id,
            strategy=ticket.bot.strategy,
            pace=ticket.bot.pace,
        )
        try:
            with room.coming():  # it stays here: what becomes of the seat is heard
                code = await self._code(errand, bot)
            if code not in list(Exit):
                self._metrics.bots[BROKE] += 1
                log.error("bot failed", room=room.id, identity=bot.id, why=code)
            if code != Exit.REPLACED:
                await self._clear(room.id, bot)
        finally:
            del self._playing[room.id, bot.id]
            self._metrics.bots_playing -= 1

    async def _code(self, errand: Errand, bot: Identity) -> int | str:
        """How the process of a bot ended, or why there was none."""
        try:
            return await played_apart(
                errand,
                lambda: self._has_work(errand.room, bot),
                lambda: self._is_here(errand.room, bot),
            )
        except Failed as error:
            return str(error)

    def _has_work(self, id_: str, bot: Identity) -> bool:
        """Whether a bot has something to play, as far as is known here."""
        if (room := self._rooms.peek(id_)) is None:
            return True
        seat = room.state.seat_of(bot.id)
        return seat is not None and has_work(room.state, seat)

    def _is_here(self, id_: str, bot: Identity) -> bool:
        """Whether a bot is in its room, as far as is known here."""
        room = self._rooms.peek(id_)
        return room is None or bot.id in room.people.here()

    async def _clear(self, id_: str, bot: Identity) -> None:
        """See that nobody waits for a bot that is gone."""
        for _ in range(AGAIN_TIMES):
            try:
                room = await self._rooms.get(id_)
                await room.order(lambda state, here, at: gone(state, bot, here, at))
                return
            except (Refused, LogFailure) as error:
                log.warning("seat not cleared", room=id_, identity=bot.id, why=str(error))
                if isinstance(error, Refused):
                    return
            await asyncio.sleep(AGAIN_SECONDS)
