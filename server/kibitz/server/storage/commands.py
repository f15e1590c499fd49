"""``kibitz admin backup``, ...: arguments to calls. What a command needs is imported when it runs.

Exit codes: 0, it is done; 1, it found a fault; 2, it could not be done, and a sentence says why.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ..settings import DATA

Data = Annotated[Path, typer.Option(help="The server's file.")]


@contextmanager
def _done() -> Iterator[None]:
    """End the command with a sentence if it cannot be done."""
    from .backup import NotCopied
    from .schema import UnreadableFile

    try:
        yield
    except (NotCopied, UnreadableFile) as error:
        typer.echo(f"kibitz admin: {error}", err=True)
        raise typer.Exit(2) from None


def backup(
    file: Annotated[Path, typer.Argument(help="The copy.")],
    data: Data = DATA,
    force: Annotated[
        bool, typer.Option("--force", help="Put it in the place of what is there.")
    ] = False,
) -> None:
    """Copy the server's file, whether or not the server runs. Keep the copy as private as it is."""
    from .backup import back_up

    with _done():
        size = back_up(data, file, force=force)
    typer.echo(f"{file}: {size:,} bytes")


COMMANDS: tuple[Callable[..., None], ...] = (backup,)
"""All that the help shows, in its order."""
