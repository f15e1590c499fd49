"""The report as tables for people."""

import sys

from rich.console import Console
from rich.table import Table

from ..telling import number_of
from .figures import Estimate
from .report import Pair, Report, Standing, failed

PLAIN_WIDTH = 110
"""Columns where there is no terminal."""


def print_report(report: Report) -> None:
    """Print how each strategy fared, and how they differ."""
    tty = sys.stdout.isatty()
    console = Console(highlight=False, markup=False, width=None if tty else PLAIN_WIDTH)
    contest = report.contest
    options = "".join(f", {key}={value}" for key, value in contest.options.items())
    deals = number_of(len(contest.deals), "deal")
    console.print(f"{contest.game}{options}: {deals}, seed {contest.seed}; 95 % intervals\n")
    console.print(_standings(report.standings))
    if report.pairs:
        console.print()
        console.print(_pairs(report.pairs))
    faults = {row.fault: row for row in reversed(report.rows) if row.fault}
    for fault, first in faults.items():
        console.print(f"{first.bot}, deal {first.deal}, failed: {fault}")


def _table(first: str, *heads: str) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column(first)
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def _standings(standings: list[Standing]) -> Table:
    table = _table("bot", "won", "%", "", "cards", "", "ms p50", "p95")
    for each in standings:
        times = f"{each.median_ms:.1f}", f"{each.p95_ms:.1f}"
        won = f"{each.won}/{each.games}{failed(each)}"
        table.add_row(each.bot, won, *_percent(each.wins), *_cards(each.score), *times)
    return table


def _pairs(pairs: list[Pair]) -> Table:
    table = _table("on the same deals", "only won", "by %", "", "by chance", "by cards", "")
    for each in pairs:
        only, chance = f"{each.only_first}:{each.only_second}", f"p={each.by_chance:.2g}"
        names = f"{each.first} : {each.second}"
        table.add_row(names, only, *_percent(each.wins), chance, *_cards(each.score))
    return table


def _percent(share: Estimate) -> tuple[str, str]:
    return f"{100 * share.value:.1f}", f"{100 * share.low:.1f} .. {100 * share.high:.1f}"


def _cards(cards: Estimate) -> tuple[str, str]:
    interval = f"{cards.low:.1f} .. {cards.high:.1f}" if cards.low < cards.high else ""
    return f"{cards.value:.1f}", interval
