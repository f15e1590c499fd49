"""The page in a real Chromium: first load, dragging a card, jumping about in a long replay.

Frames are read off the browser's own trace (``DrawFrame``). What is compared is measured in the
same run: a drag on a full table beside the same pointer on an empty page.
"""

import argparse
import asyncio
import json
import time
from itertools import pairwise
from statistics import median, quantiles
from typing import Any

from browser.browsing import start_browser
from playwright.async_api import Browser, Page, async_playwright
from servers import running_server
from talk import talking

CATEGORIES = ["devtools.timeline.frame", "disabled-by-default-devtools.timeline.frame"]
READY = """() => new Promise((done) => {
  const look = () => document.querySelector("kibitz-lobby .tile")
    ? done(performance.now()) : requestAnimationFrame(look);
  look();
})"""
SEEK = """async (at) => {
  const timeline = document.querySelector("kibitz-timeline");
  const times = [];
  for (const seq of at) {
    const begun = performance.now();
    timeline.dispatchEvent(new CustomEvent("seek", { detail: { seq } }));
    document.body.offsetHeight;
    times.push(performance.now() - begun);
    await new Promise(requestAnimationFrame);
  }
  return times;
}"""


async def first_load(browser: Browser, url: str, times: int) -> None:
    """Bytes on the wire, and the time until the first game can be clicked."""
    ready, size, files = [], 0, 0
    for _ in range(times):
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(url)
        ready.append(await page.evaluate(READY))
        size, files = await page.evaluate(
            """() => performance.getEntries().filter((e) => "transferSize" in e)
              .reduce(([size, n], e) => [size + e.transferSize, n + 1], [0, 0])"""
        )
        await context.close()
    print(f"first load: {size / 1024:.0f} KiB on the wire in {files} files, headers included;")
    print(f"            a game can be chosen after {median(ready):.0f} ms (median of {times})")


async def dragged(browser: Browser, page: Page, seconds: float) -> list[float]:
    """Milliseconds between frames while the pointer draws circles with its button down."""
    await browser.start_tracing(page=page, categories=CATEGORIES)
    end, steps = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        steps += 1
        x, y = 640 + 260 * ((steps * 7) % 41 - 20) / 20, 420 + 160 * ((steps * 5) % 31 - 15) / 15
        await page.mouse.move(x, y, steps=4)
    trace: dict[str, list[dict[str, Any]]] = json.loads(await browser.stop_tracing())
    frames = sorted(e["ts"] for e in trace["traceEvents"] if e["name"] == "DrawFrame")
    return [(b - a) / 1000 for a, b in pairwise(frames)]


def told(name: str, gaps: list[float]) -> None:
    """A line about frames."""
    cuts = quantiles(gaps, n=100)
    late = sum(gap > 1000 / 60 * 1.5 for gap in gaps) / len(gaps)
    print(
        f"{name}: {1000 / median(gaps):.0f} frames/s (median), 95% within {cuts[94]:.1f} ms, "
        f"{late:.1%} late, of {len(gaps)} frames"
    )


async def drags(browser: Browser, url: str, seconds: float) -> None:
    """A card dragged over a table of 52, beside a bare square on an empty page."""
    page = await browser.new_page(viewport={"width": 1280, "height": 800})
    await page.goto(f"{url}/healthz")
    await page.evaluate(
        """() => {
          const square = document.body.appendChild(document.createElement("div"));
          Object.assign(square.style, { width: "90px", height: "126px", background: "green" });
          addEventListener("pointermove", (e) => {
            square.style.transform = `translate(${e.clientX}px, ${e.clientY}px)`;
          });
        }"""
    )
    told("a bare square", await dragged(browser, page, seconds))
    await page.add_init_script("localStorage.kibitz ||= JSON.stringify({ name: 'Ann' })")
    await page.goto(f"{url}/?start=klondike-single")
    await page.click("button.large")
    card = page.locator('[data-pile="COLUMN-7"] li:last-child > .card')
    await card.wait_for()
    await page.wait_for_timeout(500)
    await card.hover()
    await page.mouse.down()
    told("a card over 52 ", await dragged(browser, page, seconds))
    await page.mouse.up()
    await page.close()


async def seeks(browser: Browser, url: str, socket: str, events: int) -> None:
    """Jumps to random moments of a long game."""
    async with talking(socket) as ann:
        room = (await ann.ok("create", game="klondike-single"))["room"]
        for _ in range(events - 2):
            await ann.ok("move", room=room, move="sw")
        page = await browser.new_page(viewport={"width": 1280, "height": 800})
        await page.goto(f"{url}/?room={room}")
        await page.wait_for_selector(f'kibitz-timeline input[min="1"][max="{events}"]')
        at = [(n * 7919) % events + 1 for n in range(200)]
        for motion in ("normal", "off"):
            await page.evaluate(f"document.documentElement.dataset.motion = '{motion}'")
            cuts = quantiles(await page.evaluate(SEEK, at), n=100)
            print(
                f"seek in {events} events, gliding {motion}: {cuts[49]:.1f} ms (median), "
                f"95% within {cuts[94]:.1f} ms, drawn and laid out"
            )
        await page.close()


async def measure(loads: int, seconds: float, events: int) -> None:
    """All of it."""
    async with running_server() as server, async_playwright() as playwright:
        browser = await start_browser(playwright)
        await first_load(browser, f"{server.http}/", loads)
        await drags(browser, server.http, seconds)
        await seeks(browser, server.http, server.url, events)
        await browser.close()


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--events", type=int, default=1000)
    chosen = parser.parse_args()
    asyncio.run(measure(chosen.loads, chosen.seconds, chosen.events))


if __name__ == "__main__":
    main()
