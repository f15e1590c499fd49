"""What the page looks and sounds like: sizes, themes, roles, the live region, the first load."""

from collections.abc import AsyncIterator
from itertools import islice

import pytest
from browser import axe
from browser.browsing import Browsing
from browser.games import WINS, Drag, Piles, Step, deal_of, start_of, steps
from browser.player import create, named, play, played, sit, watch
from playwright.async_api import Page, expect
from servers import Running

SIZES = ((320, 640), (390, 844), (768, 1024), (844, 390), (1280, 800))
FIRST_LOAD = 150_000
"""Bytes on the wire until a room is on the screen, at most."""
WIDE = """() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() =>
    resolve(["scrollWidth", "clientWidth"].map(key => document.documentElement[key])))))"""
"""What is needed and what is there, once the page has been drawn anew."""
OUTSIDE = """() => {
    const wide = document.documentElement.clientWidth;
    return [...document.querySelectorAll("kibitz-table .pile, header *, kibitz-controls button")]
        .filter(each => each.checkVisibility() && each.getBoundingClientRect().width)
        .filter(each => {
            const {left, right} = each.getBoundingClientRect();
            return left < -0.5 || right > wide + 0.5;
        }).map(each => each.outerHTML.slice(0, 120));
}"""
CUT = """() => [...document.querySelectorAll("select")].filter(each => each.checkVisibility())
    .filter(each => {
        const free = each.cloneNode(true);
        free.removeAttribute("id");
        Object.assign(free.style, {position: "absolute", width: "auto", maxWidth: "none"});
        each.after(free);
        const wide = free.offsetWidth;
        free.remove();
        return wide > each.offsetWidth + 1;
    }).map(each => each.id || each.getAttribute("aria-label"))"""
"""Selects that would be wider than they are if there was room."""
LOADED = """() => performance.getEntriesByType("resource").map(
    ({name, transferSize}) => [name, transferSize])"""
"""The files of the page and their bytes on the wire, 0 for one that was kept."""
HEAR = """() => {
    window.heard = [];
    const region = document.querySelector("[role=status]");
    new MutationObserver(() => heard.push(region.textContent))
        .observe(region, {childList: true, characterData: true, subtree: true});
}"""


async def fits(page: Page) -> None:
    """Nothing is cut off at the sides and the page does not scroll sideways."""
    wide = await page.evaluate(WIDE)
    assert wide[0] <= wide[1], f"{page.url} scrolls sideways: {wide}"
    outside = await page.evaluate(OUTSIDE)
    assert not outside, f"{page.url} at {wide[1]} pixels has {outside}"
    cut = await page.evaluate(CUT)
    assert not cut, f"{page.url} at {wide[1]} pixels cuts off {cut}"


async def pages(server: Running, page: Page) -> AsyncIterator[str]:
    """Every page there is, one after the other, each ready to be looked at."""
    rooms = {game: await played(server, game, 30) for game in WINS}
    await page.goto(f"{server.http}/")
    await expect(page.locator("kibitz-lobby .tile")).to_have_count(len(WINS))
    await expect(page.locator("kibitz-lobby .rooms li")).to_have_count(len(WINS))
    yield "lobby"
    await page.goto(f"{server.http}/?start=montana")
    await expect(page.get_by_role("button", name="Start")).to_be_visible()
    yield "start"
    for game, room in rooms.items():
        await page.goto(f"{server.http}/?room={room}")
        await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", "32")
        yield game
    await page.goto(f"{server.http}/?room={rooms['klondike']}#move=9")
    await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", "9")
    yield "moment"
    await page.goto(f"{server.http}/?room={rooms['klondike']}&embed")
    await expect(page.locator("kibitz-table .pile")).to_have_count(13)
    yield "embedded"


