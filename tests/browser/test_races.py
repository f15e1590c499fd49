"""Races in the page: the gate, the same deal for all, the table, the next deal, the replay."""

import asyncio
import contextlib
import json
import re
from itertools import islice
from typing import Any
from urllib.request import urlopen

from browser import axe
from browser.browsing import PHONE, Browsing
from browser.games import deal_of, save_of, start_of, steps
from browser.player import (
    by_finger,
    cards,
    choose,
    come,
    create,
    dialog,
    get_ready,
    give_up,
    may_play,
    named,
    play,
    seq,
    shows,
    sit,
    standings,
    until,
)
from playwright.async_api import expect
from servers import Running
from talk import talking

GAME = "aces-up"
MASKED = "Boards are opened when the last one is done."
HEAR = """() => {
    window.heard = [];
    const region = document.querySelector("[role=status]");
    new MutationObserver(() => heard.push(region.textContent))
        .observe(region, {childList: true, characterData: true, subtree: true});
}"""


async def race(server: Running, **settings: object) -> str:
    """A race over the deal whose moves are known."""
    wish: dict[str, object] = {"mode": "race", "deal": deal_of(GAME), "countdown": 1}
    return await create(server, GAME, **(wish | settings))


async def test_from_the_gate_over_the_table_to_the_next_deal(
    server: Running, open_page: Browsing
) -> None:
    whole = list(steps(GAME))
    begun, game = whole[:-12], whole[-12:]
    room = await race(server, countdown=2, deal=None, save=save_of(GAME, len(begun)))
    ann = await come(open_page, server, room, "Ann")
    await expect(ann.get_by_text("Waiting for a second racer")).to_be_visible()
    bob = await come(open_page, server, room, "Bob", size=PHONE, touch=True)
    await expect(ann.get_by_role("heading", name="0 of 2 ready")).to_be_visible()
    await get_ready(ann)
    await expect(bob.get_by_role("heading", name="1 of 2 ready")).to_be_visible()
    assert await ann.locator("kibitz-table .card").count() == 0
    await bob.get_by_role("button", name="I am ready").tap()
    await expect(ann.get_by_role("timer")).to_have_text("1")
    for page in (ann, bob):
        await may_play(page)
        await shows(page, begun[-1].piles)
        await expect(page.locator("kibitz-gate")).to_be_hidden()
    await expect(ann.locator("kibitz-table :focus")).to_have_count(1)

    for step in game[:2]:
        await play(bob, step, by_finger)
    for step in game[:4]:
        await play(ann, step)
    await expect(bob.locator("kibitz-racers tbody tr").first).to_contain_text("Ann")
    table = await standings(bob)
    assert [[row[0], row[1], *row[3:]] for row in table] == [
        ["1", "Ann", "4", ""],
        ["2", "Bob (you)", "2", ""],
    ]
    await expect(bob.locator("kibitz-people .standing")).to_contain_text("2nd of 2")
    await shows(bob, game[1].piles)
    assert await bob.locator("kibitz-racers button").count() == 1, "only his own can be looked at"

    for step in game[4:]:
        await play(ann, step)
    await expect(ann.locator(".strip")).to_contain_text("You won, 1st so far.")
    await ann.locator("kibitz-racers").get_by_role("button", name="Bob").click()
    await expect(ann.locator(".strip")).to_contain_text("The board of Bob")
    await shows(ann, game[1].piles)
    await play(bob, game[2], by_finger)
    await until(ann, await seq(bob))
    await shows(ann, game[2].piles)
    await ann.get_by_role("button", name="My board").click()
    await shows(ann, game[-1].piles)

    await give_up(bob)
    await expect(dialog(ann).get_by_role("heading", name="You won the race!")).to_be_visible()
    await expect(dialog(bob).get_by_role("heading", name="You are 2nd of 2")).to_be_visible()
    await expect(dialog(bob).locator("tbody tr").last).to_contain_text("gave up")
    await axe.check(bob)

    await dialog(ann).get_by_role("button", name="Rematch").click()
    await expect(dialog(bob)).to_contain_text("Ann goes on with the next deal.")
    await dialog(bob).get_by_role("button", name="Play").tap()
    for page in (ann, bob):
        await expect(page.locator("kibitz-people")).to_contain_text("Game 2 · Ann 1, Bob 0")
        await expect(page.get_by_role("heading", name="0 of 2 ready")).to_be_visible()
    assert ann.url == bob.url != f"{server.http}/?room={room}"
    await get_ready(ann)
    await bob.get_by_role("button", name="I am ready").tap()
    await may_play(ann)
    await may_play(bob)


