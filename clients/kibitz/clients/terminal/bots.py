"""``kibitz bot``: games played, results in a table."""

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from ..archived import page_of
from ..bot import Result, run
from ..bots import Maker
from ..session import Client
from ..telling import number_of

HEADS = ("room", "deal", "outcome", "moves", "score", "seconds")


async def play_games(
    make: Maker, game: str, url: Sequence[str], settings: dict[str, Any], where: str = ""
) -> None:
    """Play and print the results; ``settings`` go to :func:`~kibitz.clients.bot.run`.

    However it ends, the games finished by then are printed. How the first is watched is said at its
    start, beside the results; ``where``: what commands of others need to find the server.

    Raises:
        Unreachable: There is no server, or it is gone.
        Refused: The room cannot be made or joined, or a chosen move is not legal.
        Failed: The strategy broke.

    """
    tty = sys.stdout.isatty()
    console = Console(highlight=False, soft_wrap=not tty)
    results: list[Result] = []

    def sat(client: Client, room: str) -> None:
        progress.update(task, description=f"{game}, room {room}")
        if not results:
            page = page_of(client.url, query=f"room={room}")
            sys.stderr.write(f"watch it with: kibitz watch {room}{where} (or at {page})\n")
            sys.stderr.flush()

    def tell(result: Result) -> None:
        results.append(result)
        progress.advance(task)

    try:
        with Progress(console=console, disable=not tty, transient=True) as progress:
            task = progress.add_task(game, total=settings["games"])
            await run(make, game, url, **settings, sat=sat, tell=tell)
    finally:
        if results:
            _print(results, console, tty)


def _print(results: list[Result], console: Console, tty: bool) -> None:
    rows = [_row(result) for result in results]
    if tty:
        table = Table(box=None, header_style="bold")
        for head in HEADS:
            table.add_column(head, no_wrap=True, min_width=16 if head == "room" else None)
        for row in rows:
            table.add_row(*row)
        console.print(table)
    else:
        sys.stdout.write("".join("\t".join(row) + "\n" for row in (HEADS, *rows)))
    counts = Counter(result.outcome for result in results)
    told = ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items()))
    sys.stdout.write(f"{number_of(len(results), 'game')}: {told}\n")
    sys.stdout.flush()


def _row(result: Result) -> tuple[str, ...]:
    numbers = str(result.moves), str(result.score), f"{result.seconds:.1f}"
    return (result.room, result.deal or "-", result.outcome, *numbers)
