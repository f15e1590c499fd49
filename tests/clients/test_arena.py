"""Strategies compared: what is played, what the numbers are worth, what is printed."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kibitz.clients.__main__ import app
from kibitz.clients.arena import printing
from kibitz.clients.arena.contest import Contest, Row, deals_of, run
from kibitz.clients.arena.figures import Estimate, average, by_chance, difference, percentile, share
from kibitz.clients.arena.page import page, steps
from kibitz.clients.arena.report import report

CONTEST = Contest(
    game="aces-up", options={}, bots=["greedy", "random"], deals=["1", "2", "ms3"], seed=5
)


def rounded(value: float, low: float, high: float) -> tuple[float, float, float]:
    return round(value, 3), round(low, 3), round(high, 3)


def test_intervals_are_those_of_the_books() -> None:
    # Newcombe, Statistics in Medicine 17 (1998): Wilson's intervals of 81/263, 15/148, 0/20, 1/29
    for hits, of, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
    ):
        found = share(hits, of)
        assert (round(found.low, 4), round(found.high, 4)) == (low, high)
        assert found.value == hits / of


def test_mcnemar_counts_only_what_one_of_them_won() -> None:
    assert by_chance(0, 0) == 1.0
    assert by_chance(5, 5) == 1.0
    assert by_chance(0, 5) == by_chance(5, 0) == 2 / 32
    assert by_chance(1, 9) == pytest.approx(2 * (1 + 10) / 1024)
    assert by_chance(900, 1100) == pytest.approx(8.5e-6, rel=0.05), "no float is too small for it"


def test_a_difference_of_pairs() -> None:
    found = difference(9, 1, 100)
    assert found.value == 0.08
    middle, reach = 8 / 102, 1.959964 * ((12 / 102 - (8 / 102) ** 2) / 102) ** 0.5
    assert (found.low, found.high) == pytest.approx((middle - reach, middle + reach))
    assert difference(3, 3, 10).value == 0


def test_means_and_percentiles() -> None:
    assert average([4.0]).low == average([4.0]).high == 4.0
    found = average([1.0, 2.0, 3.0])
    assert rounded(found.value, found.low, found.high) == (2.0, 0.868, 3.132)
    times = [float(n) for n in range(100, 0, -1)]
    assert (percentile(times, 95), percentile(times, 50), percentile([7.0], 95)) == (95, 50, 7)
    assert percentile([], 50) == 0


def test_equal_values_have_no_interval_and_bounds_no_dust() -> None:
    assert share(0, 10).low == 0
    assert average([38.0, 38.0]) == average([38.0]) == Estimate(38.0, 38.0, 38.0)
    assert printing._cards(average([38.0, 38.0])) == ("38.0", "")


def test_lists_of_deals() -> None:
    assert deals_of("1-3,ms7,monday") == ["1", "2", "3", "ms7", "monday"]
    assert deals_of("a-b,ms9-ms11") == ["a-b", "ms9", "ms10", "ms11"]
    for wrong in (
        "",
        ",",
        "1,1",
        "1-3,2",
        "3-1",
        "x y",
        "ms0",
        "ms3-ms1",
        "ms0-ms2",
        "ms1-3",
        "1-2-3",
        "1-99999999999",
    ):
        with pytest.raises(ValueError, match="deal"):
            deals_of(wrong)


def test_games_are_repeated_however_many_processes_there_are() -> None:
    def fates(jobs: int) -> list[tuple[object, ...]]:
        rows = run(CONTEST, jobs)
        return [(row.bot, row.deal, row.outcome, row.score, row.moves) for row in rows]

    one = fates(1)
    assert one == fates(3)
    assert [(bot, deal) for bot, deal, *_ in one][:3] == [
        ("greedy", "1"),
        ("random", "1"),
        ("greedy", "2"),
    ]


def row(bot: str, deal: int, won: bool, score: int) -> Row:
    return Row(bot=bot, deal=str(deal), outcome="won" if won else "stuck", score=score, thought=[1])


def test_pairs_are_of_the_same_deals() -> None:
    contest = Contest(
        game="montana", options={}, bots=["a<b>", "b"], deals=["1", "2", "3", "4"], seed=0
    )
    wins = {"a<b>": (True, True, True, False), "b": (True, False, False, True)}
    rows = [
        row(bot, deal, wins[bot][deal - 1], 10 * deal + (bot == "b"))
        for deal in range(1, 5)
        for bot in wins
    ]
    found = report(contest, rows, "kibitz 1", "2026-01-01")
    assert [(each.bot, each.won, each.wins.value) for each in found.standings] == [
        ("a<b>", 3, 0.75),
        ("b", 2, 0.5),
    ]
    (pair,) = found.pairs
    assert (pair.only_first, pair.only_second, pair.score.value) == (2, 1, -1)
    assert pair.by_chance == 1.0

    tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.append(tag)

    text = page(found)
    Reader().feed(text)
    assert tags.count("circle") == tags.count("polyline") == 2
    assert "script" not in tags
    assert "a<b>" not in text
    assert "a&lt;b&gt;" in text
    assert "<h2>Each two on the same deals</h2>" in text
    assert '<td data-head="won">3 of 4\n' in text.replace("<td", "\n<td")
    for scale in (range(0, 101, 20), range(0, 101, 25)):
        assert all(f">{percent} %</text>" in text for percent in scale)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "def choose(view, legal):\n"
        "    if view.moves > 3:\n"
        "        raise RuntimeError('too many')\n"
        "    return legal[0]\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["arena", "--bots", "mine:choose,greedy", "--game", "aces-up", "--deals", "1-2"]
    words += ["--jobs", "1"]
    result = CliRunner().invoke(app, [*words, "--json", "--html", "page.html"])
    assert result.exit_code == 1, "one of them broke"
    found = json.loads(result.stdout)
    assert found["standings"][0]["outcomes"] == {"failed": 2}
    assert found["rows"][0]["fault"].startswith("the strategy failed: RuntimeError: too many")
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    result = CliRunner().invoke(app, words)
    assert result.stderr == "4 games: mine:choose, greedy\n"
    shown = result.stdout
    assert "mine:choose : greedy" in shown
    assert re.search(r"mine:choose +0/2, failed 2 of 2 ", shown)
    assert re.search(r"greedy +\d/2 ", shown)
    assert "0 of 2, failed 2 of 2<" in (tmp_path / "page.html").read_text()
    assert "mine:choose, deal 1, failed: the strategy failed: RuntimeError" in " ".join(
        shown.split()
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bots", "greedy,greedy"], "names no strategies, or one twice"),
        (["--bots", "gredy"], "no strategy 'gredy'"),
        (["--bots", "greedy", "--deals", "3-1"], "names no deals"),
        (["--bots", "greedy", "--option", "shuffles=many"], "shuffles"),
        (["--bots", "greedy", "--html", "/nowhere/page.html", "--deals", "1"], "could not write"),
    ],
)
def test_what_cannot_be_used_is_told(words: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["arena", "--game", "montana", "--jobs", "1", *words])
    assert result.exit_code == 2
    assert said in result.output
    assert "1 game" not in result.output, "nothing is played for nothing"


@pytest.mark.parametrize(
    ("most", "marks"),
    [
        (1, [0, 1]),
        (21, [0, 5, 10, 15, 20]),
        (48, [0, 10, 20, 30, 40]),
        (52, [0, 10, 20, 30, 40, 50]),
    ],
)
def test_an_axis_has_round_marks(most: int, marks: list[int]) -> None:
    assert [*steps(most)] == marks


def test_a_strategy_that_prints_or_exits_harms_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rude.py").write_text(
        "import os, sys\n"
        "def leaves(view, legal):\n    print('hello'); sys.exit(0)\n"
        "def dies(view, legal):\n    os._exit(3)\n"
        "def forks(view, legal):\n    os.fork()\n"
        "class Odd(BaseException): pass\n"
        "def odd(view, legal):\n    raise Odd('\\ud800\\x1b[2J' * 1000)\n"
        "def text(view, legal):\n    return '\\ud800\\x1b[2J' * 1000\n"
        "class Unlike(str):\n    __hash__ = None\n    def __eq__(self, other): 1 / 0\n"
        "class Mute(BaseException):\n    def __str__(self): 1 / 0\n"
        "def unlike(view, legal):\n    return Unlike('nothing')\n"
        "def mute(view, legal):\n    raise Mute\n"
        "import asyncio\n"
        "async def cancels(view, legal):\n    raise asyncio.CancelledError\n"
        "def ends(view, legal):\n    asyncio.current_task().cancel()\n    return legal[0]\n"
        "async def ends_too(view, legal):\n"
        "    asyncio.current_task().cancel()\n    await asyncio.sleep(0)\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["arena", "--game", "aces-up", "--deals", "1-2", "--jobs", "1", "--json", "--bots"]
    left = CliRunner().invoke(app, [*words, "rude:leaves"])
    assert left.exit_code == 1
    assert json.loads(left.stdout)["standings"][0]["outcomes"] == {"failed": 2}
    died = CliRunner().invoke(app, [*words, "rude:dies"])
    assert died.exit_code == 2
    assert "a strategy has ended its process" in died.output
    for name, said in (
        ("odd", "the strategy failed: Odd: "),
        ("text", "the strategy chose '"),
        ("unlike", "the strategy chose 'nothing'"),
        ("mute", "the strategy failed: Mute: "),
        ("cancels", "the strategy failed: CancelledError: "),
        ("ends", "the strategy failed: RuntimeError: it cancelled the task"),
        ("ends_too", "the strategy failed: CancelledError: "),
    ):
        shown = CliRunner().invoke(app, [*words[:-2], "--bots", f"rude:{name}"])
        assert shown.exit_code == 1
        assert said in " ".join(shown.stdout.split())
        assert len(shown.stdout) < 2000
        assert "\x1b" not in shown.stdout
    copied = CliRunner().invoke(app, [*words, "rude:forks"])
    assert json.loads(copied.stdout)["standings"][0]["outcomes"] == {"gave up": 2}
    assert "no module and a function" in CliRunner().invoke(app, [*words, "../x:y"]).output
