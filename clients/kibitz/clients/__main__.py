"""The command ``kibitz``.

Other parts add commands through the entry points ``kibitz.commands``; they are looked for by name
and loaded only when asked for.
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
