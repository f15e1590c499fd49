"""The report as a page that needs nothing else: HTML with its plots as SVG.

Promises: names come from whoever ran it and are escaped. Never: a script, another file.
"""

from collections.abc import Sequence
from html import escape

from .figures import Estimate
from .report import Report, Standing, failed

WIDTH, ROW, LEFT, RIGHT = 480, 44, 56, 30
"""Sizes of a plot, in pixels where there is room for it, and what is left and right of its axes."""
LABEL = 20
"""What a name takes above its interval, and in the legend."""
STEPS = (1, 2, 5, 10, 20, 50)
"""So far apart are the marks of an axis that counts cards."""
MARKS = 6
"""The most of them, but for the first."""
NAME = 60
"""Characters of a name at a plot, at most."""
HEIGHT = 220
"""Height of the curves."""
COLOURS = ("#2f6fb5", "#c2572b", "#3b8752", "#8a4fa3", "#a07a16", "#5b6470")

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .2rem .8rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } thead { border-bottom: 1px solid; }
td { white-space: nowrap; } th { vertical-align: bottom; } h1, th, td { overflow-wrap: anywhere; }
figure { margin: 1.5rem 0; } figcaption { font-weight: 600; }
svg { display: block; max-width: 100%; height: auto; }
svg { font: 15px system-ui, sans-serif; fill: currentColor; }
@media (max-width: 44rem) {
thead { display: none; } table, tbody, tr, td { display: block; }
tr { margin: 1rem 0; border-top: 1px solid; }
td { white-space: normal; text-align: left; padding: .1rem 0; }
td:first-child { font-weight: 600; }
td:not(:first-child)::before { content: attr(data-head) ": "; opacity: .75; }
}
"""


def page(report: Report) -> str:
    """The whole document."""
    contest = report.contest
    options = "".join(f", {key}={value}" for key, value in contest.options.items())
    title = escape(f"{contest.game}{options}: {', '.join(contest.bots)}")
    said = f"{len(contest.deals)} deals, seed {contest.seed}; {report.version}, {report.date}"
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n<h1>{title}</h1>\n"
        f"<p>{escape(said)}. Intervals are of 95 %.</p>\n"
        f"{_standings(report)}{_intervals(report.standings)}{_curves(report)}{_pairs(report)}"
        "</html>\n"
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(text)}" for text in heads)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td data-head="{escape(name)}">{escape(cell)}'
            for name, cell in zip(heads, row, strict=True)
        )
        for row in rows
    )
    return f"<table><thead><tr>{head}<tbody>{body}</table>\n"


def _standings(report: Report) -> str:
    rows = [
        (
            each.bot,
            f"{each.won} of {each.games}{failed(each)}",
            _between(each.wins, 100),
            _between(each.score, 1),
            f"{each.median_ms:.1f} ({each.p95_ms:.1f})",
        )
        for each in report.standings
    ]
    heads = (
        "bot",
        "won",
        "won, %",
        "cards where they belong",
        "ms a move: median (95th percentile)",
    )
    return _table(heads, rows)


def _pairs(report: Report) -> str:
    if not report.pairs:
        return ""
    rows = [
        (
            f"{each.first} : {each.second}",
            f"{each.only_first} : {each.only_second}",
            _between(each.wins, 100),
            f"{each.by_chance:.2g}",
            _between(each.score, 1),
        )
        for each in report.pairs
    ]
    heads = ("on the same deals", "only won", "by %", "by chance (McNemar)", "by cards")
    return f"<h2>Each two on the same deals</h2>\n{_table(heads, rows)}"


def _between(number: Estimate, times: float) -> str:
    if number.low == number.high:  # equal values say nothing of how far others would be
        return f"{number.value * times:.1f}"
    low, high = number.low * times, number.high * times
    return f"{number.value * times:.1f} ({low:.1f} to {high:.1f})"


def _intervals(standings: Sequence[Standing]) -> str:
    """Shares of games won, each as a point on its interval."""

    def x(part: float) -> float:
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    height = ROW * len(standings)
    marks = [_axis(f"{part} %", x(part / 100), height) for part in range(0, 101, 20)]
    for number, each in enumerate(standings):
        y, colour = ROW * number + LABEL + 8, COLOURS[number % len(COLOURS)]
        wins = each.wins
        marks.append(
            f'<text x="{LEFT}" y="{y - 10}">{escape(each.bot[:NAME])}</text>'
            f'<line x1="{x(wins.low):.1f}" x2="{x(wins.high):.1f}" y1="{y}" y2="{y}"'
            f' stroke="{colour}" stroke-width="5" stroke-linecap="round" opacity=".5"/>'
            f'<circle cx="{x(wins.value):.1f}" cy="{y}" r="5" fill="{colour}"/>'
        )
    return _figure("Games won", height, marks)


def _curves(report: Report) -> str:
    """For each number of cards, the share of games that came so far."""
    most = max((row.score for row in report.rows), default=0) or 1

    def x(score: float) -> float:
        return LEFT + score / most * (WIDTH - LEFT - RIGHT)

    def y(part: float) -> float:
        return (1 - part) * (HEIGHT - 20) + 10

    marks = [_axis(str(score), x(score), HEIGHT) for score in steps(most)]
    marks += [_level(f"{percent} %", y(percent / 100)) for percent in range(0, 101, 25)]
    for number, each in enumerate(report.standings):
        colour = COLOURS[number % len(COLOURS)]
        scores = [row.score for row in report.rows if row.bot == each.bot]
        shares = (
            sum(score >= least for score in scores) / len(scores) for least in range(most + 1)
        )
        points = " ".join(f"{x(score):.1f},{y(part):.1f}" for score, part in enumerate(shares))
        marks.append(
            f'<text x="{LEFT}" y="{HEIGHT + 24 + LABEL * (number + 1)}" fill="{colour}">'
            f"— {escape(each.bot[:NAME])}</text>"
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
    below = LABEL * len(report.standings)
    return _figure("Games that came so far, by cards where they belong", HEIGHT, marks, below)


def steps(most: int) -> range:
    """The marks of an axis from 0 on: round numbers, a few of them, and none beyond."""
    step = next((each for each in STEPS if most <= each * MARKS), -(-most // MARKS))
    return range(0, most + 1, step)


def _axis(text: str, x: float, height: float) -> str:
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height}" stroke="currentColor" opacity=".2"/>'
        f'<text x="{x:.1f}" y="{height + 16}" text-anchor="middle">{text}</text>'
    )


def _level(text: str, y: float) -> str:
    return (
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor"'
        f' opacity=".2"/><text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    )


def _figure(title: str, height: float, marks: Sequence[str], below: float = 0) -> str:
    tall = height + 24 + below
    size = f'width="{WIDTH}" height="{tall}" viewBox="0 0 {WIDTH} {tall}"'
    drawing = "".join(marks)
    caption = f"<figcaption>{escape(title)}</figcaption>"
    label = f'role="img" aria-label="{escape(title)}"'
    return f"<figure>{caption}<svg {size} {label}>{drawing}</svg></figure>\n"
