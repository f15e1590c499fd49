"""The command ``kibitz``: arguments to calls. What a command needs is imported when it runs.

Other parts add commands through the entry points ``kibitz.commands``; they are looked for by name
and loaded only when asked for.
"""

import asyncio
import os
import sys
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from . import outcome
from .outcome import Color

if TYPE_CHECKING:
    from .session import Client

SERVER = "ws://127.0.0.1:8765/ws"


class _Commands(TyperGroup):
    """Our commands, and those that other parts contribute."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *(found.name for found in _contributed())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is None:
            for found in _contributed():
                if found.name == cmd_name:
                    added = typer.Typer(add_completion=False, rich_markup_mode=None)
                    added.command(cmd_name)(found.load())
                    return get_command(added)
        return command


def _contributed() -> list[EntryPoint]:
    return sorted(entry_points(group="kibitz.commands"), key=lambda found: found.name)


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Play solitaire in front of each other.",
)


Server = Annotated[str, typer.Option(envvar="KIBITZ_SERVER", help="The server's address.")]
Name = Annotated[str | None, typer.Option(help="Your display name.")]
WithColor = Annotated[Color, typer.Option(help="Colour the suits.")]
FourColours = Annotated[bool, typer.Option("--four-colours", help="A colour for every suit.")]
Ascii = Annotated[bool, typer.Option("--ascii", help="Letters instead of suit signs.")]
Speed = Annotated[float | None, typer.Option(min=0.01, help="Times faster than it happened.")]
Game = Annotated[str, typer.Argument(help="montana, aces-up, klondike, ...")]


@app.callback(invoke_without_command=True)
def _kibitz(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if show_version:
        typer.echo(f"kibitz {version('kibitz')}")
        raise typer.Exit


@app.command()
def play(
    game: Annotated[str | None, typer.Argument(help="The game; not needed with --room.")] = None,
    server: Server = SERVER,
    deal: Annotated[str | None, typer.Option(help="A deal number.")] = None,
    load: Annotated[Path | None, typer.Option(help="A save to start from.")] = None,
    option: Annotated[list[str] | None, typer.Option(help="A rule, k=v; repeatable.")] = None,
    seats: Annotated[int, typer.Option(min=1, max=8, help="Players at one board.")] = 1,
    room: Annotated[str | None, typer.Option(help="Sit down in this room.")] = None,
    name: Name = None,
    color: WithColor = Color.auto,
    four_colours: FourColours = False,
    ascii_only: Ascii = False,
    token_file: Annotated[Path | None, typer.Option(help="Where your identity is kept.")] = None,
) -> None:
    """Play a game in a new room, or sit down in one that is there."""
    from .terminal import tokens

    if game is None and room is None:
        raise outcome.unusable("which game? (or --room ID)")
    if room and (deal or load or option or seats > 1):
        raise outcome.unusable(
            "--room is a game that has begun: no --deal, --load, --option, --seats"
        )
    if game is not None:
        outcome.check_game(game)
    settings: dict[str, Any] = {"deal": deal, "options": dict(map(outcome.pair, option or []))}
    if load is not None:
        settings["save"] = outcome.save_text(load)
    if seats > 1:
        settings |= {"mode": "coop", "seats": seats}
    kept = tokens.Tokens(token_file or tokens.default_path())
    screen = outcome.screen(color, four_colours, ascii_only)
    where = "" if server == SERVER else f" --server {server}"

    async def talk(client: "Client") -> None:
        from .terminal.keyboard import Keyboard
        from .terminal.play import Start, play

        try:
            kept.put(server, client.welcome.token)
        except OSError as error:
            typer.echo(f"your identity cannot be kept: {error}", err=True)
        with Keyboard(sys.stdin) as keyboard:
            start = Start(game or "", room, settings)
            await play(client, start, screen, keyboard, where)

    outcome.talk(server, talk, name=name, token=kept.get(server))


@app.command()
def watch(
    room: str,
    server: Server = SERVER,
    from_start: Annotated[bool, typer.Option("--from-start", help="See the past first.")] = False,
    speed: Speed = None,
    color: WithColor = Color.auto,
    four_colours: FourColours = False,
    ascii_only: Ascii = False,
) -> None:
    """Look on while others play."""
    screen = outcome.screen(color, four_colours, ascii_only)

    async def talk(client: "Client") -> None:
        from .terminal.watch import watch

        await watch(client, room, screen, from_start=from_start, speed=speed or 1.0)

    outcome.talk(server, talk)


@app.command()
def rooms(
    server: Server = SERVER,
    game: Annotated[str | None, typer.Option(help="Of this game only.")] = None,
) -> None:
    """List the public rooms."""
    if game is not None:
        outcome.check_game(game)
    screen = outcome.screen(Color.auto, False, False)

    async def talk(client: "Client") -> None:
        from .terminal.watch import list_rooms

        await list_rooms(client, screen, game)

    outcome.talk(server, talk)


@app.command()
def replay(
    source: Annotated[str, typer.Argument(metavar="FILE|ROOM")],
    server: Server = SERVER,
    speed: Speed = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for a key at every step.")] = False,
    color: WithColor = Color.auto,
    four_colours: FourColours = False,
    ascii_only: Ascii = False,
) -> None:
    """Show a game of the past: a replay text, or a room of the server."""
    from kibitz.engine.replays import ReplayError

    from .scene import Scene
    from .terminal import replay as past

    screen = outcome.screen(color, four_colours, ascii_only)
    wait = past.wait_for(speed, step)
    path = Path(source)
    if path.exists() or path.name != source or path.suffix:
        try:
            text = past.read(path)
            scene = Scene(source, text.game.name)
            past.present(past.from_text(text, scene), scene, screen, wait)
        except OSError as error:
            raise outcome.unusable(f"could not open {source}: {error.strerror}") from None
        except ReplayError as error:
            screen.note(f"{source}: {error}")
            raise typer.Exit(1) from None
        return
    found: list[Any] = []

    async def talk(client: "Client") -> None:
        found.extend(await past.history(client, source))

    outcome.talk(server, talk)
    events, scene = found
    past.present(past.from_events(events, scene), scene, screen, wait)


@app.command()
def verify(file: Path) -> None:
    """Check a replay by the rules; exit code 1 and the first line that does not fit."""
    from .terminal.replay import verify

    try:
        code = verify(file, outcome.screen(Color.auto, False, False))
    except OSError as error:
        raise outcome.unusable(f"could not open {file}: {error.strerror}") from None
    raise typer.Exit(code)


@app.command()
def bot(
    strategy: Annotated[str, typer.Argument(help="greedy, random or module:function")],
    game: Game,
    server: Server = SERVER,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1,
    deal: Annotated[list[str] | None, typer.Option(help="A deal number; repeatable.")] = None,
    room: Annotated[str | None, typer.Option(help="Play in this room.")] = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds before each move.")] = 0.0,
    seed: Annotated[int | None, typer.Option(help="Where chance begins.")] = None,
    name: Name = None,
) -> None:
    """Let a program play."""
    from .terminal.arena import Unknown, arena, find

    outcome.check_game(game)
    try:
        make = find(strategy)
    except Unknown as error:
        raise outcome.unusable(str(error)) from None
    settings = {
        "games": max(games, len(deal or [])),
        "deals": deal or [],
        "room": room,
        "delay": delay,
        "seed": seed,
        "name": name or strategy[:32],
    }
    outcome.run(server, lambda: arena(make, game, server, settings))


@app.command()
def console(
    game: Game,
    load: Annotated[str | None, typer.Option(help="A save to start from.")] = None,
    deck: Annotated[str | None, typer.Option(help="Cards to deal, the first one first.")] = None,
    deal: Annotated[str | None, typer.Option(help="A deal number.")] = None,
    rng_seed: Annotated[int | None, typer.Option(help="Where chance begins.")] = None,
) -> None:
    """Play offline, as the course's own program does."""
    from .console import console

    raise typer.Exit(console(game, load, deck, deal, rng_seed))


@app.command(hidden=True)
def demo(
    server: Server = SERVER,
    with_parent: Annotated[bool, typer.Option("--with-parent", help="End with it.")] = False,
) -> None:
    """Let bots play all games for ever."""
    from .demo import demo

    asyncio.run(demo(server, with_parent))


def main() -> None:
    """Run the command line."""
    try:
        app()
    except BrokenPipeError:  # nobody reads any more: let the interpreter flush into nothing
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
