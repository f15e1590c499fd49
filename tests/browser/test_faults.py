"""Faults that pages like this have had: old tables called live, things left behind, lost clicks."""

import asyncio
import json
import re
from itertools import islice
from pathlib import Path
from urllib.request import urlopen

from browser.browsing import DOWN, Browsing
from browser.games import deal_of, steps
from browser.player import create, may_play, named, play, seq, sit, until
from playwright.async_api import Page, expect
from processes import standby
from servers import Running, running_server
from talk import talking
from worlds import Fake


async def is_live(page: Page) -> bool:
    live: bool = await page.evaluate("() => document.querySelector('kibitz-timeline').live")
    return live


async def drop(page: Page, text: str) -> None:
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Choose a file").click()
    chooser = await choosing.value
    file = {"name": "game.json", "mimeType": "text/plain", "buffer": text.encode()}
    await chooser.set_files(file)  # type: ignore[arg-type]


def replay(server: Running, room: str) -> str:
    with urlopen(f"{server.http}/rooms/{room}/replay.json") as answer:
        text: str = answer.read().decode()
    return text


async def test_a_file_is_never_live(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike")
    async with talking(server.url) as ann:
        await ann.ok("join", room=room, role="player")
        await ann.ok("move", room=room, move="discard")
    text = await asyncio.to_thread(replay, server, room)
    page = await open_page(f"{server.http}/")
    await drop(page, text)
    await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", "1")
    assert not await is_live(page)
    await expect(page.locator("kibitz-timeline .live")).to_be_hidden()
    await page.get_by_role("button", name="Last event").click()
    assert not await is_live(page)


SPOILT = (
    '{"format": "kibitz-replay-json-1", "game": "klondike", "events": []}',
    '{"format": "kibitz-replay-json-1", "game": "klondike", "events": [null]}',
    '{"format": "kibitz-replay-json-1", "game": "klondike", "events": [{"seq": 1, "at": "x"}]}',
)
ODD = (
    '{"format": "kibitz-replay-json-1", "game": "__proto__",'
    ' "events": [{"seq": 1, "at": 0, "kind": "created"}]}'
)


async def test_a_file_of_the_wrong_shape_is_refused_in_words(
    server: Running, open_page: Browsing
) -> None:
    page = await open_page(f"{server.http}/")
    for text in SPOILT:
        await drop(page, text)
        await expect(page.locator("#toasts")).to_contain_text("This is no replay")
        await page.evaluate("document.querySelector('#toasts').replaceChildren()")
    await drop(page, ODD)
    await expect(page.get_by_text("No game here").first).to_be_visible()


async def test_a_room_that_is_gone_is_not_live(tmp_path: Path, open_page: Browsing) -> None:
    async with standby(tmp_path / "a.db") as first:
        url = await first.start()
        port = url.split(":")[2].split("/")[0]
        http = f"http://127.0.0.1:{port}"
        async with talking(url) as host:
            room = (await host.ok("create", game="klondike"))["room"]
        page = await open_page(f"{http}/?room={room}")
        await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", "2")
        open_page.allowed.append(DOWN)
        await first.kill()
    async with standby(tmp_path / "b.db", "--port", port) as second:
        await second.start()
        await expect(page.locator(".strip")).to_contain_text("This room is gone")
        assert not await is_live(page)
        await page.get_by_role("button", name="To the lobby").click()
        await expect(page.get_by_role("heading", name="Solitaire in company")).to_be_visible()
        await expect(page.locator("kibitz-daily")).to_be_visible()  # the last that it loads


async def test_escape_during_a_drag_puts_the_card_back(
    server: Running, open_page: Browsing
) -> None:
    ann = await sit(open_page, server, await create(server, "klondike", deal="1"))
    card = ann.locator('[data-pile="PILE-4"] li:last-child > .card')
    before = await card.bounding_box()
    assert before is not None
    await card.hover()
    await ann.mouse.down()
    await ann.mouse.move(before["x"] + 230, before["y"] + 60, steps=5)
    await ann.keyboard.press("Escape")
    await ann.mouse.up()
    await expect(ann.locator(".dragged")).to_have_count(0)
    assert await card.bounding_box() == before
    assert await seq(ann) == 2


async def test_a_question_does_not_outlive_its_page(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/", storage=named("Ann"))
    room = await create(server, "klondike", deal="1")
    await page.goto(f"{server.http}/?room={room}&seat")
    await may_play(page)
    await page.get_by_label("More").click()
    await page.get_by_role("button", name="Give up").click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.go_back()
    await expect(page.get_by_role("heading", name="Solitaire in company")).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_every_quick_click_counts(server: Running, open_page: Browsing) -> None:
    ann = await sit(open_page, server, await create(server, "klondike-single", deal="1"))
    before = await seq(ann)
    await ann.evaluate(
        "() => { for (let n = 0; n < 4; n++) document.querySelector('[data-move=sw]').click(); }"
    )
    await until(ann, before + 4)


async def test_visited_rooms_leave_nothing_behind(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal="1")
    page = await open_page(f"{server.http}/")
    devtools = await page.context.new_cdp_session(page)

    async def visit(times: int) -> int:
        for _ in range(times):
            await page.locator(".tile").first.click()
            await expect(page.locator("kibitz-start h2")).to_be_visible()
            await page.go_back()
            await page.locator(f'a[href="?room={room}"]').click()
            await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", "1")
            await page.go_back()
            await expect(page.locator("kibitz-lobby")).to_be_visible()
        await devtools.send("HeapProfiler.collectGarbage")
        counted = await devtools.send("Memory.getDOMCounters")
        nodes: int = counted["nodes"]
        return nodes

    first = await visit(3)
    assert await visit(8) < first + 2500


async def test_a_spoilt_memory_keeps_nobody_out(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/healthz")
    for kept in ({"name": "x" * 100}, {"token": "y" * 100}, {"name": "a\ud83d"}, 7):
        keep = "kept => localStorage.setItem('kibitz', kept)"
        await page.evaluate(keep, json.dumps(kept))
        await page.goto(f"{server.http}/")
        await expect(page.locator(".tile")).to_have_count(5)
        await expect(page.locator("main")).to_have_attribute("data-link", "open")
        await page.goto(f"{server.http}/healthz")


async def test_an_address_of_no_game_shows_the_form(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/healthz")
    for game in ("__proto__", "constructor", "chess"):
        await page.goto(f"{server.http}/?start={game}")
        await expect(page.get_by_role("button", name="Start Montana")).to_be_visible()


async def test_looking_back_is_said_and_so_is_the_way_forward(
    server: Running, open_page: Browsing
) -> None:
    ann = await sit(open_page, server, await create(server, "klondike", deal=deal_of("klondike")))
    for step in islice(steps("klondike"), 5):
        await play(ann, step)
    await ann.get_by_role("button", name="One event back").click()
    await expect(ann.locator(".strip")).to_contain_text("You are looking back: event")
    await ann.get_by_role("button", name="Back to the game").click()
    await expect(ann.locator(".strip")).to_be_hidden()
    await may_play(ann)


async def test_undo_works_as_everywhere_and_the_focus_stays_on_the_table(
    server: Running, open_page: Browsing
) -> None:
    ann = await sit(open_page, server, await create(server, "klondike-single", deal="1"))
    before = await seq(ann)
    await ann.keyboard.press("d")
    await until(ann, before + 1)
    await ann.keyboard.press("Control+z")
    await until(ann, before + 2)
    await ann.keyboard.press("Control+y")
    await until(ann, before + 3)
    await ann.get_by_role("button", name="Undo", exact=True).hover()
    await ann.mouse.down()
    await expect(ann.locator("kibitz-table :focus")).to_have_count(1)
    await ann.mouse.up()
    await until(ann, before + 4)
    await ann.keyboard.press("d")
    await until(ann, before + 5)
    undo = ann.get_by_role("button", name="Undo", exact=True)
    while not await undo.evaluate("button => button === document.activeElement"):
        await ann.keyboard.press("Tab")
    await ann.keyboard.press("Enter")
    await until(ann, before + 6)


async def test_the_clock_is_the_server_s(open_page: Browsing) -> None:
    """Whatever the browser's clock says, and however long ago the server told the time."""
    fake = Fake()
    async with running_server(world=fake.world) as server:
        page = await open_page(f"{server.http}/")
        await expect(page.locator(".tile")).to_have_count(5)
        fake.pass_time(3600)
        await page.evaluate(
            "() => { const now = Date.now; Date.now = () => now.call(Date) + 3_600_000; }"
        )
        room = await create(server, "klondike")
        await page.locator(f'a[href="?room={room}"]').click()
        time = page.locator("kibitz-people .facts b").first
        await expect(time).to_have_text(re.compile("^[01]:[0-9]{2}$"))
        await expect(time).not_to_have_text("0:00")  # and it goes on


async def test_own_games_are_found_again(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal="1", visibility="unlisted")
    ann = await sit(open_page, server, room)
    await ann.goto(f"{server.http}/")
    await ann.get_by_role("link", name="Go on with Klondike").click()
    await may_play(ann)
