"""Somebody whose move takes long to be written down reads so, and nothing when it does not."""

from browser.browsing import Browsing
from browser.player import create, seq, sit, until
from playwright.async_api import expect
from servers import running_server
from worlds import HeldLog


async def test_a_move_that_takes_long_says_saving(open_page: Browsing) -> None:
    log = HeldLog()
    async with running_server(log) as server:
        ann = await sit(open_page, server, await create(server, "klondike", deal="1"))
        bar, stock = ann.locator("#link"), ann.get_by_role("button", name="Discard").first
        before = await seq(ann)
        log.hold()
        await ann.evaluate("window.told = []")
        await ann.evaluate(
            "new MutationObserver(() => told.push(document.querySelector('#link').textContent))"
            ".observe(document.querySelector('#link'), {childList: true, subtree: true})"
        )
        await stock.click()
        await expect(bar).to_have_text("Saving…")
        await expect(ann.locator("#status")).to_contain_text("Saving…")
        assert await seq(ann) == before, "nothing is shown that is not written down"
        log.release()
        await until(ann, before + 1)
        await expect(bar).to_be_hidden()
        assert await ann.evaluate("told") == ["Saving…", ""]
