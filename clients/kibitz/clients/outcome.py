"""How a command runs and how it ends: exit codes, and a sentence for whoever started it.

Exit codes: 0 for a normal end, 1 for a talk that the server ended or refused, 2 for arguments
that cannot be used, an unreachable server among them, 130 for an end by Ctrl-C.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit, urlunsplit

import typer

if TYPE_CHECKING:
    from .session import Client
    from .terminal.screen import Screen
    from .trust import Trust

UNUSABLE = 2
SERVER = "ws://127.0.0.1:8765/ws"
"""Where a server is if nobody says otherwise."""
SCHEMES = {"http": "ws", "https": "wss"}
"""Of a page, and of its server."""
WHO = "--token-file FILE or KIBITZ_TOKEN says who you are"


class Color(StrEnum):
    """When suits are coloured."""

    auto = "auto"
    always = "always"
    never = "never"


def talk(
    server: str | Sequence[str],
    talking: Callable[["Client"], Awaitable[None]],
    *,
    name: str | None = None,
    token: str | None = None,
    trust: "Trust | None" = None,
    refused: int = 1,
    who: str = WHO,
) -> None:
    """Connect and talk; end the command with a sentence and an exit code if that fails."""

    async def connected() -> None:
        from .session import connect

        async with connect(server, name=name, token=token, trust=trust) as client:
            await talking(client)

    run(server, connected, name=name, refused=refused, who=who)


def run(
    server: str | Sequence[str],
    main: Callable[[], Awaitable[None]],
    *,
    name: str | None = None,
    refused: int = 1,
    who: str = WHO,
) -> None:
    """Run what talks to a server, under a name; end the command if that fails.

    Args:
        server: The address, or several.
        main: What talks.
        name: The display name.
        refused: The exit code where the server does not want us, or what we ask.
        who: What is said to somebody whom the server does not know.

    """
    from kibitz.protocol.codes import CloseCode, ErrorCode, Refused

    from .bots.turns import Failed
    from .session import Busy, Closed, Garbled, NoSocket, Unreachable, Untrusted
    from .telling import printable, refused_because

    async def whole() -> None:
        await main()

    servers = [server] if isinstance(server, str) else server
    _check(servers, name)
    try:
        asyncio.run(whole())
    except NoSocket as error:
        message = f"there is a server at {error.url}, but no kibitz socket at that path"
        raise unusable(f"{message} ({error.reason}); an address looks like {SERVER}") from None
    except Busy as error:
        typer.echo(f"kibitz: {error.url} takes nobody in: {error.reason}", err=True)
        raise typer.Exit(refused) from None
    except Garbled as error:
        other = "ws" if error.url.lower().startswith("wss") else "wss"
        message = f"there is something at {error.url}, but it does not answer as a server does"
        raise unusable(
            f"{message} ({error.reason}); try {other}:{error.url.partition(':')[2]}, or start one "
            "with: kibitz serve"
        ) from None
    except Untrusted as error:
        message = f"the certificate of {error.url} is not trusted ({error.reason})"
        raise unusable(f"{message}; --tls-ca FILE names its authority") from None
    except Unreachable as gone:
        typer.echo(f"no server at {' or '.join(servers)}; start one with: kibitz serve", err=True)
        typer.echo(f"({gone.reason})", err=True)
        raise typer.Exit(UNUSABLE) from None
    except (Refused, Closed, Failed) as error:
        said = refused_because(error) if isinstance(error, Refused) else error
        typer.echo(f"kibitz: {printable(str(said))}", err=True)
        if isinstance(error, Closed) and error.code == CloseCode.AUTH:
            typer.echo(f"({who})", err=True)
        ours = (ErrorCode.BAD_OPTION, ErrorCode.BAD_SAVE, ErrorCode.NO_ROOM)
        at_fault = isinstance(error, Refused) and error.code in ours
        raise typer.Exit(UNUSABLE if at_fault else refused) from None


def trust(authority: Path | None) -> "Trust | None":
    """Whose certificates are good; end the command if that file says of none."""
    import ssl

    from .trust import of_authority

    if authority is None:
        return None
    trust = of_authority(authority)
    try:
        trust()
    except ssl.SSLError:
        raise unusable(f"{authority} is no certificate (PEM)") from None
    except OSError as error:
        raise unusable(f"could not open {authority}: {error.strerror}") from None
    return trust


def _check(servers: Sequence[str], name: str | None) -> None:
    """End the command if an address or a name cannot be one."""
    from kibitz.protocol.limits import MAX_NAME

    for server in servers:
        if not _is_address(server):
            raise unusable(f"{server!r} is no address; an address looks like {SERVER}")
    if name is not None and not 0 < len(name) <= MAX_NAME:
        raise unusable(f"a name has 1 to {MAX_NAME} characters")


def address(text: str) -> str:
    """The address of a server: itself, or the one behind that of its page.

    Whatever names no page is left as it is: it is told later what is wrong with it.
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        return text
    if parts.scheme not in SCHEMES or not parts.hostname:
        return text
    path = parts.path.rstrip("/").removesuffix("/ws")
    return urlunsplit((SCHEMES[parts.scheme], parts.netloc, f"{path}/ws", "", ""))


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_in_the_open(server: str) -> bool:
    """Whether what is said to a server can be read on the way to it."""
    from ipaddress import ip_address

    parts = urlsplit(server)
    if parts.scheme == "wss" or parts.hostname == "localhost":
        return False
    try:
        return not ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return True


