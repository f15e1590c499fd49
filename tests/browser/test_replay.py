"""The past of a game, at the page: moments, the slider, playing it, files out and in."""

from itertools import islice
from pathlib import Path

import pytest
from browser.browsing import Browsing
from browser.games import Piles, deal_of, flat, start_of, steps
from browser.player import cards, create, may_play, named, play, played, seq, shows, sit, watch
from playwright.async_api import Page, expect
from servers import Running
from talk import fetch

KLONDIKE = list(steps("klondike"))
LAST = len(KLONDIKE) + 4
"""The events of the won game: created, joined, the moves, won, ended."""

DROP = """([name, text]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name, {type: "text/plain"}));
    for (const type of ["dragenter", "dragover", "drop"])
        document.querySelector("main").dispatchEvent(
            new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer}));
}"""


def after(event: int) -> Piles:
    """The piles after an event of that game."""
    return KLONDIKE[event - 3].piles if event > 2 else start_of("klondike")


async def stands_at(page: Page, event: int) -> None:
    """The page is at this moment, and so is the table."""
    await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", str(event))
    await shows(page, after(min(event, LAST - 2)))


async def test_a_link_to_a_moment_and_the_slider(server: Running, open_page: Browsing) -> None:
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}#move=57")
    await stands_at(page, 57)
    await page.get_by_label("One event back").click()
    await stands_at(page, 56)
    await page.get_by_label("One event forward").click()
    await stands_at(page, 57)
    slider = page.get_by_role("slider", name="Event")
    await slider.focus()
    await page.keyboard.press("ArrowLeft")
    await stands_at(page, 56)
    await page.keyboard.press("Home")
    await stands_at(page, 1)
    await page.keyboard.press("End")
    await stands_at(page, LAST)
    box = await slider.bounding_box()
    assert box
    await page.mouse.move(box["x"] + box["width"] - 9, box["y"] + box["height"] / 2)
    await page.mouse.down()
    for part in (0.8, 0.5, 0.3):
        await page.mouse.move(box["x"] + box["width"] * part, box["y"] + box["height"] / 2)
    await page.mouse.up()
    await expect(page.locator("kibitz-room")).not_to_have_attribute("data-seq", str(LAST))
    at = await seq(page)
    assert LAST * 0.2 < at < LAST * 0.4
    await stands_at(page, at)
    await page.wait_for_url(f"**#move={at}")
    await page.reload()
    await stands_at(page, at)


async def test_it_plays_by_itself_and_stops(server: Running, open_page: Browsing) -> None:
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}#move=1")
    await stands_at(page, 1)
    await page.get_by_label("Speed").select_option("16")
    await page.get_by_label("Play", exact=True).click()
    await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", str(LAST))
    await shows(page, after(LAST - 2))
    await expect(page.get_by_label("Play", exact=True)).to_be_visible()


async def test_the_cards_as_everybody_saw_them_and_open(
    server: Running, open_page: Browsing
) -> None:
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}#move=20")
    await stands_at(page, 20)
    await page.get_by_role("button", name="open").click()
    await expect(page.locator('.card[data-code="??"]')).to_have_count(0)
    known = await cards(page)
    assert len(set(flat(known))) == 52
    seen = {pile: ["??" if c[2:] else c for c in cells] for pile, cells in known.items()}
    assert seen == after(20)
    await page.get_by_role("button", name="As played").click()
    await stands_at(page, 20)


async def test_a_save_is_kept_and_loaded_by_dropping_it(
    server: Running, open_page: Browsing
) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room)
    for step in islice(KLONDIKE, 6):
        await play(ann, step)
    await ann.get_by_label("More").click()
    async with ann.expect_download() as kept:
        await ann.get_by_role("button", name="Save position").click()
    text = Path(await (await kept.value).path()).read_text()  # noqa: ASYNC240
    bob = await open_page(f"{server.http}/", storage=named("Bob"))
    await expect(bob.locator("kibitz-lobby")).to_be_visible()
    await bob.evaluate(DROP, ["mine.txt", text])
    await may_play(bob)
    await shows(bob, KLONDIKE[5].piles)
    for step in KLONDIKE[6:8]:
        await play(bob, step)
        await shows(bob, step.piles)
    assert room not in bob.url


@pytest.mark.parametrize(("kind", "first"), [("txt", 2), ("json", 3)])
async def test_a_replay_from_a_file_needs_no_room(
    server: Running, open_page: Browsing, kind: str, first: int
) -> None:
    room = await played(server, "klondike")
    _, body = await fetch(server.http, f"/rooms/{room}/replay.{kind}")
    page = await open_page(f"{server.http}/")
    await expect(page.locator("kibitz-lobby")).to_be_visible()
    await page.evaluate(DROP, [f"replay.{kind}", body.decode()])
    await page.wait_for_url("**?file**")
    await page.get_by_role("slider", name="Event").focus()
    await page.keyboard.press("Home")
    for _ in range(first):
        await page.keyboard.press("ArrowRight")
    here = page.locator("kibitz-room")
    await expect(here).to_have_attribute("data-seq", str(first + 1))
    await shows(page, KLONDIKE[1].piles)
    await page.get_by_role("button", name="open").click()
    await expect(page.locator('.card[data-code="??"]')).to_have_count(0)
    await page.wait_for_url(f"**#move={first + 1}")
    await page.reload()
    await expect(here).to_have_attribute("data-seq", str(first + 1))
    await shows(page, KLONDIKE[1].piles)


async def test_a_file_that_is_none_of_ours(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/", storage=named("Ann"))
    await expect(page.locator("kibitz-lobby")).to_be_visible()
    await page.evaluate(DROP, ["letter.txt", "Dear Ann,\nhow are you?\n"])
    await expect(page.locator("#toasts")).to_contain_text("line 1")
    await expect(page.locator("kibitz-lobby")).to_be_visible()


async def test_stepping_back_in_a_running_game_plays_nothing(
    server: Running, open_page: Browsing
) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room)
    for step in KLONDIKE[:4]:
        await play(ann, step)
    await ann.get_by_label("One event back").click()
    await stands_at(ann, 5)
    await expect(ann.locator("kibitz-table")).not_to_have_attribute("data-free", "")
    await ann.get_by_role("button", name="Live").click()
    await may_play(ann)
    await play(ann, KLONDIKE[4])
    bob = await watch(open_page, server, room)
    await stands_at(bob, 7)


async def test_a_finished_deal_is_played_again_and_its_replay_kept(
    server: Running, open_page: Browsing
) -> None:
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}", storage=named("Bob"))
    await page.get_by_label("More").click()
    async with page.expect_download() as kept:
        await page.get_by_role("button", name="Download replay (text)").click()
    text = Path(await (await kept.value).path()).read_bytes()  # noqa: ASYNC240
    assert text == (await fetch(server.http, f"/rooms/{room}/replay.txt"))[1]
    await page.get_by_role("button", name="Play this deal").click()
    await may_play(page)
    assert room not in page.url
    await shows(page, start_of("klondike"))
    await play(page, KLONDIKE[0])


async def test_the_moment_that_is_looked_at_is_shared(server: Running, open_page: Browsing) -> None:
    room = await played(server, "klondike", 8)
    page = await open_page(f"{server.http}/?room={room}#move=4")
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await stands_at(page, 4)
    await page.get_by_role("button", name="Share").click()
    await expect(page.locator("#toasts")).to_contain_text("Copied")
    shared = await page.evaluate("() => navigator.clipboard.readText()")
    assert shared == f"{server.http}/?room={room}#move=4"
