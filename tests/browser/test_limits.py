"""What the page says to who asks for too much: of what, and when to come again."""

import re
from dataclasses import replace

from browser.browsing import Browsing
from browser.player import may_play, named
from playwright.async_api import expect
from servers import UNLIMITED, running_server

from kibitz.server.limits.rates import Rate

SELDOM = replace(UNLIMITED, creates_per_identity=Rate(0.01, 1), says=Rate(0.5, 1))
"""Only one room, and a comment every other second."""


async def test_a_limit_is_named_and_so_is_its_end(open_page: Browsing) -> None:
    async with running_server(limits=SELDOM) as server:
        ann = await open_page(f"{server.http}/?start=klondike", storage=named("Ann"))
        await ann.get_by_role("button", name="Start").first.click()
        await may_play(ann)
        for text in ("one", "two"):
            await ann.get_by_label("Comment", exact=True).fill(text)
            await ann.keyboard.press("Enter")
        toasts = ann.locator("#toasts")
        await expect(toasts).to_contain_text(re.compile("Too many .*; come back in [12].[0-9] s"))
        await expect(toasts).to_contain_text("It is tried again by itself.")
        await expect(ann.locator("kibitz-log li.say")).to_have_count(2)
        await ann.goto(f"{server.http}/?start=montana")
        await ann.get_by_role("button", name="Start").first.click()
        told = re.compile("Too many creates .*; come back in [0-9.]+ s")
        await expect(ann.get_by_role("alert").filter(has_text=told)).to_be_visible()
