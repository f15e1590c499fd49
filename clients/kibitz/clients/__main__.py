"""The command ``kibitz``.

Other parts add commands through the entry points ``kibitz.commands``: functions, or groups of
commands. To a group ``admin`` others add theirs through ``kibitz.admin``. They are looked for by
name and loaded only when asked for.
"""

from importlib.metadata import EntryPoint, entry_points, version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from . import outcome
from .commands import COMMANDS, HIDDEN


class _Commands(TyperGroup):
    """Our commands, and those that other parts contribute."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *(found.name for found in _contributed())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is None:
            for found in _contributed():
                if found.name == cmd_name:
                    return _loaded(found)
        return command

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = plain(error.message)
            raise


IN_PLAIN_WORDS = (
    ("Value error, ", ""),
    ("Input should be a valid integer, unable to parse string as an integer", "no whole number"),
    ("Input should be a valid number, unable to parse string as a number", "no number"),
    ("Input should be ", "it should be "),
)
"""How what reads arguments begins, and what a person is told in place of that."""


def plain(message: str) -> str:
    """Why an argument is refused, in the words of a person."""
    for theirs, ours in IN_PLAIN_WORDS:
        if message.startswith(theirs):
            return ours + message.removeprefix(theirs)
    return message


def _contributed(to: str = "kibitz.commands") -> list[EntryPoint]:
    return sorted(entry_points(group=to), key=lambda found: found.name)


def _loaded(found: EntryPoint) -> Any:
    """A command; or a group, with what is contributed to it."""
    made = found.load()
    if not isinstance(made, typer.Typer):
        added = typer.Typer(add_completion=False, rich_markup_mode=None)
        added.command(found.name)(made)
        return get_command(added)
    group: Any = get_command(made)
    group.name = found.name
    for more in _contributed(f"kibitz.{found.name}"):
        group.add_command(_loaded(more), more.name)
    return group


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Play solitaire in front of each other.",
)


@app.callback(invoke_without_command=True)
def _kibitz(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if show_version:
        typer.echo(f"kibitz {version('kibitz')}")
        raise typer.Exit


for command in COMMANDS:
    app.command()(command)
for command in HIDDEN:
    app.command(hidden=True)(command)


def main() -> None:
    """Run the command line."""
    outcome.written(app)


if __name__ == "__main__":
    main()