async def test_nothing_scrolls_sideways(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/healthz", storage=named("Ann"))
    async for name in pages(server, page):
        if name == "start":
            await page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        for width, height in SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            await fits(page)


@pytest.mark.timeout(600)
async def test_axe_finds_no_fault(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/healthz", storage=named("Ann"))
    async for name in pages(server, page):
        await page.emulate_media(color_scheme="light")
        await axe.check(page)
        await page.emulate_media(color_scheme="dark")
        await axe.check(page, rules=axe.COLOURS)
        if name == "lobby":
            await page.get_by_label("Settings").click()
            await expect(page.get_by_role("dialog")).to_be_visible()
            await axe.check(page)
            await page.keyboard.press("Escape")


async def test_axe_finds_no_fault_with_a_player(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room, theme="dark")
    for step in islice(steps("klondike"), 5):
        await play(ann, step)
    await axe.check(ann)
    await ann.emulate_media(color_scheme="light")
    await axe.check(ann, rules=axe.COLOURS)
    await ann.get_by_label("More").click()
    await axe.check(ann, "kibitz-controls")


RANKS = {"A": "ace", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


def told(step: Step, before: Piles) -> str:
    """What is said of a step: which card, from where, to where."""
    do = step.do if isinstance(step.do, Drag) else Drag("Stock", "Waste")
    card = step.piles[do.target][-do.cards]
    name = f"{RANKS.get(card[0], card[0])} of {SUITS[card[1]]}"
    if do.source == "Stock":
        return f"drew the {name}"
    more = f" and {do.cards - 1} more" if do.cards > 1 else ""
    source, target = (pile.lower().replace("-", " ") for pile in (do.source, do.target))
    turned = step.piles[do.source][-1:]
    up = before[do.source][: len(turned)] != turned
    return f"{name}{more} from {source} to {target}" + (
        f"; {RANKS.get(turned[0][0], turned[0][0])} of {SUITS[turned[0][1]]} turned up"
        if up
        else ""
    )


async def test_every_move_is_told_once_to_those_who_listen(
    server: Running, open_page: Browsing
) -> None:
    game = "klondike-single"
    room = await create(server, game, deal=deal_of(game))
    ann = await sit(open_page, server, room)
    bob = await watch(open_page, server, room)
    for page in (ann, bob):
        await page.evaluate(HEAR)
    expected, piles = [], start_of(game)
    for step in islice(steps(game), 8):
        expected.append(told(step, piles))
        piles = step.piles
        await play(ann, step)
        for page in (ann, bob):
            await expect(page.get_by_role("status")).to_contain_text(expected[-1])
    for page in (ann, bob):
        heard = " ".join(await page.evaluate("heard"))
        assert [heard.count(line) for line in expected] == [1] * len(expected), heard


async def test_a_small_table_as_a_screen_reader_has_it(
    server: Running, open_page: Browsing
) -> None:
    room = await create(server, "aces-up", deal=deal_of("aces-up"))
    ann = await sit(open_page, server, room)
    for step in islice(steps("aces-up"), 3):
        await play(ann, step)
    await expect(ann.locator("kibitz-table")).to_match_aria_snapshot(
        """
        - group "Aces Up table":
          - list "stock, 44 cards, 44 face down":
            - listitem:
              - button "face-down card, stock, top"
          - list "column 1, 2 cards":
            - listitem:
              - button "10 of spades, column 1"
            - listitem:
              - button "jack of spades, column 1, top"
          - list "column 2, 2 cards":
            - listitem:
              - button "9 of clubs, column 2"
            - listitem:
              - button "8 of hearts, column 2, top"
          - list "column 3, 1 card":
            - listitem:
              - button "ace of hearts, column 3, top"
          - list "column 4, 1 card":
            - listitem:
              - button "ace of diamonds, column 4, top"
          - list "foundation, 2 cards":
            - listitem:
              - button "2 of hearts, foundation, top"
        """
    )


async def test_the_first_load_is_small_and_the_second_is_nothing(
    server: Running, open_page: Browsing
) -> None:
    room = await played(server, "klondike", 5)
    page = await open_page(f"{server.http}/?room={room}")
    for least, most in ((FIRST_LOAD / 10, FIRST_LOAD), (0, 0)):
        await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", "7")
        sizes = dict(await page.evaluate(LOADED))
        assert least <= sum(sizes.values()) <= most, sizes
        await page.reload()
