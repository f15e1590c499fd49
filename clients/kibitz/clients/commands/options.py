"""Arguments about games that several commands have, and what they mean."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from .. import outcome
from ..outcome import Color

if TYPE_CHECKING:
    from ..terminal.screen import Screen

Name = Annotated[str | None, typer.Option(help="Your display name.")]
Speed = Annotated[float | None, typer.Option(min=0.01, help="Times faster than it happened.")]
Game = Annotated[str, typer.Argument(help="montana, aces-up, klondike, ...")]
Deal = Annotated[
    str | None, typer.Option(help="A deal: a number or a word; ms1 .. ms32000 are Microsoft's.")
]
Rules = Annotated[list[str] | None, typer.Option("--option", help="A rule, k=v; repeatable.")]
Private = Annotated[
    bool, typer.Option("--private", help="By invitation only; it prints the lines for others.")
]
Winnable = Annotated[
    bool,
    typer.Option("--winnable", help="A deal of which the server knows that it can be won."),
]
Board = Annotated[int | None, typer.Option(min=1, help="The seat whose board, in a race.")]
Casual = Annotated[
    bool, typer.Option("--casual", help="Players may ask whether it can still be won.")
]


class Hints(StrEnum):
    """What players may ask for."""

    none = "none"
    moves = "moves"
    bot = "bot"


HintsOption = Annotated[
    Hints,
    typer.Option(help="What players may ask for: nothing, the legal moves, a strong bot's choice."),
]
Unlisted = Annotated[bool, typer.Option("--unlisted", help="Only for those who have its name.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """How boards are printed."""

    color: Annotated[Color, typer.Option(help="Colour the suits.")] = Color.auto
    four_colours: Annotated[
        bool, typer.Option("--four-colours", help="A colour for every suit.")
    ] = False
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Letters instead of suit signs.")] = (
        False
    )

    @property
    def screen(self) -> "Screen":
        """Standard output, as it is wanted."""
        return outcome.screen(self.color, self.four_colours, self.ascii_only)


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
