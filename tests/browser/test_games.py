"""Won games, played at the page as people play, while somebody watches."""

import re
from collections.abc import Sequence

import pytest
from browser.browsing import PHONE, Browsing
from browser.games import WINS, Step, deal_of, start_of, steps
from browser.player import (
    Doing,
    by_finger,
    by_keys,
    by_quick_mouse,
    cards,
    create,
    play,
    seq,
    shows,
    sit,
    until,
    watch,
)
from playwright.async_api import Page, expect
from servers import Running
from talk import talking

WINDOW = (900, 640)
"""Smaller than most, so that the browsers have less to paint."""
BY_HAND = 6
"""So many moves at the beginning and at the end of a game are dragged."""


async def played_on(ann: Page, some: Sequence[Step], doing: Doing, *others: Page) -> None:
    """Ann makes some moves; everybody sees the same, looked at after every third one."""
    for n, step in enumerate(some, 1):
        await play(ann, step, doing)
        if n % 3 == 0 or n == len(some):
            await shows(ann, step.piles)
            for other in others:
                await until(other, await seq(ann))
                await shows(other, step.piles)


async def is_won(game: str, ann: Page, *others: Page) -> None:
    """All tables are done, all pages say so, and Ann is told how she did it."""
    *_, last = steps(game)
    moves = len(WINS[game]["moves"])
    for page in (ann, *others):
        await expect(page.locator("kibitz-room")).to_have_attribute("data-status", "won")
        await expect(page.locator("kibitz-people")).to_contain_text("won")
        assert await cards(page) == last.piles
    told = ann.get_by_role("dialog", name="Ann won!")
    await expect(told).to_contain_text(re.compile(rf"moves\s*{moves}(?!\d)"))
    await ann.keyboard.press("Escape")
    await expect(told).to_have_count(0)
    for other in others:
        await expect(other.get_by_role("dialog")).to_have_count(0)


async def played_by_two(
    server: Running, room: str, game: str, doing: Doing, ann: Page, *others: Page
) -> None:
    """Ann plays the beginning and the end; what lies between Cyd does, at the same table."""
    whole = list(steps(game))
    middle = whole[BY_HAND:-BY_HAND]
    await played_on(ann, whole[:BY_HAND], doing, *others)
    async with talking(server.url, name="Cyd") as cyd:
        before = (await cyd.ok("join", room=room, role="player"))["seq"]
        for step in middle:
            await cyd.ok("move", room=room, move=step.line)
        await cyd.ok("leave", room=room)
    for page in (ann, *others):
        await until(page, before + len(middle) + 1)
        await shows(page, middle[-1].piles)
    await played_on(ann, whole[-BY_HAND:], doing, *others)


@pytest.mark.parametrize("game", sorted(WINS))
async def test_a_game_by_drag(server: Running, open_page: Browsing, game: str) -> None:
    room = await create(server, game, deal=deal_of(game), mode="coop", seats=2)
    ann = await sit(open_page, server, room, size=WINDOW)
    bob = await watch(open_page, server, room, size=WINDOW)
    for page in (ann, bob):
        await shows(page, start_of(game))
    await played_by_two(server, room, game, by_quick_mouse, ann, bob)
    await is_won(game, ann, bob)


async def test_a_game_by_keys_alone(server: Running, open_page: Browsing) -> None:
    game = "thumb-and-pouch"
    room = await create(server, game, deal=deal_of(game), mode="coop", seats=2)
    ann = await sit(open_page, server, room, size=WINDOW)
    while not await ann.evaluate("() => document.activeElement.matches('kibitz-table .pile *')"):
        await ann.keyboard.press("Tab")
    await played_by_two(server, room, game, by_keys, ann)
    await is_won(game, ann)


async def test_a_whole_game_by_taps_on_a_phone(server: Running, open_page: Browsing) -> None:
    game, room = "klondike", await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room, size=PHONE, touch=True)
    await played_on(ann, list(steps(game)), by_finger)
    await is_won(game, ann)
