"""Hints of a bot, chances and the end of a game that plays itself, at the page."""

from dataclasses import replace
from typing import Any

from browser.browsing import PHONE, Browsing
from browser.modules import module_page
from browser.player import create, named, seq, sit, until
from plays import NEAR_LOSS, NEAR_WIN
from playwright.async_api import Browser, Page, expect
from servers import USUAL, Running, running_server
from talk import talking

from kibitz.clients.advised import told
from kibitz.protocol.replies import Advice

FOUND: list[dict[str, Any]] = [
    {"proved": "win", "worlds": 1, "winnable": 1, "lost": 0},
    {"proved": "win", "worlds": 6, "winnable": 6, "lost": 0},
    {"proved": "lost", "worlds": 1, "winnable": 0, "lost": 1},
    {"proved": "lost", "worlds": 2, "winnable": 0, "lost": 2},
    {"worlds": 1, "winnable": 0, "lost": 0},
    {"worlds": 24, "winnable": 20, "lost": 4},
    {"worlds": 24, "winnable": 0, "lost": 21},
]
"""Everything that can be said of chances."""


async def menu(page: Page, name: str) -> None:
    await page.locator("kibitz-controls summary").click()
    await page.get_by_role("button", name=name).click()


async def test_a_hint_is_the_bots_choice_and_then_what_else_is_legal(
    server: Running, open_page: Browsing
) -> None:
    policy = {"advice": True}
    room = await create(server, "aces-up", save=NEAR_LOSS, policy=policy)
    page = await sit(open_page, server, room)
    await page.keyboard.press("h")
    status = page.get_by_role("status")
    await expect(status).to_contain_text("Try: Deal.")
    await expect(page.locator(".toast")).to_have_text("Try: Deal.")
    ringed = page.locator("kibitz-controls .hinted")
    await expect(ringed).to_have_text("Deal")
    async with talking(server.url) as host:
        await host.ok("join", room=room)
        moves = (await host.ok("moves", room=room))["moves"]
    assert moves == ["d"]
    await page.keyboard.press("d")
    await until(page, 3)
    await expect(ringed).to_have_count(0)
    await expect(page.locator(".toast")).to_have_count(0)
    for _ in range(2):
        await page.get_by_role("button", name="Hint").click()
        await expect(page.locator(".hinted, .goal").first).to_be_visible()
        await expect(status).to_contain_text("Try the ")


async def test_whether_it_can_still_be_won(server: Running, open_page: Browsing) -> None:
    room = await create(server, "aces-up", save=NEAR_LOSS, policy={"casual": True})
    page = await sit(open_page, server, room, size=PHONE)
    await menu(page, "Can it still be won?")
    await expect(page.locator(".toast")).to_contain_text("guesses at the hidden cards")
    usual = await create(server, "aces-up")
    page = await sit(open_page, server, usual)
    await page.locator("kibitz-controls summary").click()
    await expect(page.get_by_role("button", name="Can it still be won?")).to_have_count(0)


async def test_a_game_that_plays_itself_is_finished_with_one_button(
    server: Running, open_page: Browsing
) -> None:
    room = await create(server, "klondike", save=NEAR_WIN, policy={"hints": False})
    page = await sit(open_page, server, room, motion=True)
    before = await seq(page)
    await page.get_by_role("button", name="Finish").click()
    await until(page, before + 4)
    await expect(page.locator("kibitz-room")).to_have_attribute("data-status", "won")
    async with talking(server.url) as host:
        events = (await host.ok("join", room=room)) and (await host.ok("history", room=room))
    assert [event["kind"] for event in events["events"][-4:]] == ["move", "move", "won", "ended"]


async def test_a_fresh_deal_is_not_offered_its_end(server: Running, open_page: Browsing) -> None:
    page = await sit(open_page, server, await create(server, "klondike", deal="1"))
    await page.get_by_role("button", name="Discard", exact=True).click()
    await until(page, 3)
    await expect(page.get_by_role("button", name="Hint")).to_be_visible()
    await expect(page.get_by_role("button", name="Finish")).to_have_count(0)


async def test_what_a_new_room_allows(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/?start=aces-up", storage=named("Ann"))
    await page.locator("summary", has_text="Options").click()
    advice = page.get_by_label("Hints of a strong bot")
    await expect(advice).to_be_checked()
    await page.get_by_label("Casual: asking whether it can still be won").check()
    await page.get_by_role("button", name="Start Aces Up").click()
    await expect(page.locator("kibitz-room")).to_be_visible()
    room = page.url.split("room=")[1].split("&")[0]
    async with talking(server.url) as host:
        policy = (await host.ok("join", room=room))["info"]["policy"]
    assert (policy["advice"], policy["casual"]) == (True, True)


async def test_where_no_advice_is_given_none_is_offered(open_page: Browsing) -> None:
    none = running_server(operating=replace(USUAL, advice_seconds=0.0))
    async with none as server:
        page = await open_page(f"{server.http}/?start=aces-up", storage=named("Ann"))
        await page.locator("summary", has_text="Options").click()
        await expect(page.get_by_label("Hints and lit places")).to_be_checked()
        for what in ("Hints of a strong bot", "Casual: asking whether it can still be won"):
            await expect(page.get_by_label(what)).to_have_count(0)


async def test_an_answer_stands_in_the_place_of_what_was_said_before_it(
    server: Running, open_page: Browsing
) -> None:
    page = await open_page(server.http)
    script = """async () => {
        const {chances} = await import(document.querySelector("script[src$='main.js']")
            .src.replace("main.js", "room/advice.js"));
        const toasts = document.getElementById("toasts");
        const waits = () => new Promise(done => new MutationObserver((_, watch) => {
            watch.disconnect();
            done();
        }).observe(toasts, {childList: true}));
        const advise = async () => (await waits(), {worlds: 1, winnable: 0, lost: 0});
        await chances({advise}, "r");
        return [...toasts.children].map(toast => toast.textContent);
    }"""
    assert await page.evaluate(script) == ["Whether it can still be won was not found out."]


async def test_the_page_says_what_a_terminal_says(browser: Browser) -> None:
    async with module_page(browser) as page:
        script = """async cases => {
            const {told} = await import("/modules/room/advice.js");
            return cases.map(told);
        }"""
        said = await page.evaluate(script, FOUND)
    assert said == [told(Advice(room="r", seq=1, what="chances", **each)) for each in FOUND]
