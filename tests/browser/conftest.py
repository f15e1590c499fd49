"""What the browser's tests share: one Chromium for all of them, a server and windows for each.

They run in one event loop, for that is where the browser lives; the server runs in it too.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from browser.browsing import PATIENCE_MS, Browsing, start_browser
from browser.modules import module_page
from playwright.async_api import Browser, Page, async_playwright, expect
from servers import Running, running_server

HERE = Path(__file__).parent
expect.set_options(timeout=PATIENCE_MS)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One loop for all the tests of this folder, and no others."""
    one_loop = pytest.mark.asyncio(loop_scope="session")
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(one_loop, append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """The one browser."""
    async with async_playwright() as playwright:
        started = await start_browser(playwright)
        yield started
        await started.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def modules(browser: Browser) -> AsyncIterator[Page]:
    """The one blank page that has the page's modules, for all who leave it as it is."""
    async with module_page(browser) as page:
        yield page


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[Running]:
    """A server of its own with its rooms in memory."""
    async with running_server() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: Browser) -> AsyncIterator[Browsing]:
    """Opens windows: ``page = await open_page(server.http, theme="dark")``.

    When the test ends nothing may have gone wrong in any of them.
    """
    browsing = Browsing(browser)
    yield browsing
    await browsing.close()
    if wrong := browsing.unexpected():
        pytest.fail("in the browser:\n" + "\n".join(wrong), pytrace=False)
