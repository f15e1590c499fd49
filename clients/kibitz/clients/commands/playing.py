"""``kibitz play``, ``race``, ``daily``, ``fork``: a person sits down."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import outcome
from . import options as say
from .groups import spread
from .reaching import Access, Entry

if TYPE_CHECKING:
    from ..session import Client
    from ..terminal.screen import Screen
    from ..terminal.seating import Seating


class Strength(StrEnum):
    """How a bot of the server's plays (:data:`kibitz.protocol.views.Strategy`)."""

    strong = "strong"
    fast = "fast"
    greedy = "greedy"


@spread
def play(
    *,
    game: Annotated[str | None, typer.Argument(help="The game; not needed with --room.")] = None,
    deal: say.Deal = None,
    winnable: say.Winnable = False,
    load: Annotated[
        Path | None, typer.Option(help="A save to start from, also of another program.")
    ] = None,
    option: say.Rules = None,
    seats: Annotated[int, typer.Option(min=1, max=8, help="Players at one board.")] = 1,
    allow_cheat: Annotated[
        bool, typer.Option("--allow-cheat", help="Let players look at all cards.")
    ] = False,
    hints: say.HintsOption = say.Hints.bot,
    casual: say.Casual = False,
    delay: Annotated[
        int | None, typer.Option(min=1, help="Watchers see everything so many seconds late.")
    ] = None,
    private: say.Private = False,
    room: Annotated[str | None, typer.Option(help="Sit down in this room.")] = None,
    name: say.Name = None,
    looks: say.Looks,
    entry: Entry,
) -> None:
    """Play a game in a new room, or sit down in one that is there."""
    from kibitz.protocol.requests import PolicyWish

    from ..terminal.seating import new_room, searched, seat_in

    if game is None and room is None:
        raise outcome.unusable("which game? (or --room ID)")
    said = deal or winnable or load or option or seats > 1 or allow_cheat or casual
    if room and (said or delay or private or hints is not say.Hints.bot):
        raise outcome.unusable(
            "--room is a game that has begun: no --deal, --winnable, --load, --option, --seats, "
            "--allow-cheat, --hints, --casual, --delay, --private"
        )
    if winnable and (deal or load):
        raise outcome.unusable("a winnable deal is drawn by the server: no --deal, no --load")
    game = outcome.game_named(game) if game is not None else ""
    settings: dict[str, Any] = {
        "deal": deal,
        "winnable": winnable,
        "options": dict(map(outcome.pair, option or [])),
        "visibility": "private" if private else "public",
        "password": (password := entry.secret(new=room is None)),
    }
    if load is not None:
        settings["save"] = outcome.save_text(load)
    if seats > 1:
        settings |= {"mode": "coop", "seats": seats}
    settings["policy"] = PolicyWish(
        cheat=allow_cheat or None,
        hints=False if hints is say.Hints.none else None,
        advice=hints is say.Hints.bot or None,
        casual=casual or None,
        delay=delay or 0,
    )
    screen = looks.screen
    seating = seat_in(room, game) if room else new_room(game, **settings)
    if winnable:
        seating = searched(seating, screen.say)
    _sit(seating, screen, entry, name, password)


