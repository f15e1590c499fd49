"""The commands: arguments to calls. What a command needs is imported when it runs."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import outcome
from .outcome import SERVER, Color

if TYPE_CHECKING:
    from .session import Client

Server = Annotated[str, typer.Option(envvar="KIBITZ_SERVER", help="The server's address.")]
Name = Annotated[str | None, typer.Option(help="Your display name.")]
WithColor = Annotated[Color, typer.Option(help="Colour the suits.")]
FourColours = Annotated[bool, typer.Option("--four-colours", help="A colour for every suit.")]
Ascii = Annotated[bool, typer.Option("--ascii", help="Letters instead of suit signs.")]
Speed = Annotated[float | None, typer.Option(min=0.01, help="Times faster than it happened.")]
Game = Annotated[str, typer.Argument(help="montana, aces-up, klondike, ...")]


def play(
    game: Annotated[str | None, typer.Argument(help="The game; not needed with --room.")] = None,
    server: Server = SERVER,
    deal: Annotated[str | None, typer.Option(help="A deal: a number or a word.")] = None,
    load: Annotated[Path | None, typer.Option(help="A save to start from.")] = None,
    option: Annotated[list[str] | None, typer.Option(help="A rule, k=v; repeatable.")] = None,
    seats: Annotated[int, typer.Option(min=1, max=8, help="Players at one board.")] = 1,
    allow_cheat: Annotated[
        bool, typer.Option("--allow-cheat", help="Let players look at all cards.")
    ] = False,
    room: Annotated[str | None, typer.Option(help="Sit down in this room.")] = None,
    name: Name = None,
    color: WithColor = Color.auto,
    four_colours: FourColours = False,
    ascii_only: Ascii = False,
    token_file: Annotated[Path | None, typer.Option(help="Where your identity is kept.")] = None,
) -> None:
    """Play a game in a new room, or sit down in one that is there."""
    from kibitz.protocol.requests import PolicyWish

    from .terminal import tokens

    if game is None and room is None:
        raise outcome.unusable("which game? (or --room ID)")
    if room and (deal or load or option or seats > 1 or allow_cheat):
        raise outcome.unusable(
            "--room is a game that has begun: no --deal, --load, --option, --seats, --allow-cheat"
        )
    game = outcome.game_named(game) if game is not None else ""
    settings: dict[str, Any] = {"deal": deal, "options": dict(map(outcome.pair, option or []))}
    if load is not None:
        settings["save"] = outcome.save_text(load)
    if seats > 1:
        settings |= {"mode": "coop", "seats": seats}
    if allow_cheat:
        settings["policy"] = PolicyWish(cheat=True)
    kept = tokens.Tokens(token_file or tokens.default_path())
    screen = outcome.screen(color, four_colours, ascii_only)
    where = "" if server == SERVER else f" --server {server}"

    async def talk(client: "Client") -> None:
        from .terminal.keyboard import Keyboard
        from .terminal.play import play
        from .terminal.table import Start

        try:
            kept.put(server, client.welcome.token)
        except OSError as error:
            typer.echo(f"your identity cannot be kept: {error}", err=True)
        with Keyboard(sys.stdin) as keyboard:
            await play(client, Start(game, room, settings), screen, keyboard, where)

    outcome.talk(server, talk, name=name, token=kept.get(server))


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


def rooms(
    server: Server = SERVER,
    game: Annotated[str | None, typer.Option(help="Of this game only.")] = None,
    finished: Annotated[bool, typer.Option("--all", help="Those that have ended, too.")] = False,
) -> None:
    """List the public rooms in which a game is being played, newest first."""
    game = outcome.game_named(game) if game is not None else None
    screen = outcome.screen(Color.auto, False, False)

    async def talk(client: "Client") -> None:
        from .terminal.lobby import list_rooms

        await list_rooms(client, screen, game, finished)

    outcome.talk(server, talk)


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

    from .terminal import replay as past
    from .terminal.pace import pace_of

    screen = outcome.screen(color, four_colours, ascii_only)
    found: list[Any] = []

    async def talk(client: "Client") -> None:
        found.extend(await past.history(client, source))

    path = Path(source)
    try:
        if path.exists() or path.name != source or path.suffix:
            frames = past.from_text(_read(path), path.name)
        else:
            outcome.talk(server, talk)
            frames = past.from_events(*found)
        with pace_of(speed, step) as pace:
            past.present(frames, screen, pace)
    except (ReplayError, past.StillRunning) as error:
        screen.say(f"{source}: {error}")
        raise typer.Exit(1) from None


def _read(path: Path) -> Any:
    from .terminal.replay import read

    try:
        return read(path)
    except OSError as error:
        raise outcome.unusable(f"could not open {path}: {error.strerror}") from None


def verify(file: Path) -> None:
    """Check a replay by the rules; exit code 1 and the first line that does not fit."""
    from .terminal.replay import verify

    try:
        code, said = verify(file)
    except OSError as error:
        raise outcome.unusable(f"could not open {file}: {error.strerror}") from None
    outcome.screen(Color.auto, False, False).say(said)
    raise typer.Exit(code)


def bot(
    strategy: Annotated[str, typer.Argument(help="greedy, random or module:function")],
    game: Game,
    server: Server = SERVER,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1,
    deal: Annotated[
        list[str] | None, typer.Option(help="A deal: a number or a word; repeatable.")
    ] = None,
    room: Annotated[str | None, typer.Option(help="Play in this room.")] = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds before each move.")] = 0.0,
    seed: Annotated[int | None, typer.Option(help="Where chance begins.")] = None,
    name: Name = None,
) -> None:
    """Let a program play."""
    from .terminal.arena import Unknown, arena, find

    game = outcome.game_named(game)
    settings = {
        "games": max(games, len(deal or [])),
        "deals": deal or [],
        "room": room,
        "delay": delay,
        "seed": seed,
        "name": strategy[:32] if name is None else name,
    }

    async def play() -> None:
        await arena(find(strategy), game, server, settings)

    try:
        outcome.run(server, play, name=name)
    except Unknown as error:
        raise outcome.unusable(str(error)) from None


def console(
    game: Game,
    load: Annotated[str | None, typer.Option(help="A save to start from.")] = None,
    deck: Annotated[str | None, typer.Option(help="Cards to deal, the first one first.")] = None,
    deal: Annotated[str | None, typer.Option(help="A deal: a number or a word.")] = None,
    rng_seed: Annotated[int | None, typer.Option(help="Where chance begins.")] = None,
) -> None:
    """Play offline, as the course's own program does."""
    from .console import console

    raise typer.Exit(console(outcome.game_named(game), load, deck, deal, rng_seed))


def demo(
    server: Server = SERVER,
    with_parent: Annotated[bool, typer.Option("--with-parent", help="End with it.")] = False,
) -> None:
    """Let bots play all games for ever."""
    from .demo import demo

    asyncio.run(demo(server, with_parent))
