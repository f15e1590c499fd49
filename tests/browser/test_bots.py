"""Bots in the page: raced in one click from the form, added in the gate and sent away, marked."""

import re
from dataclasses import replace

from browser import axe
from browser.browsing import PHONE, Browsing
from browser.player import come, dialog, get_ready, give_up, named, standings
from playwright.async_api import expect
from servers import UNLIMITED, Running, running_server
from talk import talking

FOLD = "summary => { summary.click(); return JSON.parse(localStorage.kibitz).thoughts; }"


async def test_a_bot_is_raced_in_one_click_and_marked_to_the_end(
    server: Running, open_page: Browsing
) -> None:
    ann = await open_page(f"{server.http}/?start=aces-up", storage=named("Ann"))
    await ann.get_by_text("Race", exact=True).click()
    await ann.get_by_label("Countdown, in seconds").fill("0")
    await ann.get_by_label("How the bot plays").select_option("Fast")
    await ann.get_by_role("button", name="Race a bot").click()
    bot = ann.locator("kibitz-gate li", has_text="fast bot")
    await expect(bot.locator(".bot")).to_have_text("bot")
    await expect(bot).to_have_class("ready")
    await expect(ann.locator("kibitz-gate")).to_contain_text("It begins when you press")
    await axe.check(ann, "kibitz-gate")
    await get_ready(ann)
    row = ann.locator("kibitz-racers tbody tr", has_text="fast bot")
    await expect(row.locator(".bot")).to_be_visible()
    await expect(row.locator("td").nth(2)).not_to_have_text("0")  # it plays
    await give_up(ann)
    await expect(row.get_by_role("button", name="fast bot")).to_be_visible()
    await expect(ann.locator(".strip")).to_have_text("You gave up. Choose a name to see a board.")
    names = {cells[1] for cells in await standings(ann)}
    assert names == {"fast bot bot", "Ann (you)"}


async def test_who_made_a_race_adds_bots_and_sends_them_away(open_page: Browsing) -> None:
    limits = replace(UNLIMITED, bots_per_identity=1)
    async with running_server(limits=limits) as server:
        page = await open_page(f"{server.http}/?start=aces-up", storage=named("Ann"), size=PHONE)
        await page.get_by_text("Race", exact=True).click()
        await page.get_by_label("Racers at most").fill("4")
        await page.get_by_role("button", name="Start a race").click()
        await page.get_by_role("button", name="Add a bot").click()
        shown = dialog(page)
        await axe.check(page, "dialog")
        await shown.get_by_label("Greedy").check()
        await shown.get_by_label("How quickly").select_option(label="Quick: 4 moves a second")
        await shown.get_by_role("button", name="Add it").click()
        await expect(page.locator("kibitz-gate li", has_text="greedy bot")).to_have_class("ready")
        await page.get_by_role("button", name="Add a bot").click()
        await shown.get_by_role("button", name="Add it").click()
        await expect(shown.get_by_role("alert")).to_contain_text("Too many bots per identity")
        await page.keyboard.press("Escape")
        room = page.url.partition("room=")[2]
        bob = await come(open_page, server, room, "Bob")
        await expect(bob.locator("kibitz-gate .bot")).to_have_text("bot")
        for what in ("Add a bot", "Send greedy bot away", "Call it off"):
            await expect(bob.get_by_role("button", name=what)).to_have_count(0)
        await page.get_by_role("button", name="Send greedy bot away").click()
        await expect(page.locator("kibitz-gate .bot")).to_have_count(0)
        await expect(page.get_by_role("button", name="Call it off")).to_have_count(0)
        await bob.close()
        await expect(page.get_by_role("button", name="Call it off")).to_be_visible()
        async with talking(server.url) as cyd:
            view = (await cyd.ok("join", room=room))["view"]
            assert [seat.get("bot") for seat in view["seats"]] == [None] * 4