async def test_who_watches_sees_nothing_before_the_end_and_then_everything(
    server: Running, open_page: Browsing
) -> None:
    room = await race(server)
    game = list(steps(GAME))
    ann = await come(open_page, server, room, "Ann")
    bob = await come(open_page, server, room, "Bob")
    eve = await come(open_page, server, room, "Eve", seat=False)
    dan = await come(open_page, server, room, "Dan", seat=False)
    await get_ready(ann, bob)
    await may_play(ann)
    for step in game[:3]:
        await play(ann, step)
    await expect(eve.locator(".felt")).to_contain_text(MASKED)
    await expect(eve.locator("kibitz-racers tbody tr").first).to_contain_text("Ann")
    assert await eve.locator(".card").count() == await eve.locator("kibitz-racers button").count()
    assert await eve.locator(".card").count() == 0
    await give_up(ann)
    await expect(eve.locator("kibitz-racers tbody tr").first).to_contain_text("gave up")
    await expect(eve.locator(".felt")).to_contain_text(MASKED)
    await play(bob, game[0])
    await give_up(bob)

    await expect(eve.locator(".strip")).to_contain_text("Ann came first")
    await expect(eve.locator("kibitz-table")).to_be_visible()
    names = eve.locator("kibitz-racers")
    await names.get_by_role("button", name="Bob").click()
    await eve.get_by_role("button", name="All cards open").click()
    assert "??" not in json.dumps(await cards(eve))
    await eve.get_by_role("button", name="As played").click()
    await names.get_by_role("button", name="Ann").click()
    lines = eve.locator("kibitz-log li.move")
    await expect(lines).to_have_count(3)
    await lines.nth(1).click()
    await shows(eve, game[1].piles)
    await eve.get_by_role("button", name="One event back").click()
    await shows(eve, game[0].piles)
    await names.get_by_role("button", name="Bob").click()
    await expect(eve.locator("kibitz-log li.move")).to_have_count(1)
    await shows(eve, start_of(GAME))
    await eve.get_by_role("button", name="Last event").click()

    await dialog(ann).get_by_role("button", name="Rematch").click()
    await dan.get_by_role("button", name="Stay here").click()
    await expect(eve.locator("kibitz-gate")).to_be_visible()
    assert eve.url == ann.url
    await dan.get_by_role("button", name="Go to the next deal").click()
    await expect(dan.locator("kibitz-gate")).to_be_visible()


async def test_boards_that_may_be_seen_are_chosen_while_the_race_goes_on(
    server: Running, open_page: Browsing
) -> None:
    wish: dict[str, Any] = {"game": GAME, "mode": "race", "deal": deal_of(GAME), "countdown": 1}
    async with talking(server.url) as host:
        made = await host.ok("create", policy={"masked": False, "delay": 1}, **wish)
        room: str = made["room"]
        await host.ok("leave", room=room)
    game = list(steps(GAME))
    ann = await come(open_page, server, room, "Ann")
    bob = await come(open_page, server, room, "Bob")
    eve = await come(open_page, server, room, "Eve", seat=False)
    await get_ready(ann, bob)
    await may_play(ann)
    await expect(eve.locator(".strip")).to_contain_text("The board of Ann")
    await play(ann, game[0])
    for step in game[:2]:
        await play(bob, step)
    await eve.locator("kibitz-racers").get_by_role("button", name="Bob").click()
    await until(eve, await seq(bob))
    await shows(eve, game[1].piles)
    await eve.locator("kibitz-racers").get_by_role("button", name="Ann").click()
    await shows(eve, game[0].piles)
    await give_up(ann)
    await expect(eve.locator(".strip")).to_contain_text("The board of Bob")
    await shows(eve, game[1].piles)
    assert await bob.locator("kibitz-racers button").count() == 1


async def test_who_plays_alone_goes_on_and_who_watches_goes_along(
    server: Running, open_page: Browsing
) -> None:
    ann = await sit(open_page, server, await create(server, GAME))
    eve = await open_page(ann.url, storage=named("Eve"))
    await expect(eve.locator("kibitz-table .card").first).to_be_visible()
    await give_up(ann)
    await dialog(ann).get_by_role("button", name="Next deal").click()
    await expect(ann.locator("kibitz-people")).to_contain_text("Game 2")
    await may_play(ann)
    await expect(eve.locator(".strip")).to_contain_text("you are taken along")
    await expect(eve.locator("kibitz-people")).to_contain_text("Game 2")
    assert eve.url == ann.url


