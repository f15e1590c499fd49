"""A blank page that has the web page's modules and nothing else: to try them one by one."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from browser.browsing import PATIENCE_MS
from playwright.async_api import Browser, Page, Route

WEB = Path(__file__).parents[2] / "clients" / "kibitz" / "clients" / "web"


@contextlib.asynccontextmanager
async def module_page(browser: Browser, http: str | None = None) -> AsyncIterator[Page]:
    """The page. Its modules are under ``/modules/`` and come from the tree, not from a server.

    Args:
        browser: The browser.
        http: The server that the page is from and may talk to.

    """
    origin = http or "http://127.0.0.1:9"
    context = await browser.new_context(bypass_csp=True)
    context.set_default_timeout(PATIENCE_MS)
    wrong: list[str] = []
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    page = await context.new_page()
    await page.route(f"{origin}/modules/**", _serve)
    # Chromium lets only a page that truly comes from a local address talk to one.
    await page.goto(f"{http}/healthz" if http else f"{origin}/modules/")
    try:
        yield page
    finally:
        await context.close()
    assert not wrong, wrong


async def _serve(route: Route) -> None:
    path = urlsplit(route.request.url).path.removeprefix("/modules/")
    if path:
        await route.fulfill(path=WEB / path, content_type="text/javascript")
    else:
        await route.fulfill(body="<!doctype html><title>modules</title>", content_type="text/html")


async def run(page: Page, script: str, argument: object = None) -> Any:
    """What an asynchronous function's body returns; ``given`` is the argument."""
    return await page.evaluate(f"async (given) => {{ {script} }}", argument)
