"""A person at the page: looks at the piles, drags, taps and types, and waits as a person does.

Everything goes through the mouse, the finger or the keys; what is on the table is read from the
page. Never: the page's own objects, its socket, a click that no pointer could make.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from browser.browsing import DESK, PATIENCE_MS, Browsing, Theme
from browser.games import Drag, Piles, Press, Step, deal_of, steps
from playwright.async_api import Locator, Page, expect
from talk import talking

READ = """() => Object.fromEntries([...document.querySelectorAll("kibitz-table .pile")].map(
    pile => [pile.dataset.pile, [...pile.querySelectorAll(":scope > li > .card")].map(
        ({dataset: {code, up}}) => up !== undefined || code === "??" ? code : code + "-")]))"""

SPOTS = """hands => hands.map(([pile, count]) => {
    const list = document.querySelector(`kibitz-table .pile[data-pile="${pile}"]`);
    const cards = [...list.querySelectorAll(":scope > li > .card")];
    const n = cards.length - Math.max(count, 1);
    const card = cards[n] ?? list.querySelector(".slot");
    const {left, top, width, height} = card.getBoundingClientRect();
    const next = count > 1 ? cards[n + 1].getBoundingClientRect().top : top + height;
    const seen = next > top + 1 ? Math.min(next - top, height) : height;
    return [left + width / 2, top + height / 2, top + seen / 2];
})"""
"""Where cards lie on the screen: the middle, and the height that the cards on them leave free."""

UNTIL = """([number, patience]) => new Promise((resolve, reject) => {
    const late = () => reject(Error(`event ${number} is not shown, but ${seen()}`));
    const seen = () => document.querySelector("kibitz-room")?.dataset.seq;
    const timer = setTimeout(late, patience);
    const look = () => {
        if (!(Number(seen()) >= number)) return;
        clearTimeout(timer);
        watching.disconnect();
        resolve();
    };
    const watching = new MutationObserver(look);
    const what = {subtree: true, childList: true, attributeFilter: ["data-seq"]};
    watching.observe(document.body, what);
    look();
})"""

AWAY = """([pile, cards]) => {
    const piles = [...document.querySelectorAll("kibitz-table .pile")];
    const here = document.activeElement.closest("kibitz-table .pile");
    if (!here) throw Error("the table has lost the focus");
    const all = [...here.querySelectorAll(".card")];
    return [piles.findIndex(each => each.dataset.pile === pile) - piles.indexOf(here),
        all.length - cards - all.indexOf(document.activeElement)];
}"""
"""How many piles, and in this pile how many cards, the focus is away from where it should be."""


class At(Protocol):
    """Where a server is found: its socket and its page."""

    @property
    def url(self) -> str: ...
    @property
    def http(self) -> str: ...


@dataclass(frozen=True)
class Address:
    """A server that is known by its addresses alone."""

    url: str
    http: str


Doing = Callable[[Page, Drag | Press], Awaitable[None]]


async def create(server: At, game: str, **settings: Any) -> str:
    """Have a room made, with nobody on its seat; its id."""
    async with talking(server.url) as host:
        made = await host.ok("create", game=game, seat=False, **settings)
        room: str = made["room"]
        return room


async def played(server: At, game: str, moves: int | None = None) -> str:
    """A room in which somebody has played the won game, or its first moves; its id."""
    async with talking(server.url, name="Cyd") as cyd:
        room: str = (await cyd.ok("create", game=game, deal=deal_of(game)))["room"]
        for step in islice(steps(game), moves):
            await cyd.ok("move", room=room, move=step.line)
        return room


def named(name: str, **liking: object) -> dict[str, str]:
    """The storage of a browser whose owner has given a name before."""
    return {"kibitz": json.dumps({"name": name, **liking})}


async def sit(
    open_page: Browsing,
    server: At,
    room: str,
    name: str = "Ann",
    *,
    size: tuple[int, int] = DESK,
    theme: Theme = "light",
    touch: bool = False,
    motion: bool = False,
) -> Page:
    """Somebody who comes by the link and takes the free seat."""
    page = await open_page(
        f"{server.http}/?room={room}&seat",
        size=size,
        theme=theme,
        touch=touch,
        motion=motion,
        storage=named(name),
    )
    await may_play(page)
    return page


async def watch(
    open_page: Browsing, server: At, room: str, *, size: tuple[int, int] = DESK
) -> Page:
    """Somebody who only watches."""
    page = await open_page(f"{server.http}/?room={room}", size=size)
    await expect(page.locator("kibitz-table .pile").first).to_be_visible()
    return page


async def may_play(page: Page) -> None:
    """Wait until the table can be played on."""
    await expect(page.locator("kibitz-table")).to_have_attribute("data-free", "")


async def cards(page: Page) -> Piles:
    """What lies on the table, bottom to top, as the page shows it; ``Qh-`` known, face down."""
    piles: Piles = await page.evaluate(READ)
    return piles


async def seq(page: Page) -> int:
    """The number of the event that is shown."""
    number = await page.evaluate("() => document.querySelector('kibitz-room')?.dataset.seq")
    return int(number or 0)


async def until(page: Page, number: int) -> None:
    """Wait until an event is shown, or a later one."""
    await page.evaluate(UNTIL, [number, PATIENCE_MS])


async def shows(page: Page, piles: Piles) -> None:
    """The page says what it should."""
    assert await cards(page) == piles, page.url


async def carry(page: Page, drag: Drag, *, stops: int = 3) -> None:
    """Take cards with the mouse and hold them over a pile; the way there has some stops."""
    hands = [[drag.source, drag.cards], [drag.target, 0]]
    (x, middle, y), (to_x, to_y, _) = await page.evaluate(SPOTS, hands)
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(to_x, y + to_y - middle, steps=stops)


async def by_mouse(page: Page, do: Drag | Press) -> None:
    """Drag the cards, or press the button."""
    if isinstance(do, Press):
        await page.locator(f'button[data-move="{do.move}"]').click()
        return
    await carry(page, do)
    await page.mouse.up()


async def by_quick_mouse(page: Page, do: Drag | Press) -> None:
    """The same in one go, as those who have played all day."""
    if isinstance(do, Press):
        await by_mouse(page, do)
        return
    await carry(page, do, stops=1)
    await page.mouse.up()


async def by_finger(page: Page, do: Drag | Press) -> None:
    """Tap the cards, then the place; or the button."""
    if isinstance(do, Press):
        await page.locator(f'button[data-move="{do.move}"]').tap()
        return
    hands = [[do.source, do.cards], [do.target, 0]]
    (x, _, y), to = await page.evaluate(SPOTS, hands)
    await page.touchscreen.tap(x, y)
    await page.touchscreen.tap(to[0], to[1])


async def by_dragging_finger(page: Page, do: Drag | Press) -> None:
    """Drag the cards with a finger, or tap the button."""
    if isinstance(do, Press):
        await by_finger(page, do)
        return
    hands = [[do.source, do.cards], [do.target, 0]]
    (x, middle, y), (to_x, to_y, _) = await page.evaluate(SPOTS, hands)
    end = (to_x, y + to_y - middle)
    touch = await page.context.new_cdp_session(page)
    for part in (0, 0.1, 0.2, 0.6, 1, 1):
        if part == 1:
            await page.wait_for_timeout(50)  # aimed, not flung
        point = {"x": x + (end[0] - x) * part, "y": y + (end[1] - y) * part}
        kind = "touchMove" if part else "touchStart"
        await touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    await touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    await touch.detach()


async def by_keys(page: Page, do: Drag | Press) -> None:
    """Go there with the arrows, pick up, go on, put down; or type the button's letter."""
    if isinstance(do, Press):
        button = page.locator(f'button[data-move="{do.move}"]')
        await page.keyboard.press(await button.get_attribute("aria-keyshortcuts") or "?")
        return
    await _go(page, do.source, do.cards)
    await page.keyboard.press("Enter")
    await _go(page, do.target)
    await page.keyboard.press("Enter")


