"""Arguments that several commands have, and what they mean."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from .. import outcome
from ..outcome import SERVER, Color

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
TokenFile = Annotated[Path | None, typer.Option(help="Where your identity is kept.")]
Board = Annotated[int | None, typer.Option(min=1, help="The seat whose board, in a race.")]
Unlisted = Annotated[bool, typer.Option("--unlisted", help="Only for those who have its name.")]


def where(server: str) -> str:
    """What our commands need to find a server, to be printed behind them."""
    return "" if server == SERVER else f" --server {server}"


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