def screen(color: Color, four_colours: bool, ascii_only: bool) -> "Screen":
    """Standard output, as the options want it."""
    from .terminal.screen import Screen

    return Screen(sys.stdout, color=color.value, four_colours=four_colours, ascii_only=ascii_only)


def game_named(name: str) -> str:
    """The game of that name, in whatever case; end the command if there is none."""
    from kibitz.engine.games import GAMES

    if name.lower() in GAMES:
        return name.lower()
    hint = _alike(name) or f"games: {', '.join(GAMES)}"
    raise unusable(f"no game {name[:32]!r} ({hint})")


def no_source(name: str) -> str:
    """What is said of a name that might have been a file, a room or a game, and is none."""
    hint = _alike(name)
    return f"there is no file, room or game {name[:32]!r}" + (f" ({hint})" if hint else "")


def _alike(name: str) -> str | None:
    """The game that somebody may have meant."""
    import difflib

    from kibitz.engine.games import GAMES

    alike = difflib.get_close_matches(name.lower(), GAMES, n=1)
    return f"did you mean {alike[0]}?" if alike else None


def day(text: str) -> str:
    """A date, as requests have it; ends the command if it is none."""
    from msgspec import ValidationError, convert

    from kibitz.protocol.asking import Day

    try:
        return convert(text, Day)
    except ValidationError:
        raise unusable(f"{text!r} is no date; one is 2026-11-28") from None


def pair(text: str) -> tuple[str, str]:
    """An option and its value, from ``k=v``."""
    key, equals, value = text.partition("=")
    if not equals:
        raise unusable(f"an option is k=v, not {text!r}")
    return key, value


def save_text(path: Path) -> str:
    """What a file holds; whether that is a save, the server says."""
    from kibitz.protocol.limits import MAX_SAVE

    return file_text(path, MAX_SAVE)


def file_text(path: Path, most: int) -> str:
    """What a file holds, up to so many bytes and one; end the command if it cannot be read."""
    from .terminal.files import read_text

    try:
        return read_text(path, most)
    except OSError as error:
        raise unusable(f"could not open {path}: {error.strerror}") from None


Row = TypeVar("Row")


def tracked(rows: Iterable[Row], total: int, *, told: bool = False) -> Iterable[Row]:
    """The same rows; how many there are by now is shown on the error output, if it is a terminal.

    Not if each is ``told`` on a terminal, too: that is enough.
    """
    from rich.console import Console
    from rich.progress import track

    hidden = not sys.stderr.isatty() or (told and sys.stdout.isatty())
    return track(rows, total=total, console=Console(stderr=True), disable=hidden, transient=True)


def print_json(plain: object) -> None:
    """Print something for programs."""
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=2).decode() + "\n")


def unusable(message: str) -> typer.Exit:
    """The end of a command whose arguments cannot be used; the message has been printed."""
    typer.echo(f"kibitz: {message}", err=True)
    return typer.Exit(UNUSABLE)


def written(command: Callable[[], object]) -> None:
    """Run a command whose output may have nowhere to go: a closed pipe, a full disk."""
    try:
        try:
            command()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # nobody reads any more, which is nobody's fault
        _close_output()
        sys.exit(1)
    except OSError as error:
        if error.filename is not None:  # that is no output of ours
            raise
        _close_output()
        sys.stderr.write(f"kibitz: the output could not be written: {error.strerror}\n")
        sys.exit(1)


def _close_output() -> None:
    """Let what is left to be written go into nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
