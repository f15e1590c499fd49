"""Coming and going: links, late guests, second tabs, outages, frames, prefixes."""

from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from browser.browsing import DOWN, Browsing
from browser.forwarding import framing, under_prefix
from browser.games import deal_of, start_of, steps
from browser.player import (
    Address,
    create,
    may_play,
    named,
    play,
    played,
    shows,
    sit,
    until,
    watch,
)
from playwright.async_api import expect
from processes import standby
from servers import Running
from talk import talking


async def test_whoever_comes_late_sees_all_of_it(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room)
    done = list(islice(steps("klondike"), 24))
    for step in done[:20]:
        await play(ann, step)
    bob = await watch(open_page, server, room)
    await shows(bob, done[19].piles)
    await expect(bob.locator("kibitz-log ol > li")).to_have_count(22)
    await bob.locator("kibitz-log ol > li").nth(11).click()
    await expect(bob.locator("kibitz-room")).to_have_attribute("data-seq", "12")
    await shows(bob, done[9].piles)
    for step in done[20:]:
        await play(ann, step)
    await expect(bob.locator("kibitz-log ol > li")).to_have_count(26)
    await shows(bob, done[9].piles)
    await bob.get_by_role("button", name="Live").click()
    await until(bob, 26)
    await shows(bob, done[23].piles)


async def test_a_reload_leaves_everything_as_it_was(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room)
    done = list(islice(steps("klondike"), 8))
    for step in done[:6]:
        await play(ann, step)
    await ann.reload()
    await may_play(ann)
    await shows(ann, done[5].piles)
    for step in done[6:]:
        await play(ann, step)
        await shows(ann, step.piles)


async def test_the_second_tab_takes_the_seat_and_the_first_takes_it_back(
    server: Running, open_page: Browsing
) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    first = await sit(open_page, server, room)
    done = list(islice(steps("klondike"), 3))
    await play(first, done[0])
    second = await open_page(f"{server.http}/?room={room}", beside=first)
    await may_play(second)
    await expect(first.get_by_text("taken over in another tab").first).to_be_visible()
    await expect(first.locator("kibitz-table")).not_to_have_attribute("data-free", "")
    await play(second, done[1])
    await first.get_by_role("button", name="Play here").click()
    await may_play(first)
    await shows(first, done[1].piles)
    await expect(second.get_by_text("taken over in another tab").first).to_be_visible()
    await play(first, done[2])


async def test_a_killed_server_comes_back_and_the_game_goes_on(
    tmp_path: Path, open_page: Browsing
) -> None:
    open_page.allowed.append(DOWN)
    data = tmp_path / "kibitz.db"
    done = list(islice(steps("klondike"), 9))
    async with standby(data) as process:
        url = await process.start()
        at = urlsplit(url).netloc
        server = Address(url, f"http://{at}")
        room = await create(server, "klondike", deal=deal_of("klondike"))
        ann = await sit(open_page, server, room)
        bob = await watch(open_page, server, room)
        for step in done[:6]:
            await play(ann, step)
        async with standby(data, "--port", at.split(":")[1]) as again:
            await process.kill()
            for page in (ann, bob):
                await expect(page.get_by_text("The server is away").first).to_be_visible()
                await shows(page, done[5].piles)
            await expect(ann.locator("kibitz-table")).not_to_have_attribute("data-free", "")
            await again.start()
            await may_play(ann)
            for step in done[6:]:
                await play(ann, step)
            for page in (ann, bob):
                await until(page, 11)
                await expect(page.get_by_text("The server is away")).to_have_count(0)
                await shows(page, done[8].piles)
            for page in (ann, bob):
                await page.close()


async def test_a_frame_on_another_site_shows_the_bare_table(
    server: Running, open_page: Browsing
) -> None:
    room = await played(server, "klondike", 5)
    async with framing(f"{server.http}/?room={room}&embed&theme=dark") as site:
        open_page.allowed.append(f"another origin was asked: {server.http}")
        page = await open_page(site)
        frame = page.frame_locator("iframe")
        await expect(frame.locator("kibitz-table .pile")).to_have_count(13)
        await expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
        await expect(frame.get_by_role("banner")).to_be_hidden()
        await expect(frame.locator("kibitz-log")).to_be_hidden()
        inner = page.frames[1]
        assert await inner.evaluate("() => localStorage.length") == 0


async def test_an_embedded_table_never_sits(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room)
    frame = await open_page(f"{server.http}/?room={room}&seat&embed", beside=ann)
    await expect(frame.locator("kibitz-table .pile")).to_have_count(13)
    step = next(steps("klondike"))
    await play(ann, step)
    await until(frame, 3)
    await shows(frame, step.piles)
    await expect(frame.locator("kibitz-table")).not_to_have_attribute("data-free", "")


async def test_everything_works_under_a_path_prefix(server: Running, open_page: Browsing) -> None:
    async with under_prefix(server, "/games/kibitz") as http:
        behind = Address(server.url, http)
        room = await create(server, "klondike", deal=deal_of("klondike"))
        ann = await sit(open_page, behind, room)
        done = list(islice(steps("klondike"), 3))
        for step in done:
            await play(ann, step)
        bob = await open_page(f"{http}/")
        await bob.get_by_role("link", name="Ann").click()
        await until(bob, 5)
        await shows(bob, done[2].piles)
        assert urlsplit(bob.url).path == "/games/kibitz/"
        await bob.go_back()
        await expect(bob.locator("kibitz-lobby")).to_be_visible()


async def test_a_password_is_asked_for(server: Running, open_page: Browsing) -> None:
    async with talking(server.url, name="Cyd") as cyd:
        made = await cyd.ok("create", game="klondike", visibility="private", password="cats")
    bob = await open_page(f"{server.http}/?room={made['room']}")
    dialog = bob.get_by_role("dialog")
    await dialog.get_by_label("Password").fill("birds")
    seen = "box => { box.querySelector('form').requestSubmit(); return box.checkVisibility(); }"
    assert not await dialog.evaluate(seen), "what is typed from now on is not lost with it"
    await expect(dialog).to_contain_text("That was not it")
    for word in ("dogs", "cats"):
        await dialog.get_by_label("Password").fill(word)
        await dialog.get_by_role("button", name="Enter").click()
    await expect(bob.locator("kibitz-table .pile")).to_have_count(13)


async def test_a_room_that_is_not_there(server: Running, open_page: Browsing) -> None:
    open_page.allowed.append("console error: Refused")
    page = await open_page(f"{server.http}/?room=aaaaaaaaaaaaaaaa")
    await expect(page.get_by_role("heading", name="That did not work")).to_be_visible()
    await page.get_by_role("link", name="Back to the lobby").click()
    await expect(page.locator("kibitz-lobby")).to_be_visible()


async def test_comments_are_heard_by_everybody(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room)
    bob = await open_page(f"{server.http}/?room={room}", storage=named("Bob"))
    await bob.get_by_role("textbox", name="Comment").fill("<b>nice</b> & calm")
    await bob.keyboard.press("Enter")
    for page in (ann, bob):
        await expect(page.locator("kibitz-log")).to_contain_text("<b>nice</b> & calm")
        await expect(page.locator("kibitz-log")).to_contain_text("Bob")


async def test_a_viewer_takes_a_free_seat(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    bob = await open_page(f"{server.http}/?room={room}", storage=named("Bob"))
    await bob.get_by_role("button", name="Take a seat").click()
    await may_play(bob)
    await shows(bob, start_of("klondike"))
    await play(bob, next(steps("klondike")))
