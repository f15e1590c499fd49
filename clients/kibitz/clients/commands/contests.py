"""``kibitz arena``: strategies compared on the same deals."""

import os
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from .. import outcome
from . import options as say


def arena(
    bots: Annotated[
        str,
        typer.Option(
            help="Strategies: strong, fast, greedy, random, module:function; with commas."
        ),
    ],
    game: Annotated[str, typer.Option(help="montana, aces-up, klondike, ...")],
    deals: Annotated[str, typer.Option(help="Deals: 1-300, ms1-ms100, 7,monday.")] = "1-100",
    option: say.Rules = None,
    seed: Annotated[int, typer.Option(help="Where the chance of strategies begins.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=256, help="Games at a time; all cores if not said.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs, every game.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with plots, too.")] = None,
) -> None:
    """Let strategies play the same deals, offline, and say what the difference is worth."""
    from kibitz.engine.games import GAMES

    from ..abreast import Broken
    from ..arena.contest import Contest, deals_of, run
    from ..arena.page import page
    from ..arena.printing import print_report
    from ..arena.report import report
    from ..bots.turns import Failed
    from ..telling import number_of

    names = [name for name in bots.split(",") if name]
    if not names or len(set(names)) < len(names):
        raise outcome.unusable(f"{bots!r} names no strategies, or one twice")
    if html is not None:
        _check_writable(html)
    try:
        rules = GAMES[outcome.game_named(game)].with_options(dict(map(outcome.pair, option or [])))
        contest = Contest(
            game=rules.name,
            options=dict(rules.options),
            bots=names,
            deals=deals_of(deals),
            seed=seed,
        )
        games = run(contest, jobs or os.cpu_count() or 1)
        total = len(names) * len(contest.deals)
        if not sys.stderr.isatty():
            typer.echo(f"{number_of(total, 'game')}: {', '.join(names)}", err=True)
        rows = list(outcome.tracked(games, total))
    except Broken:
        raise outcome.unusable("a strategy has ended its process") from None
    except (ValueError, Failed) as error:
        raise outcome.unusable(str(error)) from None
    date = datetime.now(UTC).date().isoformat()
    found = report(contest, rows, f"kibitz {version('kibitz')}", date)
    if html is not None:
        try:
            html.write_text(page(found), "utf-8")
        except OSError as error:
            raise _unwritable(html, error) from None
    if as_json:
        outcome.print_json(found)
    else:
        print_report(found)
    if any(row.fault for row in rows):
        raise typer.Exit(1)


def _check_writable(path: Path) -> None:
    """End the command, before a game is played, if a file cannot be written; it stays as it is."""
    was_there = path.exists()
    try:
        path.open("a").close()
        if not was_there:
            path.unlink()
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> typer.Exit:
    return outcome.unusable(f"could not write {path}: {error.strerror}")
