"""``kibitz play``, ``race``, ``daily``, ``fork``: a person sits down."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import outcome
from ..outcome import SERVER, Color
from . import options as say

if TYPE_CHECKING:
    from ..session import Client
    from ..terminal.screen import Screen
    from ..terminal.seating import Seating


def play(
    game: Annotated[str | None, typer.Argument(help="The game; not needed with --room.")] = None,
    server: say.Server = SERVER,
    deal: say.Deal = None,
    load: Annotated[
        Path | None, typer.Option(help="A save to start from, also of another program.")
    ] = None,
    option: say.Rules = None,
    seats: Annotated[int, typer.Option(min=1, max=8, help="Players at one board.")] = 1,
    allow_cheat: Annotated[
        bool, typer.Option("--allow-cheat", help="Let players look at all cards.")
    ] = False,
    delay: Annotated[
        int | None, typer.Option(min=1, help="Watchers see everything so many seconds late.")
    ] = None,
    private: say.Private = False,
    room: Annotated[str | None, typer.Option(help="Sit down in this room.")] = None,
    invite: say.Invite = None,
    name: say.Name = None,
    color: say.WithColor = Color.auto,
    four_colours: say.FourColours = False,
    ascii_only: say.Ascii = False,
    token_file: say.TokenFile = None,
    tls_ca: say.TlsCa = None,
) -> None:
    """Play a game in a new room, or sit down in one that is there."""
    from kibitz.protocol.requests import PolicyWish

    from ..terminal.seating import new_room, seat_in

    if game is None and room is None:
        raise outcome.unusable("which game? (or --room ID)")
    if room and (deal or load or option or seats > 1 or allow_cheat or delay or private):
        raise outcome.unusable(
            "--room is a game that has begun: "
            "no --deal, --load, --option, --seats, --allow-cheat, --delay, --private"
        )
    game = outcome.game_named(game) if game is not None else ""
    settings: dict[str, Any] = {
        "deal": deal,
        "options": dict(map(outcome.pair, option or [])),
        "visibility": "private" if private else "public",
    }
    if load is not None:
        settings["save"] = outcome.save_text(load)
    if seats > 1:
        settings |= {"mode": "coop", "seats": seats}
    if allow_cheat or delay:
        settings["policy"] = PolicyWish(cheat=allow_cheat or None, delay=delay or 0)
    screen = outcome.screen(color, four_colours, ascii_only)
    seating = seat_in(room, game) if room else new_room(game, **settings)
    _sit(seating, screen, server, name, token_file, tls_ca, invite)


def race(
    game: Annotated[str | None, typer.Argument(help="The game; not needed with --room.")] = None,
    server: say.Server = SERVER,
    seats: Annotated[int, typer.Option(min=2, max=100, help="How many can race.")] = 2,
    limit: Annotated[int, typer.Option(min=5, max=86_400, help="Seconds that all have.")] = 3600,
    countdown: Annotated[int, typer.Option(min=0, max=60, help="Seconds before the start.")] = 5,
    at: Annotated[str | None, typer.Option(help="When it begins, 18:30 or a date, too.")] = None,
    deal: say.Deal = None,
    option: say.Rules = None,
    delay: Annotated[
        int | None, typer.Option(min=1, help="Watchers see all boards, so many seconds late.")
    ] = None,
    unlisted: say.Unlisted = False,
    private: say.Private = False,
    room: Annotated[str | None, typer.Option(help="Race in this room.")] = None,
    invite: say.Invite = None,
    name: say.Name = None,
    color: say.WithColor = Color.auto,
    four_colours: say.FourColours = False,
    ascii_only: say.Ascii = False,
    token_file: say.TokenFile = None,
    tls_ca: say.TlsCa = None,
) -> None:
    """Race others. Everybody has a board of the same deal."""
    from kibitz.protocol.requests import PolicyWish

    from ..terminal.seating import new_room, seat_in

    if game is None and room is None:
        raise outcome.unusable("which game? (or --room ID)")
    if room and (deal or option or at or delay or unlisted or private):
        raise outcome.unusable("--room is a race that is there: no settings of another")
    game = outcome.game_named(game) if game is not None else ""
    settings: dict[str, Any] = {
        "mode": "race",
        "seats": seats,
        "limit": limit,
        "countdown": countdown,
        "deal": deal,
        "options": dict(map(outcome.pair, option or [])),
        "begins": None if at is None else say.unix_ms(at),
        "visibility": "private" if private else "unlisted" if unlisted else "public",
    }
    if delay is not None:
        settings["policy"] = PolicyWish(delay=delay)
    screen = outcome.screen(color, four_colours, ascii_only)
    seating = seat_in(room, game) if room else new_room(game, **settings)
    _sit(seating, screen, server, name, token_file, tls_ca, invite)


def daily(
    game: Annotated[str, typer.Argument(help="The game.")] = "klondike",
    server: say.Server = SERVER,
    date: Annotated[str | None, typer.Option(help="Of another day, 2026-11-28.")] = None,
    play: Annotated[bool, typer.Option("--play", help="Play today's deal.")] = False,
    name: say.Name = None,
    color: say.WithColor = Color.auto,
    four_colours: say.FourColours = False,
    ascii_only: say.Ascii = False,
    token_file: say.TokenFile = None,
    tls_ca: say.TlsCa = None,
) -> None:
    """Show how all did with the deal of the day, or play it."""
    from ..terminal.seating import new_room

    game = outcome.game_named(game)
    screen = outcome.screen(color, four_colours, ascii_only)
    if play and date is not None:
        raise outcome.unusable("only the deal of today can be played: no --date")
    if play:
        _sit(new_room(game, daily=True), screen, server, name, token_file, tls_ca)
        return

    async def talk(client: "Client") -> None:
        from ..terminal.lobby import list_day

        await list_day(client, screen, game, date, say.where(server, tls_ca))

    say.talk(server, talk, tls_ca, token_file)


def fork(
    room: str,
    server: say.Server = SERVER,
    at: Annotated[
        int | None, typer.Option(min=1, help="After which event; the last, if none is said.")
    ] = None,
    board: say.Board = None,
    name: say.Name = None,
    color: say.WithColor = Color.auto,
    four_colours: say.FourColours = False,
    ascii_only: say.Ascii = False,
    token_file: say.TokenFile = None,
    tls_ca: say.TlsCa = None,
) -> None:
    """Play on from a position of another game."""
    from ..terminal.seating import forked

    screen = outcome.screen(color, four_colours, ascii_only)
    _sit(forked(room, at, say.index(board)), screen, server, name, token_file, tls_ca)


def _sit(
    seating: "Seating",
    screen: "Screen",
    server: str,
    name: str | None,
    token_file: Path | None,
    tls_ca: Path | None,
    invite: str | None = None,
) -> None:
    """Sit down under the identity that is kept for the server, and play."""
    from ..terminal import tokens

    kept = tokens.Tokens.chosen(token_file)

    async def talk(client: "Client") -> None:
        from ..terminal.keyboard import Keyboard
        from ..terminal.play import play

        kept.keep(server, client.welcome.token)
        with Keyboard(sys.stdin) as keyboard:
            await play(client, seating, screen, keyboard, say.where(server, tls_ca))

    trust = outcome.trust(tls_ca)
    talking = say.showing(invite, talk)
    outcome.talk(server, talking, name=name, token=kept.get(server), trust=trust)
