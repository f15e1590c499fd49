"""``kibitz watch``, ``rooms``, ``present``: a person looks on, or shows something to others."""

from typing import TYPE_CHECKING, Annotated

import typer

from .. import outcome
from ..outcome import Color
from . import options as say
from .groups import spread
from .reaching import Access, Entry

if TYPE_CHECKING:
    from ..session import Client


@spread
def watch(
    *,
    room: Annotated[str | None, typer.Argument(help="The room; not needed with --tv.")] = None,
    tv: Annotated[
        bool, typer.Option("--tv", help="Whatever is most worth watching, one after the other.")
    ] = False,
    board: say.Board = None,
    from_start: Annotated[bool, typer.Option("--from-start", help="See the past first.")] = False,
    speed: say.Speed = None,
    name: say.Name = None,
    looks: say.Looks,
    entry: Entry,
) -> None:
    """Look on while others play.

    On a terminal the left arrow goes back, `l` is live again, and `c` writes a comment.
    """
    screen = looks.screen
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

    entry.talk(talk, name=name)


@spread
def rooms(
    *,
    game: Annotated[str | None, typer.Option(help="Of this game only.")] = None,
    finished: Annotated[bool, typer.Option("--all", help="Those that have ended, too.")] = False,
    access: Access,
) -> None:
    """List the public rooms in which a game is being played, newest first."""
    game = outcome.game_named(game) if game is not None else None
    screen = outcome.screen(Color.auto, False, False)

    async def talk(client: "Client") -> None:
        from ..terminal.lobby import list_rooms

        await list_rooms(client, screen, game, finished)

    access.talk(talk)


@spread
def present(
    *,
    room: Annotated[str, typer.Argument(help="A finished game, or a replay room.")],
    unlisted: say.Unlisted = False,
    name: say.Name = None,
    looks: say.Looks,
    access: Access,
) -> None:
    """Show a finished game to others. They see it in step; the keys are those of `replay`."""
    screen = looks.screen

    async def talk(client: "Client") -> None:
        from ..terminal import follow
        from ..terminal.keys import keys_of_terminal

        async with keys_of_terminal() as keys:
            await follow.present(
                *(client, room, screen, keys), unlisted=unlisted, where=access.where
            )

    access.talk_as_ever(talk, name=name)
