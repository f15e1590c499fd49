"""Windows of a real Chromium that keep a record of everything that goes wrong in them.

A page that logs an error or a warning, breaks its own content security policy, asks for a file
that is not there or for anything from another origin fails the test that opened it, unless the
test said beforehand that it would. Nothing is skipped: a missing browser is a failure.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, Page, Playwright, Request, StorageState
from playwright.async_api import Error as BrowserError

PATIENCE_MS = 60_000
"""How long a page has for anything: a machine may be slow, and the test's own time ends it then."""
DESK, PHONE = (1280, 800), (390, 844)
CHROMIUM = Path(os.environ.get("KIBITZ_CHROMIUM", "/usr/bin/chromium-headless-shell"))
MISSING = (
    f"there is no Chromium at {CHROMIUM}: `bash tests/install.sh` installs one "
    "(or name yours in KIBITZ_CHROMIUM)"
)
OPTIONS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ABORTED = "net::ERR_ABORTED"
"""A request that was under way when the page was left; a refused one also logs an error."""
DOWN = r"ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|WebSocket connection .* failed"
"""What a browser says while the server is away."""

Theme = Literal["light", "dark"]


def chromium() -> Path:
    """The browser of this machine.

    Raises:
        FileNotFoundError: There is none; the text says how to install one.

    """
    if not CHROMIUM.exists():
        raise FileNotFoundError(MISSING)
    return CHROMIUM


async def start_browser(playwright: Playwright) -> Browser:
    """Start it, without a window."""
    as_root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    return await playwright.chromium.launch(executable_path=chromium(), args=[*OPTIONS, *as_root])


@dataclass
class Browsing:
    """The windows of one test. Call it to open one.

    Attributes:
        allowed: Patterns of complaints that this test expects.
        complaints: What went wrong, in all windows, in order.

    """

    browser: Browser
    allowed: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)

    async def __call__(
        self,
        url: str,
        *,
        size: tuple[int, int] = DESK,
        theme: Theme = "light",
        motion: bool = False,
        touch: bool = False,
        beside: Page | None = None,
        storage: dict[str, str] | None = None,
    ) -> Page:
        """Open a page and wait until it is loaded.

        Args:
            url: Where.
            size: Width and height in pixels.
            theme: What the system prefers.
            motion: Whether the system wants things to move.
            touch: Whether there is a finger instead of a mouse.
            beside: Open a tab beside this one, with the same identity, instead of a new person's.
            storage: What that person's browser remembers of this server.

        """
        if beside is not None:
            context = beside.context
        else:
            context = await self._person(url, size, theme, motion, touch, storage or {})
        page = await context.new_page()
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await page.goto(url)
        return page

    async def _person(
        self,
        url: str,
        size: tuple[int, int],
        theme: Theme,
        motion: bool,
        touch: bool,
        storage: dict[str, str],
    ) -> BrowserContext:
        at = urlsplit(url)
        origin = f"{at.scheme}://{at.netloc}"
        state: StorageState = {
            "origins": [
                {
                    "origin": origin,
                    "localStorage": [{"name": key, "value": storage[key]} for key in storage],
                }
            ]
        }
        context = await self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=theme,
            reduced_motion="no-preference" if motion else "reduce",
            has_touch=touch,
            is_mobile=touch,
            locale="en-GB",
            storage_state=state,
        )
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        self._listen(context, at.netloc)
        return context

    def _listen(self, context: BrowserContext, host: str) -> None:
        def complain(what: str) -> None:
            self.complaints.append(what)

        def asked(request: Request) -> None:
            at = urlsplit(request.url)
            if at.scheme not in ("data", "blob") and at.netloc != host:
                complain(f"another origin was asked: {request.url}")

        context.on("request", asked)

        def failed(request: Request) -> None:
            if request.failure != ABORTED:
                complain(f"failed: {request.url} {request.failure}")

        context.on("requestfailed", failed)
        context.on("weberror", lambda error: complain(f"page error: {error.error}"))
        context.on(
            "console",
            lambda line: (
                complain(f"console {line.type}: {line.text} ({line.location.get('url', '')})")
                if line.type in ("error", "warning")
                else None
            ),
        )
        context.on(
            "response",
            lambda answer: (
                complain(f"{answer.status} for {answer.url}") if answer.status >= 400 else None
            ),
        )

    def unexpected(self) -> list[str]:
        """The complaints that nobody allowed."""
        return [
            line for line in self.complaints if not any(re.search(p, line) for p in self.allowed)
        ]

    async def close(self) -> None:
        """Close every window; what the pages do about that is no complaint."""
        heard = list(self.complaints)
        for context in self._contexts:
            try:
                await context.close()
            except BrowserError as error:
                heard.append(f"a window did not close: {error}")
        self.complaints = heard