async def _go(page: Page, pile: str, cards: int = 0) -> None:
    """Walk along the piles, then up to so many cards from the end; the focus says how far."""
    for keys in (("ArrowLeft", "ArrowRight"), ("ArrowUp", "ArrowDown"))[: 2 if cards else 1]:
        across, along = await page.evaluate(AWAY, [pile, cards])
        by = across if keys[0] == "ArrowLeft" else along
        for _ in range(abs(by)):
            await page.keyboard.press(keys[by > 0])


async def play(page: Page, step: Step, doing: Doing = by_mouse) -> None:
    """One step of a game, until the page shows it."""
    before = await seq(page)
    await doing(page, step.do)
    await until(page, before + 1)


async def come(
    open_page: Browsing,
    server: At,
    room: str,
    name: str,
    *,
    seat: bool = True,
    size: tuple[int, int] = DESK,
    touch: bool = False,
) -> Page:
    """Somebody who comes to a race before it begins: to a seat, or only to look."""
    address = f"{server.http}/?room={room}{'&seat' if seat else ''}"
    page = await open_page(address, size=size, touch=touch, storage=named(name))
    await expect(page.locator("kibitz-gate")).to_be_visible()
    if seat:
        await expect(page.locator("kibitz-gate [role=list]")).to_contain_text(f"{name} (you)")
    return page


async def get_ready(*pages: Page) -> None:
    """Everybody presses the button; the race begins after its countdown."""
    for page in pages:
        await page.get_by_role("button", name="I am ready").click()


async def give_up(page: Page) -> None:
    """Resign, and say yes when asked."""
    await page.get_by_label("More").click()
    await page.locator("kibitz-controls").get_by_role("button", name="Give up").click()
    await page.get_by_role("dialog").get_by_role("button", name="Give up").click()


async def choose(page: Page, what: str) -> None:
    """Take something from the menu of the room."""
    await page.get_by_label("More").click()
    await page.locator(".menu").get_by_role("button", name=what).click()


async def standings(page: Page) -> list[list[str]]:
    """The rows of the table of a race, as they are read."""
    rows = page.locator("kibitz-racers tbody").first.locator("tr")
    return [await row.locator("th, td").all_inner_texts() for row in await rows.all()]


def dialog(page: Page) -> Locator:
    """The question or the result that lies over the page."""
    return page.locator("dialog[open]")
