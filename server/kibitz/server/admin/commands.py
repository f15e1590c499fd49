"""``kibitz admin``: the group, and its commands that work on the file of a server.

Those that ask a running server are contributed through the entry points ``kibitz.admin``.
"""

import typer

from ..storage.commands import COMMANDS

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Look after a server: its file, if it has one (SQLite), and who is on it.",
)


@app.callback()
def _admin() -> None:
    """Keep it a group, however many commands it has."""


for command in COMMANDS:
    app.command()(command)
