"""Ways to a seat: a new room, one that is there, the position of a game, the next of a series."""

from collections.abc import Awaitable, Callable, Container, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from msgspec.structs import replace

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.views import Strategy

from ..pledging import create_pledged
from ..session import Client
from ..telling import number_of, refused_because

NO_BOTS = "this server has no bots of its own"
SEARCHING = "a winnable deal is being looked for: that may take a few seconds"


class Seated(NamedTuple):
    """Where somebody has sat down.

    Attributes:
        mirror: The room.
        kept: Of a room made for us: whether its deal is the one that was pledged.

    """

    mirror: Mirror
    kept: bool | None = None


class Ways(NamedTuple):
    """What the lines that we print need to find the server.

    Attributes:
        others: Behind the commands of those who come here.
        again: Behind our own.

    """

    others: str = ""
    again: str = ""


Seating = Callable[[Client], Awaitable[Seated]]
"""Takes a seat. Raises ``Refused`` where the server does not let us."""


def new_room(game: str, **settings: Any) -> Seating:
    """A seat in a new room; ``settings`` as in the request ``create``.

    The deal of the day is the same for everybody: nobody adds anything to that.
    """

    async def sit(client: Client) -> Seated:
        wish = settings.get("policy")
        if wish and wish.advice and not client.welcome.limits.get("advice"):
            settings["policy"] = replace(wish, advice=None)  # this server has none to give
        if settings.get("daily"):
            return Seated(await client.create(game, **settings))
        return Seated(*await create_pledged(client, game, **settings))

    return sit


def seat_in(room: str, game: str = "") -> Seating:
    """A seat in a room that is there; if a game is named, it must be the one played there."""

    async def sit(client: Client) -> Seated:
        if game:
            _check((await client.join(room)).view.game, game, room)
        return Seated(await client.join(room, "player"))

    return sit


def against(
    seating: Seating, bots: Sequence[Strategy], pace: int, *, theirs: bool = False
) -> Seating:
    """The same seat, and bots of the server's on others; ``pace``: milliseconds a move.

    Where the server never has so many, nobody sits down. Where it has none to spare just now,
    nothing is left behind: the race is called off, or, if it is ``theirs`` who were there before,
    the bots are sent away again and the seat is free.
    """

    async def sit(client: Client) -> Seated:
        limits = client.welcome.limits
        most = limits.get("bots", 0)
        each = limits.get("bots_per_identity", most)
        if len(bots) > min(most, each):
            has = f"this server has {number_of(most, 'bot')} at most" if most else NO_BOTS
            lets = f"this server lets one have {number_of(each, 'bot')} at a time"
            raise Refused(ErrorCode.UNSUPPORTED, has if most <= each else lets)
        seated = await seating(client)
        mirror = seated.mirror
        before = {seat.id for seat in mirror.seats if seat.bot}
        for number, strategy in enumerate(bots, 1):
            try:
                await client.seat_bot(mirror.room, strategy, pace)
            except Refused as refused:
                off = await _undo(client, mirror, before, theirs)
                raise _without(refused, number if len(bots) > 1 else None, off) from None
        return seated

    return sit


async def _undo(
    client: Client, mirror: Mirror, before: Container[str | None], theirs: bool
) -> bool:
    """Leave a race as it was before we and our bots came; whether it is called off."""
    if not theirs:
        with suppress(Refused):  # somebody else has come, or a server knows nothing of this
            await client.resign(mirror.room)
            return True
    for seat in list(mirror.seats):
        if seat.bot and seat.id not in before:
            with suppress(Refused):
                await client.send_bot_away(mirror.room, seat.seat)
    await client.leave(mirror.room)
    return False


def _without(refused: Refused, number: int | None, off: bool) -> Refused:
    """What is said of a bot that does not come, and of the race."""
    which = "the bot" if number is None else f"bot {number}"
    race = "the race is called off" if off else "your seat is free again"
    said = f"{which} cannot come: {refused.message}; {race}"
    return Refused(refused.code, said, room=refused.room, retry_ms=refused.retry_ms)


def searched(seating: Seating, say: Callable[[str], None]) -> Seating:
    """The same seat; where a winnable deal is looked for, that is said first."""

    async def sit(client: Client) -> Seated:
        if client.welcome.limits.get("winnable"):
            say(SEARCHING)
        return await seating(client)

    return sit


def forked(room: str, at: int | None, board: int | None) -> Seating:
    """A seat at the position after event ``at``, or after the last one so far."""

    async def sit(client: Client) -> Seated:
        mirror = await client.join(room)
        return Seated(await client.fork(room, at or mirror.seq, board))

    return sit


def rematch(room: str) -> Seating:
    """The same seat in the next room of a series."""

    async def sit(client: Client) -> Seated:
        return Seated(await client.rematch(room))

    return sit


async def why_unseated(client: Client, room: str) -> str:
    """Why our seat was taken from us: what the server says when we ask for it again."""
    try:
        await client.join(room, "player")
    except Refused as refused:
        return f"your seat was taken from you: {refused_because(refused)}"
    await client.leave(room)
    return "your seat was taken from you"


def _check(played: str, game: str, room: str) -> None:
    if played != game:
        message = f"that room plays {played}; sit down with: kibitz play --room {room}"
        raise Refused(ErrorCode.BAD_OPTION, message, room=room)