async def test_start_and_end_are_told_once_and_no_second_is(
    server: Running, open_page: Browsing
) -> None:
    room = await race(server, countdown=2)
    ann = await come(open_page, server, room, "Ann")
    bob = await come(open_page, server, room, "Bob")
    await bob.evaluate(HEAR)
    await get_ready(ann, bob)
    await may_play(bob)
    await play(ann, next(steps(GAME)))
    await give_up(ann)
    await expect(bob.get_by_role("status")).to_contain_text("Ann gave up")
    heard = " ".join(await bob.evaluate("heard"))
    said = ["1 of 2 ready", "2 of 2 ready", "the race begins in 2 seconds", "the race has begun"]
    assert [heard.count(line) for line in said] == [1, 1, 1, 1], heard
    assert "from" not in heard, f"a rival's move was told: {heard}"


async def test_axe_and_small_windows(server: Running, open_page: Browsing) -> None:
    room = await race(server, seats=100, countdown=1)
    async with talking(server.url, name="Cy with quite a long name, too") as cy:
        await cy.ok("join", room=room, role="player")
        ann = await come(open_page, server, room, "Ann")
        eve = await come(open_page, server, room, "Eve", seat=False)

        async def look() -> None:
            for page in (ann, eve):
                for size in ((320, 640), (844, 390), (1280, 800)):
                    await page.set_viewport_size({"width": size[0], "height": size[1]})
                    wide = await page.evaluate("document.documentElement.scrollWidth")
                    assert wide <= size[0], f"{page.url} scrolls sideways at {size}"
                for theme in ("light", "dark"):
                    await page.emulate_media(color_scheme=theme)
                    await axe.check(page)

        await look()
        await get_ready(ann)
        await cy.ok("ready", room=room)
        await may_play(ann)
        await look()
        await give_up(ann)
        await cy.ok("resign", room=room)
        await expect(dialog(ann)).to_be_visible()
        await look()


async def test_many_racers_scroll_and_stand_in_order(server: Running, open_page: Browsing) -> None:
    room = await race(server, seats=50, countdown=0)
    async with contextlib.AsyncExitStack() as stack:
        talks = [
            await stack.enter_async_context(talking(server.url, name=f"R{n}")) for n in range(30)
        ]
        for talk in talks:
            await talk.ok("join", room=room, role="player")
        eve = await come(open_page, server, room, "Eve", seat=False)
        await expect(eve.locator("kibitz-gate li")).to_have_count(31)
        for talk in talks:
            await talk.ok("ready", room=room)
        rows = eve.locator("kibitz-racers tbody tr")
        await expect(rows).to_have_count(30)
        for step in islice(steps(GAME), 6):
            await talks[-1].ok("move", room=room, move=step.line)
        await expect(rows.first).to_contain_text("R29")
        scrolls = "({scrollHeight, clientHeight}) => scrollHeight > clientHeight + 100"
        assert await eve.locator("kibitz-racers .list").evaluate(scrolls)
        for talk in talks:
            await talk.ok("resign", room=room)
        await expect(rows.filter(has_text="gave up").get_by_role("button")).to_have_count(30)
        await eve.locator("kibitz-racers .list").focus()
        for _ in range(3):
            await eve.keyboard.press("ArrowDown")
        await eve.keyboard.press("Enter")
        await expect(rows.nth(2)).to_have_attribute("aria-current", "true")
        await expect(eve.locator(".strip")).to_contain_text("The board of R1")


async def test_a_start_at_a_time_asks_nobody_to_be_ready(
    server: Running, open_page: Browsing
) -> None:
    async with talking(server.url) as host:
        now = (await host.ok("ping"))["now"]
    room = await race(server, begins=now + 3_600_000)
    ann = await come(open_page, server, room, "Ann")
    await expect(ann.get_by_role("timer")).to_have_text(re.compile("59:[0-9]{2}"))
    assert await ann.get_by_role("button", name="I am ready").count() == 0
    await ann.get_by_role("button", name="Only watch").click()
    await expect(ann.get_by_role("button", name="Take a seat")).to_be_visible()


