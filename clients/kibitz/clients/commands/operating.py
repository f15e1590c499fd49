"""``kibitz admin rooms``, ``ban``, ...: orders to a running server, contributed to the group.

Who gives them shows the server's key, or a token that has the role ``admin``: :mod:`.office`.
"""

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import outcome
from ..outcome import Color
from .groups import spread
from .office import Office
from .reaching import Talking

if TYPE_CHECKING:
    from kibitz.protocol.operating import Act

    from ..session import Client

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
"""Seconds of a unit of time."""

Json = Annotated[bool, typer.Option("--json", help="For programs.")]
Room = Annotated[str, typer.Argument(metavar="ROOM", help="The room.")]
Who = Annotated[
    str, typer.Argument(metavar="ID", help="The identity; `kibitz admin people` lists them.")
]
Whom = Annotated[
    str,
    typer.Argument(
        metavar="WHOM",
        help="An identity, an address or a network, 192.0.2.0/24; one IPv6 address means its /64.",
    ),
]
Term = Annotated[
    str | None,
    typer.Option(
        "--for", metavar="TIME", help="For how long: 90s, 30m, 2h, 7d, 4w; for good, if not said."
    ),
]
Reason = Annotated[str | None, typer.Option(help="What those are told whom it is about.")]


@spread
def rooms(
    *,
    room: Annotated[str | None, typer.Argument(metavar="ROOM", help="This one only.")] = None,
    finished: Annotated[bool, typer.Option("--all", help="Those that are over, too.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 1000,
    as_json: Json = False,
    office: Office,
) -> None:
    """List all rooms, whoever may see them, newest first."""
    status = None if finished or room else "open"
    _list("rooms", office, as_json, limit, room=room, status=status)


@spread
def people(
    *,
    room: Annotated[str | None, typer.Option(help="In this room only.")] = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="This identity only.")
    ] = None,
    address: Annotated[str | None, typer.Option(help="From this address or network only.")] = None,
    as_json: Json = False,
    office: Office,
) -> None:
    """List the connections, as they came."""
    _list("people", office, as_json, None, room=room, id=id_, address=address)


@spread
def bans(*, as_json: Json = False, office: Office) -> None:
    """List who is banned, muted or kicked."""
    _list("bans", office, as_json, None)


@spread
def close(
    *,
    room: Room,
    reason: Reason = None,
    as_json: Json = False,
    office: Office,
) -> None:
    """Close a room for good: nothing can be played in it any more, and no card is opened."""
    _order("close", office, as_json, room=room, reason=reason)


@spread
def kick(
    *,
    room: Room,
    id_: Who,
    term: Term = None,
    reason: Reason = None,
    as_json: Json = False,
    office: Office,
) -> None:
    """Take somebody's seat in a room from him, and let him take none there."""
    whom = {"room": room, "id": id_}
    _order("kick", office, as_json, **whom, seconds=_seconds(term), reason=reason)


@spread
def unkick(
    *,
    room: Room,
    id_: Who,
    as_json: Json = False,
    office: Office,
) -> None:
    """Let somebody sit down in a room again."""
    _order("unkick", office, as_json, room=room, id=id_)


@spread
def mute(
    *,
    id_: Who,
    term: Term = None,
    reason: Reason = None,
    as_json: Json = False,
    office: Office,
) -> None:
    """Take no comments from somebody, in any room."""
    _order("mute", office, as_json, id=id_, seconds=_seconds(term), reason=reason)


@spread
def unmute(*, id_: Who, as_json: Json = False, office: Office) -> None:
    """Take somebody's comments again."""
    _order("unmute", office, as_json, id=id_)


@spread
def ban(
    *,
    whom: Whom,
    term: Term = None,
    reason: Reason = None,
    force: Annotated[
        bool, typer.Option("--force", help="Even if that is yourself, or this machine.")
    ] = False,
    as_json: Json = False,
    office: Office,
) -> None:
    """Send somebody away, and let him in no more."""
    more = {"seconds": _seconds(term), "reason": reason, "force": force}
    _order("ban", office, as_json, **_named(whom), **more)


@spread
def unban(*, whom: Whom, as_json: Json = False, office: Office) -> None:
    """Let somebody in again."""
    _order("unban", office, as_json, **_named(whom))


@spread
def notice(
    *,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What everybody is shown.")],
    as_json: Json = False,
    office: Office,
) -> None:
    """Tell something to everybody who is connected."""
    if not text.strip():
        raise outcome.unusable("an empty notice")
    _order("notice", office, as_json, text=text)


@spread
def drain(*, as_json: Json = False, office: Office) -> None:
    """Let the server come to its end, as SIGTERM does: no new rooms, everybody is sent away."""
    _order("drain", office, as_json)


def _order(act: "Act", office: Office, as_json: bool, **fields: Any) -> None:
    """Give an order and print that it was carried out."""
    key = office.key()
    _check(act, fields)

    async def talk(client: "Client") -> None:
        from ..terminal import operating

        done = await client.order(act, key=key, **fields)
        said = operating.told(done, fields.get("seconds"))
        typer.echo(operating.as_json(done) if as_json else said)

    office.talk(_spelled(talk))


def _list(act: "Act", office: Office, as_json: bool, most: int | None, **fields: Any) -> None:
    """Print a list."""
    key, screen = office.key(), outcome.screen(Color.auto, False, False)
    _check(act, fields)

    async def talk(client: "Client") -> None:
        from ..terminal import operating

        found = await client.listed(act, key=key, most=most, **fields)
        if as_json:
            typer.echo(operating.as_json(found))
        else:
            operating.show(found, act, screen, client.now)

    office.talk(_spelled(talk))


def _spelled(talking: Talking) -> Talking:
    """The same talk, whose refusals call a field of an order as the command line does."""

    async def talk(client: "Client") -> None:
        from kibitz.protocol.codes import Refused

        try:
            await talking(client)
        except Refused as refused:
            message = refused.message.replace("(force ", "(--force ")
            raise Refused(refused.code, message, retry_ms=refused.retry_ms) from None

    return talk


SPELLED = {"seconds": "--for", "reason": "--reason", "text": "the text"}
"""What parts of an order are called on the command line."""


def _check(act: "Act", fields: dict[str, Any]) -> None:
    """End the command if an order cannot be one: a text that is too long, a time beyond all."""
    import msgspec

    from kibitz.protocol.requests import Admin
    from kibitz.protocol.wire import in_words

    try:
        msgspec.convert({"t": "admin", "act": act, **fields}, Admin)
    except msgspec.ValidationError as error:
        raise outcome.unusable(in_words(error, SPELLED)) from None


def _named(whom: str) -> dict[str, str]:
    """Whether an identity or an address is meant."""
    from ipaddress import ip_network

    try:
        ip_network(whom, strict=False)
    except ValueError:
        return {"address" if "/" in whom or ":" in whom or "." in whom else "id": whom}
    return {"address": whom}


def _seconds(text: str | None) -> int | None:
    """A time, ``2h``, in seconds."""
    if text is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]{0,8})([smhdw])", text)
    if found is None:
        raise outcome.unusable(f"{text!r} is no time; it is 90s, 30m, 2h, 7d or 4w")
    return int(found[1]) * UNITS[found[2]]
