"""``kibitz replay``, ``verify``, ``convert``: games of the past and texts of positions."""

import asyncio
import sys
from dataclasses import replace
from os.path import lexists  # a name that is too long is no file, and no mistake
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import outcome
from ..outcome import Color
from . import options as say
from .groups import spread
from .reaching import Entry

if TYPE_CHECKING:
    from ..film import Film
    from ..session import Client
    from ..terminal.reels import Reel
    from ..terminal.replay import Wishes
    from ..terminal.screen import Screen
    from ..verifying.verdict import Verdict


@spread
def replay(
    *,
    source: Annotated[str, typer.Argument(metavar="FILE|ROOM")],
    speed: say.Speed = None,
    beat: Annotated[
        float | None, typer.Option(min=0.05, max=60, help="Seconds from each step to the next.")
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for a key at every step.")] = False,
    at: Annotated[int, typer.Option(min=1, help="The event to begin with.")] = 1,
    board: say.Board = None,
    opened: Annotated[bool, typer.Option("--open", help="With all cards open.")] = False,
    looks: say.Looks,
    entry: Entry,
) -> None:
    """Show a game of the past. It is a replay text, a replay as JSON, or a room of the server."""
    from kibitz.engine.replays import ReplayError
    from kibitz.protocol.views import Control

    from ..terminal import reels
    from ..terminal.replay import Wishes

    screen = looks.screen
    control = Control(
        at=at,
        playing=not step and not (speed is None and beat is None),
        speed=max(round((speed or 1.0) * 100), 1),
        beat=None if beat is None else round(beat * 1000),
    )
    wishes = Wishes(control, say.index(board) or 0, opened, step)
    path = Path(source)

    async def talk(client: "Client") -> None:
        reel = reels.Rooms(client, source, board=wishes.board)
        await reel.load(wishes.opened)
        shown = replace(wishes, board=0) if reel.archived else wishes
        await _show(reel, shown, screen)

    try:
        if lexists(path) or path.name != source or path.suffix:
            reel = reels.Files(path)
            asyncio.run(_show(reel, wishes, screen))
        else:
            entry.talk(talk)
    except OSError as error:
        if error.filename is None:
            raise
        raise outcome.unusable(f"could not open {path}: {error.strerror}") from None
    except (ReplayError, reels.StillRunning) as error:
        screen.say(f"{source}: {error}")
        raise typer.Exit(1) from None


async def _show(reel: "Reel", wishes: "Wishes", screen: "Screen") -> None:
    """Show it by keys on a terminal; print it elsewhere, and why it ends too early, if it does."""
    from ..terminal import replay as past
    from ..terminal.keys import keys_of_terminal

    def check(film: "Film") -> "Film":
        if wishes.board >= film.boards:
            raise outcome.unusable(f"there is no seat {wishes.board + 1}")
        return film

    async with keys_of_terminal() as keys:
        if keys.on and screen.in_place:
            if film := await past.loaded(reel, wishes.opened, screen, keys):
                check(film)
                await past.replay(reel.load, wishes, screen, keys, reel.text)
            return
    film = check(await reel.load(wishes.opened))
    await past.print_out(film, wishes, screen, lambda: sys.stdin.read(1))
    if film.faults:
        screen.say("\n".join(film.faults))
        raise typer.Exit(1)


@spread
def verify(
    *,
    source: Annotated[str, typer.Argument(metavar="FILE|ROOM")],
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    entry: Entry,
) -> None:
    """Check a game: its file, hashes, openings, deal and rules.

    It is a replay text, a replay as JSON, or a room of the server, live or ended. What nobody can
    know before the end is open. Exit codes: 0, nothing is wrong; 1, something does not fit; 2,
    there was nothing to be looked at.
    """
    path = Path(source)
    found: list[tuple[Verdict, bytes]] = []

    async def talk(client: "Client") -> None:
        from ..verifying.room import verdict_on_room

        found.append((await verdict_on_room(client, source), b""))

    if lexists(path) or path.name != source or path.suffix:
        found.append(_verdict_on_file(path))
    else:
        entry.talk_as_ever(talk, keep=False, refused=outcome.UNUSABLE)
    (verdict, text), *_ = found
    from ..verifying.telling import json_of, lines_of

    said = [json_of(source, verdict)] if as_json else lines_of(verdict, text)
    outcome.screen(Color.auto, False, False).say("\n".join(said))
    raise typer.Exit(1 if verdict.failed else 0)


def _verdict_on_file(path: Path) -> tuple["Verdict", bytes]:
    """What the checks make of a file, and what stands in it."""
    from ..terminal.files import read_bytes
    from ..terminal.reels import MAX_JSON
    from ..verifying.kinds import what_else
    from ..verifying.replay import verdict_on_file
    from ..verifying.texts import verdict_on_text

    try:
        data = read_bytes(path, MAX_JSON)
    except OSError as error:
        raise outcome.unusable(f"could not open {path}: {error.strerror}") from None
    if (what := what_else(data)) is not None:
        raise outcome.unusable(f"{path} {what}")
    is_json = data.lstrip()[:1] == b"{"
    return (verdict_on_file if is_json else verdict_on_text)(data), data


def convert(
    file: Path,
    to: Annotated[str, typer.Option(help="save, solvitaire, klondike-solver or fc-solve.")],
    game: Annotated[
        str | None, typer.Option(help="The game, where the text does not say it.")
    ] = None,
) -> None:
    """Write a position in another format. Reads saves and what other programs write."""
    from kibitz.engine.formats import Unfit
    from kibitz.engine.headers import LineError

    from ..terminal.convert import convert

    game = outcome.game_named(game) if game is not None else None
    try:
        text = convert(outcome.save_text(file), to, game)
    except (LineError, Unfit) as error:
        raise outcome.unusable(f"{file}: {error}") from None
    sys.stdout.write(text)
