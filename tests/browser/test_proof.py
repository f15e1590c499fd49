"""A game verified at the page: the badge, what it says, and what it says of a server that lies."""

import json
import re
from collections.abc import Callable

import pytest
from browser import axe
from browser.browsing import Browsing
from browser.games import deal_of, steps
from browser.player import create, dialog, give_up, play, played, sit, watch
from browser.test_replay import DROP
from playwright.async_api import Page, Route, expect
from servers import Running
from talk import fetch

CHECKS = ("The deal", "The open cards", "The moves", "The history", "The file")


async def verify(page: Page, label: str) -> None:
    """Press the badge, and wait for what it says then."""
    await page.locator("kibitz-room .badge").click()
    await expect(dialog(page).get_by_role("heading", level=2)).to_have_text(label)
    await expect(page.locator("kibitz-room .badge")).to_have_text(label)


async def test_the_verifier_comes_when_somebody_asks(server: Running, open_page: Browsing) -> None:
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}")
    await expect(page.locator("kibitz-room .badge")).to_have_text("Verify")
    loaded = "() => performance.getEntriesByType('resource').map(({name}) => name).join()"
    assert "proof" not in await page.evaluate(loaded)
    await verify(page, "Moves verified")
    assert "proof/verify.js" in await page.evaluate(loaded)


async def test_by_keys_and_for_those_who_listen(server: Running, open_page: Browsing) -> None:
    room = await played(server, "montana")
    page = await open_page(f"{server.http}/?room={room}")
    badge = page.locator("kibitz-room .badge")
    await badge.focus()
    await page.keyboard.press("Enter")
    shown = dialog(page)
    await expect(shown).to_be_visible()
    await expect(page.get_by_role("status")).to_contain_text("verified")
    for name in CHECKS:
        await expect(shown.get_by_role("listitem").filter(has_text=f"{name}: ")).to_have_count(1)
    for theme in ("light", "dark"):
        await page.emulate_media(color_scheme=theme)
        await axe.check(page)
    await page.keyboard.press("Escape")
    await expect(shown).to_have_count(0)
    await expect(badge).to_be_focused()


async def test_a_running_game_and_its_end(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room)
    for _, step in zip(range(6), steps("klondike"), strict=False):
        await play(ann, step)
    await verify(ann, "Moves verified")
    await expect(dialog(ann)).to_contain_text("6 changes, each by the rules.")
    await ann.keyboard.press("Escape")
    await give_up(ann)
    await expect(ann.locator("kibitz-room .badge")).to_have_text("Verify")
    await dialog(ann).get_by_role("button", name="Verify").click()
    await expect(dialog(ann).get_by_role("heading", level=2)).to_have_text("Moves verified")
    bob = await watch(open_page, server, room)
    await verify(bob, "Moves verified")


def bit(text: str) -> str:
    """One byte of one card is another one."""
    return text.replace('"mv","PILE-4"', '"mv","PILE-5"', 1)


def cut(text: str) -> str:
    """The end is missing, and the file says so itself."""
    replay = json.loads(text)
    for events in ("events", "open"):
        replay[events] = replay[events][:20]
    return json.dumps(replay | {"seq": 20})


@pytest.mark.parametrize(
    ("change", "label"),
    [
        (bit, "Not verified: event 3"),
        (cut, "Not verified: event 20"),
        (lambda text: text[:-1], "Not verified"),
        (lambda text: "<html>", "Not verified"),
    ],
)
async def test_a_server_that_lies(
    server: Running, open_page: Browsing, change: Callable[[str], str], label: str
) -> None:
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}")

    async def lie(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, body=change(await answer.text()))

    await page.route("**/replay.json", lie)
    await verify(page, label)
    await expect(dialog(page).get_by_role("alert")).not_to_be_empty()
    await expect(page.locator("kibitz-room .badge")).to_have_attribute("data-status", "failed")
    await axe.check(page)


async def test_a_server_that_says_nothing(server: Running, open_page: Browsing) -> None:
    open_page.allowed.append(r"404|Failed to load resource")
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}")
    await page.route("**/replay.json", lambda route: route.fulfill(status=404, body="gone\n"))
    await page.locator("kibitz-room .badge").click()
    await expect(page.locator("#toasts")).to_contain_text("gone")
    await expect(page.locator("kibitz-room .badge")).to_have_text("Verify")


async def test_a_replay_from_a_file(server: Running, open_page: Browsing) -> None:
    room = await played(server, "klondike")
    _, body = await fetch(server.http, f"/rooms/{room}/replay.json")
    page = await open_page(f"{server.http}/")
    await expect(page.locator("kibitz-lobby")).to_be_visible()
    await page.evaluate(DROP, ["replay.json", body.decode()])
    await page.wait_for_url("**?file**")
    await verify(page, "Moves verified")
    await page.reload()
    await verify(page, "Moves verified")
    wrong = re.sub('"score":[0-9]+', '"score":9', body.decode(), count=1)
    await page.keyboard.press("Escape")
    await page.evaluate(DROP, ["replay.json", wrong])
    await expect(page.locator("kibitz-room .badge")).to_have_text("Verify")
    await verify(page, "Not verified: event 3")