async def test_a_race_to_which_nobody_comes_is_called_off(open_page: Browsing) -> None:
    limits = replace(UNLIMITED, bots_per_identity=1)
    async with running_server(limits=limits) as server, talking(server.url) as bob:
        page = await open_page(f"{server.http}/?start=aces-up", storage=named("Ann"), size=PHONE)
        await page.get_by_role("button", name="Race a bot").click()
        off = page.get_by_role("button", name="Call it off")
        await expect(off).to_be_visible()
        await axe.check(page, "kibitz-gate")
        await off.click()
        await expect(page.locator(".strip")).to_contain_text("You called it off.")
        await expect(page.locator("kibitz-gate")).to_be_hidden()
        await expect(page.get_by_text("This race never began.")).to_be_visible()
        for what in ("I am ready", "Only watch", "Send strong bot away", "Call it off"):
            await expect(page.get_by_role("button", name=what)).to_have_count(0)
        eve = await open_page(page.url, storage=named("Eve"))
        said = "Who made this race has called it off."
        await expect(eve.locator(".strip")).to_contain_text(said)
        await expect(eve.locator("kibitz-gate")).to_be_hidden()
        (entry,) = (await bob.ok("rooms"))["rooms"]
        assert entry["status"] == "closed"


async def test_where_there_are_none_nobody_is_offered_any(open_page: Browsing) -> None:
    async with running_server(limits=replace(UNLIMITED, bots=0)) as server:
        page = await open_page(f"{server.http}/?start=aces-up", storage=named("Ann"))
        await expect(page.get_by_role("button", name="Start Aces Up")).to_be_visible()
        await expect(page.get_by_role("button", name="Race a bot")).to_have_count(0)
        await page.get_by_text("Race", exact=True).click()
        await page.get_by_role("button", name="Start a race").click()
        await expect(page.get_by_role("button", name="Copy link for a racer")).to_be_visible()
        await expect(page.get_by_role("button", name="Add a bot")).to_have_count(0)


async def test_what_a_bot_thinks_is_shown_as_bars_to_who_watches(
    server: Running, open_page: Browsing
) -> None:
    async with talking(server.url, name="Robby") as robby:
        room = (await robby.ok("create", game="klondike-single"))["room"]
        page = await open_page(f"{server.http}/?room={room}")
        await expect(page.locator("kibitz-table")).to_be_visible()
        assert await page.locator("kibitz-thoughts").count() == 0
        await robby.ok("think", room=room, moves=[["sw", 0.75], ["tt 1 2", 0.25]])
        rows = page.get_by_role("list", name="Moves and what they are worth").locator("li")
        await expect(rows).to_have_text(["Draw0.75", "tt 1 20.25"])
        below = page.get_by_role("button", name="Thoughts")
        await expect(below).to_be_hidden()
        size = page.viewport_size
        assert size
        await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        await expect(below).to_be_in_viewport()
        await expect(rows.last).not_to_be_in_viewport()
        await below.click()
        await expect(rows.last).to_be_in_viewport()
        await page.set_viewport_size(size)
        widths = [
            await bar.evaluate("e => e.style.inlineSize")
            for bar in await rows.locator(".bar").all()
        ]
        assert widths == ["100%", "6%"]
        note = page.locator("kibitz-thoughts p")
        await expect(note).to_contain_text("1.30 is a win in every world tried")
        await robby.ok("move", room=room, move="sw")
        await expect(rows).to_have_text([re.compile(" → waste.*played0.75"), "tt 1 20.25"])
        await axe.check(page, "kibitz-thoughts")
        await page.get_by_role("button", name="One event back").click()
        await expect(rows).to_have_count(0)
        await expect(page.locator("kibitz-thoughts")).to_be_hidden()
        await page.get_by_role("button", name="Back to the game").click()
        await expect(rows).to_have_count(2)
        await robby.ok("move", room=room, move="sw")
        await expect(note).to_contain_text("Played without weighing: ")
        await expect(rows).to_have_count(0)
        await robby.ok("think", room=room, moves=[["tf 7 1", 1.0]])
        await expect(rows).to_have_text(["tf 7 11.00"])
        assert not await page.get_by_text("What Robby thinks").evaluate(FOLD)  # kept at once
        await expect(rows.first).to_be_hidden()
        await page.reload()
        await expect(page.locator("kibitz-table")).to_be_visible()
        await robby.ok("think", room=room, moves=[["sw", 0.5]])
        await expect(page.get_by_text("What Robby thinks")).to_be_visible()
        await expect(rows).to_have_count(0)
        await page.get_by_text("What Robby thinks").click()
        await expect(rows).to_have_text(["Draw0.50"])