@spread
def race(
    *,
    game: Annotated[str | None, typer.Argument(help="The game; not needed with --room.")] = None,
    seats: Annotated[int, typer.Option(min=2, max=100, help="How many can race.")] = 2,
    limit: Annotated[int, typer.Option(min=5, max=86_400, help="Seconds that all have.")] = 3600,
    hints: say.HintsOption = say.Hints.moves,
    countdown: Annotated[int, typer.Option(min=0, max=60, help="Seconds before the start.")] = 5,
    at: Annotated[str | None, typer.Option(help="When it begins, 18:30 or a date, too.")] = None,
    deal: say.Deal = None,
    winnable: say.Winnable = False,
    option: say.Rules = None,
    delay: Annotated[
        int | None, typer.Option(min=1, help="Watchers see all boards, so many seconds late.")
    ] = None,
    unlisted: say.Unlisted = False,
    private: say.Private = False,
    room: Annotated[str | None, typer.Option(help="Race in this room.")] = None,
    bot: Annotated[
        list[Strength] | None,
        typer.Option(help="Have a bot of the server's race, too; repeatable, two by default."),
    ] = None,
    pace: Annotated[
        float, typer.Option(min=0, max=60, help="Seconds from one move of a bot to the next.")
    ] = 0.7,
    name: say.Name = None,
    looks: say.Looks,
    entry: Entry,
) -> None:
    """Race others, or a bot. Everybody has a board of the same deal."""
    from kibitz.protocol.requests import PolicyWish

    from ..terminal.seating import against, new_room, searched, seat_in

    if game is None and room is None:
        raise outcome.unusable("which game? (or --room ID)")
    bots = bot or []
    said = deal or winnable or option or at or delay or unlisted or private
    if room and (said or hints is not say.Hints.moves):
        raise outcome.unusable("--room is a race that is there: no settings of another")
    if winnable and deal:
        raise outcome.unusable("a winnable deal is drawn by the server: no --deal")
    game = outcome.game_named(game) if game is not None else ""
    settings: dict[str, Any] = {
        "mode": "race",
        "seats": max(seats, len(bots) + 1),
        "limit": limit,
        "countdown": countdown,
        "deal": deal,
        "winnable": winnable,
        "options": dict(map(outcome.pair, option or [])),
        "begins": None if at is None else say.unix_ms(at),
        "visibility": "private" if private else "unlisted" if unlisted else "public",
        "password": (password := entry.secret(new=room is None)),
    }
    settings["policy"] = PolicyWish(
        hints=False if hints is say.Hints.none else None,
        advice=hints is say.Hints.bot or None,
        delay=delay or 0,
    )
    screen = looks.screen
    seating = seat_in(room, game) if room else new_room(game, **settings)
    if winnable:
        seating = searched(seating, screen.say)
    if bots:
        seating = against(
            *(seating, [each.value for each in bots], round(pace * 1000)), theirs=room is not None
        )
    _sit(seating, screen, entry, name, password)


@spread
def daily(
    *,
    game: Annotated[str, typer.Argument(help="The game.")] = "klondike",
    date: Annotated[str | None, typer.Option(help="Of another day, 2026-11-28.")] = None,
    play: Annotated[bool, typer.Option("--play", help="Play today's deal.")] = False,
    name: say.Name = None,
    looks: say.Looks,
    access: Access,
) -> None:
    """Show how all did with the deal of the day, or play it."""
    from ..terminal.seating import new_room

    game = outcome.game_named(game)
    screen = looks.screen
    if play and date is not None:
        raise outcome.unusable("only the deal of today can be played: no --date")
    date = outcome.day(date) if date is not None else None
    if play:
        _sit(new_room(game, daily=True), screen, access, name)
        return

    async def talk(client: "Client") -> None:
        from ..terminal.lobby import list_day

        await list_day(client, screen, game, date, access.where)

    access.talk(talk)


@spread
def fork(
    *,
    room: str,
    at: Annotated[
        int | None, typer.Option(min=1, help="After which event; the last, if none is said.")
    ] = None,
    board: say.Board = None,
    name: say.Name = None,
    looks: say.Looks,
    entry: Entry,
) -> None:
    """Play on from a position of another game."""
    from ..terminal.seating import forked

    screen = looks.screen
    _sit(forked(room, at, say.index(board)), screen, entry, name, others=entry.where)


def _sit(
    seating: "Seating",
    screen: "Screen",
    access: Access,
    name: str | None,
    password: str | None = None,
    others: str | None = None,
) -> None:
    """Sit down under the identity that is kept for the server, and play."""

    async def talk(client: "Client") -> None:
        from ..terminal.keyboard import Keyboard
        from ..terminal.play import play
        from ..terminal.seating import Ways

        ways = Ways(access.shown if others is None else others, access.again)
        with Keyboard(sys.stdin) as keyboard:
            await play(client, seating, screen, keyboard, ways)

    access.talk_as_ever(talk, name=name, password=password)
