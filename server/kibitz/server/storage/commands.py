"""``kibitz admin backup``, ...: arguments to calls. What a command needs is imported when it runs.

Exit codes: 0, it is done; 1, it found a fault; 2, it could not be done, and a sentence says why.
"""

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from ..settings import DATA

Data = Annotated[
    Path | None,
    typer.Option(
        help="The server's file, with SQLite; it has to be said where KIBITZ_NATS is set: rooms on "
        "NATS are in no file.",
        show_default=str(DATA),
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, an object a line.")]


@contextmanager
def _done() -> Iterator[None]:
    """End the command with a sentence if it cannot be done."""
    import sqlite3

    from .backup import NotCopied
    from .export import NoRoom
    from .locking import FileInUse
    from .schema import UnreadableFile

    try:
        yield
    except (NotCopied, UnreadableFile, FileInUse, NoRoom) as error:
        raise _unusable(str(error)) from None
    except OSError as error:  # a name that is too long, a folder that may not be looked into
        raise _unusable(f"{error.filename}: {error.strerror}") from None
    except sqlite3.Error as error:
        raise _unusable(f"the file is damaged ({error}); see kibitz admin check") from None


def _file(data: Path | None) -> Path:
    """The file that is meant: where rooms are on NATS, none is if nobody says which."""
    from ..log.nats.servers import ENVIRONMENT, urls_in

    said = os.environ.get(ENVIRONMENT)
    if data is None and said is not None:
        why = "is set, and rooms on NATS are in no file; see deploy/GROWING.md, Backups"
        if not urls_in(said):
            why = "is set and names no NATS server; unset it where rooms are in a file"
        raise _unusable(f"{ENVIRONMENT} {why}; a file is looked at that --data names")
    return data or DATA


def _say_fault(fault: object) -> None:
    typer.echo(f"kibitz admin: {fault}; see kibitz admin check", err=True)


def _unusable(message: str) -> typer.Exit:
    typer.echo(f"kibitz admin: {message}", err=True)
    return typer.Exit(2)


def backup(
    file: Annotated[Path, typer.Argument(help="The copy.")],
    data: Data = None,
    force: Annotated[
        bool, typer.Option("--force", help="Put it in the place of what is there.")
    ] = False,
) -> None:
    """Copy the server's file, whether or not the server runs. Keep the copy as private as it is."""
    from .backup import back_up

    ours = _file(data)
    with _done():
        size = back_up(ours, file, force=force)
    typer.echo(f"{file}: {size:,} bytes")


def restore(file: Annotated[Path, typer.Argument(help="The copy.")], data: Data = None) -> None:
    """Put a copy in the place of the server's file, which is kept. The server must not run."""
    from .restore import restore

    ours = _file(data)
    with _done():
        aside = restore(file, ours)
    typer.echo(f"{ours}: restored" + (f"; the old file is {aside}" if aside else ""))


def check(data: Data = None, as_json: AsJson = False) -> None:
    """Look for faults: in the file, and in every room; one a line, exit code 1 if there are any."""
    from .check import Check

    ours = _file(data)
    checking, faults = Check(ours), 0
    with _done():
        for fault in checking.faults():
            faults += 1
            plain = json.dumps({"room": fault.room, "fault": fault.what})
            typer.echo(plain if as_json else str(fault))
    seen = {name: checking.seen[name] for name in ("rooms", "records", "events", "archived")}
    if as_json:
        typer.echo(json.dumps({"faults": faults, **seen}))
    else:
        counted = ", ".join(f"{count:,} {name}" for name, count in seen.items())
        found = f"{faults:,} fault{'s' if faults > 1 else ''}" if faults else "sound"
        typer.echo(f"{ours}: {found} ({counted})")
    raise typer.Exit(1 if faults else 0)


def export(
    folder: Annotated[Path, typer.Argument(help="Where the replays go.")],
    room: Annotated[str | None, typer.Argument(help="The room.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All rooms.")] = False,
    data: Data = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Name hidden cards of games that are being played.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Write anew what is there.")] = False,
) -> None:
    """Write replays as texts and as JSON: of a finished game whole, else as anybody may see it."""
    from ..world import World
    from .check import Fault
    from .export import export

    if every == (room is not None):
        raise _unusable("say a room, or --all")
    ours = _file(data)
    if whole:
        typer.echo("kibitz admin: hidden cards are named: show these files to no player", err=True)
    world = World(lambda: time.time_ns() // 1_000_000, time.monotonic, os.urandom)

    files, faults = 0, 0

    async def write() -> None:
        nonlocal files, faults
        async for done in export(ours, folder, world, room=room, whole=whole, force=force):
            if isinstance(done, Fault):
                faults += 1
                _say_fault(f"room {done}" if done.room else done)
            else:
                files += 1

    with _done():
        asyncio.run(write())
    typer.echo(f"{folder}: {files:,} files")
    raise typer.Exit(1 if faults else 0)


def stats(data: Data = None, as_json: AsJson = False) -> None:
    """Count what is in the server's file."""
    import msgspec

    from .stats import stats_of

    ours = _file(data)
    with _done():
        found = stats_of(ours)
    for room in found.damaged:
        _say_fault(f"room {room}: its entry cannot be read")
    code = 1 if found.damaged else 0
    if as_json:
        typer.echo(msgspec.json.encode(found))
        raise typer.Exit(code)
    times = [found.oldest, found.newest]
    oldest, newest = (f"{datetime.fromtimestamp(ms / 1000, UTC):%F}" if ms else "-" for ms in times)
    lines = {
        "file": f"{found.size:,} bytes, {found.free:,} of them free, schema {found.schema}",
        "rooms": f"{found.rooms:,}, {oldest} to {newest}",
        "archived": f"{found.archived:,}",
        "records": f"{found.records:,}",
        **{
            name: ", ".join(f"{key} {count:,}" for key, count in sorted(counts.items())) or "-"
            for name, counts in (
                ("games", found.games),
                ("modes", found.modes),
                ("statuses", found.statuses),
            )
        },
    }
    for name, line in lines.items():
        typer.echo(f"{name:<9} {line}")
    raise typer.Exit(code)


COMMANDS: tuple[Callable[..., None], ...] = (backup, restore, check, export, stats)
"""All that the help shows, in its order."""
