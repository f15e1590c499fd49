"""``kibitz admin rooms``, ``ban``, ...: orders to a running server, contributed to the group.

The key comes from a file or the environment, never from the command line, where others could read
it; whoever has a token with the role ``admin`` needs none.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import outcome
from ..outcome import SERVER, Color
from . import options as say

if TYPE_CHECKING:
    from kibitz.protocol.operating import Act

    from ..session import Client

KEY, TOKEN = "KIBITZ_ADMIN_TOKEN", "KIBITZ_TOKEN"
"""Where the key is if no file is named; where a token may be that has the role."""
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
"""Seconds of a unit of time."""

KeyFile = Annotated[
    Path | None,
    typer.Option("--token-file", help=f"The server's admin token; it may be in {KEY}, too."),
]
Json = Annotated[bool, typer.Option("--json", help="For programs.")]
Room = Annotated[str, typer.Argument(help="The room.")]
Who = Annotated[str, typer.Argument(help="The identity; `kibitz admin people` lists them.")]
Whom = Annotated[str, typer.Argument(help="An identity, an address or a network, 192.0.2.0/24.")]
Term = Annotated[str | None, typer.Option("--for", help="For how long: 90s, 30m, 2h, 7d, 4w.")]
Reason = Annotated[str | None, typer.Option(help="What those are told whom it is about.")]


def rooms(
    room: Annotated[str | None, typer.Argument(help="This one only.")] = None,
    server: say.Server = SERVER,
    finished: Annotated[bool, typer.Option("--all", help="Those that are over, too.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 1000,
    token_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """List all rooms, whoever may see them, newest first."""
    status = None if finished or room else "open"
    _list("rooms", server, token_file, as_json, limit, room=room, status=status)


def people(
    server: say.Server = SERVER,
    room: Annotated[str | None, typer.Option(help="In this room only.")] = None,
    id_: Annotated[str | None, typer.Option("--id", help="This identity only.")] = None,
    address: Annotated[str | None, typer.Option(help="From this address or network only.")] = None,
    token_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """List the connections, as they came."""
    _list("people", server, token_file, as_json, None, room=room, id=id_, address=address)


def bans(server: say.Server = SERVER, token_file: KeyFile = None, as_json: Json = False) -> None:
    """List who is banned, muted or kicked."""
    _list("bans", server, token_file, as_json, None)


def close(
    room: Room,
    server: say.Server = SERVER,
    reason: Reason = None,
    token_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Close a room for good: nothing can be played in it any more, and no card is opened."""
    _order("close", server, token_file, as_json, room=room, reason=reason)


def kick(
    room: Room,
    id_: Who,
    server: say.Server = SERVER,
    term: Term = None,
    reason: Reason = None,
    token_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Take somebody's seat in a room from him, and let him take none there."""
    whom = {"room": room, "id": id_}
    _order("kick", server, token_file, as_json, **whom, seconds=_seconds(term), reason=reason)


def unkick(
    room: Room,
    id_: Who,
    server: say.Server = SERVER,
    token_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Let somebody sit down in a room again."""
    _order("unkick", server, token_file, as_json, room=room, id=id_)


def mute(
    id_: Who,
    server: say.Server = SERVER,
    term: Term = None,
    reason: Reason = None,
    token_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Take no comments from somebody, in any room."""
    _order("mute", server, token_file, as_json, id=id_, seconds=_seconds(term), reason=reason)


def unmute(
    id_: Who, server: say.Server = SERVER, token_file: KeyFile = None, as_json: Json = False
) -> None:
    """Take somebody's comments again."""
    _order("unmute", server, token_file, as_json, id=id_)


def ban(
    whom: Whom,
    server: say.Server = SERVER,
    term: Term = None,
    reason: Reason = None,
    force: Annotated[
        bool, typer.Option("--force", help="Even if that is yourself, or this machine.")
    ] = False,
    token_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Send somebody away, and let him in no more."""
    more = {"seconds": _seconds(term), "reason": reason, "force": force}
    _order("ban", server, token_file, as_json, **_named(whom), **more)


def unban(
    whom: Whom, server: say.Server = SERVER, token_file: KeyFile = None, as_json: Json = False
) -> None:
    """Let somebody in again."""
    _order("unban", server, token_file, as_json, **_named(whom))


def notice(
    text: Annotated[str, typer.Argument(help="What everybody is shown.")],
    server: say.Server = SERVER,
    token_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Tell something to everybody who is connected."""
    if not text.strip():
        raise outcome.unusable("an empty notice")
    _order("notice", server, token_file, as_json, text=text)


def drain(server: say.Server = SERVER, token_file: KeyFile = None, as_json: Json = False) -> None:
    """Let the server come to its end, as SIGTERM does: no new rooms, everybody is sent away."""
    _order("drain", server, token_file, as_json)


def _order(act: "Act", server: str, token_file: Path | None, as_json: bool, **fields: Any) -> None:
    """Give an order and print that it was carried out."""
    key = _key(server, token_file)
    _check(act, fields)

    async def talk(client: "Client") -> None:
        from ..terminal import operating

        done = await client.order(act, key=key, **fields)
        typer.echo(operating.as_json(done) if as_json else operating.told(done))

    outcome.talk(server, talk, token=os.environ.get(TOKEN))


def _list(
    act: "Act",
    server: str,
    token_file: Path | None,
    as_json: bool,
    most: int | None,
    **fields: Any,
) -> None:
    """Print a list."""
    key, screen = _key(server, token_file), outcome.screen(Color.auto, False, False)
    _check(act, fields)

    async def talk(client: "Client") -> None:
        from ..terminal import operating

        found = await client.listed(act, key=key, most=most, **fields)
        if as_json:
            typer.echo(operating.as_json(found))
        else:
            operating.show(found, act, screen, client.now)

    outcome.talk(server, talk, token=os.environ.get(TOKEN))


def _check(act: "Act", fields: dict[str, Any]) -> None:
    """End the command if an order cannot be one: a text that is too long, a time beyond all."""
    import msgspec

    from kibitz.protocol.requests import Admin

    try:
        msgspec.convert({"t": "admin", "act": act, **fields}, Admin)
    except msgspec.ValidationError as error:
        raise outcome.unusable(str(error)) from None


def _key(server: str, file: Path | None) -> str | None:
    """The key; ``None`` where a token stands for it."""
    from kibitz.protocol.limits import MAX_KEY

    from ..terminal.files import read_text

    try:
        said = os.environ.get(KEY) if file is None else read_text(file, 4 * MAX_KEY)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise outcome.unusable(f"could not read {file}: {why}") from None
    key = (said or "").strip()
    if not key and os.environ.get(TOKEN):
        return None
    if not 0 < len(key) <= MAX_KEY:
        raise outcome.unusable(f"which admin token? (--token-file FILE, or in {KEY})")
    if outcome.is_in_the_open(server):
        typer.echo("kibitz: the admin token goes over the network as it is; use wss://", err=True)
    return key


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
