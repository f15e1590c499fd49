"""Whole games, played at the page as people play, while somebody watches."""

import re

import pytest
from browser.browsing import PHONE, Browsing
from browser.games import WINS, Piles, deal_of, start_of, steps
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

WINDOW = (900, 640)
"""Smaller than most, so that the browsers have less to paint."""


async def whole(ann: Page, bob: Page, game: str, doing: Doing) -> Piles:
    """Ann plays the game to its end; Bob sees the same, looked at after every tenth move."""
    piles = start_of(game)
    await shows(ann, piles)
    await shows(bob, piles)
    for n, step in enumerate(steps(game), 1):
        await play(ann, step, doing)
        piles = step.piles
        if n % 10 == 0:
            await shows(ann, piles)
            await until(bob, await seq(ann))
            await shows(bob, piles)
    return piles


async def is_won(ann: Page, bob: Page, piles: Piles, moves: int) -> None:
    """Both tables are done, both pages say so, and Ann is told how she did it."""
    for page in (ann, bob):
        await expect(page.locator("kibitz-room")).to_have_attribute("data-status", "won")
        await expect(page.locator("kibitz-people")).to_contain_text("won")
        assert await cards(page) == piles
    told = ann.get_by_role("dialog", name="Ann won!")
    await expect(told).to_contain_text(re.compile(rf"moves\s*{moves}(?!\d)"))
    await ann.keyboard.press("Escape")
    await expect(told).to_have_count(0)
    await expect(bob.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("game", sorted(WINS))
async def test_a_whole_game_by_drag(server: Running, open_page: Browsing, game: str) -> None:
    room = await create(server, game, deal=deal_of(game))
    ann = await sit(open_page, server, room, size=WINDOW)
    bob = await watch(open_page, server, room, size=WINDOW)
    piles = await whole(ann, bob, game, by_quick_mouse)
    await is_won(ann, bob, piles, len(WINS[game]["moves"]))


async def test_a_whole_game_by_keys_alone(server: Running, open_page: Browsing) -> None:
    room = await create(server, "thumb-and-pouch", deal=deal_of("thumb-and-pouch"))
    ann = await sit(open_page, server, room, size=WINDOW)
    bob = await watch(open_page, server, room, size=WINDOW)
    while not await ann.evaluate("() => document.activeElement.matches('kibitz-table .pile *')"):
        await ann.keyboard.press("Tab")
    piles = await whole(ann, bob, "thumb-and-pouch", by_keys)
    await is_won(ann, bob, piles, len(WINS["thumb-and-pouch"]["moves"]))


async def test_a_whole_game_by_taps_on_a_phone(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room, size=PHONE, touch=True)
    bob = await watch(open_page, server, room, size=WINDOW)
    piles = await whole(ann, bob, "klondike", by_finger)
    await is_won(ann, bob, piles, len(WINS["klondike"]["moves"]))
