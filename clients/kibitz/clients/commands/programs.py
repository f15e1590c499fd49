"""``kibitz bot``, ``console``, ``demo``: programs play, or a person plays offline."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from .. import outcome
from ..outcome import SERVER
from . import options as say
from .groups import spread
from .reaching import Access, Server, TlsCa


@spread
def bot(
    *,
    strategy: Annotated[
        str, typer.Argument(help="strong, fast, greedy, random or module:function")
    ],
    game: say.Game,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1,
    deal: Annotated[
        list[str] | None, typer.Option(help="A deal: a number or a word; repeatable.")
    ] = None,
    option: say.Rules = None,
    room: Annotated[
        str | None, typer.Option(help="Play in this room; in a race, be ready at once.")
    ] = None,
    race: Annotated[
        int | None, typer.Option(min=2, max=100, help="Open a race with so many seats.")
    ] = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds before each move.")] = 0.0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show those who watch what it thinks of its moves.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Where chance begins.")] = None,
    name: say.Name = None,
    access: Access,
) -> None:
    """Let a program play."""
    from ..bots.finding import Unknown, find
    from ..terminal.bots import play_games

    game = outcome.game_named(game)
    if room and option:
        raise outcome.unusable("--room is a game that has begun: no --option")
    token, keep = access.remembered(name)
    settings = {
        "games": 1 if room else max(games, len(deal or [])),
        "deals": deal or [],
        "options": dict(map(outcome.pair, option or [])),
        "room": room,
        "race": None if race is None else {"seats": race},
        "delay": delay,
        "explain": explain,
        "seed": seed,
        "name": strategy[:32] if name is None else name,
        "token": token,
        "trust": access.trust,
        "met": keep,
    }

    async def play() -> None:
        await play_games(find(strategy), game, access.server, settings, access.where)

    try:
        outcome.run(access.server, play, name=name, who=access.who)
    except Unknown as error:
        raise outcome.unusable(str(error)) from None


def console(
    game: say.Game,
    load: Annotated[str | None, typer.Option(help="A save to start from.")] = None,
    deck: Annotated[str | None, typer.Option(help="Cards to deal, the first one first.")] = None,
    deal: Annotated[str | None, typer.Option(help="A deal: a number or a word.")] = None,
    rng_seed: Annotated[int | None, typer.Option(help="Where chance begins.")] = None,
) -> None:
    """Play offline, as the course's own program does."""
    from ..console import console

    raise typer.Exit(console(outcome.game_named(game), load, deck, deal, rng_seed))


def demo(
    server: Server = SERVER,
    with_parent: Annotated[bool, typer.Option("--with-parent", help="End with it.")] = False,
    tls_ca: TlsCa = None,
    tls_pin: Annotated[
        Path | None, typer.Option(help="The server's own certificate; no other is good.")
    ] = None,
) -> None:
    """Let bots play all games for ever."""
    from ..demo import demo
    from ..trust import of_certificate

    trust = outcome.trust(tls_ca) if tls_pin is None else of_certificate(tls_pin)
    asyncio.run(demo(server, with_parent, trust))
