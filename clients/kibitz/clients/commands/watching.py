"""``kibitz watch``, ``rooms``, ``present``: a person looks on, or shows something to others."""

from typing import TYPE_CHECKING, Annotated

import typer

from .. import outcome
from ..outcome import SERVER, Color
from . import options as say

if TYPE_CHECKING:
    from ..session import Client


def watch(
    room: Annotated[str | None, typer.Argument(help="The room; not needed with --tv.")] = None,
    server: say.Server = SERVER,
    tv: Annotated[
        bool, typer.Option("--tv", help="Whatever is most worth watching, one after the other.")
    ] = False,
    board: say.Board = None,
    from_start: Annotated[bool, typer.Option("--from-start", help="See the past first.")] = False,
    speed: say.Speed = None,
    invite: say.Invite = None,
    color: say.WithColor = Color.auto,
    four_colours: say.FourColours = False,
    ascii_only: say.Ascii = False,
    token_file: say.TokenFile = None,
    tls_ca: say.TlsCa = None,
) -> None:
    """Look on while others play. On a terminal the left arrow goes back, `l` is live again."""
    screen = outcome.screen(color, four_colours, ascii_only)
    if (room is None) is not tv:
        raise outcome.unusable("which room? (or --tv)" if room is None else "a room, or --tv")

    async def talk(client: "Client") -> None:
        from ..terminal import watch as looking
        from ..terminal.keys import keys_of_terminal

        async with keys_of_terminal() as keys:
            if room is None:
                await looking.tv(client, screen, keys)
                return
            await looking.watch(
                *(client, room, screen, keys),
                from_start=from_start,
                speed=speed or 1.0,
                board=say.index(board),
            )

    say.talk(server, talk, tls_ca, token_file, invite)


def rooms(
    server: say.Server = SERVER,
    game: Annotated[str | None, typer.Option(help="Of this game only.")] = None,
    finished: Annotated[bool, typer.Option("--all", help="Those that have ended, too.")] = False,
    token_file: say.TokenFile = None,
    tls_ca: say.TlsCa = None,
) -> None:
    """List the public rooms in which a game is being played, newest first."""
    game = outcome.game_named(game) if game is not None else None
    screen = outcome.screen(Color.auto, False, False)

    async def talk(client: "Client") -> None:
        from ..terminal.lobby import list_rooms

        await list_rooms(client, screen, game, finished)

    say.talk(server, talk, tls_ca, token_file)


def present(
    room: Annotated[str, typer.Argument(help="A finished game, or a replay room.")],
    server: say.Server = SERVER,
    unlisted: say.Unlisted = False,
    name: say.Name = None,
    color: say.WithColor = Color.auto,
    four_colours: say.FourColours = False,
    ascii_only: say.Ascii = False,
    token_file: say.TokenFile = None,
    tls_ca: say.TlsCa = None,
) -> None:
    """Show a finished game to others. They see it in step; the keys are those of `replay`."""
    from ..terminal import tokens

    screen = outcome.screen(color, four_colours, ascii_only)
    kept = tokens.Tokens.chosen(token_file)

    async def talk(client: "Client") -> None:
        from ..terminal import follow
        from ..terminal.keys import keys_of_terminal

        kept.keep(server, client.welcome.token)
        async with keys_of_terminal() as keys:
            await follow.present(
                *(client, room, screen, keys), unlisted=unlisted, where=say.where(server, tls_ca)
            )

    trust = outcome.trust(tls_ca)
    outcome.talk(server, talk, name=name, token=kept.get(server), trust=trust)
