"""The report as a table."""

import sys

from rich.console import Console
from rich.table import Table

from .rows import Report, Row, Times

PLAIN_WIDTH = 100
"""Columns where there is no terminal."""
HEADS = (
    ("done", "per s"),
    ("ok ms", "p50   p95   p99"),
    ("events", "per s"),
    ("event ms", "p50   p99"),
    ("rate-", "limited"),
    ("server", "CPU"),
    ("load", "CPU"),
)


def print_table(report: Report) -> None:
    """Print it for people."""
    tty = sys.stdout.isatty()
    console = Console(highlight=False, markup=False, width=None if tty else PLAIN_WIDTH)
    whose = "a server of its own on SQLite" if report.own else "the server"
    console.print(
        f"{report.version}, {whose} at {report.server}; "
        f"{report.cores} cores, {report.processes} processes of load\n"
    )
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("load")
    for above, below in HEADS:
        table.add_column(f"{above}\n{below}", justify="right", no_wrap=True)
    for row in report.rows:
        table.add_row(*_cells(row))
    if report.rows:
        console.print(table)
        console.print()
    for row in report.rows:
        console.print(f"{row.load}: {'; '.join((row.about, *_more(row)))}")
    for left in report.left_out:
        console.print(f"{left.load}: left out, {left.why}")


def _more(row: Row) -> list[str]:
    weight = row.connection_kib
    return [*([] if weight is None else [f"{weight:g} KiB a connection"]), *row.remarks]


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.load,
        f"{row.per_second:,.0f}",
        _ms(row.ok_ms, "p50", "p95", "p99"),
        f"{row.events_per_second:,.0f}" if row.events_expected else "-",
        _ms(row.event_ms, "p50", "p99"),
        f"{row.limited:,}",
        "-" if row.server_cpu is None else f"{row.server_cpu:.0%}",
        f"{max(row.load_cpu):.0%}",
    )


def _ms(times: Times, *percents: str) -> str:
    """Times side by side, each as wide as its heading."""
    found = [times.get(percent) for percent in percents]
    shown = ["-" if ms is None else f"{ms:.1f}" if ms < 100 else f"{ms:.0f}" for ms in found]
    return " ".join(f"{ms:>5}" for ms in shown)
