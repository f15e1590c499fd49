"""What became of a game, at the page: asked for, told in words, marked, and gone to."""

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import msgspec
from browser import axe
from browser.browsing import Browsing
from browser.modules import module_page
from browser.player import create, dialog, until
from plays import LOSING, lose
from playwright.async_api import Browser, expect
from positions import GOLDEN
from servers import USUAL, Running, running_server
from talk import talking

from kibitz.clients.solving.telling import LONGER, analysis_told
from kibitz.engine import replays
from kibitz.engine.solving.courses import course_of
from kibitz.protocol.analysed import Analysed

LOST = Analysed(
    deal="win",
    winnable=3,
    lost=4,
    mistake=4,
    length=4,
    moves=list(LOSING),
    commands=[3, 4, 5, 6],
    line=["f 2"],
)
FOUND: list[dict[str, Any]] = [
    {},
    {"winnable": 0, "lost": 1, "mistake": 1, "line": ["d", "d"]},
    {"winnable": 1, "mistake": None},
    {"deal": "unknown", "winnable": None, "mistake": None, "line": []},
    {"winnable": 2, "lost": None, "mistake": None},
    {"winnable": 4, "lost": None, "mistake": None},
    {"winnable": 4, "lost": None, "mistake": None, "line": []},
    {"deal": "lost", "winnable": None, "lost": 0, "mistake": None, "line": []},
    {"deal": "unknown", "winnable": None, "lost": None, "mistake": None, "line": []},
]
"""Everything that can be said."""


async def test_a_lost_game_shows_its_mistake_and_what_would_have_won(
    server: Running, open_page: Browsing
) -> None:
    async with talking(server.url, name="Ann") as ann:
        room = await lose(ann)
    page = await open_page(f"{server.http}/?room={room}", size=(320, 640))
    analyse = page.get_by_role("button", name="Analyse")
    await analyse.press("Enter")
    shown = dialog(page)
    await expect(shown.get_by_role("heading", level=2)).to_have_text("Analysis")
    await expect(shown.locator("[aria-live] p")).to_have_text(
        [
            "This deal could be won.",
            re.compile("^It was lost with move 4: .+ dealt$"),
            "What would have won after move 3, in 10 moves:",
        ]
    )
    items = shown.get_by_role("list", name="Moves").get_by_role("listitem")
    await expect(items.first).to_have_attribute("data-number", "4")
    line = await items.all_inner_texts()
    assert sum(int(move.partition("×")[2] or 1) for move in line) == 10
    assert all(move[0] != after[0] for move, after in pairwise(m.split(" ×") for m in line))
    wide = "() => document.documentElement.scrollWidth <= innerWidth"
    themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for theme in themes:
        await page.emulate_media(color_scheme=theme)
        await axe.check(page)
        assert await page.evaluate(wide)
    await shown.get_by_role("link", name="move 3").press("Enter")
    await expect(shown).to_have_count(0)
    seqs = [3, 4, 5, 7, 9, 11]  # a remark follows each of the last ones
    await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", str(seqs[4]))
    mistake = page.get_by_role("link", name="Lost with move 4: ")
    await mistake.click()
    await until(page, seqs[5])
    await expect(page).to_have_url(f"{server.http}/?room={room}#move={seqs[5]}")
    await axe.check(page)
    await analyse.click()
    await shown.get_by_role("button", name="Show it on the table").press("Enter")
    await expect(page).to_have_url(re.compile(r"\?file#move=6$"))
    table = page.locator("kibitz-room")
    await expect(table).to_have_attribute("data-status", "open")
    await page.get_by_role("button", name="One event forward").click()
    await expect(page.locator("kibitz-log li[aria-current] b")).to_have_text("4")
    await expect(page.locator("kibitz-timeline .count")).to_have_text(re.compile("^event 7 / "))
    await until(page, 7)
    await page.keyboard.press("End")
    await expect(table).to_have_attribute("data-status", "won")
    await expect(page.locator(".toast")).to_have_count(0)
    await page.get_by_role("button", name="Back to the game").click()
    await expect(page).to_have_url(f"{server.http}/?room={room}")


async def test_the_text_of_what_would_have_won_is_a_game_that_is_won(browser: Browser) -> None:
    for name in ("montana", "klondike", "aces-up"):
        text = (GOLDEN / "v1" / f"{name}.replay.txt").read_text()
        course = course_of(text)
        behind = [n for n, command in enumerate(course.commands, 1) if command == "s"]
        for winnable in (max(behind, default=0), len(course.commands) - 1):
            line = list(course.commands[winnable:])
            found = {"winnable": winnable, "commands": list(course.numbers), "line": line}
            async with module_page(browser) as page:
                script = """async ([text, found]) => {
                    const {played} = await import("/modules/room/winning.js");
                    return played(text, found);
                }"""
                made = await page.evaluate(script, [text, found])
            replay = replays.read(made)
            *_, (_, table) = replays.run(replay)
            assert replay.game.is_won(table) or course.commands[-1:] == ["resign"]
            assert not {"result", "root", "sha256", "room"} & replay.headers.keys()


async def test_what_nobody_may_ask_has_no_button_and_what_fails_is_told(
    open_page: Browsing,
) -> None:
    none = running_server(operating=replace(USUAL, analysis_seconds=0.0))
    async with none as server, talking(server.url, name="Ann") as ann:
        room = await lose(ann)
        page = await open_page(f"{server.http}/?room={room}")
        await expect(page.get_by_role("button", name="Share")).to_be_visible()
        await expect(page.get_by_role("button", name="Analyse")).to_have_count(0)
        await page.close()
    async with running_server() as server, talking(server.url, name="Ann") as ann:
        running = await open_page(f"{server.http}/?room={await create(server, 'aces-up')}")
        await expect(running.get_by_role("button", name="Share")).to_be_visible()
        await expect(running.get_by_role("button", name="Analyse")).to_have_count(0)
        page = await open_page(f"{server.http}/?room={await lose(ann)}")
        open_page.allowed.append("404")
        await page.route("**/analysis.json*", lambda route: route.fulfill(status=404, body="no\n"))
        await page.get_by_role("button", name="Analyse").click()
        await expect(dialog(page).locator(".bad")).to_have_text("No.")


async def test_the_page_says_the_same_as_the_terminal(browser: Browser) -> None:
    cases = [msgspec.structs.replace(LOST, **each) for each in FOUND]
    async with module_page(browser) as page:
        script = """async cases => {
            const {told} = await import("/modules/room/analysis.js");
            return cases.map(told);
        }"""
        said = await page.evaluate(script, msgspec.to_builtins(cases))
    for case, sentences in zip(cases, said, strict=True):
        lines = [line.replace(f"; {LONGER}", "") for line in analysis_told(case)]
        assert sentences == (lines[:-1] if case.line else lines)
