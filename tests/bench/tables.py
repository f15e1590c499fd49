"""How often our bots win, and what can be won at all: makes the tables of TABLES.md.

    python -m bench.tables [--deals 1-300] [--seed 0] [--jobs 2] [--only bots] > tables.md

Bots see what a player sees, the solver all cards; each of them gets the same deals. Times are of
this machine, beside whatever else it did; seconds of the solver are of the processor. The control
is the Klondike that most people know, drawn one by one, and no game of ours; see `bench.solving`.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.solving import decided, game_of, said
from bench.table import aligned
from draw_three import RULES as DRAW_THREE
from small_decks import CONTROL

from kibitz.clients.abreast import abreast
from kibitz.clients.arena.contest import Contest, Row, deals_of, fare
from kibitz.clients.arena.figures import Estimate, share
from kibitz.clients.arena.report import Pair, Standing, report
from kibitz.engine.game import Game
from kibitz.engine.solving import Verdict
from kibitz.engine.thinking import sampling

BOTS = ("strong", "fast", "greedy", "random")
PLAYED = (
    *("thumb-and-pouch", "klondike", "klondike alternate_colours=on", "klondike-single"),
    *("klondike-single redeals=0", "montana", "montana shuffles=0", "aces-up", CONTROL.name),
)
SOLVED = (
    *(("thumb-and-pouch", 1.0), ("klondike", 1.0), ("klondike alternate_colours=on", 1.0)),
    *(("klondike-single", 10.0), ("klondike-single redeals=0", 1.0)),
    *(("montana shuffles=0", 10.0), ("aces-up", 1.0), (CONTROL.name, 1.0), (DRAW_THREE.name, 10.0)),
)
"""Games, and the seconds for one deal. Montana is solved up to its first shuffle."""


def rules_of(name: str) -> Game:
    """A game; the control is spoken of as Thumb and Pouch is."""
    if name == CONTROL.name:
        return replace(CONTROL, name="thumb-and-pouch")
    return game_of(name)


def _fare(name: str, seed: int, game: tuple[str, str]) -> Row:
    return fare(rules_of(name), *game, seed)


def _decided(name: str, seconds: float, deal: str) -> Verdict:
    verdicts, _ = decided(game_of(name), [int(deal)], seconds)
    return next(iter(verdicts))


def bots(name: str, deals: Sequence[str], seed: int, jobs: int) -> str:
    """How each bot fares, and how much better the strong one is than the others."""
    games = [(bot, deal) for deal in deals for bot in BOTS]
    rows = list(_counted(name, abreast(partial(_fare, name, seed), games, jobs), len(games)))
    contest = Contest(game=name, options={}, bots=list(BOTS), deals=list(deals), seed=seed)
    found = report(contest, rows, "", "")
    head = ("bot", "won", "% (95 %)", "cards (95 %)", "moves", "ms p50", "p95", "beside strong")
    lines = []
    for each in found.standings:
        pair = next((p for p in found.pairs if (p.first, p.second) == (BOTS[0], each.bot)), None)
        mine = [row.moves for row in rows if row.bot == each.bot]
        lines.append((*_standing(each), f"{sum(mine) / len(mine):.0f}", *_times(each), _pair(pair)))
    return f"### {name}\n\n{aligned(head, lines)}\n"


def _standing(each: Standing) -> tuple[str, str, str, str]:
    won = f"{each.won} of {each.games}"
    cards = f"{each.score.value:.1f} ({each.score.low:.1f} to {each.score.high:.1f})"
    return each.bot, won, said(each.wins), cards


def _times(each: Standing) -> tuple[str, str]:
    return f"{each.median_ms:.1f}", f"{each.p95_ms:.1f}"


def _pair(pair: Pair | None) -> str:
    if pair is None:
        return ""
    fewer = f"{0.0 - 100 * pair.wins.value:+.1f} points, {pair.only_second} won alone"
    less = Estimate(*(0.0 - each for each in (pair.score.value, pair.score.high, pair.score.low)))
    cards = f"{less.value:+.1f} cards ({less.low:.1f} to {less.high:.1f})"
    return f"{fewer} : {pair.only_first}, p={pair.by_chance:.1g}; {cards}"


def solved(name: str, seconds: float, deals: Sequence[str], jobs: int) -> tuple[str, ...]:
    """What the solver finds, and between what bounds all deals can be won."""
    work = partial(_decided, name, seconds)
    found = Counter(_counted(name, abreast(work, deals, jobs), len(deals)))
    won, lost, open_ = (found[verdict] for verdict in (Verdict.WIN, Verdict.LOST, Verdict.UNKNOWN))
    count = len(deals)
    least, most = share(won, count), share(count - lost, count)
    counts = f"{seconds:g}", str(won), str(lost), str(open_)
    return (
        name,
        *counts,
        said(share(won + lost, count)),
        said(Estimate(won / count, least.low, most.high)),
    )


def _counted(name: str, things: Iterable[Any], total: int) -> Iterable[Any]:
    """The same, with a word on the error output now and then."""
    for number, thing in enumerate(things, 1):
        if number % 100 == 0 or number == total:
            print(f"{name}: {number} of {total}", file=sys.stderr, flush=True)
        yield thing


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--deals", default="1-300", help="as for kibitz arena")
    options.add_argument("--seed", type=int, default=0, help="what the bots' chance follows from")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="games at a time")
    options.add_argument("--only", choices=("bots", "solver"), help="one of the two")
    asked = options.parse_args()
    deals = deals_of(asked.deals)
    say: Callable[[str], None] = partial(print, flush=True)
    made = f"kibitz {version('kibitz')}, {build()}, {datetime.now(UTC):%Y-%m-%d}"
    made += f": deals {asked.deals}, seed {asked.seed}, {asked.jobs} at a time."
    if asked.only != "solver":
        say(f"## Bots\n\n{made}\n")
        for name in PLAYED:
            say(bots(name, deals, asked.seed, asked.jobs))
    if asked.only != "bots":
        head = ("game", "seconds", "won", "lost", "open", "decided (95 %)")
        rows = [solved(name, seconds, deals, asked.jobs) for name, seconds in SOLVED]
        table = aligned((*head, "can be won (bounds, 95 %)"), rows)
        say(f"## The solver\n\n{made}\n\n{table}")


def build() -> str:
    """Whether the thinking part of the engine is compiled."""
    return "pure Python" if Path(sampling.__file__).suffix == ".py" else "compiled"


if __name__ == "__main__":
    main()
