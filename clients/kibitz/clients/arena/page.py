"""The report as a page that needs nothing else: HTML with its plots as SVG.

Promises: names come from whoever ran it and are escaped. Never: a script, another file.
"""

from collections.abc import Sequence
from html import escape

from .figures import Estimate
from .report import Report, Standing

WIDTH, ROW, LEFT = 720, 34, 200
"""Sizes of a plot, in pixels; what is left of an axis are the names."""
HEIGHT = 220
"""Height of the curves."""
COLOURS = ("#2f6fb5", "#c2572b", "#3b8752", "#8a4fa3", "#a07a16", "#5b6470")

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .2rem .8rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } thead { border-bottom: 1px solid; }
figure { margin: 1.5rem 0; overflow-x: auto; } figcaption { font-weight: 600; }
svg { font: 13px system-ui, sans-serif; fill: currentColor; }
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
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}" for cell in row) for row in rows)
    return f"<table><thead><tr>{head}<tbody>{body}</table>\n"


def _standings(report: Report) -> str:
    rows = [
        (
            each.bot,
            f"{each.won} of {each.games}",
            _between(each.wins, 100),
            _between(each.score, 1),
            f"{each.median_ms:.1f}",
            f"{each.p95_ms:.1f}",
        )
        for each in report.standings
    ]
    heads = (
        "bot",
        "won",
        "%",
        "cards where they belong",
        "ms a move (median)",
        "(95th percentile)",
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
        return LEFT + part * (WIDTH - LEFT - 20)

    height = ROW * len(standings)
    marks = [_axis(f"{part} %", x(part / 100), height) for part in range(0, 101, 20)]
    for number, each in enumerate(standings):
        y, colour = ROW * number + ROW / 2, COLOURS[number % len(COLOURS)]
        wins = each.wins
        marks.append(
            f'<text x="0" y="{y + 4}">{escape(each.bot[:22])}</text>'
            f'<line x1="{x(wins.low):.1f}" x2="{x(wins.high):.1f}" y1="{y}" y2="{y}"'
            f' stroke="{colour}" stroke-width="5" stroke-linecap="round" opacity=".5"/>'
            f'<circle cx="{x(wins.value):.1f}" cy="{y}" r="5" fill="{colour}"/>'
        )
    return _figure("Games won", height, marks)


def _curves(report: Report) -> str:
    """For each number of cards, the share of games that came so far."""
    most = max((row.score for row in report.rows), default=0) or 1

    def x(score: float) -> float:
        return LEFT + score / most * (WIDTH - LEFT - 20)

    def y(part: float) -> float:
        return (1 - part) * (HEIGHT - 20) + 10

    marks = [_axis(str(round(most * part / 4)), x(most * part / 4), HEIGHT) for part in range(5)]
    marks += [_level(f"{percent} %", y(percent / 100)) for percent in range(0, 101, 25)]
    for number, each in enumerate(report.standings):
        colour = COLOURS[number % len(COLOURS)]
        scores = [row.score for row in report.rows if row.bot == each.bot]
        shares = (
            sum(score >= least for score in scores) / len(scores) for least in range(most + 1)
        )
        points = " ".join(f"{x(score):.1f},{y(part):.1f}" for score, part in enumerate(shares))
        marks.append(
            f'<text x="0" y="{ROW * number + 18}" fill="{colour}">{escape(each.bot[:22])}</text>'
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
    return _figure("Games that came so far, by cards where they belong", HEIGHT, marks)


def _axis(text: str, x: float, height: float) -> str:
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height}" stroke="currentColor" opacity=".2"/>'
        f'<text x="{x:.1f}" y="{height + 16}" text-anchor="middle">{text}</text>'
    )


def _level(text: str, y: float) -> str:
    return (
        f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor"'
        f' opacity=".2"/><text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    )


def _figure(title: str, height: float, marks: Sequence[str]) -> str:
    size = f'width="{WIDTH}" height="{height + 24}" viewBox="0 0 {WIDTH} {height + 24}"'
    drawing = "".join(marks)
    caption = f"<figcaption>{escape(title)}</figcaption>"
    label = f'role="img" aria-label="{escape(title)}"'
    return f"<figure>{caption}<svg {size} {label}>{drawing}</svg></figure>\n"
