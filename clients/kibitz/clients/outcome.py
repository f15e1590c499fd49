"""How a command runs and how it ends: exit codes, and a sentence for whoever started it.

Exit codes: 0 for a normal end, 1 for a talk that the server ended or refused, 2 for arguments
that cannot be used, an unreachable server among them.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from .session import Client
    from .terminal.screen import Screen

UNUSABLE = 2


class Color(StrEnum):
    """When suits are coloured."""

    auto = "auto"
    always = "always"
    never = "never"


def talk(
    server: str,
    talking: Callable[["Client"], Awaitable[None]],
    *,
    name: str | None = None,
    token: str | None = None,
) -> None:
    """Connect and talk; end the command with a sentence and an exit code if that fails."""

    async def connected() -> None:
        from .session import connect

        async with connect(server, name=name, token=token) as client:
            await talking(client)

    run(server, connected)


def run(server: str, main: Callable[[], Awaitable[None]]) -> None:
    """Run what talks to a server; end the command if that fails."""
    from kibitz.protocol.codes import ErrorCode, Refused

    from .session import Closed, Unreachable

    async def whole() -> None:
        await main()

    try:
        asyncio.run(whole())
    except Unreachable as gone:
        typer.echo(f"no server at {server}; start one with: kibitz serve", err=True)
        typer.echo(f"({gone.reason})", err=True)
        raise typer.Exit(UNUSABLE) from None
    except (Refused, Closed) as error:
        typer.echo(f"kibitz: {error}", err=True)
        ours = (ErrorCode.BAD_OPTION, ErrorCode.BAD_SAVE, ErrorCode.NO_ROOM)
        at_fault = isinstance(error, Refused) and error.code in ours
        raise typer.Exit(UNUSABLE if at_fault else 1) from None


def screen(color: Color, four_colours: bool, ascii_only: bool) -> "Screen":
    """Standard output, as the options want it."""
    from .terminal.screen import Screen

    return Screen(sys.stdout, color=color.value, four_colours=four_colours, ascii_only=ascii_only)


def check_game(name: str) -> None:
    """End the command if there is no such game."""
    from kibitz.engine.games import GAMES

    if name not in GAMES:
        raise unusable(f"no game {name[:32]!r} (games: {', '.join(GAMES)})")


def pair(text: str) -> tuple[str, str]:
    """An option and its value, from ``k=v``."""
    key, equals, value = text.partition("=")
    if not equals:
        raise unusable(f"an option is k=v, not {text!r}")
    return key, value


def save_text(path: Path) -> str:
    """What a file holds; whether that is a save, the server says."""
    from kibitz.protocol.limits import MAX_SAVE

    from .terminal.play import read_text

    try:
        return read_text(path, MAX_SAVE)
    except OSError as error:
        raise unusable(f"could not open {path}: {error.strerror}") from None


def unusable(message: str) -> typer.Exit:
    """The end of a command whose arguments cannot be used; the message has been printed."""
    typer.echo(f"kibitz: {message}", err=True)
    return typer.Exit(UNUSABLE)