async def test_comments_are_switched_off_and_on(server: Running, open_page: Browsing) -> None:
    ann = await sit(open_page, server, await create(server, "klondike", deal="1"))
    eve = await open_page(ann.url, storage=named("Eve"))
    await expect(eve.get_by_label("Comment", exact=True)).to_be_visible()
    await choose(ann, "Comments off")
    for page in (ann, eve):
        await expect(page.get_by_text("Comments are off.")).to_be_visible()
        await expect(page.get_by_label("Comment", exact=True)).to_be_hidden()
    await choose(ann, "Comments on")
    await eve.get_by_label("Comment", exact=True).fill("hello")
    await eve.keyboard.press("Enter")
    await expect(ann.locator("kibitz-log")).to_contain_text("hello")


async def test_one_goes_on_from_a_moment_in_a_new_room(
    server: Running, open_page: Browsing
) -> None:
    game = list(steps(GAME))
    ann = await sit(open_page, server, await create(server, GAME, deal=deal_of(GAME)))
    parent = ann.url
    for step in game[:3]:
        await play(ann, step)
    await ann.get_by_role("button", name="One event back").click()
    await shows(ann, game[1].piles)
    await choose(ann, "Try from here in a new room")
    await ann.wait_for_url(lambda url: url.split("#")[0] != parent)
    await may_play(ann)
    await shows(ann, game[1].piles)
    await ann.goto(parent)
    await may_play(ann)
    await shows(ann, game[2].piles)
    await give_up(ann)
    await dialog(ann).get_by_label("Close").click()
    await ann.locator("kibitz-log li.move").nth(0).click()
    await shows(ann, game[0].piles)
    await ann.get_by_role("button", name="Play on from here").click()
    await may_play(ann)
    await shows(ann, game[0].piles)


async def test_the_time_is_up(server: Running, open_page: Browsing) -> None:
    room = await race(server, limit=8, countdown=0)
    ann = await come(open_page, server, room, "Ann")
    bob = await come(open_page, server, room, "Bob")
    await get_ready(ann, bob)
    await may_play(ann)
    await expect(ann.locator("kibitz-people")).to_contain_text(re.compile("0:0[1-8] left"))
    await play(ann, next(steps(GAME)))
    await expect(dialog(bob).get_by_role("heading", name="You are 2nd of 2")).to_be_visible()
    await expect(dialog(bob).locator("tbody tr").first).to_contain_text("time up")
    await dialog(bob).get_by_label("Close").click()
    await bob.get_by_role("button", name="Play this deal").click()
    await may_play(bob)
    await shows(bob, start_of(GAME))


async def test_a_file_of_a_race_has_every_board(server: Running, open_page: Browsing) -> None:
    room = await race(server, countdown=0)
    game = list(steps(GAME))
    async with talking(server.url, name="Ann") as ann, talking(server.url, name="Bob") as bob:
        for who in (ann, bob):
            await who.ok("join", room=room, role="player")
        for who in (ann, bob):
            await who.ok("ready", room=room)
        await ann.until(lambda: any(event["kind"] == "dealt" for event in ann.events(room)))
        for step in game[:2]:
            await ann.ok("move", room=room, move=step.line)
        await bob.ok("move", room=room, move=game[0].line)
        await bob.ok("resign", room=room)
        await ann.ok("resign", room=room)

    def read() -> bytes:
        with urlopen(f"{server.http}/rooms/{room}/replay.json") as answer:
            text: bytes = answer.read()
        return text

    text = await asyncio.to_thread(read)
    page = await open_page(f"{server.http}/")
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Choose a file").click()
    file = {"name": "race.json", "mimeType": "application/json", "buffer": text}
    await (await choosing.value).set_files(file)  # type: ignore[arg-type]
    await page.get_by_role("button", name="Last event").click()
    await page.locator("kibitz-racers").get_by_role("button", name="Bob").click()
    await page.locator("kibitz-log li.move").last.click()
    await shows(page, game[0].piles)
    await page.locator("kibitz-racers").get_by_role("button", name="Ann").click()
    await page.locator("kibitz-log li.move").last.click()
    await shows(page, game[1].piles)


async def test_what_is_shown_late_says_so_and_is_waited_for(
    server: Running, open_page: Browsing
) -> None:
    async with talking(server.url, name="Ann") as ann:
        made = await ann.ok("create", game=GAME, policy={"delay": 2})
        eve = await open_page(f"{server.http}/?room={made['room']}", storage=named("Eve"))
        await expect(eve.locator("kibitz-people")).to_contain_text("shown 2 s late")
        await expect(eve.locator("kibitz-table .card").first).to_be_visible()
