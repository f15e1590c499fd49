"""Arguments that several commands have, and what they mean."""

import shlex
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import outcome
from ..outcome import SERVER, Color

if TYPE_CHECKING:
    from ..session import Client

Server = Annotated[str, typer.Option(envvar="KIBITZ_SERVER", help="The server's address.")]
Name = Annotated[str | None, typer.Option(help="Your display name.")]
WithColor = Annotated[Color, typer.Option(help="Colour the suits.")]
FourColours = Annotated[bool, typer.Option("--four-colours", help="A colour for every suit.")]
Ascii = Annotated[bool, typer.Option("--ascii", help="Letters instead of suit signs.")]
Speed = Annotated[float | None, typer.Option(min=0.01, help="Times faster than it happened.")]
Game = Annotated[str, typer.Argument(help="montana, aces-up, klondike, ...")]
Deal = Annotated[
    str | None, typer.Option(help="A deal: a number or a word; ms1 .. ms32000 are Microsoft's.")
]
Rules = Annotated[list[str] | None, typer.Option("--option", help="A rule, k=v; repeatable.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        help="Where your identity is kept; or a file with a token that somebody gave you (which "
        "KIBITZ_TOKEN may hold, too)."
    ),
]
Private = Annotated[
    bool, typer.Option("--private", help="By invitation only; it prints the lines for others.")
]
Invite = Annotated[str | None, typer.Option(help="What lets you into a private room.")]
TlsCa = Annotated[
    Path | None,
    typer.Option(envvar="KIBITZ_TLS_CA", help="The authority of the server's certificate (PEM)."),
]
Board = Annotated[int | None, typer.Option(min=1, help="The seat whose board, in a race.")]
Unlisted = Annotated[bool, typer.Option("--unlisted", help="Only for those who have its name.")]


def where(server: str, tls_ca: Path | None = None) -> str:
    """What our commands need to find a server, to be printed behind them."""
    address = "" if server == SERVER else f" --server {server}"
    return address if tls_ca is None else f"{address} --tls-ca {shlex.quote(str(tls_ca))}"


def talk(
    server: str,
    talking: Callable[["Client"], Awaitable[None]],
    tls_ca: Path | None,
    token_file: Path | None,
    invite: str | None = None,
) -> None:
    """Talk as nobody in particular, or with the token that was given or named."""
    token = given(server, token_file)
    outcome.talk(server, showing(invite, talking), token=token, trust=outcome.trust(tls_ca))


def showing(
    invite: str | None, talking: Callable[["Client"], Awaitable[None]]
) -> Callable[["Client"], Awaitable[None]]:
    """The same talk, with an invite in hand."""
    from kibitz.protocol.limits import MAX_INVITE

    if invite is not None and not 0 < len(invite) <= MAX_INVITE:
        raise outcome.unusable(f"{invite[:32]!r} is no invite")

    async def talk(client: "Client") -> None:
        client.invited = invite
        await talking(client)

    return talk


def given(server: str, token_file: Path | None) -> str | None:
    """The token that was given, or that the named file has."""
    from ..terminal.tokens import Tokens

    chosen = Tokens.chosen(token_file)
    return chosen.get(server) if token_file else chosen.given()


def index(board: int | None) -> int | None:
    """The index of the board of a seat."""
    return None if board is None else board - 1


def unix_ms(text: str, now: datetime | None = None) -> int:
    """A time to come, ``18:30`` (today or tomorrow) or ``2026-11-28T18:30+01:00``, as Unix ms."""
    now = now or datetime.now(UTC).astimezone()
    try:
        if len(text) <= len("18:30"):
            clock = datetime.strptime(text, "%H:%M")
            at = now.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
            at += timedelta(days=at <= now)
        else:
            at = datetime.fromisoformat(text).astimezone()
    except ValueError:
        said = f"{text!r} is no time; it is 18:30 or 2026-11-28T18:30"
        raise outcome.unusable(said) from None
    return round(at.timestamp() * 1000)
